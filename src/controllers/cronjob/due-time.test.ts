import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseCronSchedule } from '../../api/index.ts';
import { type DueTime, dueTime } from './due-time.ts';

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);

it.each<[string, string, string, number | undefined, string, DueTime]>([
  ['not yet', '0 * * * *', '00:10:00', undefined, '00:20:00', { manyMissed: false, next: at('01:00:00') }],
  [
    'just now',
    '0 * * * *',
    '00:10:00',
    undefined,
    '01:00:00',
    { scheduled: at('01:00:00'), manyMissed: false, next: at('02:00:00') },
  ],
  [
    'the last of several',
    '0 * * * *',
    '00:10:00',
    undefined,
    '05:30:00',
    { scheduled: at('05:00:00'), manyMissed: false, next: at('06:00:00') },
  ],
  [
    'of many',
    '* * * * *',
    '00:00:00',
    undefined,
    '02:00:30',
    { scheduled: at('02:00:00'), manyMissed: true, next: at('02:01:00') },
  ],
  [
    'of many, few of which may still be started',
    '* * * * *',
    '00:00:00',
    60_000,
    '02:00:30',
    { scheduled: at('02:00:00'), manyMissed: false, next: at('02:01:00') },
  ],
  [
    'after a clock was put back',
    '0 * * * *',
    '03:00:00',
    undefined,
    '01:30:00',
    { manyMissed: false, next: at('04:00:00') },
  ],
  [
    'every so often, counted from the last',
    '@every 7m',
    '00:00:00',
    undefined,
    '00:30:00',
    { scheduled: at('00:28:00'), manyMissed: false, next: at('00:35:00') },
  ],
  ['never', '0 0 31 2 *', '00:00:00', undefined, '05:00:00', { manyMissed: false }],
])('%s', (_, schedule, served, deadlineMs, now, expected) => {
  expect(dueTime(parseCronSchedule(schedule), at(served), deadlineMs, at(now))).toEqual(expected);
});

it('finds the last time, however long ago', () => {
  const schedules = ['* * * * *', '7 3 * * *', '0 0 1 * *', '0 12 * * mon', '*/15 9-17 * * 1-5'].map((text) =>
    parseCronSchedule(text, 'Europe/Berlin'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...schedules), fc.nat(20_000), fc.nat(1_500), (schedule, start, minutes) => {
      const served = at('00:00:00') + start * 60_000;
      const now = served + minutes * 60_000;
      let last: number | undefined;
      for (let found = schedule.next(served); found !== undefined && found <= now; found = schedule.next(found))
        last = found;
      expect(dueTime(schedule, served, undefined, now).scheduled).toBe(last);
    }),
    { numRuns: 40 },
  );
});
