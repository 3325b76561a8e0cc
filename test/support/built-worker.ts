/**
 * A plugin of Vitest: stores that tests open run their worker as JavaScript, as users' do. Node.js strips the types of a worker
 * that is TypeScript by WebAssembly, in each worker anew; V8 of Node 24 now and then ends a process in which such workers come
 * and go, as where a test opens a store a hundred times.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const root = resolve(import.meta.dirname, '..', '..');
const WORKER_URL = join(root, 'src/store/worker-url.node.ts');

/** Builds the worker once in this process, before the first test that loads it, and gives its place instead of the source's. */
export function builtWorker(): Plugin {
  let built: Promise<string> | undefined;
  return {
    name: 'built-worker',
    enforce: 'pre',
    async load(id) {
      if (id.split('?')[0] !== WORKER_URL) return undefined;
      built ??= buildWorker();
      return `export function storeWorkerUrl() { return new URL(${JSON.stringify(await built)}); }`;
    },
  };
}

/** Answers the URL of the bundled worker. Its folder is this process' own, and goes with it. */
async function buildWorker(): Promise<string> {
  const folder = join(root, '.cache', 'test-worker', String(process.pid));
  mkdirSync(folder, { recursive: true });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'store-worker.mjs');
  await build({
    entryPoints: [join(root, 'src/store/sqlite-worker.node.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return pathToFileURL(outfile).href;
}
