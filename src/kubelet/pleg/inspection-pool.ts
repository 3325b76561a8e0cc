/**
 * Runs pod inspections concurrently: at most one per pod, a bounded number in all, and fewer of pods whose last inspection
 * failed, so that sick pods cannot delay the others.
 */
import type { PodUID } from '../types.ts';
import { MAX_INSPECTIONS, MAX_SUSPECT_INSPECTIONS } from './limits.ts';

interface Pending {
  readonly uid: PodUID;
  readonly suspect: boolean;
  readonly inspect: () => Promise<void>;
  readonly done: () => void;
}

export class InspectionPool {
  readonly #waiting = new Map<PodUID, Pending>();
  readonly #running = new Map<PodUID, Pending>();
  #suspectsRunning = 0;

  /** Resolves when the inspection ended; at once when this pod's is under way already. `inspect` must not reject. */
  add(uid: PodUID, suspect: boolean, inspect: () => Promise<void>): Promise<void> {
    if (this.#running.has(uid)) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.get(uid)?.done();
    this.#waiting.set(uid, { uid, suspect, inspect, done: resolve });
    this.#pump();
    return promise;
  }

  /** Whether this pod is being inspected, or waits for it. */
  has(uid: PodUID): boolean {
    return this.#running.has(uid) || this.#waiting.has(uid);
  }

  #pump(): void {
    for (const next of this.#waiting.values()) {
      if (this.#running.size >= MAX_INSPECTIONS) return;
      if (next.suspect && this.#suspectsRunning >= MAX_SUSPECT_INSPECTIONS) continue;
      this.#waiting.delete(next.uid);
      void this.#run(next);
    }
  }

  async #run(pending: Pending): Promise<void> {
    this.#running.set(pending.uid, pending);
    if (pending.suspect) this.#suspectsRunning += 1;
    try {
      await pending.inspect();
    } finally {
      this.#running.delete(pending.uid);
      if (pending.suspect) this.#suspectsRunning -= 1;
      pending.done();
      this.#pump();
    }
  }
}
