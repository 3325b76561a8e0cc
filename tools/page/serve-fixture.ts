/** Bundles and starts the development server of the live page (test/page/fixture-server.ts): Node.js alone reads no TSX. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { buildPage, pageDefines } from './build-assets.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.cache/page');
mkdirSync(folder, { recursive: true });
const { assets } = await buildPage(esbuild, root);
for (const { kind, brotli, gzip } of assets)
  console.log(
    `${kind}: ${Buffer.from(brotli, 'base64').length} bytes of brotli, ${Buffer.from(gzip, 'base64').length} of gzip`,
  );
const outfile = join(folder, `server-${process.pid}.mjs`);
await esbuild.build({
  absWorkingDir: root,
  entryPoints: [join(root, 'test/page/fixture-server.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: pageDefines(assets),
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
