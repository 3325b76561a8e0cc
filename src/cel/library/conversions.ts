/** Conversions between types: `int(x)`, `string(x)`, `timestamp(x)` and so on. Pure. */
import { textOfUtf8, utf8 } from '../values/bytes.ts';
import { formatDouble } from '../values/format-double.ts';
import {
  durationOf,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOf,
} from '../values/time.ts';
import {
  CelError,
  type Duration,
  MAX_INT,
  MAX_UINT,
  MIN_INT,
  type OpaqueValue,
  type Timestamp,
  Uint,
  type Value,
} from '../values/value.ts';
import { type Overload, overload } from './overload.ts';

const SECOND = 1_000_000_000n;
const OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');
const same = (value: Value): Value => value;

/** Text that Go's number readers take; longer text is refused before it is read. */
const MAX_DIGITS = 400;

function intOfText(text: string): Value | CelError {
  const value = /^[+-]?\d{1,40}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value > MAX_INT || value < MIN_INT) {
    return new CelError(`strconv.ParseInt: parsing ${quote(text)}: ${reason(value)}`);
  }
  return value;
}

function uintOfText(text: string): Value | CelError {
  const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value > MAX_UINT) {
    return new CelError(`strconv.ParseUint: parsing ${quote(text)}: ${reason(value)}`);
  }
  return new Uint(value);
}

function reason(value: bigint | undefined): string {
  return value === undefined ? 'invalid syntax' : 'value out of range';
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function doubleOfText(text: string): Value | CelError {
  const special = /^([+-]?)(?:(inf(?:inity)?)|(nan))$/i.exec(text);
  if (special !== null) {
    if (special[3] !== undefined) return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const isNumber = text.length <= MAX_DIGITS && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
  const value = isNumber ? Number(text) : Number.NaN;
  if (!isNumber) return new CelError(`strconv.ParseFloat: parsing ${quote(text)}: invalid syntax`);
  if (!Number.isFinite(value)) {
    return new CelError(`strconv.ParseFloat: parsing ${quote(text)}: value out of range`);
  }
  return value;
}

function boolOfText(text: string): Value | CelError {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  return new CelError(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
}

/** Doubles are cut off; those at or beyond the ends of the range are refused, as upstream does. */
function intOfDouble(value: number): Value | CelError {
  if (!Number.isFinite(value) || value <= Number(MIN_INT) || value >= Number(MAX_INT)) return OVERFLOW;
  return BigInt(Math.trunc(value));
}

function uintOfDouble(value: number): Value | CelError {
  if (!Number.isFinite(value) || value < 0 || value >= Number(MAX_UINT)) return UINT_OVERFLOW;
  return new Uint(BigInt(Math.trunc(value)));
}

function floorSeconds(nanos: bigint): bigint {
  const seconds = nanos / SECOND;
  return nanos % SECOND < 0n ? seconds - 1n : seconds;
}

const NUMBERS: readonly Overload[] = [
  overload('int64_to_int64', 'int(int): int', same),
  overload('uint64_to_int64', 'int(uint): int', ({ value }: Uint) => (value > MAX_INT ? OVERFLOW : value)),
  overload('double_to_int64', 'int(double): int', intOfDouble),
  overload('string_to_int64', 'int(string): int', intOfText),
  overload('timestamp_to_int64', 'int(timestamp): int', ({ nanos }: Timestamp) => floorSeconds(nanos)),
  overload('duration_to_int64', 'int(duration): int', ({ nanos }: Duration) => nanos),
  overload('uint64_to_uint64', 'uint(uint): uint', same),
  overload('int64_to_uint64', 'uint(int): uint', (value: bigint) => (value < 0n ? UINT_OVERFLOW : new Uint(value))),
  overload('double_to_uint64', 'uint(double): uint', uintOfDouble),
  overload('string_to_uint64', 'uint(string): uint', uintOfText),
  overload('double_to_double', 'double(double): double', same),
  overload('int64_to_double', 'double(int): double', (value: bigint) => Number(value)),
  overload('uint64_to_double', 'double(uint): double', ({ value }: Uint) => Number(value)),
  overload('string_to_double', 'double(string): double', doubleOfText),
  overload('bool_to_bool', 'bool(bool): bool', same),
  overload('string_to_bool', 'bool(string): bool', boolOfText),
];

const NO_UTF8 = new CelError('invalid UTF-8 in bytes, cannot convert to string');
const opaqueText = (value: OpaqueValue): Value => value.toString();

const TEXTS: readonly Overload[] = [
  overload('string_to_string', 'string(string): string', same),
  overload('bool_to_string', 'string(bool): string', (value: boolean) => String(value)),
  overload('int64_to_string', 'string(int): string', (value: bigint) => String(value)),
  overload('uint64_to_string', 'string(uint): string', ({ value }: Uint) => String(value)),
  overload('double_to_string', 'string(double): string', formatDouble),
  overload('bytes_to_string', 'string(bytes): string', (value: Uint8Array) => textOfUtf8(value) ?? NO_UTF8),
  overload('timestamp_to_string', 'string(timestamp): string', formatTimestamp),
  overload('duration_to_string', 'string(duration): string', formatDuration),
  overload('ip_to_string', 'string(ip): string', opaqueText),
  overload('cidr_to_string', 'string(cidr): string', opaqueText),
  overload('bytes_to_bytes', 'bytes(bytes): bytes', same),
  overload('string_to_bytes', 'bytes(string): bytes', utf8),
];

const TIMES: readonly Overload[] = [
  overload('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', same),
  overload('int64_to_timestamp', 'timestamp(int): timestamp', (seconds: bigint) => timestampOf(seconds * SECOND)),
  overload(
    'string_to_timestamp',
    'timestamp(string): timestamp',
    (text: string) => parseTimestamp(text) ?? new CelError(`parsing time ${quote(text)} as RFC 3339: cannot parse`),
  ),
  overload('duration_to_duration', 'duration(duration): duration', same),
  overload('int64_to_duration', 'duration(int): duration', (nanos: bigint) => durationOf(nanos)),
  overload(
    'string_to_duration',
    'duration(string): duration',
    (text: string) => parseDuration(text) ?? new CelError(`time: invalid duration ${quote(text)}`),
  ),
];

export const CONVERSIONS: readonly Overload[] = [...NUMBERS, ...TEXTS, ...TIMES];

/** Functions that convert: with a constant argument they cost nothing, since upstream computes them once. */
export const CONVERSION_NAMES: ReadonlySet<string> = new Set(
  'bool bytes double duration dyn int string timestamp type uint'.split(' '),
);
