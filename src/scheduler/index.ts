/** scheduler: filter, score, bind. Decisions are pure; watch and writes are not. */
export { type SchedulerOptions, runScheduler } from './scheduler.ts';
export { SCHEDULER_NAME } from './scheduler-name.ts';
export { refusals, type Surroundings } from './refusals.ts';
