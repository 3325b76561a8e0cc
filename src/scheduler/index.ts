/** scheduler: filter, score, bind. Pure but for the bind. */
export { SCHEDULER_NAME, type SchedulerOptions, runScheduler } from './scheduler.ts';
