/** Other ways to say the same object: for tests that what upstream calls equal is no change. */
import { parseQuantity } from '../quantity.ts';
import { type FieldSchema, type FieldShape, type StructSchema, structOfKind, structSchema } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Saying {
  /** 0 to 1, as `Math.random` gives it. */
  readonly chance: () => number;
  /** Quantities keep their spelling: an object that was stored once has one. */
  readonly sameSpelling?: boolean;
}

/** How often a place is said in another way. */
const SHARE = 0.3;

/** Fields that only the server writes, and what identifies an object: these stay. */
const FIXED = new Set(['apiVersion', 'kind', 'name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']);

/**
 * An object of this kind in another spelling: zeroes that stand for absence, empty lists and maps, nulls, other spellings of
 * quantities.
 */
export function equalVariant<T extends object>(apiVersion: string, kind: string, object: T, saying: Saying): T {
  const struct = structOfKind(apiVersion, kind);
  if (struct === undefined) throw new Error(`no kind ${apiVersion} ${kind}`);
  return variantOfStruct(struct, object as Fields, saying) as T;
}

/** The same for a part of an object, by the name of its type. */
export function equalVariantOf<T extends object>(type: string, part: T, saying: Saying): T {
  return variantOfStruct(structSchema(type), part as Fields, saying) as T;
}

function variantOfStruct(struct: StructSchema, value: Fields, saying: Saying): Fields {
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = struct.fields.get(name);
    result[name] = field === undefined || FIXED.has(name) ? member : variantOf(field.shape, member, saying);
  }
  for (const [name, field] of struct.fields) {
    if ((result[name] ?? null) !== null || FIXED.has(name) || saying.chance() > SHARE) continue;
    const sayings = waysToSayNothing(field);
    result[name] = sayings[Math.floor(saying.chance() * sayings.length)];
  }
  // A field that is always written may be left out when it is zero.
  for (const [name, { shape }] of struct.written) {
    if (saying.chance() < SHARE && !FIXED.has(name) && isNothing(shape, result[name])) delete result[name];
  }
  return result;
}

function waysToSayNothing({ absence, shape }: FieldSchema): readonly unknown[] {
  if (absence === 'kept' || (absence === 'null' && shape.kind !== 'list' && shape.kind !== 'map')) return [null];
  switch (shape.kind) {
    case 'list':
      return [null, []];
    case 'map':
      return [null, {}];
    case 'struct':
      return [null, {}];
    case 'scalar':
      return [null, ...zeroes(shape)];
  }
}

function zeroes(shape: FieldShape): readonly unknown[] {
  if (shape.kind !== 'scalar') return [];
  switch (shape.scalar) {
    case 'string':
    case 'bytes':
      return [''];
    case 'boolean':
      return [false];
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return [0];
    case 'quantity':
      return ['0', '0m', 0];
    case 'duration':
    case 'time':
    case 'microTime':
    case 'any':
      return [];
  }
}

function isNothing(shape: FieldShape, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object') return Object.keys(value).length === 0;
  return zeroes(shape).includes(value);
}

function variantOf(shape: FieldShape, value: unknown, saying: Saying): unknown {
  if (value === null || value === undefined) return value;
  switch (shape.kind) {
    case 'scalar':
      return shape.scalar === 'quantity' && typeof value === 'string' && saying.sameSpelling !== true
        ? respelled(value, saying)
        : value;
    case 'struct':
      return variantOfStruct(structSchema(shape.type), value as Fields, saying);
    case 'list':
      return (value as readonly unknown[]).map((member) => variantOf(shape.element, member, saying));
    case 'map':
      return Object.fromEntries(
        Object.entries(value as Fields).map(([key, member]) => [key, variantOf(shape.value, member, saying)]),
      );
  }
}

/** The same amount in another spelling. Divisors are compared by their spelling, and are none of the amounts that come here. */
function respelled(quantity: string, saying: Saying): unknown {
  const { nano } = parseQuantity(quantity);
  const milli = nano / 1_000_000n;
  if (nano % 1_000_000n !== 0n) return quantity;
  const ways: unknown[] = [quantity, `${milli}m`, ` ${quantity}`];
  if (milli % 1000n === 0n) ways.push(`${milli / 1000n}`, `${milli / 1000n}.0`, Number(milli / 1000n));
  return ways[Math.floor(saying.chance() * ways.length)];
}
