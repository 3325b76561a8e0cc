/** `"%s has %d".format([...])` (upstream: ext/formatting). Pure. */
import { itemsOf } from '../values/containers.ts';
import { compareTexts } from '../values/equality.ts';
import { textOfUtf8, utf8 } from '../values/bytes.ts';
import { formatDuration, formatTimestamp } from '../values/time.ts';
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  Timestamp,
  typeNameOf,
  TypeValue,
  Uint,
  type Value,
} from '../values/value.ts';

/** Digits behind the point that a clause may ask for; a bound on what few characters can make. */
const MAX_PRECISION = 1000;
const DEFAULT_PRECISION = 6;

/** Ends a formatting; never leaves this file. */
class FormatError extends Error {}

export function formatString(format: string, list: ListValue): Value | CelError {
  const args = itemsOf(list);
  let used = 0;
  try {
    return format.replaceAll(/%(?:(%)|\.?(\d*)(.)?)/gsu, (clause: string, percent?: string, digits = '', verb = '') => {
      if (percent !== undefined) return '%';
      if (verb === '') throw new FormatError('unexpected end of format string');
      if (digits !== '' && !clause.startsWith('%.'))
        throw new FormatError(`unrecognized formatting clause "${digits[0]}"`);
      if (Number(digits) > MAX_PRECISION) throw new FormatError(`precision ${digits} exceeds ${MAX_PRECISION}`);
      const arg = args[used];
      if (arg === undefined) throw new FormatError(`index ${used} out of range`);
      used += 1;
      return formatClause(verb, arg, digits === '' ? DEFAULT_PRECISION : Number(digits));
    });
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}

function formatClause(verb: string, value: Value, precision: number): string {
  switch (verb) {
    case 's':
      return textOf(value);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, precision);
    case 'e':
      return scientific(value, precision);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : integer(value, 'binary').toString(2);
    case 'o':
      return integer(value, 'octal').toString(8);
    case 'x':
      return hexadecimal(value);
    case 'X':
      return hexadecimal(value).toUpperCase();
    default:
      throw new FormatError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
}

const WHAT: Readonly<Record<string, string>> = {
  decimal: 'decimal clause can only be used on integers',
  binary: 'only integers and bools can be formatted as binary',
  octal: 'octal clause can only be used on integers',
  hex: 'only integers, byte buffers, and strings can be formatted as hex',
};

function integer(value: Value, what: string): bigint {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  throw new FormatError(`error during formatting: ${WHAT[what]}, was given ${typeNameOf(value)}`);
}

function decimal(value: Value): string {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return 'NaN';
    if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  }
  return integer(value, 'decimal').toString();
}

function hexadecimal(value: Value): string {
  if (typeof value === 'string') return hexOf(utf8(value));
  return value instanceof Uint8Array ? hexOf(value) : integer(value, 'hex').toString(16);
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function numberOf(value: Value, what: string): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  const words = `error during formatting: ${what} clause can only be used on doubles, was given ${typeNameOf(value)}`;
  throw new FormatError(words);
}

function fixed(value: Value, precision: number): string {
  const number = numberOf(value, 'fixed-point');
  if (!Number.isFinite(number)) return special(number);
  // toFixed ends at 100 digits and writes large numbers with an exponent.
  if (Math.abs(number) >= 1e21) return `${BigInt(number)}${precision === 0 ? '' : `.${'0'.repeat(precision)}`}`;
  const text = halfToEven(number, Math.min(precision, 99));
  return precision <= 99 ? text : text + '0'.repeat(precision - 99);
}

/** Go rounds what is exactly half to the even digit, toFixed away from zero. */
function halfToEven(number: number, precision: number): string {
  const text = number.toFixed(precision);
  const exact = number.toFixed(100);
  const point = exact.indexOf('.');
  if (!/^50*$/.test(exact.slice(point + 1 + precision))) return text;
  const kept = exact.slice(0, point + 1 + precision).replace(/\.$/, '');
  return Number(kept.at(-1)) % 2 === 0 ? kept : text;
}

function scientific(value: Value, precision: number): string {
  const number = numberOf(value, 'scientific');
  if (!Number.isFinite(number)) return special(number);
  const [mantissa = '', exponent = ''] = number.toExponential(Math.min(precision, 100)).split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}${'0'.repeat(Math.max(0, precision - 100))}e${exponent.startsWith('-') ? '-' : '+'}${digits}`;
}

function special(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

function textOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? doubleText(value) : special(value);
    default:
      return value === null ? 'null' : textOfObject(value);
  }
}

function doubleText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  if (!text.includes('e')) return text;
  const [mantissa = '', exponent = ''] = text.split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  return `${mantissa}e${exponent.startsWith('-') ? '-' : '+'}${digits}`;
}

function textOfObject(value: Exclude<Value, null | string | bigint | boolean | number>): string {
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return textOfUtf8(value) ?? new TextDecoder().decode(value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (isList(value)) return `[${itemsOf(value).map(textOf).join(', ')}]`;
  if (isMap(value)) return mapText(value);
  const words =
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
  throw new FormatError(`${words}, was given ${typeNameOf(value)}`);
}

function mapText(map: MapValue): string {
  const entries = [...map.keys()].map((key) => [textOf(key), textOf(map.get(key) ?? null)] as const);
  const sorted = entries.toSorted(([one], [other]) => compareTexts(one, other));
  return `{${sorted.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}
