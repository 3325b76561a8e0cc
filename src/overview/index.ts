/**
 * overview: how all pods of a cluster are, in one verdict, a row for each workload and a strip for each node. Pure: its callers watch
 * the objects, and print the rows.
 */
export { type OverviewFacts, overviewOf } from './overview-of.ts';
export type * from './types.ts';
export type { Makers } from './workload-rows.ts';
