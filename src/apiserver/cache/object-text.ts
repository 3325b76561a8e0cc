/**
 * The JSON of objects. In memory the sets of fields of `metadata.managedFields` are text: nobody here reads them but a write, they are
 * often half of an object, and equal ones are one string. In answers and in the store they are what upstream writes.
 */
import type { ManagedFieldsEntry } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

/** An object's JSON, and places in it. */
export interface ObjectText {
  readonly text: string;
  /** The text of the managed fields, in characters, its comma included: what is left without it is an object, too. */
  readonly from: number;
  /** The same as `from` for an object without managed fields. */
  readonly to: number;
}

export function objectText(object: ApiObject): string {
  return object.metadata?.managedFields === undefined ? JSON.stringify(object) : objectTextOf(object).text;
}

/** The same with places in it. The metadata of an object have fields beside the managed ones: a name. */
export function objectTextOf(object: ApiObject): ObjectText {
  let text = '';
  let [from, to] = [0, 0];
  for (const name of Object.keys(object)) {
    const lead = `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
    if (name !== 'metadata') {
      const value = JSON.stringify(object[name]) as string | undefined;
      if (value !== undefined) text += lead + value;
      continue;
    }
    const { managedFields, ...others } = object.metadata;
    text += lead + JSON.stringify(others).slice(0, -1);
    from = text.length;
    if (managedFields !== undefined)
      text += `${text.endsWith('{') ? '' : ','}"managedFields":${entriesText(managedFields)}`;
    to = text.length;
    text += '}';
  }
  return { text: `${text === '' ? '{' : text}}`, from, to };
}

/** The text of an object that has no resourceVersion, with one. `at`: the end of its metadata (see `ObjectText.from`). */
export function withVersion(text: string, at: number, resourceVersion: string): string {
  const field = `"resourceVersion":${JSON.stringify(resourceVersion)}`;
  const isFirst = text[at - 1] === '{';
  const separated = isFirst ? `${field}${text[at] === '}' ? '' : ','}` : `,${field}`;
  return `${text.slice(0, at)}${separated}${text.slice(at)}`;
}

/** The JSON of entries whose sets are text. */
export function entriesText(entries: readonly ManagedFieldsEntry[]): string {
  return `[${entries.map(entryText).join(',')}]`;
}

function entryText(entry: ManagedFieldsEntry): string {
  const { fieldsV1 } = entry;
  if (typeof fieldsV1 !== 'string') return JSON.stringify(entry);
  const { subresource, fieldsV1: _, ...others } = entry;
  const rest = JSON.stringify(others);
  const last = subresource === undefined ? '' : `,"subresource":${JSON.stringify(subresource)}`;
  return `${rest === '{}' ? '{' : `${rest.slice(0, -1)},`}"fieldsV1":${fieldsV1}${last}}`;
}

/** A parsed object with its sets of fields as text. */
export function withFieldsAsText(object: ApiObject): ApiObject {
  const { managedFields } = object.metadata ?? {};
  if (managedFields === undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: managedFields.map(entryAsText) } };
}

function entryAsText(entry: ManagedFieldsEntry): ManagedFieldsEntry {
  const { fieldsV1 } = entry;
  if (fieldsV1 === undefined || typeof fieldsV1 === 'string') return entry;
  return { ...entry, fieldsV1: sharedText(JSON.stringify(fieldsV1)) };
}

/** The entries with each text that is known already as the known one. */
export function withSharedText(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.map((entry) =>
    typeof entry.fieldsV1 === 'string' ? { ...entry, fieldsV1: sharedText(entry.fieldsV1) } : entry,
  );
}

/** Characters of texts that are remembered for sharing. */
const MAX_SHARED_CHARACTERS = 4 * 1024 * 1024;

const shared = new Map<string, string>();
let sharedCharacters = 0;

/** Objects of one template have the same sets: they keep one text of them. */
function sharedText(text: string): string {
  const known = shared.get(text);
  if (known !== undefined) return known;
  sharedCharacters += text.length;
  if (sharedCharacters > MAX_SHARED_CHARACTERS) {
    shared.clear();
    sharedCharacters = text.length;
  }
  shared.set(text, text);
  return text;
}
