/** Bundles the live page for browsers: one script and one style sheet, minified, named by their content, compressed. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type * as esbuild from 'esbuild';
import type { PageAsset } from '../../src/page/assets.ts';

/** Browsers of the last years; older ones show what the server drew. */
const TARGETS = ['chrome123', 'firefox125', 'safari17.5'];

export interface PageBuild {
  readonly assets: readonly PageAsset[];
  /** Absolute paths of all that is in them. */
  readonly inputs: readonly string[];
}

/** @param root of the checkout @param plugins where libraries are found @throws esbuild's errors, which it has printed */
export async function buildPage(
  { build }: Pick<typeof esbuild, 'build'>,
  root: string,
  plugins: readonly esbuild.Plugin[] = [],
): Promise<PageBuild> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      script: join(root, 'src/page/browser/main.browser.tsx'),
      style: join(root, 'src/page/style/page.css'),
    },
    outdir: join(root, 'dist/page'),
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: TARGETS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    metafile: true,
    logLevel: 'warning',
    plugins: [...plugins],
  });
  return {
    assets: outputFiles.map(({ path, contents }) => assetOf(path.endsWith('.css') ? 'style' : 'script', contents)),
    inputs: Object.keys(metafile.inputs).map((path) => join(root, path)),
  };
}

function assetOf(kind: PageAsset['kind'], contents: Uint8Array): PageAsset {
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 12);
  const brotli = brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
  });
  return {
    name: `page-${hash}.${kind === 'script' ? 'js' : 'css'}`,
    kind,
    type: kind === 'script' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
    brotli: brotli.toString('base64'),
    gzip: gzipSync(contents, { level: 9 }).toString('base64'),
  };
}

/** For the bundler of the program: the assets stand where `src/page/assets.ts` asks for them. */
export function pageDefines(assets: readonly PageAsset[]): Readonly<Record<string, string>> {
  return { MENDLET_PAGE_ASSETS: JSON.stringify(assets) };
}
