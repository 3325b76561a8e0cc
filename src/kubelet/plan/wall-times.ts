/**
 * Wall times from elsewhere (FinishedAt, a note of an earlier life) mapped to the monotonic clock once, when first seen:
 * later steps of the wall clock change nothing. One from the future counts as now.
 */
import type { Now } from '../../lib/index.ts';

export class WallTimes {
  readonly #known: Readonly<Record<string, number>>;
  readonly #now: Now;
  readonly #used: Record<string, number> = {};

  constructor(known: Readonly<Record<string, number>>, now: Now) {
    this.#known = known;
    this.#now = now;
  }

  /** Mono ms of `wall`, remembered under `name`. `notBefore`: mono ms at which it had surely not happened yet. */
  mono(name: string, wall: number, notBefore = Number.NEGATIVE_INFINITY): number {
    const known = this.#used[name] ?? this.#known[name];
    const mono = known ?? Math.max(this.#now.mono - Math.max(0, this.#now.wall - wall), notBefore);
    this.#used[name] = mono;
    return mono;
  }

  /** Mono ms of a wall time that may be to come: mapped once, too. */
  due(name: string, wall: number): number {
    const mono = this.#used[name] ?? this.#known[name] ?? this.#now.mono + (wall - this.#now.wall);
    this.#used[name] = mono;
    return mono;
  }

  /** The mappings to remember: the times asked for in this pass. */
  used(): Readonly<Record<string, number>> {
    return this.#used;
  }
}
