/**
 * Schedules of cron jobs: five fields, descriptors (`@hourly`, `@every 90m`), a time zone. The accepted texts, and the
 * messages about others, are upstream's (robfig/cron's ParseStandard); croner computes the moments of a schedule. Pure.
 */
import { Cron, CronDate } from 'croner';

export interface CronSchedule {
  /** The first moment of the schedule after `wall` (both ms since the epoch); `undefined`: there is none. */
  next(wall: number): number | undefined;
  /** `@every`: no moments of its own, but always so long after the last one, ms. */
  readonly everyMs?: number;
}

/** A schedule or time zone that means nothing; the message is upstream's. */
export class CronScheduleError extends Error {
  override readonly name = 'CronScheduleError';
}

interface FieldShape {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly FieldShape[] = [
  { low: 0, high: 59, names: [] },
  { low: 0, high: 23, names: [] },
  { low: 1, high: 31, names: [] },
  { low: 1, high: 12, names: MONTHS },
  { low: 0, high: 6, names: DAYS },
];
const DAY_OF_MONTH = 2;
const DAY_OF_WEEK = 4;

const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';

/**
 * @param text of `spec.schedule`, without a time zone in it
 * @param timeZone an IANA name; absent: UTC
 * @throws CronScheduleError
 */
export function parseCronSchedule(text: string, timeZone = 'Etc/UTC'): CronSchedule {
  if (text.startsWith(EVERY)) return everySchedule(text);
  if (text.startsWith('@') && !Object.hasOwn(DESCRIPTORS, text))
    throw new CronScheduleError(`unrecognized descriptor: ${text}`);
  const words = (DESCRIPTORS[text] ?? text).split(/\s+/).filter((word) => word !== '');
  if (words.length !== FIELDS.length)
    throw new CronScheduleError(`expected exactly 5 fields, found ${words.length}: [${words.join(' ')}]`);
  const fields = words.map((word, position) => parseField(word, FIELDS[position] as FieldShape));
  // As in the original cron: if both days are given they are alternatives, unless one of them is any day, or every so many
  // days.
  const both = fields[DAY_OF_MONTH]?.star === true || fields[DAY_OF_WEEK]?.star === true;
  const pattern = fields.map(({ values }, position) => print(values, FIELDS[position] as FieldShape)).join(' ');
  const timezone = canonicalTimeZone(timeZone);
  if (timezone === undefined)
    throw new CronScheduleError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  return croner(new Cron(pattern, { mode: '5-part', timezone, domAndDow: both }));
}

/** Whether this time zone exists, in this spelling: upstream finds zones in files, so that case counts. */
export function isTimeZone(name: string): boolean {
  return canonicalTimeZone(name) !== undefined;
}

/** RFC 3339 with the zone's own offset: "2026-01-01T09:00:00+01:00"; `Z` without a zone. Throws for an unknown one. */
export function formatTimeIn(wall: number, timeZone: string | undefined): string {
  const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
  if (timeZone === undefined) return `${utc(wall)}Z`;
  const zone = canonicalTimeZone(timeZone);
  if (zone === undefined) throw new CronScheduleError(`unknown time zone ${timeZone}`);
  const { year, month, day, hour, minute, second } = new CronDate(new Date(wall), zone);
  const local = Date.UTC(year, month, day, hour, minute, second);
  const offset = Math.round((local - wall) / 60_000);
  if (offset === 0) return `${utc(wall)}Z`;
  const digits = (value: number): string => `${Math.floor(value)}`.padStart(2, '0');
  const ahead = Math.abs(offset);
  return `${utc(local)}${offset < 0 ? '-' : '+'}${digits(ahead / 60)}:${digits(ahead % 60)}`;
}

/**
 * croner's public `nextRun` is this call with the wall clock's time beside it, which is not used once a moment is given. A
 * schedule is to be computed in simulated time, too, so that the call is made with the moment alone.
 */
function croner(cron: Cron): CronSchedule {
  return {
    next: (wall) => {
      const after = new Date(wall);
      return cron['_nextTarget'](after, after)?.getTime();
    },
  };
}

/**
 * The one name of a zone that has many, in all their spellings: croner keeps what it knows of a zone for ever under the name that it
 * is given, and there are 2^n spellings of a name of n letters. `undefined`: there is no such zone.
 */
function canonicalTimeZone(name: string): string | undefined {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    const otherCase = timeZone !== name && timeZone.toLowerCase() === name.toLowerCase();
    if (otherCase) return undefined;
    if (canonicalNames.size >= MAX_KNOWN_ZONES) canonicalNames.clear();
    canonicalNames.set(name, timeZone);
    return timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** To ask for one takes a millisecond, and cron jobs ask at each look. There are about 600 names in use. */
const MAX_KNOWN_ZONES = 1024;
const canonicalNames = new Map<string, string>();

interface Field {
  readonly values: ReadonlySet<number>;
  /** Some part of it is `*` or `?`, with or without a step. */
  readonly star: boolean;
}

function parseField(text: string, shape: FieldShape): Field {
  const values = new Set<number>();
  let star = false;
  for (const part of text.split(',').filter((each) => each !== '')) {
    const { first, last, step, any } = parseRange(part, shape);
    for (let value = first; value <= last; value += step) values.add(value);
    star ||= any;
  }
  if (values.size === 0) throw new CronScheduleError(`failed to parse int from : invalid syntax: ${text}`);
  return { values, star };
}

/** `*`, `?`, `3`, `3-5`, `mon-fri`, each with `/step`; `3/5` means from 3 to the end. */
function parseRange(
  part: string,
  { low, high, names }: FieldShape,
): { first: number; last: number; step: number; any: boolean } {
  const [range = '', stepText, ...moreSteps] = part.split('/');
  const [from = '', to, ...moreHyphens] = range.split('-');
  const any = from === '*' || from === '?';
  if (moreHyphens.length > 0 && !any) throw new CronScheduleError(`too many hyphens: ${part}`);
  if (moreSteps.length > 0) throw new CronScheduleError(`too many slashes: ${part}`);
  const first = any ? low : parseValue(from, names);
  const step = stepText === undefined ? 1 : parseNumber(stepText);
  const untilEnd = any || (to === undefined && stepText !== undefined);
  const last = untilEnd ? high : to === undefined ? first : parseValue(to, names);
  if (first < low) throw new CronScheduleError(`beginning of range (${first}) below minimum (${low}): ${part}`);
  if (last > high) throw new CronScheduleError(`end of range (${last}) above maximum (${high}): ${part}`);
  if (first > last) throw new CronScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${part}`);
  if (step === 0) throw new CronScheduleError(`step of range should be a positive number: ${part}`);
  // A step of one is no step; upstream's parser also takes `*/1` for `*`, but `*/2` for given days.
  return { first, last, step, any: any && step === 1 };
}

function parseValue(text: string, names: readonly string[]): number {
  const named = names.indexOf(text.toLowerCase());
  if (named === -1) return parseNumber(text);
  return names === MONTHS ? named + 1 : named;
}

function parseNumber(text: string): number {
  if (/^-\d+$/.test(text)) throw new CronScheduleError(`negative number (${text}) not allowed: ${text}`);
  if (!/^\+?\d{1,9}$/.test(text)) {
    const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw new CronScheduleError(`failed to parse int from ${text}: ${why}`);
  }
  return Number(text);
}

function print(values: ReadonlySet<number>, { low, high }: FieldShape): string {
  if (values.size === high - low + 1) return '*';
  return [...values].toSorted((a, b) => a - b).join(',');
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Always so long after the last time, in whole seconds, at least one. */
function everySchedule(text: string): CronSchedule {
  const duration = text.slice(EVERY.length);
  const parts = [...duration.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== duration) {
    const why = `time: invalid duration ${JSON.stringify(duration)}`;
    throw new CronScheduleError(`failed to parse duration ${text}: ${why}`);
  }
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
  const delayMs = Math.max(1000, Math.floor(ms / 1000) * 1000);
  return { everyMs: delayMs, next: (wall) => Math.floor(wall / 1000) * 1000 + delayMs };
}
