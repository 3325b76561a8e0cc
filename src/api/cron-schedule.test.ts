import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CronScheduleError, formatTimeIn, isTimeZone, parseCronSchedule } from './cron-schedule.ts';

/** Schedules are computed in simulated time, too: whoever asks what time it is now, fails. */
beforeEach(() => {
  const asked = (): never => {
    throw new Error('the wall clock was read');
  };
  const construct = (target: DateConstructor, args: readonly unknown[]): object =>
    args.length === 0 ? asked() : (Reflect.construct(target, args) as object);
  const get = (target: DateConstructor, name: string | symbol): unknown =>
    name === 'now' ? asked : Reflect.get(target, name);
  vi.stubGlobal('Date', new Proxy(Date, { construct, get, apply: asked }));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const at = (text: string): number => Date.parse(text);

function firstTimes(schedule: string, from: string, timeZone?: string, count = 3): readonly string[] {
  const parsed = parseCronSchedule(schedule, timeZone);
  const times: string[] = [];
  let wall: number | undefined = at(from);
  for (let i = 0; i < count; i += 1) {
    wall = parsed.next(wall);
    if (wall === undefined) break;
    times.push(new Date(wall).toISOString().slice(0, 16));
  }
  return times;
}

describe('parseCronSchedule', () => {
  const NEW_YEAR = '2026-01-01T00:00:00Z';
  it.each<[string, readonly string[]]>([
    ['* * * * *', ['2026-01-01T00:01', '2026-01-01T00:02', '2026-01-01T00:03']],
    ['*/20 * * * *', ['2026-01-01T00:20', '2026-01-01T00:40', '2026-01-01T01:00']],
    ['5/25 * * * *', ['2026-01-01T00:05', '2026-01-01T00:30', '2026-01-01T00:55']],
    ['0 8-17/4 * * mon-fri', ['2026-01-01T08:00', '2026-01-01T12:00', '2026-01-01T16:00']],
    ['30 6 1,15 * *', ['2026-01-01T06:30', '2026-01-15T06:30', '2026-02-01T06:30']],
    ['0 0 ? JAN-mar Sun', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00']],
    // Two days told are alternatives …
    ['0 0 13 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
    ['0 0 */10 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-11T00:00']],
    // … unless one is any day.
    ['0 0 */1 * 5', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-16T00:00']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['@hourly', ['2026-01-01T01:00', '2026-01-01T02:00', '2026-01-01T03:00']],
    ['@daily', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00']],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00', '2026-01-18T00:00']],
    ['@every 1h30m', ['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']],
    ['0 0 31 2 *', []],
  ])('%s', (schedule, expected) => {
    expect(firstTimes(schedule, NEW_YEAR)).toEqual(expected);
  });

  it.each<[string, string, string, string, readonly string[]]>([
    ['a zone', '0 9 * * *', 'Asia/Kolkata', NEW_YEAR, ['2026-01-01T03:30', '2026-01-02T03:30']],
    // 02:30 does not exist on this day: it runs at the moment after the gap.
    [
      'an hour left out',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    // 02:30 comes twice on this day: once.
    ['an hour twice', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    ['each hour of it', '0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', ['2026-10-25T00:00', '2026-10-25T01:00']],
  ])('%s: %s in %s', (_, schedule, zone, from, expected) => {
    expect(firstTimes(schedule, from, zone, 2)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['0 0 L * *', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['@reboot', 'unrecognized descriptor: @reboot'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ])('%s is refused', (schedule, message) => {
    expect(() => parseCronSchedule(schedule)).toThrow(new CronScheduleError(message));
  });
});

it('knows time zones', () => {
  expect(['Europe/Berlin', 'Etc/UTC', 'America/Argentina/Ushuaia'].map(isTimeZone)).toEqual([true, true, true]);
  const unknown = ['Nowhere/Land', 'x y', '', 'europe/berlin', 'EUROPE/BERLIN'];
  expect(unknown.filter((name) => isTimeZone(name))).toEqual([]);
  for (const zone of unknown) expect(() => parseCronSchedule('* * * * *', zone)).toThrow(CronScheduleError);
});

it('keeps one formatter a time zone, however many spellings of its names are asked for', () => {
  // croner's own formatters, which it keeps for ever, are the ones with a clock of 24 hours.
  const kept = new Set<unknown>();
  const Real = Intl.DateTimeFormat;
  vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function (locales, options) {
    if (options?.hour12 === false) kept.add(options.timeZone);
    return new Real(locales, options);
  });
  const name = 'antarctica/south_pole';
  for (let spelling = 0; spelling < 200; spelling += 1) {
    const spelled = Array.from(name, (letter, i) => ((spelling >> i) & 1 ? letter.toUpperCase() : letter)).join('');
    if (isTimeZone(spelled)) parseCronSchedule('* * * * *', spelled).next(0);
  }
  expect(kept.size).toBe(1);
});

it.each<[string | undefined, string]>([
  [undefined, '2026-07-01T10:00:00Z'],
  ['Etc/UTC', '2026-07-01T10:00:00Z'],
  ['Europe/Berlin', '2026-07-01T12:00:00+02:00'],
  ['Asia/Kolkata', '2026-07-01T15:30:00+05:30'],
  ['America/New_York', '2026-07-01T06:00:00-04:00'],
])('a time in %s', (zone, expected) => {
  expect(formatTimeIn(at('2026-07-01T10:00:00Z'), zone)).toBe(expected);
});
