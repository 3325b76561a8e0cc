/** Reads one scalar of a decoded JSON or YAML value into its stored form, or says in upstream's words why not. */
import { canonicalAmount, canonicalQuantity, QuantityError } from '../quantity.ts';
import type { Scalar } from './schema.ts';

export type ScalarResult =
  | { readonly ok: true; readonly value: unknown }
  /** The value has the wrong JSON type: `found` is what is there ("string", "number 1.5"). */
  | { readonly ok: false; readonly found: string }
  /** Right JSON type, but not readable. */
  | { readonly ok: false; readonly error: string };

const INT32_LIMIT = 2 ** 31;
const TIME_PATTERN = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;
const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
const DURATION_PATTERN = /^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+)$/;

/** `value` is never null: null means absent and is the caller's business. */
export function readScalar(scalar: Scalar, value: unknown): ScalarResult {
  switch (scalar) {
    case 'any':
      return { ok: true, value };
    case 'boolean':
      return typeof value === 'boolean' ? { ok: true, value } : wrongType(value);
    case 'int32':
      return readInteger(value, INT32_LIMIT);
    case 'int64':
      return readInteger(value, Number.MAX_SAFE_INTEGER + 1);
    case 'double':
      return typeof value === 'number' ? { ok: true, value } : wrongType(value);
    case 'intOrString':
      return typeof value === 'string' ? { ok: true, value } : readInteger(value, INT32_LIMIT);
    case 'quantity':
      return readQuantity(value);
    case 'string':
    case 'bytes':
    case 'duration':
    case 'time':
    case 'microTime':
      return typeof value === 'string' ? readText(scalar, value) : wrongType(value);
  }
}

/** Whether one value of this type can be written in several ways. */
export function hasSpellings(scalar: Scalar): boolean {
  return scalar === 'quantity' || scalar === 'time' || scalar === 'microTime';
}

/** Quantities that are canonical at a glance, as nearly all are. */
const PLAIN_QUANTITY = /^(0|[1-9]\d{0,2}([mkMG]|[KMGT]i)?)$/;
/** Lengths of times in UTC with the digits that are stored. */
const TIME_LENGTH = '2006-01-02T15:04:05Z'.length;
const MICRO_TIME_LENGTH = '2006-01-02T15:04:05.000000Z'.length;

/** The stored spelling of a scalar that was read before; an unreadable one stays. */
export function canonicalScalar(scalar: Scalar, value: unknown): unknown {
  if (scalar === 'quantity' && typeof value === 'number') return canonicalScalar(scalar, String(value));
  if (typeof value !== 'string' || !hasSpellings(scalar)) return value;
  if (scalar === 'quantity' && PLAIN_QUANTITY.test(value)) return value;
  if (scalar === 'time' && value.length === TIME_LENGTH && value.endsWith('Z')) return value;
  if (scalar === 'microTime' && value.length === MICRO_TIME_LENGTH && value.endsWith('Z')) return value;
  const read = readScalar(scalar, value);
  return read.ok ? read.value : value;
}

/** The stored spelling of a quantity in a list of resources ("limits", "capacity"). */
export function canonicalAmountOf(value: unknown): unknown {
  const spelled = canonicalScalar('quantity', value);
  if (typeof spelled !== 'string' || PLAIN_QUANTITY.test(spelled)) return spelled;
  try {
    return canonicalAmount(spelled);
  } catch (error) {
    if (error instanceof QuantityError) return spelled;
    throw error;
  }
}

function readText(scalar: 'string' | 'bytes' | 'time' | 'microTime' | 'duration', value: string): ScalarResult {
  switch (scalar) {
    case 'string':
      return { ok: true, value };
    case 'bytes':
      return readBase64(value);
    case 'duration':
      return DURATION_PATTERN.test(value)
        ? { ok: true, value }
        : { ok: false, error: `time: invalid duration ${JSON.stringify(value)}` };
    case 'time':
      return readTime(value, 0);
    case 'microTime':
      return readTime(value, 6);
  }
}

function wrongType(value: unknown): ScalarResult {
  return { ok: false, found: jsonTypeOf(value) };
}

/** Go's name for a value in decoder errors. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function readInteger(value: unknown, limit: number): ScalarResult {
  if (typeof value !== 'number') return wrongType(value);
  const fits = Number.isInteger(value) && value >= -limit && value < limit;
  return fits ? { ok: true, value } : { ok: false, found: `number ${value}` };
}

function readQuantity(value: unknown): ScalarResult {
  if (typeof value !== 'string' && typeof value !== 'number') return wrongType(value);
  try {
    return { ok: true, value: canonicalQuantity(value) };
  } catch (error) {
    if (error instanceof QuantityError) return { ok: false, error: error.message };
    throw error;
  }
}

/** Standard alphabet with padding; line breaks are ignored, as Go does. */
function readBase64(value: string): ScalarResult {
  const text = value.replace(/[\r\n]/g, '');
  const bad = /[^A-Za-z0-9+/]/.exec(text.replace(/={1,2}$/, ''));
  if (bad !== null) return { ok: false, error: `illegal base64 data at input byte ${bad.index}` };
  if (text.length % 4 !== 0)
    return { ok: false, error: `illegal base64 data at input byte ${text.length - (text.length % 4)}` };
  return { ok: true, value: text };
}

/** RFC 3339 to UTC with `digits` digits of fraction (the rest is cut off, as upstream stores it). */
function readTime(value: string, digits: number): ScalarResult {
  const match = TIME_PATTERN.exec(value);
  const ms = match === null ? Number.NaN : Date.parse(value.replace(/\.\d+/, ''));
  if (match === null || Number.isNaN(ms)) {
    const text = JSON.stringify(value);
    return { ok: false, error: `parsing time ${text} as "${TIME_LAYOUT}": cannot parse ${text} as "2006"` };
  }
  const seconds = new Date(ms).toISOString().slice(0, 19);
  const fraction = digits === 0 ? '' : `.${(match[7] ?? '').padEnd(digits, '0').slice(0, digits)}`;
  return { ok: true, value: `${seconds}${fraction}Z` };
}
