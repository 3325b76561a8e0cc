/**
 * Replaces a pod that keeps failing in one place (a daemon on its node, a stateful set's pod under its name) ever more
 * slowly: a kubelet that rejects a pod would otherwise get a new one at once, for ever. Upstream: failedPodsBackoff
 * (flowcontrol.Backoff), for daemons alone.
 */
import { FAILED_MEMBER_BACK_OFF } from '../limits.ts';

interface Entry {
  readonly delayMs: number;
  /** Mono ms. */
  readonly since: number;
}

export class FailedPodBackOff {
  /** Owner's key → node, or name of the pod → its entry. */
  readonly #entries = new Map<string, Map<string, Entry>>();

  /** How long a failed pod of this place still has to wait, ms; 0: it may be replaced. */
  waitMs(owner: string, place: string, now: number): number {
    const entry = this.#entries.get(owner)?.get(place);
    return entry === undefined ? 0 : Math.max(0, entry.since + entry.delayMs - now);
  }

  /** One is being replaced. */
  next(owner: string, place: string, now: number): void {
    const { baseMs, capMs } = FAILED_MEMBER_BACK_OFF;
    const entries = this.#entries.get(owner) ?? new Map<string, Entry>();
    const entry = entries.get(place);
    // Nothing failed for twice the longest delay: it is reset.
    const expired = entry === undefined || now - entry.since > 2 * capMs;
    entries.set(place, { delayMs: expired ? baseMs : Math.min(entry.delayMs * 2, capMs), since: now });
    this.#entries.set(owner, entries);
  }

  /** The owner is gone, or what it wants changed. */
  forget(owner: string): void {
    this.#entries.delete(owner);
  }

  /** Places that are no longer there. */
  keep(owner: string, places: ReadonlySet<string>): void {
    const entries = this.#entries.get(owner);
    for (const place of entries?.keys() ?? []) if (!places.has(place)) entries?.delete(place);
  }
}
