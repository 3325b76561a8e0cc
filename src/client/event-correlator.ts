/**
 * Aggregates and limits events as client-go's EventCorrelator: similar events (10 different messages in 10 minutes) become one
 * "combined" event, a repeated event only counts up, and a source with too many events about one object is limited (25 at
 * once, then one per 5 minutes). It holds caches and does no I/O.
 */
import type { ObjectReference } from '../api/index.ts';
import { type TokenBucket, fullBucket, tryTake } from '../lib/index.ts';
import { LruCache } from './lru-cache.ts';
import { MAX_CORRELATED_EVENTS } from './limits.ts';

const AGGREGATE_AFTER = 10;
const AGGREGATE_INTERVAL_MS = 600_000;
const SPAM_BUCKET = { burst: 25, perSecond: 1 / 300 };
const COMBINED_PREFIX = '(combined from similar events): ';

/** An event that a component reports. `at`: wall ms. */
export interface EventDraft {
  readonly regarding: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly at: number;
}

/** An event that we wrote, as the server last returned it. */
export interface WrittenEvent {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly firstAt: number;
}

export type Correlated =
  | { readonly kind: 'skip' }
  | {
      readonly kind: 'create';
      readonly key: string;
      readonly message: string;
      readonly firstAt: number;
      readonly count: number;
    }
  | {
      readonly kind: 'count';
      readonly key: string;
      readonly message: string;
      readonly written: WrittenEvent;
      readonly count: number;
    };

interface Aggregate {
  readonly messages: Set<string>;
  lastMono: number;
}

/** The correlator of one source (component and host). */
export class EventCorrelator {
  readonly #aggregates = new LruCache<string, Aggregate>(MAX_CORRELATED_EVENTS);
  readonly #written = new LruCache<string, WrittenEvent>(MAX_CORRELATED_EVENTS);
  readonly #buckets = new LruCache<string, TokenBucket>(MAX_CORRELATED_EVENTS);
  readonly #apart: ReadonlySet<string>;

  /** @param apart reasons with a separate limit per object, so that other events do not use it up */
  constructor(apart: ReadonlySet<string> = new Set()) {
    this.#apart = apart;
  }

  correlate(draft: EventDraft, mono: number): Correlated {
    const { key, message } = this.#aggregate(draft, mono);
    const known = this.#written.get(key);
    const count = (known?.count ?? 0) + 1;
    if (known !== undefined) this.#written.set(key, { ...known, count });
    if (!this.#mayPass(draft, mono)) {
      if (known === undefined) this.#written.set(key, { namespace: '', name: '', count, firstAt: draft.at });
      return { kind: 'skip' };
    }
    if (known === undefined) return { kind: 'create', key, message, firstAt: draft.at, count };
    if (known.name === '') return { kind: 'create', key, message, firstAt: known.firstAt, count };
    return { kind: 'count', key, message, written: known, count };
  }

  /** Notes a written event, so that the next equal one counts it up. */
  remember(key: string, written: WrittenEvent): void {
    this.#written.set(key, written);
  }

  #aggregate(draft: EventDraft, mono: number): { readonly key: string; readonly message: string } {
    const similar = [...objectParts(draft.regarding), draft.type, draft.reason].join('\u0000');
    const known = this.#aggregates.get(similar);
    const fresh = known === undefined || mono - known.lastMono > AGGREGATE_INTERVAL_MS;
    const aggregate: Aggregate = fresh ? { messages: new Set(), lastMono: mono } : known;
    aggregate.messages.add(draft.message);
    aggregate.lastMono = mono;
    this.#aggregates.set(similar, aggregate);
    if (aggregate.messages.size < AGGREGATE_AFTER) {
      const own = [similar, draft.regarding.fieldPath ?? '', draft.message].join('\u0000');
      return { key: own, message: draft.message };
    }
    // Each new message replaces the oldest, so the record stays small and the aggregate keeps its number of messages.
    for (const oldest of aggregate.messages) {
      aggregate.messages.delete(oldest);
      break;
    }
    return { key: similar, message: COMBINED_PREFIX + draft.message };
  }

  #mayPass({ regarding, reason }: EventDraft, mono: number): boolean {
    const key = [...objectParts(regarding), ...(this.#apart.has(reason) ? [reason] : [])].join('\u0000');
    const step = tryTake(this.#buckets.get(key) ?? fullBucket(SPAM_BUCKET, mono), SPAM_BUCKET, mono);
    this.#buckets.set(key, step.bucket);
    return step.ok;
  }
}

function objectParts(regarding: ObjectReference): readonly string[] {
  const { kind, namespace, name, uid, apiVersion } = regarding;
  return [kind ?? '', namespace ?? '', name ?? '', uid ?? '', apiVersion ?? ''];
}
