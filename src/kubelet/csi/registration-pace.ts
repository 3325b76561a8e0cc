/** How often a socket's path may register a plugin, and how often its problems are events. Pure but for what it remembers. */
import { exponentialDelay } from '../../lib/index.ts';
import {
  EVENT_PACE_MS,
  FREE_REGISTRATIONS,
  MAX_SOCKETS,
  REGISTRATION_BACK_OFF,
  REGISTRATION_PACE_MS,
} from './limits.ts';

interface Pace {
  /** Registrations since the last quiet time. */
  count: number;
  /** Mono ms of the last one. */
  at: number;
  /** Mono ms. */
  toldAt: number;
}

export class RegistrationPace {
  readonly #paths = new Map<string, Pace>();

  /** One more registration at the path. @returns how long it waits, ms */
  delay(path: string, now: number): number {
    const pace = this.#pace(path);
    pace.count = now - pace.at > REGISTRATION_PACE_MS ? 1 : pace.count + 1;
    pace.at = now;
    return exponentialDelay(REGISTRATION_BACK_OFF, pace.count - FREE_REGISTRATIONS);
  }

  /** Whether a problem of the path may be told now. */
  mayTell(path: string, now: number): boolean {
    const pace = this.#pace(path);
    if (now - pace.toldAt < EVENT_PACE_MS) return false;
    pace.toldAt = now;
    return true;
  }

  #pace(path: string): Pace {
    const known = this.#paths.get(path) ?? {
      count: 0,
      at: Number.NEGATIVE_INFINITY,
      toldAt: Number.NEGATIVE_INFINITY,
    };
    // The one that was asked about longest ago goes first.
    this.#paths.delete(path);
    this.#paths.set(path, known);
    if (this.#paths.size > 2 * MAX_SOCKETS) this.#paths.delete(this.#paths.keys().next().value ?? '');
    return known;
  }
}
