/** Timestamps and durations as text, and their parts in any time zone. Pure. */
import { formatTimeIn, isTimeZone } from '../../api/index.ts';
import { CelError, Duration, Timestamp } from './value.ts';

const SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z: the moments that there are. */
const FIRST = -62_135_596_800n * SECOND;
const LAST = 253_402_300_800n * SECOND - 1n;
const MAX_DURATION = 2n ** 63n - 1n;

export function timestampOf(nanos: bigint): Timestamp | CelError {
  return nanos < FIRST || nanos > LAST ? new CelError('timestamp overflow') : new Timestamp(nanos);
}

export function durationOf(nanos: bigint): Duration | CelError {
  return nanos > MAX_DURATION || nanos < -MAX_DURATION - 1n ? new CelError('duration overflow') : new Duration(nanos);
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d*)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads RFC 3339; `undefined` for anything else, or a day that there is not. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = text.length > 64 ? null : RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', zone = ''] = match;
  const days = daysOf(Number(year), Number(month), Number(day));
  if (days === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = zone === 'Z' ? 0 : offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const seconds = days * 86_400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset * 60;
  const nanos = BigInt(seconds) * SECOND + BigInt(fraction.padEnd(9, '0'));
  const timestamp = timestampOf(nanos);
  return timestamp instanceof CelError ? undefined : timestamp;
}

/** A day as schemas of format `date` write it. */
export function parseDate(text: string): Timestamp | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

function daysOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return Math.round(date.getTime() / 86_400_000);
}

export function formatTimestamp(timestamp: Timestamp): string {
  const seconds = floorDivide(timestamp.nanos, SECOND);
  const fraction = timestamp.nanos - seconds * SECOND;
  const head = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const tail = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${head}${tail}Z`;
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

/** Reads Go's form: `1h2m3.5s`, with a sign before; `undefined` for anything else. */
export function parseDuration(text: string): Duration | undefined {
  const match = text.length > 256 ? null : /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (match === null) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of (match[2] ?? '').matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = UNITS[unit] ?? 0n;
    nanos += BigInt(whole === '' ? '0' : whole) * scale;
    const digits = fraction.slice(0, 20);
    if (digits !== '') nanos += (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
  }
  const duration = durationOf(match[1] === '-' ? -nanos : nanos);
  return duration instanceof CelError ? undefined : duration;
}

/** Seconds with a fraction, as `string(duration)` answers: `3600s`, `0.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = magnitude % SECOND;
  const tail = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${nanos < 0n ? '-' : ''}${magnitude / SECOND}${tail}s`;
}

function offsetMinutes(text: string): number | undefined {
  const match = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  if (Number(match[2]) > 23 || Number(match[3]) > 59) return undefined;
  return match[1] === '-' ? -minutes : minutes;
}

/** The parts of a moment in a time zone, all as CEL counts them: months and days of the month and year from 0. */
export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
  readonly dayOfWeek: number;
  readonly dayOfYear: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** `zone`: a name of the time zone database, or an offset like `-08:00`; UTC without. */
export function partsOf(timestamp: Timestamp, zone = 'UTC'): TimeParts | CelError {
  const offset = offsetSeconds(timestamp, zone);
  if (offset instanceof CelError) return offset;
  const seconds = floorDivide(timestamp.nanos, SECOND);
  const fraction = timestamp.nanos - seconds * SECOND;
  const local = new Date((Number(seconds) + offset) * 1000);
  const start = new Date(0);
  start.setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    dayOfMonth: local.getUTCDate() - 1,
    dayOfWeek: local.getUTCDay(),
    dayOfYear: Math.floor((local.getTime() - start.getTime()) / 86_400_000),
    hours: local.getUTCHours(),
    minutes: local.getUTCMinutes(),
    seconds: local.getUTCSeconds(),
    milliseconds: Number(fraction / 1_000_000n),
  };
}

/** Of a zone by its name, or by its offset. */
function offsetSeconds(timestamp: Timestamp, zone: string): number | CelError {
  if (zone === 'UTC' || zone === '') return 0;
  const minutes = offsetMinutes(zone);
  if (minutes !== undefined) return minutes * 60;
  // A name of the time zone database begins with a letter, and is short.
  if (zone.length > 64 || !/^[A-Za-z]/.test(zone) || !isTimeZone(zone))
    return new CelError(`unknown time zone ${zone}`);
  const seconds = Number(floorDivide(timestamp.nanos, SECOND));
  const offset = /[+-]\d{2}:\d{2}$/.exec(formatTimeIn(seconds * 1000, zone))?.[0] ?? '+00:00';
  return (offsetMinutes(offset) ?? 0) * 60;
}
