/**
 * Who has which port of the nodes: one record in the store for each, which is no object of the API. A port belongs to whoever creates its
 * record, so servers that share a store never give one port twice. (Upstream: one bitmap of all ports, RangeAllocation; there a
 * server cannot tell whose a port is, and finds leaks by counting how often it sees them.)
 */
import { formatTime, parseTime } from '../../lib/index.ts';
import type { Store, StoreEntry } from '../../store/index.ts';
import { decodeStored, encodeStored } from '../cache/cached-object.ts';
import type { ApiObject } from '../registry/object.ts';
import { guarded } from '../registry/storage.ts';
import { isAddressOf } from './ip-address-object.ts';

const PREFIX = '/registry/ranges/servicenodeports/';

/** A record as it was when it was read or written. */
export interface HeldPort {
  readonly port: number;
  readonly revision: number;
  /** Undefined: it cannot be read. */
  readonly record: ApiObject | undefined;
}

export class NodePortRecords {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined: nobody has it. */
  async find(port: number): Promise<HeldPort | undefined> {
    const { entry } = await guarded('read', () => this.#store.get(keyOf(port)));
    return entry === undefined ? undefined : heldPort(entry);
  }

  /** All of them, those that cannot be read included, and the revision of the store that they show. */
  async list(): Promise<{ readonly records: readonly HeldPort[]; readonly revision: number }> {
    const { entries, revision, damaged = [] } = await guarded('list', () => this.#store.list(PREFIX));
    const unreadable = damaged.map((each) => ({ port: portIn(each.key), revision: each.revision, record: undefined }));
    return { records: [...entries.map(heldPort), ...unreadable], revision };
  }

  /**
   * Gives the port to the service; undefined: another has it. A record that the service has already (its last deletion is under way,
   * or ended half-way) is written anew, so that whoever is about to delete it finds another revision.
   * @param now wall ms
   */
  async claim(port: number, service: ApiObject, now: number): Promise<HeldPort | undefined> {
    const record = newRecord(port, service, now);
    const put = (revision: number) =>
      guarded('write', () => this.#store.put(keyOf(port), encodeStored(record), revision));
    let written = await put(0);
    if (!written.ok && written.current !== undefined && isPortOf(heldPort(written.current), service))
      written = await put(written.current.revision);
    return written.ok ? heldPort(written.entry) : undefined;
  }

  /** @returns whether it was still as it was */
  async remove({ port, revision }: HeldPort): Promise<boolean> {
    return (await guarded('write', () => this.#store.delete(keyOf(port), revision))).ok;
  }
}

/** Whether the port was given to this service. */
export function isPortOf({ record }: HeldPort, service: ApiObject): boolean {
  return record !== undefined && isAddressOf(record, service);
}

/** Wall ms; undefined: nobody knows. */
export function claimedAt({ record }: HeldPort): number | undefined {
  return parseTime(record?.metadata.creationTimestamp);
}

function newRecord(port: number, { metadata }: ApiObject, now: number): ApiObject {
  const parentRef = { resource: 'services', namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
  const record = {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'NodePortRecord',
    metadata: { name: String(port), creationTimestamp: formatTime(now) },
    spec: { parentRef },
  };
  return record;
}

function heldPort({ key, revision, value }: StoreEntry): HeldPort {
  try {
    return { port: portIn(key), revision, record: decodeStored(value, revision) };
  } catch {
    return { port: portIn(key), revision, record: undefined };
  }
}

function keyOf(port: number): string {
  return `${PREFIX}${port}`;
}

function portIn(key: string): number {
  return Number(key.slice(PREFIX.length));
}
