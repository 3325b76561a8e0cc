/**
 * Defaults of a structural schema (upstream: apiextensions-apiserver/pkg/apiserver/schema/defaulting). A null that the schema
 * does not allow is dropped first, and so makes room for the default. Pure.
 */
import { setOwn } from '../schema/set-own.ts';
import { additionalOf, type Fields, isFields, itemsOf, type JsonSchema } from './json-schema.ts';

/** The object with its defaults; a part that lacks none is not copied. */
export function defaultObject(schema: JsonSchema | undefined, object: Fields): Fields {
  return schema === undefined ? object : defaultFields(schema, object);
}

/** The same for any value. */
export function defaultValue(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return defaultItems(schema, value);
  return isFields(value) ? defaultFields(schema, value) : value;
}

function defaultItems(schema: JsonSchema, value: readonly unknown[]): readonly unknown[] {
  const items = itemsOf(schema);
  if (items === undefined) return value;
  let copy: unknown[] | undefined;
  for (const [position, before] of value.entries()) {
    const isFilled = isUnwantedNull(items, before) && items.default !== undefined;
    const after = isFilled ? copyOf(items.default) : defaultValue(items, before);
    if (after === before) continue;
    copy ??= [...value];
    copy[position] = after;
  }
  return copy ?? value;
}

function defaultFields(schema: JsonSchema, value: Fields): Fields {
  const { properties = {} } = schema;
  const additional = additionalOf(schema);
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : additional;
    if (known === undefined) continue;
    const before = value[name];
    if (isUnwantedNull(known, before)) {
      copy ??= { ...value };
      if (known.default === undefined) delete copy[name];
      else setOwn(copy, name, defaultValue(known, copyOf(known.default)));
      continue;
    }
    const after = defaultValue(known, before);
    if (after === before) continue;
    copy ??= { ...value };
    setOwn(copy, name, after);
  }
  for (const name of Object.keys(properties)) {
    const known = properties[name];
    if (known?.default === undefined || Object.hasOwn(copy ?? value, name)) continue;
    if (known.default === null && known.nullable !== true) continue;
    copy ??= { ...value };
    // A default may lack what the schema below it gives.
    setOwn(copy, name, defaultValue(known, copyOf(known.default)));
  }
  return copy ?? value;
}

function isUnwantedNull(schema: JsonSchema, value: unknown): boolean {
  return value === null && schema.nullable !== true;
}

/** Objects are changed on their way: no two may share a default. */
function copyOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : value;
}
