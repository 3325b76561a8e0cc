/**
 * lib: ports that know no Kubernetes, and small tools. Imports nothing of ours.
 * The real adapters are the `*.node.ts` files of this room; only `main` (and tests) load them, by their own path.
 */
export * from './clock.ts';
export * from './errors.ts';
export * from './file-system.ts';
export * from './http.ts';
export * from './logger.ts';
export * from './process.ts';
export * from './random.ts';
