/** Small tools for promises. Time comes from a Clock. */
import type { Clock } from './clock.ts';
import { assert } from './errors.ts';

/** Like `Promise.all(items.map(fn))` with at most `limit` at once. After a rejection no new item is begun. */
export async function mapLimit<T, R>(
  items: readonly T[],
  limit: number,
  fn: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  assert(limit >= 1, 'mapLimit needs a limit of at least 1');
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await fn(items[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Admits at most `permits` holders at once, first come, first served. */
export class Semaphore {
  #free: number;
  readonly #line: (() => void)[] = [];

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Resolves to a function that releases the permit; only its first call has an effect. */
  async acquire(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }

  async run<T>(fn: () => Promise<T>): Promise<T> {
    const release = await this.acquire();
    try {
      return await fn();
    } finally {
      release();
    }
  }
}

/** Lets work with equal keys wait for each other, first come, first served. Not reentrant. */
export class KeyedLock {
  readonly #lines = new Map<string, { readonly turn: Semaphore; users: number }>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { turn: new Semaphore(1), users: 0 };
    this.#lines.set(key, line);
    line.users += 1;
    try {
      return await line.turn.run(work);
    } finally {
      line.users -= 1;
      if (line.users === 0) this.#lines.delete(key);
    }
  }
}

/** A deadline that fires later than this shows that our own loop was delayed, so it proves nothing about the work, ms. */
export const DEADLINE_LATE_TOLERANCE_MS = 250;

export type DeadlineResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** The time is over, and the deadline fired on time. */
  | { readonly kind: 'expired' }
  /** The time is over, but our own loop was delayed by `lateMs` (suspended, overloaded): no verdict may depend on it. */
  | { readonly kind: 'late'; readonly lateMs: number };

export interface DeadlineOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly lateToleranceMs?: number;
  /** Aborts the work from outside; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` with a deadline. Its signal is aborted when the deadline passes; the call then resolves at once, whether the work
 * obeys the signal or not. Rejects with the error of the work.
 */
export async function withDeadline<T>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<DeadlineResult<T>> {
  options.signal?.throwIfAborted();
  const controller = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<DeadlineResult<T>>();
  const tolerance = options.lateToleranceMs ?? DEADLINE_LATE_TOLERANCE_MS;
  const timer = options.clock.setTimer(options.timeoutMs, (lateMs) => {
    resolve(lateMs > tolerance ? { kind: 'late', lateMs } : { kind: 'expired' });
    controller.abort(new DeadlineError(options.timeoutMs));
  });
  const onAbort = (): void => {
    reject(options.signal?.reason);
    controller.abort(options.signal?.reason);
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  work(controller.signal).then((value) => resolve({ kind: 'done', value }), reject);
  try {
    return await promise;
  } finally {
    timer.cancel();
    options.signal?.removeEventListener('abort', onAbort);
  }
}

/** The abort reason of work whose deadline has passed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly timeoutMs: number;
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** Settles as `promise` does, or rejects with the signal's reason when it is aborted first. The promise itself continues. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: abortion, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  promise.catch(() => {});
  try {
    return await Promise.race([abortion, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A controller that is aborted with its parent. The caller must call `release` when done, because parents live long. */
export function childController(parent: AbortSignal | undefined): {
  readonly controller: AbortController;
  release(): void;
} {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  return { controller, release: () => parent?.removeEventListener('abort', onAbort) };
}

/** The outcome of `work`, or a rejection with the signal's reason as soon as it is aborted, whatever the work does then. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    // Nobody looks at an outcome that came too late.
    work.catch(() => {});
  }
}
