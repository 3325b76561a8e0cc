/** Which places of an object are varied, and how: each field of each structure that the object has, in each zero form of its type. */
import type { SchemaField } from '../schema/schema-format.ts';
import type { Json } from './call.ts';

/** A field's name, a list position, or (as a list of one) the key of a map. */
export type Step = string | number | readonly [string];
export type Path = readonly Step[];

export interface Place {
  readonly path: Path;
  readonly type: string;
  /** The object has a value there. */
  readonly set: boolean;
  /** It is a member of a list. */
  readonly element?: boolean;
}

/** Types by name, as in the derived schema. */
export type Types = Readonly<Record<string, { readonly fields: Readonly<Record<string, Pick<SchemaField, 'type'>>> }>>;

const ZEROES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [false],
  int32: [0],
  int64: [0],
  double: [0],
  string: [''],
  bytes: [''],
  time: [''],
  microTime: [''],
  duration: [''],
  quantity: ['', 0],
  intOrString: [0, ''],
  any: [{}],
};

/** The zero forms that fit a type. */
export function zeroForms(type: string): readonly unknown[] {
  if (type.startsWith('[]')) return [[], null];
  return [...(ZEROES[type] ?? [{}]), null];
}

/**
 * All places of the structures that the object has. Of places that differ in positions alone, the first that has a value is
 * taken, else the first.
 */
export function placesOf(types: Types, type: string, object: unknown): readonly Place[] {
  const places = new Map<string, Place>();
  const add = (place: Place): void => {
    const general = place.path.map((step) => (typeof step === 'string' ? step : '*')).join('/');
    const known = places.get(general);
    if (known === undefined || (!known.set && place.set)) places.set(general, place);
  };
  const walk = (at: string, value: unknown, path: Path): void => {
    const inner = at.slice(2);
    if (at.startsWith('[]')) {
      const list = value as readonly unknown[];
      if (list.length > 0) add({ path: [...path, 0], type: inner, set: true, element: true });
      list.forEach((member, position) => walk(inner, member, [...path, position]));
    } else if (at.startsWith('{}')) {
      for (const [key, member] of Object.entries(value as Json)) {
        add({ path: [...path, [key]], type: inner, set: true });
        walk(inner, member, [...path, [key]]);
      }
    } else {
      for (const [name, field] of Object.entries(types[at]?.fields ?? {})) {
        const member = (value as Json)[name];
        add({ path: [...path, name], type: field.type, set: member !== undefined });
        if (member !== undefined) walk(field.type, member, [...path, name]);
      }
    }
  };
  walk(type, object, []);
  return [...places.values()];
}

export function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'string' ? `.${step}` : `[${keyOf(step)}]`))
    .join('')
    .slice(1);
}

export function parsePath(text: string): Path {
  return [...text.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([step, key]) => {
    if (key === undefined) return step;
    return /^\d+$/.test(key) ? Number(key) : ([key] as const);
  });
}

/** The value at a path; undefined when there is none. */
export function valueAt(object: unknown, path: Path): unknown {
  let value = object;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, keyOf(step))) return undefined;
    value = (value as Json)[keyOf(step)];
  }
  return value;
}

/** A copy with another value at the path, or (undefined) none; it shares what lies beside the path. */
export function withValue<T>(object: T, path: Path, value: unknown): T {
  const [step, ...rest] = path;
  if (step === undefined) return value as T;
  const key = keyOf(step);
  const copy = (Array.isArray(object) ? [...(object as readonly unknown[])] : { ...object }) as Json;
  const next = rest.length === 0 ? value : withValue(copy[key], rest, value);
  if (next === undefined && rest.length === 0) delete copy[key];
  else copy[key] = next;
  return copy as T;
}

function keyOf(step: Step): string {
  return String(Array.isArray(step) ? step[0] : step);
}
