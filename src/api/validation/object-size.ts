/**
 * Keeps every list and map of an object, of any kind, within its bound (`limits.ts`). The walk follows the schema, so that no
 * kind and no field can be forgotten. A larger one that was stored before there was a bound may stay as large, but not grow.
 */
import { child, type FieldError, index, key, tooLong, tooMany } from '../field-error.ts';
import { type FieldShape, type StructSchema, structOfKind, structSchema } from '../schema/schema.ts';
import { maxBytes, maxCount } from './limits.ts';
import { byteLength } from './messages.ts';

/** More problems than this are not reported: an answer stays small whatever is sent. */
export const MAX_SIZE_ERRORS = 20;

/** Something larger than its bound. */
interface Excess {
  /** The path without indexes and keys: an item that moves within its list stays the same. */
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
  return sizeErrors(structOfKind(apiVersion, kind), object, old);
}

/** The same for a struct that is known; undefined: there are no bounds. */
export function sizeErrors(struct: StructSchema | undefined, object: object, old: object | undefined): FieldError[] {
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
  walkStruct(struct, object as Fields, undefined, found);
  return found;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where the walk is, a step a link: nearly no object has an excess whose path must be written. */
interface Place {
  readonly parent: Place | undefined;
  /** A field's name, a list's index or a map's key. */
  readonly step: string | number;
  readonly isKey: boolean;
}

function walkStruct(struct: StructSchema, value: Fields, parent: Place | undefined, found: Excess[]): void {
  for (const name in value) {
    const field = value[name];
    if (typeof field !== 'object' || field === null) continue;
    const schema = struct.fields.get(name);
    if (schema === undefined) continue;
    const at = { parent, step: name, isKey: false };
    measure(struct.name, schema.shape, field, at, found);
    walkValue(schema.shape, field, at, found);
  }
}

/** `type`: the struct whose field it is; '' of a list or map that is itself an element. */
function measure(type: string, shape: FieldShape, value: object, at: Place, found: Excess[]): void {
  if (shape.kind !== 'list' && shape.kind !== 'map') return;
  const name = type === '' ? '' : String(at.step);
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  const most = maxCount(type, name, shape.kind);
  if (count > most) found.push(excess(at, count, (path) => tooMany(path, count, most)));
  const mostBytes = maxBytes(type, name);
  if (mostBytes === undefined || !Array.isArray(value)) return;
  const bytes = value.reduce((sum: number, text: unknown) => sum + byteLength(String(text)), 0);
  if (bytes > mostBytes) found.push(excess(at, bytes, (path) => tooLong(path, mostBytes)));
}

function excess(at: Place, size: number, errorAt: (path: string) => FieldError): Excess {
  return { place: placeOf(at), size, error: errorAt(pathOf(at)) };
}

function pathOf(at: Place | undefined): string {
  if (at === undefined) return '';
  const parent = pathOf(at.parent);
  if (typeof at.step === 'number') return index(parent, at.step);
  return at.isKey ? key(parent, at.step) : child(parent, at.step);
}

function placeOf(at: Place | undefined): string {
  if (at === undefined) return '';
  return `${placeOf(at.parent)}${typeof at.step === 'number' || at.isKey ? '[]' : `.${at.step}`}`;
}

function walkValue(shape: FieldShape, value: unknown, at: Place, found: Excess[]): void {
  if (shape.kind === 'scalar' || typeof value !== 'object' || value === null) return;
  if (shape.kind === 'struct') {
    walkStruct(structSchema(shape.type), value as Fields, at, found);
    return;
  }
  const inner = shape.kind === 'list' ? shape.element : shape.value;
  if (inner.kind === 'scalar') return;
  const visit = (element: unknown, step: string | number): void => {
    const below = { parent: at, step, isKey: true };
    // A list or map that is itself an element, such as the values of a CertificateSigningRequest's `extra`, has no field of its own.
    if (typeof element === 'object' && element !== null) measure('', inner, element, below, found);
    walkValue(inner, element, below, found);
  };
  if (Array.isArray(value)) value.forEach(visit);
  else for (const [name, element] of Object.entries(value)) visit(element, name);
}
