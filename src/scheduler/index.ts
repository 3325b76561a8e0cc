/** scheduler: filter, score, bind. Pure but for the watch and the writes. */
export { type SchedulerOptions, runScheduler } from './scheduler.ts';
export { SCHEDULER_NAME } from './scheduler-name.ts';
export { refusals, type Surroundings } from './refusals.ts';
