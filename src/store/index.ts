/** store: the revisioned event log under the API server. */
export * from './memory.ts';
export * from './store.ts';
