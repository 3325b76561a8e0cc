/** The image of the operator of the tests: one bundled file on Node.js. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../harness.ts';
import { nodeImage } from '../node-image.ts';
import { systemArchive } from '../system-archive.ts';

/** Libraries in CommonJS ask for `require`, which a module does not have by itself. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** The archive of `docker.io/library/site-operator:1`. */
export async function operatorArchive(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'operator.ts')],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    banner: { js: REQUIRE },
    write: false,
  });
  const texts = { 'app/operator.mjs': outputFiles[0]?.text ?? '' };
  const image = nodeImage('docker.io/library/site-operator:1', texts, ['node', '/app/operator.mjs']);
  return systemArchive(image, join(root, '.cache/e2e'));
}
