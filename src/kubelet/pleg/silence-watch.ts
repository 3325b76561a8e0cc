/**
 * Notices a stream that is open but misses events: a relist found a change, and no event announced it. Changes before the
 * stream, changes that are still being read, and changes that are announced a moment later do not count.
 */
import type { RuntimeEvent } from '../../cri/index.ts';
import type { Clock, Timer } from '../../lib/index.ts';
import type { PlegEventType } from './diff.ts';
import { MAX_ANNOUNCED, SILENCE_GRACE_MS, SILENCE_LATE_TOLERANCE_MS, SILENCE_SETTLE_MS } from './limits.ts';

/** A relist's finding about a container or sandbox that was known before. */
export interface FoundChange {
  readonly type: PlegEventType;
  readonly id: string;
  /** The sandbox that it is or is in: with its end its containers end unannounced. */
  readonly sandboxId: string;
}

type Kind = RuntimeEvent['kind'];

const OWN: Readonly<Record<PlegEventType, readonly Kind[]>> = {
  ContainerStarted: ['started', 'stopped'],
  ContainerDied: ['stopped', 'deleted'],
  ContainerRemoved: ['deleted'],
  ContainerChanged: ['created', 'started', 'stopped', 'deleted', 'oom'],
};

/** A sandbox's start may be announced by its creation, and its end stands for the ends of all its containers. */
const OF_SANDBOX: Readonly<Record<PlegEventType, readonly Kind[]>> = {
  ContainerStarted: [],
  ContainerDied: ['stopped', 'deleted'],
  ContainerRemoved: ['deleted'],
  ContainerChanged: [],
};

/** Whether these events announce the change. Pure. */
export function isAnnounced(change: FoundChange, kindsOf: (id: string) => ReadonlySet<Kind> | undefined): boolean {
  const own = kindsOf(change.id);
  if (own !== undefined && OWN[change.type].some((kind) => own.has(kind))) return true;
  if (change.id === change.sandboxId) return change.type === 'ContainerStarted' && own?.has('created') === true;
  const sandbox = kindsOf(change.sandboxId);
  return sandbox !== undefined && OF_SANDBOX[change.type].some((kind) => sandbox.has(kind));
}

interface Watched {
  /** Mono ms since when the stream stands. */
  readonly since: number;
  readonly announced: Map<string, Set<Kind>>;
  readonly checks: Set<Timer>;
  /** A relist that began well after the stream stood has looked at every pod: from then on every change is the stream's. */
  baseline: boolean;
  /** Mono ms when something was last forgotten for want of room. */
  forgotAt: number;
}

export interface SilenceWatchOptions {
  readonly clock: Clock;
  /** Called at most once for each stream. */
  readonly onSilent: (change: FoundChange) => void;
}

export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #watched: Watched | undefined;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
  }

  streamStands(): void {
    this.streamEnded();
    this.#watched = {
      since: this.#options.clock.now().mono,
      announced: new Map(),
      checks: new Set(),
      baseline: false,
      forgotAt: Number.NEGATIVE_INFINITY,
    };
  }

  streamEnded(): void {
    for (const check of this.#watched?.checks ?? []) check.cancel();
    this.#watched = undefined;
  }

  /** An event came. */
  heard({ id, kind }: RuntimeEvent): void {
    const watched = this.#watched;
    if (watched === undefined) return;
    const kinds = watched.announced.get(id);
    if (kinds !== undefined) {
      kinds.add(kind);
      return;
    }
    watched.announced.set(id, new Set([kind]));
    if (watched.announced.size <= MAX_ANNOUNCED) return;
    const oldest = watched.announced.keys().next();
    if (!oldest.done) watched.announced.delete(oldest.value);
    watched.forgotAt = this.#options.clock.now().mono;
  }

  /**
   * A relist that began at `beganAt` (mono ms) found these changes against what was known since `knownSince`, the beginning
   * of the relist before it.
   */
  relisted(beganAt: number, knownSince: number, changes: readonly FoundChange[]): void {
    const watched = this.#watched;
    if (watched === undefined) return;
    if (!watched.baseline) {
      watched.baseline = beganAt >= watched.since + SILENCE_SETTLE_MS;
      return;
    }
    const missing = this.#unannounced(watched, changes);
    if (missing.length > 0) this.#checkLater(watched, missing, knownSince - SILENCE_SETTLE_MS);
  }

  #unannounced(watched: Watched, changes: readonly FoundChange[]): readonly FoundChange[] {
    return changes.filter((change) => !isAnnounced(change, (id) => watched.announced.get(id)));
  }

  /** `since`: an event forgotten after this mono time may have been the one. */
  #checkLater(watched: Watched, changes: readonly FoundChange[], since: number): void {
    const check = this.#options.clock.setTimer(SILENCE_GRACE_MS, (lateMs) => {
      watched.checks.delete(check);
      const [missing] = this.#unannounced(watched, changes);
      if (missing === undefined || this.#watched !== watched || watched.forgotAt >= since) return;
      if (lateMs > SILENCE_LATE_TOLERANCE_MS) this.#checkLater(watched, changes, since);
      else this.#options.onSilent(missing);
    });
    watched.checks.add(check);
  }
}
