/** Lists that are sets or maps: none of their members may be there twice (upstream: schema/listtype). Pure. */
import { duplicate, type FieldError, invalidValue } from '../field-error.ts';
import { additionalOf, fieldPath, isFields, itemsOf, type JsonSchema, propertyOf } from './json-schema.ts';

const MAX_ERRORS = 100;

/** The errors of all lists below `value`. */
export function checkListTypes(schema: JsonSchema, value: unknown): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, value, '', errors);
  return errors;
}

/** A member of a map-like list, by the values of its keys. */
export function keyOfItem(item: unknown, keys: readonly string[]): string {
  return JSON.stringify(keyFields(item, keys));
}

function keyFields(item: unknown, keys: readonly string[]): object {
  const fields = isFields(item) ? item : {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(fields, key)).map((key) => [key, fields[key]]));
}

function walk(schema: JsonSchema, value: unknown, path: string, errors: FieldError[]): void {
  if (errors.length >= MAX_ERRORS) return;
  if (Array.isArray(value)) {
    const type = schema['x-kubernetes-list-type'];
    if (type === 'set') checkUnique(value, path, errors, (item) => item);
    else if (type === 'map') {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      refuseOthers(value, path, errors);
      checkUnique(value, path, errors, (item) => keyFields(item, keys));
    }
    const items = itemsOf(schema);
    if (items !== undefined)
      for (const [position, item] of value.entries()) walk(items, item, `${path}[${position}]`, errors);
  } else if (isFields(value)) {
    const additional = additionalOf(schema);
    for (const name of Object.keys(value)) {
      const known = propertyOf(schema, name) ?? additional;
      if (known !== undefined) walk(known, value[name], fieldPath(path, name), errors);
    }
  }
}

function checkUnique(
  list: readonly unknown[],
  path: string,
  errors: FieldError[],
  identity: (item: unknown) => unknown,
): void {
  const seen = new Set<string>();
  for (const [position, item] of list.entries()) {
    const what = identity(item);
    const text = JSON.stringify(sorted(what));
    if (seen.has(text)) errors.push(duplicate(`${path}[${position}]`, what));
    seen.add(text);
  }
}

function refuseOthers(list: readonly unknown[], path: string, errors: FieldError[]): void {
  for (const [position, item] of list.entries())
    if (!isFields(item))
      errors.push(invalidValue(`${path}[${position}]`, item, 'must be an object for an array of list-type map'));
}

/** The same with the fields of all objects in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  );
}
