/**
 * Bundles mendlet into dist/, which is what users run, in a checkout as in the package:
 *
 *   dist/mendlet.js               the bin: checks Node's version, keeps V8's young generation small, loads the program
 *   dist/kubectl-VERB.js          the same as a plugin of kubectl: the program looks at the name it was started by
 *   dist/program.js               the program with all its verbs, libraries included
 *   dist/commands.js              the same without the verbs that run for long (`up`, `server`, `agent`, `healer`): a third of the
 *                                 code, in half the time
 *   dist/store-worker.js          the store's worker thread
 *   dist/THIRD-PARTY-LICENSES     the licences of the libraries inside
 *
 * The live page's script and style sheet are inside both programs (tools/page/build-assets.ts).
 * Neither is split further: all code is loaded at start, so that a bundle made anew beside a running mendlet cannot hurt it.
 * The libraries and esbuild come from tools/bundle/node_modules (a lock of its own: a first start fetches only these). In
 * a folder without it, the checkout's own node_modules serve.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type * as esbuild from 'esbuild';
import type { BuildOptions, Plugin } from 'esbuild';
import { collectLicences } from './licences.ts';
import { buildPage, pageDefines } from './page/build-assets.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const libraries = existsSync(join(root, 'tools/bundle/node_modules/esbuild')) ? join(root, 'tools/bundle') : root;
const bundler = createRequire(join(libraries, 'package.json'))('esbuild') as typeof esbuild;

/**
 * Bare imports of our sources are found in `libraries`, whatever else is in the checkout's node_modules: packages that only
 * development has fetched would be missing at a user's first start.
 */
const fromLibraries: Plugin = {
  name: 'from-libraries',
  setup(bundling) {
    bundling.onResolve({ filter: /^[^./]/ }, (args) => {
      if (args.pluginData === 'done' || args.path.startsWith('node:')) return undefined;
      if (!args.importer.startsWith(join(root, 'src'))) return undefined;
      return bundling
        .resolve(args.path, { kind: args.kind, resolveDir: libraries, pluginData: 'done' })
        .then((found) =>
          found.errors.length > 0 || found.external || found.path.startsWith(join(libraries, 'node_modules/'))
            ? found
            : { errors: [{ text: `${args.path} is not in ${join(libraries, 'package.json')}` }] },
        );
    });
  },
};

/**
 * `import` of node:http reads all that it exports, also the WebSocket that Node.js loads only when it is asked for (undici): 45 ms of
 * CPU at each start, and memory. `require` reads nothing before it is used.
 */
const requiredHttp: Plugin = {
  name: 'required-http',
  setup(bundling) {
    bundling.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    bundling.onLoad({ filter: /^node:http$/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

const shared: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24.15',
  format: 'esm',
  sourcemap: false,
  // Not minified: a crash shows its source line and real names, and a smaller file would save no memory worth having.
  minify: false,
  legalComments: 'none',
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  plugins: [requiredHttp, fromLibraries],
  // Libraries in CommonJS call `require` for Node's own modules.
  banner: {
    js: "import { createRequire as mendletCreateRequire } from 'node:module'; const require = mendletCreateRequire(import.meta.url);",
  },
};

const entries: readonly { readonly source: string; readonly output: string; readonly options?: BuildOptions }[] = [
  { source: 'src/main/main.ts', output: 'program.js' },
  { source: 'src/main/commands.ts', output: 'commands.js' },
  { source: 'src/store/sqlite-worker.node.ts', output: 'store-worker.js' },
  // Must run, if only to say no, on any Node.js: no banner, old syntax.
  {
    source: 'src/main/bin.ts',
    output: 'mendlet.js',
    options: { target: 'node14', banner: {} },
  },
];

/**
 * Verbs that kubectl finds on PATH, too: each has a bin in package.json, and a link in the checkout. In names of files kubectl has `_`
 * for `-`.
 */
const PLUGIN_VERBS = ['restart', 'try_now', 'pause', 'resume', 'why', 'history', 'watch'];

/**
 * One character beyond Latin-1 makes V8 hold the whole source in two bytes each: 2.6 MB more for as long as it runs. esbuild
 * leaves such characters only in comments and regular expressions, where an escape works as well, and in raw texts.
 */
function escapeNonAscii(path: string): void {
  const source = readFileSync(path, 'utf8');
  // There an escape would be six characters of the text.
  const [raw] = /String\.raw`[^`\n]*[^\0-\x7f`\n]/.exec(source) ?? [];
  if (raw !== undefined) throw new Error(`a raw text holds more than ASCII, write it without String.raw: ${raw}`);
  const escaped = source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(path, escaped);
}

const staging = join(dist, `.staging-${process.pid}`);
mkdirSync(staging, { recursive: true });
try {
  const page = await buildPage(bundler, root, [fromLibraries]);
  const inputs = [...page.inputs];
  for (const { source, output, options } of entries) {
    const entryPoints = [join(root, source)];
    const result = await bundler.build({
      ...shared,
      define: pageDefines(page.assets),
      ...options,
      absWorkingDir: root,
      entryPoints,
      outfile: join(staging, output),
    });
    escapeNonAscii(join(staging, output));
    inputs.push(...Object.keys(result.metafile?.inputs ?? {}).map((path) => resolve(root, path)));
  }
  for (const verb of PLUGIN_VERBS) {
    writeFileSync(join(staging, `kubectl-${verb}.js`), "#!/usr/bin/env node\nimport './mendlet.js';\n", {
      mode: 0o755,
    });
  }
  chmodSync(join(staging, 'mendlet.js'), 0o755);
  writeFileSync(join(staging, 'THIRD-PARTY-LICENSES'), collectLicences(inputs));
  // Each file is replaced whole; the bin last.
  for (const name of readdirSync(staging).sort((a, b) => Number(a === 'mendlet.js') - Number(b === 'mendlet.js'))) {
    renameSync(join(staging, name), join(dist, name));
  }
} catch (error) {
  // esbuild has printed the error and its place; a stack would only hide them.
  if (!(error instanceof Error && 'errors' in error)) throw error;
  process.exitCode = 1;
} finally {
  rmSync(staging, { recursive: true, force: true });
}
