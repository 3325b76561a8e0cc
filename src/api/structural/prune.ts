/** Drops the fields that a structural schema does not name (upstream: apiextensions-apiserver/pkg/apiserver/schema/pruning). Pure. */
import { setOwn } from '../schema/set-own.ts';
import {
  additionalOf,
  type Fields,
  fieldPath,
  isEmbedded,
  isFields,
  itemsOf,
  type JsonSchema,
  preservesUnknown,
  propertyOf,
} from './json-schema.ts';

/** More unknown fields than this are not named: an answer stays small whatever is sent. */
const MAX_UNKNOWN = 100;

/** What every resource has, whatever its schema says. */
const OF_RESOURCES: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * The object without the fields that its schema does not know; a part without any is not copied.
 * @param schema absent: nothing is known, and everything stays
 * @param unknown grows by the path of each dropped field ("spec.a[0].b"), at most a hundred
 */
export function pruneObject(schema: JsonSchema | undefined, object: Fields, unknown?: string[]): Fields {
  if (schema === undefined) return object;
  return pruneFields(schema, object, { path: '', isResource: true, unknown });
}

/** The same for a value that is no resource: a default. */
export function pruneValue(schema: JsonSchema, value: unknown, unknown?: string[]): unknown {
  return prune(schema, value, { path: '', isResource: false, unknown });
}

interface Place {
  readonly path: string;
  /** Its apiVersion, kind and metadata are known, whatever the schema says. */
  readonly isResource: boolean;
  readonly unknown: string[] | undefined;
}

function prune(schema: JsonSchema, value: unknown, place: Place): unknown {
  if (Array.isArray(value)) return pruneItems(schema, value, place);
  if (!isFields(value)) return value;
  return pruneFields(schema, value, { ...place, isResource: isEmbedded(schema) });
}

function pruneItems(schema: JsonSchema, value: readonly unknown[], place: Place): readonly unknown[] {
  const items = itemsOf(schema);
  if (items === undefined && preservesUnknown(schema)) return value;
  let copy: unknown[] | undefined;
  for (const [position, before] of value.entries()) {
    if (typeof before !== 'object' || before === null) continue;
    const after = prune(items ?? {}, before, { ...place, path: `${place.path}[${position}]`, isResource: false });
    if (after === before) continue;
    copy ??= [...value];
    copy[position] = after;
  }
  return copy ?? value;
}

function pruneFields(schema: JsonSchema, value: Fields, place: Place): Fields {
  const additional = additionalOf(schema);
  const keepsAll = preservesUnknown(schema) || schema.additionalProperties === true;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    if (place.isResource && OF_RESOURCES.has(name)) continue;
    const before = value[name];
    const known = propertyOf(schema, name) ?? additional;
    if (known === undefined) {
      if (keepsAll) continue;
      const path = fieldPath(place.path, name);
      if (place.unknown !== undefined && place.unknown.length < MAX_UNKNOWN) place.unknown.push(path);
      copy ??= { ...value };
      delete copy[name];
      continue;
    }
    if (typeof before !== 'object' || before === null) continue;
    const path = fieldPath(place.path, name);
    const after = prune(known, before, { ...place, path, isResource: false });
    if (after === before) continue;
    copy ??= { ...value };
    setOwn(copy, name, after);
  }
  return copy ?? value;
}
