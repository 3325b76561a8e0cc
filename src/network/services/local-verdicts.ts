/**
 * What this node knows of its own pods before the API server does: which of them must get no more traffic. A verdict is about
 * routing and DNS alone, and lasts until the pod serves again or the slices agree.
 */

/**
 * - unready: its processes run, and it is not ready (again);
 * - leaving: it is to end, and still serves connections that it has;
 * - dead: a process of it ended, its network is there;
 * - gone: its network is gone, too.
 */
export type Verdict = 'unready' | 'leaving' | 'dead' | 'gone';

/** What routing and DNS ask. */
export interface Verdicts {
  /**
   * Undefined: nothing is known against the pod.
   * @param address where a slice says that it is: if that is not its address (any more), its network there is gone
   */
  of(podUid: string, address?: string): Verdict | undefined;
  /** Calls the listener with the pod's UID after each change. @returns a function that ends that */
  onChange(listener: (podUid: string) => void): () => void;
}

/** What the node agent tells. Repeated calls are no change. */
export interface VerdictTaker {
  give(podUid: string, verdict: Verdict): void;
  /** The pod serves again. */
  lift(podUid: string): void;
  /** The pod has these addresses now: another sandbox has another one, and slices name the old one for a while. */
  locate(podUid: string, addresses: readonly string[]): void;
  /** Nobody remembers it any more. */
  drop(podUid: string): void;
}

export class LocalVerdicts implements Verdicts, VerdictTaker {
  /** One entry for each pod of this node that ends or is ill: the agent lifts or drops each in the end. */
  readonly #verdicts = new Map<string, Verdict>();
  /** One entry for each pod of this node that has an address. */
  readonly #addresses = new Map<string, readonly string[]>();
  readonly #listeners = new Set<(podUid: string) => void>();

  of(podUid: string, address?: string): Verdict | undefined {
    const addresses = this.#addresses.get(podUid);
    if (address !== undefined && addresses !== undefined && !addresses.includes(address)) return 'gone';
    return this.#verdicts.get(podUid);
  }

  give(podUid: string, verdict: Verdict): void {
    if (this.#verdicts.get(podUid) === verdict) return;
    this.#verdicts.set(podUid, verdict);
    this.#tell(podUid);
  }

  lift(podUid: string): void {
    if (this.#verdicts.delete(podUid)) this.#tell(podUid);
  }

  locate(podUid: string, addresses: readonly string[]): void {
    const before = this.#addresses.get(podUid);
    if (before?.join() === addresses.join()) return;
    this.#addresses.set(podUid, addresses);
    this.#tell(podUid);
  }

  drop(podUid: string): void {
    const wasKnown = this.#addresses.delete(podUid);
    if (this.#verdicts.delete(podUid) || wasKnown) this.#tell(podUid);
  }

  onChange(listener: (podUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(podUid: string): void {
    for (const listener of this.#listeners) listener(podUid);
  }
}
