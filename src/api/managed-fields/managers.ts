/**
 * Who owns which fields of an object: read from and written to its `metadata.managedFields` (upstream: apimachinery,
 * managedfields.go).
 */
import type { ManagedFieldsEntry } from '../types.gen.ts';
import type { FieldSet } from './field-set.ts';
import { readFieldsV1, writeFieldsV1 } from './fields-v1.ts';
import { compareText } from './path-element.ts';

/** One owner: the same name counts anew for each operation, version (of updates) and subresource. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The version that its fields are named in. */
  readonly apiVersion: string;
  readonly subresource: string;
}

export interface Owned extends Manager {
  readonly set: FieldSet;
  /** The text that the set was read from, or undefined. */
  readonly text?: WrittenSet;
  /** RFC 3339; undefined: it is not known. */
  readonly time: string | undefined;
}

/** A set with its text: who changes the set makes another one. */
export interface WrittenSet {
  readonly set: FieldSet;
  readonly text: string;
}

/** By `managerId`. */
export type Managers = ReadonlyMap<string, Owned>;

/** What tells managers apart. Who applies is the same in all versions. */
export function managerId({ name, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    ...(name === '' ? {} : { manager: name }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  });
}

/**
 * The managers of an object's entries; the fields of each may be an object, as clients write them, or its text.
 * @throws SyntaxError for entries that no server wrote
 */
export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Map<string, Owned> {
  const managers = new Map<string, Owned>();
  for (const [position, entry] of (entries ?? []).entries()) {
    const { operation, apiVersion = '', fieldsType, fieldsV1, manager = '', subresource = '', time } = entry;
    if (operation !== 'Apply' && operation !== 'Update') throw new SyntaxError('operation must be `Apply` or `Update`');
    if (apiVersion === '') throw new SyntaxError('apiVersion must not be empty');
    if (fieldsType !== 'FieldsV1') {
      const problem = fieldsType ? `invalid fieldsType ${JSON.stringify(fieldsType)}` : 'missing fieldsType';
      throw new SyntaxError(`${problem} in managed fields entry ${position}`);
    }
    const text = typeof fieldsV1 === 'string' ? setOfText(fieldsV1) : undefined;
    const set = text?.set ?? readFieldsV1(fieldsV1 ?? {});
    const owned: Owned = { name: manager, operation, apiVersion, subresource, set, time, ...(text && { text }) };
    managers.set(managerId(owned), owned);
  }
  return managers;
}

/** Objects of one template have the same sets: the most recent ones are read once. */
const MAX_REMEMBERED_SETS = 500;
/** A set takes about ten times the memory of its text: one that is longer belongs to an object of its own, not to a template. */
const MAX_REMEMBERED_CHARACTERS = 8 * 1024;
const remembered = new Map<string, WrittenSet>();

function setOfText(text: string): WrittenSet {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const written = { set: readFieldsV1(JSON.parse(text)), text };
  if (text.length > MAX_REMEMBERED_CHARACTERS) return written;
  if (remembered.size >= MAX_REMEMBERED_SETS) {
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      break;
    }
  }
  remembered.set(text, written);
  return written;
}

/** The entries of an object's managers, in their order; their fields are text. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .sort(compareManagers)
    .map((owned) => entryOf(owned, owned.text?.set === owned.set ? owned.text.text : writeFieldsV1(owned.set)));
}

/** @param fields the text of the set */
export function entryOf(owned: Omit<Owned, 'set' | 'text'>, fields: string): ManagedFieldsEntry {
  const { name, operation, apiVersion, subresource, time } = owned;
  return {
    ...(name === '' ? {} : { manager: name }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareManagers(a: Owned, b: Owned): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** 0 when there is none. */
export function secondsOf(time: string | undefined): number {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}

/** A manager as messages name it. */
export function printManager({ name, operation, apiVersion, subresource }: Manager): string {
  const named = `${JSON.stringify(name)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`;
  return operation === 'Update' ? `${named} using ${apiVersion}` : named;
}
