/** day: what nodes remember of a workload's last day, how that of several nodes becomes one, and what a page shows of it. Pure. */
export * from './buckets.ts';
export { barOf, type DayFigures, dayOf, type DaySeries, seriesOf } from './day-of.ts';
export { mergeDays, type WorkloadName } from './merge-days.ts';
export { MAX_POD_STEPS, readDayList, type ReadDays } from './read-day-list.ts';
export { mergeSpans, type RecoveryFigures, recoveryFigures } from './recovery-figures.ts';
export type * from './types.ts';
