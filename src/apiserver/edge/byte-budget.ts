/** Bounds the bytes of request bodies that may be held at once, in all and per holder, and queues requests that wait for room. */
import { type StatusError, serviceUnavailableFor, tooManyRequests } from '../../api/index.ts';
import type { Clock, Timer } from '../../lib/index.ts';
import { BODY_WAIT_MS, MAX_WAITING_BODIES } from './limits.ts';

/** One bound, with what is held against it. */
export interface Account {
  /** As the client reads it: "this connection", "user jane", "the server". */
  readonly name: string;
  /** Under which its keeper finds it. */
  readonly key: string;
  readonly limit: number;
  /** The server's own bound is reached, not the client's share: 503 instead of 429. */
  readonly isShared: boolean;
  used: number;
}

export function openAccount(name: string, limit: number, isShared = false, key = name): Account {
  return { name, key, limit, isShared, used: 0 };
}

interface Waiter {
  readonly accounts: readonly Account[];
  readonly bytes: number;
  readonly settle: (refusal: StatusError | undefined) => void;
}

export interface BudgetOptions {
  readonly clock: Clock;
  /** How many wait at most; absent: `MAX_WAITING_BODIES`. */
  readonly maxWaiting?: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Bytes that are held against several accounts at once. */
export class ByteBudget {
  readonly #clock: Clock;
  readonly #maxWaiting: number;
  readonly #waiters = new Set<Waiter>();

  constructor({ clock, maxWaiting = MAX_WAITING_BODIES }: BudgetOptions) {
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Takes the bytes if there is room now. @returns the refusal otherwise */
  take(accounts: readonly Account[], bytes: number): StatusError | undefined {
    const full = fullAccount(accounts, bytes);
    if (full !== undefined) return refusal(full, bytes);
    for (const account of accounts) account.used += bytes;
    return undefined;
  }

  /** Takes the bytes as soon as there is room. @returns the refusal when there is none in time, or `signal` is aborted */
  async wait(accounts: readonly Account[], bytes: number, signal: AbortSignal): Promise<StatusError | undefined> {
    const refused = this.take(accounts, bytes);
    if (refused === undefined) return undefined;
    const isHopeless = accounts.some(({ limit }) => bytes > limit);
    if (isHopeless || this.#waiters.size >= this.#maxWaiting || signal.aborted) return refused;
    let timer: Timer | undefined;
    let onAbort = (): void => {};
    try {
      return await new Promise<StatusError | undefined>((resolve) => {
        const waiter: Waiter = {
          accounts,
          bytes,
          settle: (outcome) => {
            this.#waiters.delete(waiter);
            resolve(outcome);
          },
        };
        this.#waiters.add(waiter);
        onAbort = () => waiter.settle(refused);
        signal.addEventListener('abort', onAbort, { once: true });
        timer = this.#clock.setTimer(BODY_WAIT_MS, () => waiter.settle(refused));
      });
    } finally {
      timer?.cancel();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Gives the bytes back, and lets in the requests that fit, the longest waiting first. */
  release(accounts: readonly Account[], bytes: number): void {
    for (const account of accounts) account.used -= bytes;
    for (const waiter of this.#waiters) {
      if (fullAccount(waiter.accounts, waiter.bytes) !== undefined) continue;
      for (const account of waiter.accounts) account.used += waiter.bytes;
      waiter.settle(undefined);
    }
  }
}

function fullAccount(accounts: readonly Account[], bytes: number): Account | undefined {
  return accounts.find(({ used, limit }) => used + bytes > limit);
}

function refusal({ name, limit, isShared }: Account, bytes: number): StatusError {
  const message = `no room for a request body of up to ${bytes} bytes: ${name} may have ${limit} bytes of them under way`;
  return isShared ? serviceUnavailableFor(message, RETRY_AFTER_SECONDS) : tooManyRequests(message, RETRY_AFTER_SECONDS);
}
