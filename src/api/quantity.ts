/**
 * Quantities: fixed-point numbers in units of 10⁻⁹, exact, with upstream's suffixes and canonical form (apimachinery
 * `api/resource`). "0.5" and "500m" are the same; "1024Mi" is written "1Gi".
 */
import type { Quantity } from './types.gen.ts';

/** The family of suffixes a quantity was written with; its canonical form keeps it. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface ParsedQuantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** Not a quantity; the message is upstream's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
/** Upstream's cap of values with a binary suffix: larger ones become it. */
const MAX_NANO = MAX_INT64 * NANO;
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const PATTERN = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$';
const NO_QUANTITY = `quantities must match the regular expression '${PATTERN}'`;
/** Digits beyond this are refused before any arithmetic: a bound on the work that a request can cause. */
const MAX_LENGTH = 256;

/** Parses text, or a bare number as JSON allows. Rounds up (away from zero) to 10⁻⁹. Throws `QuantityError`. */
export function parseQuantity(value: Quantity | number): ParsedQuantity {
  const text = typeof value === 'number' ? String(value) : value.trim();
  if (text === '0') return { nano: 0n, format: 'DecimalSI' };
  // Checked before any pattern: the pattern that tells suffixes from other mistakes takes time by the square of the digits.
  if (text.length > MAX_LENGTH) throw new QuantityError(NO_QUANTITY);
  const match = /^([+-]?)(\d*)(?:\.(\d*))?((?:[numkMGTPE]|[KMGTPE]i)?|[eE][+-]?\d{1,4})$/.exec(text);
  if (match === null || (match[2] === '' && (match[3] ?? '') === '')) {
    const isNumber = new RegExp(PATTERN).test(text) && /^[+-]?(\d+\.?|\.?\d)\d*[^\d.]/.test(text);
    throw new QuantityError(isNumber ? "unable to parse quantity's suffix" : NO_QUANTITY);
  }
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const { numerator, denominator, format } = scaleOf(suffix);
  const digits = BigInt(`${whole}${fraction}` || '0') * numerator * NANO;
  const divisor = denominator * 10n ** BigInt(fraction.length);
  const rounded = (digits + divisor - 1n) / divisor;
  const magnitude = format === 'BinarySI' && rounded > MAX_NANO ? MAX_NANO : rounded;
  // A binary suffix on less than one unit can only be written in decimal.
  const kept = format === 'BinarySI' && magnitude > 0n && magnitude < NANO ? 'DecimalSI' : format;
  return { nano: sign === '-' ? -magnitude : magnitude, format: kept };
}

function scaleOf(suffix: string): {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly format: QuantityFormat;
} {
  const binary = suffix === '' ? -1 : BINARY_SUFFIXES.indexOf(suffix);
  if (binary !== -1) return { numerator: 1024n ** BigInt(binary), denominator: 1n, format: 'BinarySI' };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  const exponent = decimal !== -1 ? (decimal - 3) * 3 : clampExponent(Number(suffix.slice(1)));
  return {
    numerator: exponent > 0 ? 10n ** BigInt(exponent) : 1n,
    denominator: exponent < 0 ? 10n ** BigInt(-exponent) : 1n,
    format: decimal !== -1 ? 'DecimalSI' : 'DecimalExponent',
  };
}

/** A bound on the work that a few characters can cause: 10³⁰⁰ is more than anything, and what is less than 10⁻³⁰⁰ rounds up to 10⁻⁹. */
const MAX_EXPONENT = 300;

function clampExponent(exponent: number): number {
  return Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, exponent));
}

/** The canonical text: no fraction, no needless zeros, the largest suffix that loses nothing. */
export function formatQuantity(quantity: ParsedQuantity): Quantity {
  const { nano } = quantity;
  if (nano === 0n) return '0';
  const magnitude = nano < 0n ? -nano : nano;
  const binary = quantity.format === 'BinarySI' && magnitude >= 1024n * NANO && magnitude % NANO === 0n;
  const text = binary
    ? formatBinary(magnitude / NANO)
    : formatDecimal(magnitude, quantity.format === 'DecimalExponent');
  return nano < 0n ? `-${text}` : text;
}

