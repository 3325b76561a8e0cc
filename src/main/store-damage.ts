/** Reports objects in the store that cannot be read: by log, metric, event and a condition; always by key, never by content. */
import { EVENTS, type Event, NAMESPACES, type ObjectReference } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import {
  type Clock,
  errorMessage,
  formatTime,
  type Gauge,
  type Logger,
  type MetricsRegistry,
  type Random,
} from '../lib/index.ts';
import type { DamagedKey } from '../store/index.ts';

/** Keys that a log line, a condition or a round of events names. */
const MAX_NAMED = 20;
/** How often the condition is checked, and written again if that failed. */
const TELL_EVERY_MS = 30_000;
/** The namespace that every cluster has stands for the cluster. */
const CLUSTER_NAMESPACE = 'kube-system';
const CONDITION = 'StoreDamaged';

export interface StoreDamageOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

type ObjectOfKey = (key: string) => ObjectReference | undefined;

export class StoreDamage {
  readonly #options: StoreDamageOptions;
  readonly #gauge: Gauge;
  readonly #told = new Set<string>();
  #damaged: readonly DamagedKey[] = [];
  #changed = Promise.withResolvers<void>();

  constructor(options: StoreDamageOptions) {
    this.#options = options;
    this.#gauge = options.metrics.gauge({
      name: 'mendlet_store_damaged_objects',
      help: 'Objects in the store that were changed on the disk: they are left out of what is served.',
    });
    this.#gauge.set(0);
  }

  get count(): number {
    return this.#damaged.length;
  }

  /** These are all that are damaged now. */
  found(damaged: readonly DamagedKey[]): void {
    this.#damaged = damaged;
    this.#gauge.set(damaged.length);
    const { logger } = this.#options;
    if (damaged.length > 0)
      logger.error('objects in the store are damaged', { objects: damaged.length, keys: named(damaged) });
    else logger.info('no object in the store is damaged any more');
    this.#changed.resolve();
  }

  /** The file itself was made whole. */
  mended(notes: readonly string[]): void {
    for (const note of notes.slice(0, MAX_NAMED)) this.#options.logger.warn(note);
  }

  /** Keeps the condition and makes the events until the signal is aborted. `objectOfKey`: the object of a key, if it is served. */
  async tell(client: KubeClient, objectOfKey: ObjectOfKey, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#changed = Promise.withResolvers();
      try {
        await this.#tellOnce(client, objectOfKey, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.logger.warn('damage of the store cannot be told', { error: errorMessage(error) });
      }
      await Promise.race([this.#changed.promise, this.#options.clock.sleep(TELL_EVERY_MS, signal).catch(() => {})]);
    }
  }

  async #tellOnce(client: KubeClient, objectOfKey: ObjectOfKey, signal: AbortSignal): Promise<void> {
    const damaged = this.#damaged;
    for (const { key, revision } of damaged.slice(0, MAX_NAMED)) {
      if (this.#told.has(`${key} ${revision}`)) continue;
      await client.create(EVENTS, this.#event(key, revision, objectOfKey(key)), signal);
      this.#told.add(`${key} ${revision}`);
    }
    const namespace = await client.get(NAMESPACES, undefined, CLUSTER_NAMESPACE, signal);
    const conditions = namespace.status?.conditions ?? [];
    const old = conditions.find(({ type }) => type === CONDITION);
    const status = damaged.length > 0 ? 'True' : 'False';
    // A cluster in which nothing ever was damaged has no such condition.
    if (old === undefined && damaged.length === 0) return;
    const message = damaged.length === 0 ? 'every object can be read' : `left out: ${named(damaged).join(', ')}`;
    if (old?.status === status && old.message === message) return;
    const lastTransitionTime =
      old?.status === status && old.lastTransitionTime !== undefined ? old.lastTransitionTime : this.#now();
    const next = {
      type: CONDITION,
      status,
      lastTransitionTime,
      reason: damaged.length > 0 ? 'ObjectsDamaged' : 'ObjectsIntact',
      message,
    };
    const patch = { status: { conditions: [...conditions.filter(({ type }) => type !== CONDITION), next] } };
    await client.patch(NAMESPACES, undefined, CLUSTER_NAMESPACE, 'merge', patch, 'status', signal);
  }

  #event(key: string, revision: number, found: ObjectReference | undefined): Event {
    const regarding = found ?? { apiVersion: 'v1', kind: 'Namespace', name: CLUSTER_NAMESPACE };
    const namespace = regarding.namespace ?? 'default';
    const now = this.#now();
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `store-damaged.${this.#options.random.suffix(10)}`, namespace },
      involvedObject: { ...regarding, namespace },
      type: 'Warning',
      reason: 'StoreDamaged',
      message: `${key} (revision ${revision}) is damaged on the disk and left out of what is served`,
      source: { component: 'mendlet' },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }

  #now(): string {
    return formatTime(this.#options.clock.now().wall);
  }
}

function named(damaged: readonly DamagedKey[]): readonly string[] {
  const keys = damaged.slice(0, MAX_NAMED).map(({ key }) => key);
  return damaged.length > keys.length ? [...keys, `and ${damaged.length - keys.length} more`] : keys;
}
