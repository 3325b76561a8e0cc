/** What the controller remembers of volumes on nodes: since when a node is unheard, and what pods were told. A restart forgets it. */
import { exponentialDelay } from '../../lib/index.ts';
import { PROBLEM_BACK_OFF } from './limits.ts';

export class PlaceMemory {
  /** Mono ms since when the node has not been heard, while no pod there needed the volume. */
  #unheardSince: number | undefined;
  #seen: { readonly what: string; readonly at: number } | undefined;
  #told = 0;
  #tellAt = Number.NEGATIVE_INFINITY;
  /** By UID of the pod. */
  #blocked = new Map<string, string>();

  /** How long that has been so, ms. @param now mono ms */
  unheardMs(isUnheard: boolean, now: number): number {
    if (!isUnheard) this.#unheardSince = undefined;
    else this.#unheardSince ??= now;
    return this.#unheardSince === undefined ? 0 : now - this.#unheardSince;
  }

  /**
   * How long something is so, ms: by its time, and at least as long as it is known here, because clocks are set back.
   * @param what one thing at a time; another one begins anew
   * @param wallMs by the wall clock
   * @param now mono ms
   */
  ageMs(what: string, wallMs: number, now: number): number {
    if (this.#seen?.what !== what) this.#seen = { what, at: now };
    return Math.max(wallMs, now - this.#seen.at);
  }

  /** Nothing is wrong. */
  well(): void {
    this.#told = 0;
    this.#tellAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether a problem is to be told now; and after how many ms this is to be asked again. One that lasts is told ever more seldom.
   * @param now mono ms
   */
  problem(now: number): { readonly isNews: boolean; readonly againMs: number } {
    if (now < this.#tellAt) return { isNews: false, againMs: this.#tellAt - now };
    this.#told += 1;
    const againMs = exponentialDelay(PROBLEM_BACK_OFF, this.#told);
    this.#tellAt = now + againMs;
    return { isNews: true, againMs };
  }

  /** Of what other pods do, each pod is told once. @param texts by UID of the pod. @returns the UIDs of those to be told */
  blocked(texts: ReadonlyMap<string, string>): readonly string[] {
    const news = [...texts].filter(([uid, text]) => this.#blocked.get(uid) !== text).map(([uid]) => uid);
    this.#blocked = new Map(texts);
    return news;
  }
}