function formatBinary(units: bigint): string {
  let value = units;
  let power = 0;
  while (value % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    value /= 1024n;
    power++;
  }
  return `${value}${BINARY_SUFFIXES[power]}`;
}

function formatDecimal(magnitude: bigint, exponent: boolean): string {
  let value = magnitude;
  let power = 0;
  // An exponent may be of any size; suffixes end.
  const highest = exponent ? Number.POSITIVE_INFINITY : DECIMAL_SUFFIXES.length - 1;
  while (value % 1000n === 0n && power < highest) {
    value /= 1000n;
    power++;
  }
  const tens = (power - 3) * 3;
  if (exponent) return tens === 0 ? `${value}` : `${value}e${tens}`;
  return `${value}${DECIMAL_SUFFIXES[power]}`;
}

/** The stored form of any quantity. Throws `QuantityError`. */
export function canonicalQuantity(value: Quantity | number): Quantity {
  const quantity = parseQuantity(value);
  const text = String(value).trim();
  return isKept(text) ? text : formatQuantity(quantity);
}

/** The stored form of a quantity in a list of resources: rounded up to thousandths (upstream: SetDefaults_ResourceList). */
export function canonicalAmount(value: Quantity): Quantity {
  const { nano, format } = parseQuantity(value);
  if (nano % MILLI === 0n) return value;
  const milli = divideUp(nano, MILLI);
  return formatQuantity({ nano: milli * MILLI, format });
}

/** Digits that upstream's parser takes without arithmetic of any size. */
const FAST_DIGITS = 18;
const FAST_BINARY_DIGITS = 14;
/** Decimal digits per factor of 1024, as upstream estimates them. */
const DIGITS_PER_KI = 3;

/**
 * Whether the text is stored as it was sent, whatever its canonical form ("+1", "1.", "1E3"): small numbers that look
 * canonical to upstream's parser, which then keeps the text (ParseQuantity: "reuse the string").
 */
function isKept(text: string): boolean {
  const match = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text);
  const [, significant = '', fraction = '', suffix = ''] = match ?? [];
  const digits = (significant === '' ? '0' : significant) + fraction;
  const power = suffix === '' ? -1 : BINARY_SUFFIXES.indexOf(suffix);
  if (power !== -1) {
    if (fraction !== '' || digits.length > FAST_BINARY_DIGITS - DIGITS_PER_KI * power) return false;
    return (BigInt(digits) & 7n) !== 0n;
  }
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  const scale = (decimal === -1 ? Number(suffix.slice(1)) : (decimal - 3) * 3) - fraction.length;
  if (scale < -9 || digits.length > FAST_DIGITS || scale % 3 !== 0) return false;
  return !digits.endsWith('000') && !digits.startsWith('0');
}

/** The value in whole units, rounded up (away from zero), as upstream's `Value()`. Throws `QuantityError`. */
export function quantityValue(value: Quantity | number): number {
  return Number(capped(divideUp(parseQuantity(value).nano, NANO)));
}

/** The value in thousandths, rounded up, as upstream's `MilliValue()`. Throws `QuantityError`. */
export function quantityMilliValue(value: Quantity | number): number {
  return Number(capped(divideUp(parseQuantity(value).nano, MILLI), 1000n));
}

/** An amount beyond upstream's maximum counts as that maximum. */
function capped(value: bigint, factor = 1n): bigint {
  const limit = MAX_INT64 * factor;
  return value > limit ? limit : value < -limit ? -limit : value;
}

function divideUp(nano: bigint, divisor: bigint): bigint {
  return nano < 0n ? -((-nano + divisor - 1n) / divisor) : (nano + divisor - 1n) / divisor;
}

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. Throws `QuantityError`. */
export function compareQuantities(a: Quantity | number, b: Quantity | number): number {
  const difference = parseQuantity(a).nano - parseQuantity(b).nano;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** `a + b` in the format of the first that isn't zero. Throws `QuantityError`. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nano: left.nano + right.nano, format: left.nano === 0n ? right.format : left.format });
}

/** `a - b` in the format of the first that isn't zero. Throws `QuantityError`. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nano: left.nano - right.nano, format: left.nano === 0n ? right.format : left.format });
}
