/**
 * Who keeps failing on a node is replaced ever more slowly: a kubelet that rejects a pod would otherwise get a new one at once,
 * for ever. Upstream: failedPodsBackoff (flowcontrol.Backoff).
 */
import { FAILED_DAEMON_POD_BACK_OFF } from '../limits.ts';

interface Entry {
  readonly delayMs: number;
  /** Mono ms. */
  readonly since: number;
}

export class FailedPodBackOff {
  /** Owner's key → node → its entry. */
  readonly #entries = new Map<string, Map<string, Entry>>();

  /** How long a failed pod of this node still has to wait, ms; 0: it may be replaced. */
  waitMs(owner: string, node: string, now: number): number {
    const entry = this.#entries.get(owner)?.get(node);
    return entry === undefined ? 0 : Math.max(0, entry.since + entry.delayMs - now);
  }

  /** One is being replaced. */
  next(owner: string, node: string, now: number): void {
    const { baseMs, capMs } = FAILED_DAEMON_POD_BACK_OFF;
    const entries = this.#entries.get(owner) ?? new Map<string, Entry>();
    const entry = entries.get(node);
    // Nothing failed for twice the longest delay: it begins anew.
    const expired = entry === undefined || now - entry.since > 2 * capMs;
    entries.set(node, { delayMs: expired ? baseMs : Math.min(entry.delayMs * 2, capMs), since: now });
    this.#entries.set(owner, entries);
  }

  /** The owner is gone, or what it wants changed. */
  forget(owner: string): void {
    this.#entries.delete(owner);
  }

  /** Nodes that are no longer there. */
  keepNodes(owner: string, nodes: ReadonlySet<string>): void {
    const entries = this.#entries.get(owner);
    for (const node of entries?.keys() ?? []) if (!nodes.has(node)) entries?.delete(node);
  }
}
