/** The fields that a field selector may name, by the rules of a kind (upstream's: pkg/apis/core/v1/conversion.go and its siblings). */
import type { SelectableField } from './kind-rules.ts';
import type { Resource } from './resource.ts';

/** What every kind offers, unless its rules say otherwise. */
export const METADATA_FIELDS: readonly string[] = ['metadata.name', 'metadata.namespace'];

type Selectable = Pick<Resource<unknown>, 'rules'>;

export function selectableFieldsOf(row: Selectable): readonly string[] {
  return (row.rules?.selectable ?? METADATA_FIELDS).map((field) => (typeof field === 'string' ? field : field.name));
}

/** Whether the object's field has this value; '' is the value of an absent one. */
export function matchesSelectableField(row: Selectable, object: unknown, name: string, value: string): boolean {
  const own = row.rules?.selectable?.find((field) => typeof field !== 'string' && field.name === name);
  if (own !== undefined && typeof own !== 'string') return own.matches(object, value);
  return textOf(readField(object, name), '') === value;
}

/** A field of which an absent value reads as "false". */
export function unsetIsFalse(name: string): SelectableField {
  return { name, matches: (object, value) => textOf(readField(object, name), 'false') === value };
}

/** A number at `path` that is called `name` in selectors; an absent one reads as 0. */
export function numberField(name: string, path: string): SelectableField {
  return { name, matches: (object, value) => textOf(readField(object, path), '0') === value };
}

function textOf(found: unknown, absent: string): string {
  if (found === undefined || found === null) return absent;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** The value at a path, "status.phase". */
export function readField(object: unknown, path: string): unknown {
  let value: unknown = object;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
