/**
 * Equality as upstream means it (apimachinery: equality.Semantic): nil equals empty, quantities are equal by value, times by
 * instant. An equal object is no change: it raises no generation, rolls nothing out, and is never refused as immutable.
 */
import { compareQuantities } from '../quantity.ts';
import { canonicalObject, canonicalPart } from './canonical.ts';
import { type FieldShape, type StructSchema, structOfKind, structSchema } from './schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Two parts of objects, by the name of their type ("core.v1.PodTemplateSpec"); they need not be canonical. */
export function semanticallyEqual(type: string, a: object | undefined, b: object | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const struct = structSchema(type);
  if (sameStruct(struct, a as Fields, b as Fields, NONE)) return true;
  return sameStruct(struct, canonicalPart(type, a) as Fields, canonicalPart(type, b) as Fields, NONE);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Two canonical objects of a kind, but for some of their fields; see `semanticallyEqualObjects`.
 * @param ignored names of fields of the object itself
 */
export function equalCanonicalObjects(
  apiVersion: string,
  kind: string,
  [a, b]: readonly [object, object],
  ignored: ReadonlySet<string> = NONE,
): boolean {
  return equalByStruct(structOfKind(apiVersion, kind), [a, b], ignored);
}

/** The same for a struct that is known; undefined: the objects are plain JSON. */
export function equalByStruct(
  struct: StructSchema | undefined,
  [a, b]: readonly [object, object],
  ignored: ReadonlySet<string> = NONE,
): boolean {
  if (struct === undefined) return sameMembers(a as Fields, b as Fields, ignored, () => PLAIN);
  return sameStruct(struct, a as Fields, b as Fields, ignored);
}

/**
 * Two objects of a kind, but for some of their fields. Kinds without a Go type are equal when their JSON is.
 * @param ignored names of fields of the object itself
 */
export function semanticallyEqualObjects(
  apiVersion: string,
  kind: string,
  [a, b]: readonly [object, object],
  ignored: ReadonlySet<string> = NONE,
): boolean {
  // Nearly all that are equal are so at a glance, and need not be made canonical.
  if (equalCanonicalObjects(apiVersion, kind, [a, b], ignored)) return true;
  const [left, right] = [canonicalObject(apiVersion, kind, a), canonicalObject(apiVersion, kind, b)];
  return (left !== a || right !== b) && equalCanonicalObjects(apiVersion, kind, [left, right], ignored);
}

const PLAIN: FieldShape = { kind: 'scalar', scalar: 'any' };

function sameStruct(struct: StructSchema, a: Fields, b: Fields, ignored: ReadonlySet<string>): boolean {
  return sameMembers(a, b, ignored, (name) => struct.fields.get(name)?.shape ?? PLAIN);
}

function sameMembers(
  a: Fields,
  b: Fields,
  ignored: ReadonlySet<string>,
  shapeOf: (name: string) => FieldShape,
): boolean {
  for (const name of Object.keys(a)) {
    if (!ignored.has(name) && !sameValue(shapeOf(name), a[name], memberOf(b, name))) return false;
  }
  return Object.keys(b).every((name) => ignored.has(name) || memberOf(a, name) !== undefined || b[name] === undefined);
}

function memberOf(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function sameValue(shape: FieldShape, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (shape.kind === 'scalar' && shape.scalar === 'quantity') return sameQuantity(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    const element = shape.kind === 'list' ? shape.element : PLAIN;
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => sameValue(element, x, b[i]))
    );
  }
  if (!isFields(a) || !isFields(b)) return false;
  if (shape.kind === 'struct') return sameStruct(structSchema(shape.type), a, b, NONE);
  const inner = shape.kind === 'map' ? shape.value : PLAIN;
  return sameMembers(a, b, NONE, () => inner);
}

function sameQuantity(a: unknown, b: unknown): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return false;
  try {
    return compareQuantities(a, b) === 0;
  } catch {
    return false;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
