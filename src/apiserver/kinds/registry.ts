/**
 * The kinds that a server serves, as values. Whoever needs one asks the registry that it was handed, and follows its changes:
 * no module has a table of kinds of its own.
 */
import type { ResourceRow } from '../../api/index.ts';
import type { Registry, ServedKind, StoredKind } from '../call.ts';
import type { ResourceName } from '../registry/served-rows.ts';

export class LiveRegistry implements Registry {
  /** In the order in which discovery lists them. */
  readonly #kinds = new Map<string, ServedKind>();
  /** The same by the resource's name, under which there are few: each request asks several times, and needs no new text for it. */
  readonly #byResource = new Map<string, readonly ServedKind[]>();
  readonly #listeners = new Set<() => void>();
  #registrations: readonly StoredKind[] = [];
  #rows: readonly ResourceRow[] = [];
  #generation = 0;
  /** Batches under way, and whether anything changed in them. */
  #depth = 0;
  #isDirty = false;

  constructor(kinds: Iterable<ServedKind>) {
    for (const kind of kinds) this.#put(kind);
    this.#changed();
  }

  get generation(): number {
    return this.#generation;
  }

  kindOf(name: ResourceName): ServedKind | undefined {
    const { group, version } = name;
    return this.#byResource.get(name.resource)?.find(({ row }) => row.group === group && row.version === version);
  }

  rowOf(name: ResourceName): ResourceRow | undefined {
    return this.kindOf(name)?.row;
  }

  find(name: ResourceName): StoredKind | undefined {
    return this.kindOf(name)?.stored;
  }

  get(name: ResourceName): StoredKind {
    const registration = this.find(name);
    if (registration === undefined) throw new Error(`no registration of ${pathOf(name)}`);
    return registration;
  }

  all(): readonly StoredKind[] {
    return this.#registrations;
  }

  rows(): readonly ResourceRow[] {
    return this.#rows;
  }

  describedRows(): readonly ResourceRow[] {
    return this.#rows.filter((row) => this.kindOf(row)?.isUndescribed !== true);
  }

  /**
   * Serves one kind more. The returned function takes it away again. Throws when its path is taken.
   */
  register(kind: ServedKind): () => void {
    this.#put(kind);
    this.#changed();
    return () => {
      if (this.kindOf(kind.row) !== kind) return;
      this.#kinds.delete(pathOf(kind.row));
      const { resource } = kind.row;
      const others = this.#byResource.get(resource)?.filter((other) => other !== kind) ?? [];
      if (others.length === 0) this.#byResource.delete(resource);
      else this.#byResource.set(resource, others);
      this.#changed();
    };
  }

  /** Runs changes of several kinds; listeners hear of them once. */
  batch(changes: () => void): void {
    this.#depth++;
    try {
      changes();
    } finally {
      this.#depth--;
      if (this.#isDirty) this.#changed();
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(kind: ServedKind): void {
    const path = pathOf(kind.row);
    if (this.#kinds.has(path)) throw new Error(`${path} is served twice`);
    this.#kinds.set(path, kind);
    this.#byResource.set(kind.row.resource, [...(this.#byResource.get(kind.row.resource) ?? []), kind]);
  }

  #changed(): void {
    this.#isDirty = this.#depth > 0;
    if (this.#isDirty) return;
    const kinds = [...this.#kinds.values()];
    this.#registrations = kinds.flatMap(({ stored }) => (stored === undefined ? [] : [stored]));
    this.#rows = kinds.filter(({ isHidden }) => isHidden !== true).map(({ row }) => row);
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }
}

function pathOf({ group, version, resource }: ResourceName): string {
  return `${group}/${version}/${resource}`;
}
