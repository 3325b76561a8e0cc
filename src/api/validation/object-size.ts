/**
 * Keeps every list and map of an object, of whatever kind, within its bound (`limits.ts`). The walk follows the schema, so that
 * no kind and no field can be forgotten. What was stored larger before there was a bound may stay as large, and not grow.
 */
import { child, type FieldError, index, key, tooLong, tooMany } from '../field-error.ts';
import { type FieldShape, type StructSchema, structOfKind, structSchema } from '../schema/schema.ts';
import { maxBytes, maxCount } from './limits.ts';
import { byteLength } from './messages.ts';

/** More than this is not told: an answer stays small whatever is sent. */
export const MAX_SIZE_ERRORS = 20;

/** Something larger than its bound. */
interface Excess {
  readonly path: string;
  /** The path without indexes and keys: what moves within its list is still the same. */
  readonly place: string;
  readonly size: number;
  readonly error: FieldError;
}

/**
 * The errors (`FieldValueTooMany`, `FieldValueTooLong`) of what is larger than its bound.
 *
 * @param old the stored object of an update
 */
export function validateObjectSize(
  apiVersion: string,
  kind: string,
  object: object,
  old: object | undefined,
): FieldError[] {
  const struct = structOfKind(apiVersion, kind);
  if (struct === undefined) return [];
  const excesses = excessesOf(struct, object);
  if (excesses.length === 0) return [];
  const before = old === undefined ? [] : excessesOf(struct, old);
  return grown(excesses, before)
    .slice(0, MAX_SIZE_ERRORS)
    .map(({ error }) => error);
}

/** The largest of a place is held against the largest that was there, the second against the second. */
function grown(now: readonly Excess[], before: readonly Excess[]): readonly Excess[] {
  const allowed = bySize(before);
  return [...bySize(now)].flatMap(([place, excesses]) =>
    excesses.filter(({ size }, position) => size > (allowed.get(place)?.[position]?.size ?? 0)),
  );
}

function bySize(excesses: readonly Excess[]): ReadonlyMap<string, readonly Excess[]> {
  const groups = Map.groupBy(excesses, ({ place, error }) => `${error.type} ${place}`);
  return new Map([...groups].map(([place, group]) => [place, group.toSorted((a, b) => b.size - a.size)]));
}

function excessesOf(struct: StructSchema, object: object): readonly Excess[] {
  const found: Excess[] = [];
  walkStruct(struct, object, { path: '', place: '' }, found);
  return found;
}

interface Place {
  readonly path: string;
  readonly place: string;
}

function walkStruct(struct: StructSchema, value: object, at: Place, found: Excess[]): void {
  for (const [name, field] of Object.entries(value)) {
    const schema = struct.fields.get(name);
    if (schema === undefined || typeof field !== 'object' || field === null) continue;
    const below = { path: child(at.path, name), place: `${at.place}.${name}` };
    measure(struct.name, name, schema.shape, field, below, found);
    walkValue(schema.shape, field, below, found);
  }
}

function measure(type: string, name: string, shape: FieldShape, value: object, at: Place, found: Excess[]): void {
  if (shape.kind !== 'list' && shape.kind !== 'map') return;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const most = maxCount(type, name, shape.kind);
  if (count > most) found.push({ ...at, size: count, error: tooMany(at.path, count, most) });
  const mostBytes = maxBytes(type, name);
  if (mostBytes === undefined || !Array.isArray(value)) return;
  const bytes = value.reduce((sum: number, text: unknown) => sum + byteLength(String(text)), 0);
  if (bytes > mostBytes) found.push({ ...at, size: bytes, error: tooLong(at.path, mostBytes) });
}

function walkValue(shape: FieldShape, value: unknown, at: Place, found: Excess[]): void {
  if (shape.kind === 'scalar' || typeof value !== 'object' || value === null) return;
  if (shape.kind === 'struct') {
    walkStruct(structSchema(shape.type), value, at, found);
    return;
  }
  const inner = shape.kind === 'list' ? shape.element : shape.value;
  if (inner.kind === 'scalar') return;
  const place = `${at.place}[]`;
  const visit = (path: string, element: unknown): void => {
    measureNested(inner, element, { path, place }, found);
    walkValue(inner, element, { path, place }, found);
  };
  if (Array.isArray(value)) value.forEach((element, position) => visit(index(at.path, position), element));
  else for (const [name, element] of Object.entries(value)) visit(key(at.path, name), element);
}

/** A list or map that is itself an element, such as the values of a CertificateSigningRequest's `extra`: it has no field of its own. */
function measureNested(shape: FieldShape, value: unknown, at: Place, found: Excess[]): void {
  if (typeof value === 'object' && value !== null) measure('', '', shape, value, at, found);
}
