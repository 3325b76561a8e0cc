/**
 * api: the Kubernetes API as data and pure functions: types, resources, defaults, validation, selectors, quantities,
 * patches. Imports nothing of ours; no I/O.
 */
export type * from './types.gen.ts';
export * from './field-error.ts';
export * from './resource.ts';
export * from './resources.ts';
export * from './status-error.ts';
