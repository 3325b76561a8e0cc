/**
 * Shares one thread among many jobs: work that could take long does a piece, asks for a pause, and goes on when it is its turn.
 * All jobs of one loop spend from one budget, so that a thousand small ones together keep nobody waiting either.
 */

/** Who waits for his turn: requests that just came, and the rest of what is under way. They take turns with each other. */
export type Lane = 'request' | 'bulk';

export interface Breather {
  /**
   * Undefined while the present turn of the loop has time left: go on at once. Else a promise that resolves in a later turn, in
   * the order of asking. Ask again after each piece of work that takes about a millisecond.
   */
  pause(lane?: Lane): Promise<void> | undefined;
  /** So many bytes were handed to the network: their encryption takes from the turn's time after the job has gone on. */
  sent(bytes: number): void;
}

/** Never pauses: for simulated time, in which all work is free. */
export const tireless: Breather = { pause: () => undefined, sent: () => {} };

/** What a breather needs to know of the loop that it shares out. */
export interface LoopTurns {
  /** Monotonic ms. */
  now(): number;
  /** Calls `fire` in the loop's next turn, when everything that was ready before has been seen to. */
  nextTurn(fire: () => void): void;
}

/** How long jobs may work in one turn of the loop, all of them together, ms. */
export const TURN_BUDGET_MS = 8;
/** What TLS and HTTP/2 carry away in one ms, roughly. */
const SENT_BYTES_PER_MS = 128 * 1024;
/** Microtasks that a job which was let go on may take before it works: promises that wait for promises. */
const HOPS = 50;
/** Jobs that are let go on in one turn, whatever they seem to take: some of their work shows only later. */
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
