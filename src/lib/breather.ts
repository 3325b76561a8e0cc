/**
 * Shares one thread among many jobs: long work does a piece, asks for a pause, and continues when its turn comes. All jobs of
 * one loop share one time budget, so that a thousand small jobs do not block the loop either.
 */

/** The two waiting lines: new requests, and all other work. They are served alternately. */
export type Lane = 'request' | 'bulk';

export interface Breather {
  /**
   * Undefined while the present turn of the loop has time left: the job continues at once. Else a promise that resolves in a
   * later
   * turn, in the order of the calls. A job must call this after each piece of work of about a millisecond.
   */
  pause(lane?: Lane): Promise<void> | undefined;
  /** Notes bytes that were handed to the network, because their encryption uses time of the turn later. */
  sent(bytes: number): void;
}

/** A breather that never pauses, for simulated time, in which work takes no time. */
export const tireless: Breather = { pause: () => undefined, sent: () => {} };

/** The event loop, as a breather needs it. */
export interface LoopTurns {
  /** Monotonic ms. */
  now(): number;
  /** Calls `fire` in the loop's next turn, after everything that was ready before has run. */
  nextTurn(fire: () => void): void;
}

/** Time of all jobs together in one turn of the loop, ms. */
export const TURN_BUDGET_MS = 8;
/** Bytes that TLS and HTTP/2 process in one ms, roughly. */
const SENT_BYTES_PER_MS = 128 * 1024;
/** Microtasks that may pass between a job's wake-up and its work, as promises wait for promises. */
const HOPS = 50;
/** Jobs that are woken in one turn, however short they seem, because some of their work happens only later. */
const MAX_JOBS_PER_TURN = 32;

export function createBreather(turns: LoopTurns, budgetMs: number = TURN_BUDGET_MS): Breather {
  const waiting: Record<Lane, (() => void)[]> = { request: [], bulk: [] };
  const heads: Record<Lane, number> = { request: 0, bulk: 0 };
  let spentAt = 0;
  let open = false;
  let last: Lane = 'bulk';

  const shift = (lane: Lane): (() => void) | undefined => {
    const queue = waiting[lane];
    const next = queue[heads[lane]];
    if (next === undefined) return undefined;
    heads[lane] += 1;
    if (heads[lane] * 2 > queue.length) {
      queue.splice(0, heads[lane]);
      heads[lane] = 0;
    }
    return next;
  };
  const next = (): (() => void) | undefined => {
    const other: Lane = last === 'bulk' ? 'request' : 'bulk';
    const chosen = shift(other);
    if (chosen === undefined) return shift(last);
    last = other;
    return chosen;
  };
  const serve = async (): Promise<void> => {
    for (let jobs = 0; jobs < MAX_JOBS_PER_TURN; jobs++) {
      const job = next();
      if (job === undefined) return;
      job();
      for (let hop = 0; hop < HOPS; hop++) await Promise.resolve();
      if (turns.now() >= spentAt) return;
    }
    spentAt = turns.now();
  };
  const turn = (): void => {
    if (waiting.request.length === 0 && waiting.bulk.length === 0) {
      open = false;
      return;
    }
    spentAt = turns.now() + budgetMs;
    turns.nextTurn(turn);
    void serve();
  };
  return {
    pause: (lane = 'bulk') => {
      if (!open) {
        open = true;
        spentAt = turns.now() + budgetMs;
        turns.nextTurn(turn);
        return undefined;
      }
      if (turns.now() < spentAt) return undefined;
      return new Promise((resolve) => {
        waiting[lane].push(resolve);
      });
    },
    sent: (bytes) => {
      if (open) spentAt -= bytes / SENT_BYTES_PER_MS;
    },
  };
}
