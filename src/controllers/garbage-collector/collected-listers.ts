/** The listers of the kinds whose objects are collected: they follow the kinds that the server serves. */
import type { Resource, ResourceRow, KubeObject } from '../../api/index.ts';
import { type Change, type Informer, type Informers, METADATA, type ServedKinds } from '../../client/index.ts';
import { type Clock, withDeadline } from '../../lib/index.ts';
import type { ControllerSource, MovingSources } from '../controller.ts';
import { NEW_KIND_SYNC_MS } from '../limits.ts';
import { type CollectedKinds, collectedKinds } from './owner-kinds.ts';

/** One kind, and the lister of its objects. */
export interface CollectedKind {
  readonly row: ResourceRow;
  readonly lister: Informer<KubeObject>;
  readonly source: ControllerSource;
  /** Monotonic ms. */
  readonly since: number;
}

export interface CollectedListersOptions {
  readonly informers: Informers;
  readonly served: ServedKinds;
  readonly clock: Clock;
  readonly keysOf: (row: ResourceRow, change: Change<KubeObject>) => readonly string[];
}

export class CollectedListers implements MovingSources {
  readonly #options: CollectedListersOptions;
  readonly #kinds = new Map<string, CollectedKind>();
  readonly #listeners = new Set<() => void>();
  #collected: CollectedKinds = { rows: [], byKind: new Map() };

  constructor(options: CollectedListersOptions) {
    this.#options = options;
    options.served.onChange(() => this.#follow());
    this.#follow();
  }

  get collected(): CollectedKinds {
    return this.#collected;
  }

  all(): Iterable<CollectedKind> {
    return this.#kinds.values();
  }

  of({ group, resource }: Pick<Resource<unknown>, 'group' | 'resource'>): CollectedKind | undefined {
    return this.byKey(`${group}/${resource}`);
  }

  byKey(key: string): CollectedKind | undefined {
    return this.#kinds.get(key);
  }

  /** Waits until what is there is listed. A kind that cannot be listed is not waited for for ever. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now().mono;
    const missing = [...this.#kinds.values()].filter(
      ({ lister, since }) => !lister.synced && now - since < NEW_KIND_SYNC_MS,
    );
    if (missing.length === 0) return;
    const timeoutMs = Math.max(...missing.map(({ since }) => since + NEW_KIND_SYNC_MS - now));
    await withDeadline({ clock, timeoutMs, signal }, (until) =>
      // One that is released meanwhile is gone, and nothing of it is missing.
      Promise.all(missing.map(({ lister }) => lister.waitForSync(until).catch(() => {}))),
    );
  }

  current(): readonly ControllerSource[] {
    return [...this.#kinds.values()].map(({ source }) => source);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #follow(): void {
    const { informers, served, clock, keysOf } = this.#options;
    this.#collected = collectedKinds(served.rows, this.#collected.rows);
    const { rows } = this.#collected;
    for (const [key, { row, lister }] of this.#kinds) {
      if (rows.includes(row)) continue;
      lister.release();
      this.#kinds.delete(key);
    }
    for (const row of rows) {
      const key = `${row.group}/${row.resource}`;
      if (this.#kinds.has(key)) continue;
      const view = { form: METADATA };
      const source = { resource: row, view, keysOf: (change: Change<KubeObject>) => keysOf(row, change) };
      this.#kinds.set(key, { row, lister: informers.take<KubeObject>(row, view), source, since: clock.now().mono });
    }
    for (const listener of this.#listeners) listener();
  }
}
