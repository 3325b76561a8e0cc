/**
 * Where the code of the store's worker is: beside the bundled program, or its source in a checkout. Tests load another module in
 * this one's place (`test/support/built-worker.ts`).
 */
export function storeWorkerUrl(): URL {
  const file = import.meta.url.endsWith('.ts') ? './sqlite-worker.node.ts' : './store-worker.js';
  return new URL(file, import.meta.url);
}
