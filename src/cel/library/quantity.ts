/** Quantities of resources (upstream: apiserver/pkg/cel/library/quantity). Pure. */
import { formatQuantity, type ParsedQuantity, parseQuantity, QuantityError } from '../../api/index.ts';
import { CelError, MAX_INT, MIN_INT, type OpaqueValue, type Value } from '../values/value.ts';
import { makeOpaque } from './opaque.ts';
import { type Overload, overload } from './overload.ts';

const NANO = 1_000_000_000n;

function quantityOf(inner: ParsedQuantity): OpaqueValue {
  const equals = (one: ParsedQuantity, other: ParsedQuantity): boolean => one.nano === other.nano;
  return makeOpaque({ typeName: 'kubernetes.Quantity', inner, equals, show: formatQuantity });
}

function parse(text: string): ParsedQuantity | CelError {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

function of(value: OpaqueValue): ParsedQuantity {
  return value.inner as ParsedQuantity;
}

function asInteger(value: OpaqueValue): Value | CelError {
  const { nano } = of(value);
  const units = nano / NANO;
  const fits = nano % NANO === 0n && units <= MAX_INT && units >= MIN_INT;
  return fits ? units : new CelError('cannot convert value to integer');
}

function plus(value: OpaqueValue, nano: bigint): Value {
  return quantityOf({ nano: of(value).nano + nano, format: of(value).format });
}

function compare(one: OpaqueValue, other: OpaqueValue): bigint {
  const difference = of(one).nano - of(other).nano;
  if (difference === 0n) return 0n;
  return difference > 0n ? 1n : -1n;
}

export const QUANTITIES: readonly Overload[] = [
  overload('string_to_quantity', 'quantity(string): quantity', (text: string) => {
    const parsed = parse(text);
    return parsed instanceof CelError ? parsed : quantityOf(parsed);
  }),
  overload('is_quantity_string', 'isQuantity(string): bool', (text: string) => !(parse(text) instanceof CelError)),
  overload('quantity_sign', '<quantity>.sign(): int', (value: OpaqueValue) => {
    const { nano } = of(value);
    if (nano === 0n) return 0n;
    return nano > 0n ? 1n : -1n;
  }),
  overload(
    'quantity_is_greater_than',
    '<quantity>.isGreaterThan(quantity): bool',
    (one: OpaqueValue, other: OpaqueValue) => compare(one, other) > 0n,
  ),
  overload(
    'quantity_is_less_than',
    '<quantity>.isLessThan(quantity): bool',
    (one: OpaqueValue, other: OpaqueValue) => compare(one, other) < 0n,
  ),
  overload('quantity_compare_to', '<quantity>.compareTo(quantity): int', compare),
  overload(
    'quantity_get_float',
    '<quantity>.asApproximateFloat(): double',
    (value: OpaqueValue) => Number(of(value).nano) / Number(NANO),
  ),
  overload('quantity_get_int', '<quantity>.asInteger(): int', asInteger),
  overload(
    'quantity_is_integer',
    '<quantity>.isInteger(): bool',
    (value: OpaqueValue) => !(asInteger(value) instanceof CelError),
  ),
  overload('quantity_add', '<quantity>.add(quantity): quantity', (one: OpaqueValue, other: OpaqueValue) =>
    plus(one, of(other).nano),
  ),
  overload('quantity_add_int', '<quantity>.add(int): quantity', (one: OpaqueValue, other: bigint) =>
    plus(one, other * NANO),
  ),
  overload('quantity_sub', '<quantity>.sub(quantity): quantity', (one: OpaqueValue, other: OpaqueValue) =>
    plus(one, -of(other).nano),
  ),
  overload('quantity_sub_int', '<quantity>.sub(int): quantity', (one: OpaqueValue, other: bigint) =>
    plus(one, -other * NANO),
  ),
];
