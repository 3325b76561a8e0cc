/**
 * A plugin of Vitest: stores that tests open run their worker as JavaScript, as users' do. Node.js strips the types of a worker
 * that is TypeScript by WebAssembly, in each worker anew; V8 of Node 24 now and then ends a process in which such workers come
 * and go, as where a test opens a store a hundred times.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const root = resolve(import.meta.dirname, '..', '..');
const WORKER_URL = join(root, 'src/store/worker-url.node.ts');
const FOLDER = join(root, '.cache', 'test-worker');
const BUILT = join(FOLDER, 'store-worker.mjs');

/**
 * Builds the worker when a run begins, and gives its place instead of the source's. The place is the same in every run: Vitest
 * keeps what it loaded for the next runs, and does not ask this plugin again.
 */
export function builtWorker(): Plugin {
  return {
    name: 'built-worker',
    enforce: 'pre',
    configResolved: buildWorker,
    load: (id) =>
      id.split('?')[0] === WORKER_URL
        ? `export function storeWorkerUrl() { return new URL(${JSON.stringify(pathToFileURL(BUILT).href)}); }`
        : undefined,
  };
}

/** Writes the bundled worker at once or not at all: another run may be reading it. */
async function buildWorker(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/store/sqlite-worker.node.ts')],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  if (file === undefined || file.text === textOf(BUILT)) return;
  mkdirSync(FOLDER, { recursive: true });
  const draft = join(FOLDER, `${process.pid}.mjs`);
  writeFileSync(draft, file.contents);
  renameSync(draft, BUILT);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
