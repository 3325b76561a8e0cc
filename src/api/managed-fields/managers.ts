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
  /** RFC 3339; undefined: it is not known. */
  readonly time: string | undefined;
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
    const set = readFieldsV1(typeof fieldsV1 === 'string' ? JSON.parse(fieldsV1) : (fieldsV1 ?? {}));
    const owned: Owned = { name: manager, operation, apiVersion, subresource, set, time };
    managers.set(managerId(owned), owned);
  }
  return managers;
}

/** The entries of an object's managers, in their order; their fields are text. */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .sort(compareManagers)
    .map(({ name, operation, apiVersion, subresource, set, time }) => ({
      ...(name === '' ? {} : { manager: name }),
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: writeFieldsV1(set),
      ...(subresource === '' ? {} : { subresource }),
    }));
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
