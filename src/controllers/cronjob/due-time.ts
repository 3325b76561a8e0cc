/**
 * Which time of its schedule a cron job owes now, and when the next one comes. Pure; moments are wall ms, as schedules are.
 * Upstream: mostRecentScheduleTime, nextScheduleTimeDuration.
 */
import type { CronSchedule } from '../../api/index.ts';
import { MANY_MISSED } from './limits.ts';

/** No two times of a schedule are nearer. */
const GRAIN_MS = 60_000;

export interface DueTime {
  /** The last time of the schedule that has come, and was not served. */
  readonly scheduled?: number;
  /** More than a hundred times have come since the last one that was served, or may still be started. */
  readonly manyMissed: boolean;
  /** The first time that has not come; undefined: there is none. */
  readonly next?: number;
}

/**
 * @param served the last time that was served, else the creation; if it is after `now` the clock was put back, and the times
 * up to it were served then
 * @param deadlineMs an older time may not be started any more
 */
export function dueTime(schedule: CronSchedule, served: number, deadlineMs: number | undefined, now: number): DueTime {
  const first = schedule.next(served);
  if (first === undefined) return { manyMissed: false };
  if (first > now) return { manyMissed: false, next: first };
  const scheduled = lastUntil(schedule, first, now);
  const next = schedule.next(schedule.everyMs === undefined ? now : scheduled);
  const since = deadlineMs === undefined ? served : Math.max(served, now - deadlineMs);
  return { scheduled, manyMissed: hasMany(schedule, since, now), ...(next === undefined ? {} : { next }) };
}

/**
 * The last time not after `now`; `first` is one of them. A schedule gives only the next time after a moment, so this halves
 * the interval.
 */
function lastUntil(schedule: CronSchedule, first: number, now: number): number {
  const { everyMs } = schedule;
  if (everyMs !== undefined) return first + Math.floor((now - first) / everyMs) * everyMs;
  let last = first;
  // Nothing comes after `end`, but `now` at most.
  let end = now;
  while (end - last > GRAIN_MS) {
    const middle = last + Math.floor((end - last) / 2);
    const found = schedule.next(middle);
    if (found !== undefined && found <= now) last = found;
    else end = middle;
  }
  for (let found = schedule.next(last); found !== undefined && found <= now; found = schedule.next(found)) last = found;
  return last;
}

function hasMany(schedule: CronSchedule, since: number, now: number): boolean {
  let at = schedule.next(since);
  for (let count = 1; at !== undefined && at <= now; count += 1, at = schedule.next(at)) {
    if (count > MANY_MISSED) return true;
  }
  return false;
}
