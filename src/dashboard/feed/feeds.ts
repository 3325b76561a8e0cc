/** One feed for each identity and namespace, however many tabs look; it ends soon after the last of them. */
import type { Clock, Logger, Timer } from '../../lib/index.ts';
import { FEED_LINGER_MS, MAX_FEEDS, MAX_FEEDS_OF_ONE } from '../limits.ts';
import type { Viewer } from '../ports.ts';
import { ViewerFeed } from './viewer-feed.ts';

interface Kept {
  readonly feed: ViewerFeed;
  /** Each token of a service account is another identity; its name is the same. */
  readonly user: string;
  lookers: number;
  ending: Timer | undefined;
}

/** Somebody who looks at a feed. */
export interface Look {
  readonly feed: ViewerFeed;
  /** To be called once, when he looks no more. */
  release(): void;
}

export class Feeds {
  readonly #ports: { readonly clock: Clock; readonly logger: Logger };
  readonly #kept = new Map<string, Kept>();

  constructor(ports: { readonly clock: Clock; readonly logger: Logger }) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** @param namespace undefined: all. @returns undefined: too many others look */
  look(viewer: Viewer, namespace: string | undefined): Look | undefined {
    const key = JSON.stringify([viewer.key, namespace ?? null]);
    const kept = this.#kept.get(key) ?? this.#begin(key, viewer, namespace);
    if (kept === undefined) return undefined;
    kept.ending?.cancel();
    kept.ending = undefined;
    kept.lookers += 1;
    let isReleased = false;
    return {
      feed: kept.feed,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        kept.lookers -= 1;
        if (kept.lookers === 0 && this.#kept.get(key) === kept) this.#linger(key, kept);
      },
    };
  }

  close(): void {
    for (const [key, kept] of this.#kept) this.#end(key, kept);
  }

  #begin(key: string, viewer: Viewer, namespace: string | undefined): Kept | undefined {
    const own = [...this.#kept].filter(([, { user }]) => user === viewer.name);
    const isFull = own.length >= MAX_FEEDS_OF_ONE;
    if (isFull || this.#kept.size >= MAX_FEEDS) {
      const [idle] = (isFull ? own : [...this.#kept]).filter(([, { lookers }]) => lookers === 0);
      if (idle === undefined) return undefined;
      this.#end(...idle);
    }
    const feed = new ViewerFeed({ ...this.#ports, viewer, namespace });
    const kept = { feed, user: viewer.name, lookers: 0, ending: undefined };
    this.#kept.set(key, kept);
    return kept;
  }

  #linger(key: string, kept: Kept): void {
    kept.ending = this.#ports.clock.setTimer(FEED_LINGER_MS, () => this.#end(key, kept));
  }

  #end(key: string, kept: Kept): void {
    kept.ending?.cancel();
    kept.feed.close();
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }
}
