/**
 * Changes that the watch cache does not have any more, or never had because the server started after them: they are read from
 * the store's log in small steps, by each watch for itself.
 *
 *   log (page, page, …) → as far as the cache's own history → the cache's watcher
 */
import type { Breather, Semaphore } from '../../lib/index.ts';
import { type PastEvent, type Store, StoreError } from '../../store/index.ts';
import { PAST_EVENTS_BYTES, PAST_EVENTS_PAGE } from '../limits.ts';
import { CacheEvent } from './cache-event.ts';
import { CachedObject, type ReadStored } from './cached-object.ts';

export interface PastPage {
  readonly events: readonly CacheEvent[];
  /** These are all changes up to here. */
  readonly revision: number;
}

export interface PastEventsOptions {
  readonly store: Store;
  /** Only keys that start with this. */
  readonly prefix: string;
  /** Whether the state before each change is needed: a selector sees by it what leaves and enters. */
  readonly previous: boolean;
  readonly read: ReadStored | undefined;
  /** Reads of the log at once: many watches that resume together must not fill the store's queue. */
  readonly turns: Semaphore;
  readonly breather: Breather;
}

/**
 * The next changes after `revision`. Rejects with `StoreError`: "compacted" when the log does not have them, or one of them cannot be
 * read (the client lists again, which names what is damaged).
 */
export async function readPast(options: PastEventsOptions, revision: number): Promise<PastPage> {
  const { store, prefix, previous, read, turns, breather } = options;
  const page = await turns.run(() =>
    store.history(prefix, revision, { limit: PAST_EVENTS_PAGE, maxBytes: PAST_EVENTS_BYTES, previous }),
  );
  const events: CacheEvent[] = [];
  for (const event of page.events) {
    const pause = breather.pause();
    if (pause !== undefined) await pause;
    events.push(toCacheEvent(event, read));
  }
  return { events, revision: page.revision };
}

/** Throws `StoreError` "compacted" for bytes that are no object. */
function toCacheEvent(event: PastEvent, read: ReadStored | undefined): CacheEvent {
  try {
    return decodeEvent(event, read);
  } catch {
    throw new StoreError('compacted', `the change of ${event.key} at revision ${event.revision} cannot be read`);
  }
}

function decodeEvent(event: PastEvent, read: ReadStored | undefined): CacheEvent {
  const { type, key, revision, createRevision, previous } = event;
  const object = CachedObject.decode(event, read);
  if (type === 'delete') return new CacheEvent(revision, key, undefined, object);
  if (previous !== undefined) {
    const before = CachedObject.decode({ key, revision: createRevision, value: previous }, read);
    return new CacheEvent(revision, key, object, before);
  }
  // Where nobody selects, the state before shows only that there was one.
  return new CacheEvent(revision, key, object, createRevision === revision ? undefined : object);
}
