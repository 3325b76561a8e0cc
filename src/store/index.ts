/** store: the revisioned event log under the API server. */
export * from './store.ts';
