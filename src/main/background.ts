/** The loops that run beside each other as long as mendlet does. The first that fails ends all: none may be missing. */
import { AssertionFailed, errorMessage, type Logger } from '../lib/index.ts';
import { UserError } from './user-error.ts';

/** After this a loop that does not end is given up: a second signal must not be needed for a hung call. */
const END_TIMEOUT_MS = 15_000;

export class Background {
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #logger: Logger;
  readonly #failed = Promise.withResolvers<never>();

  constructor(logger: Logger) {
    this.#logger = logger;
    // A waiting caller gets the error; without one it must not end the process by itself.
    this.#failed.promise.catch(() => {});
  }

  /** Rejects with a `UserError` when a loop fails. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  start(name: string, run: (signal: AbortSignal) => Promise<void>): void {
    const ended = run(this.#stop.signal).then(
      () => {
        if (!this.#stop.signal.aborted) this.fail(name, new Error('it ended by itself'));
      },
      (error: unknown) => this.fail(name, error),
    );
    this.#running.set(
      name,
      ended.finally(() => this.#running.delete(name)),
    );
  }

  /** A part broke that nothing works without. */
  fail(name: string, error: unknown): void {
    if (this.#stop.signal.aborted && !(error instanceof AssertionFailed)) return;
    this.#logger.error(`${name} failed`, { error });
    this.#failed.reject(new UserError(`${name} failed: ${errorMessage(error)}`, { cause: error }));
  }

  /** Ends all loops and waits for them. Idempotent: call it before removing what the loops depend on. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('mendlet is ending'));
    const timeout = Promise.withResolvers<'timeout'>();
    const timer = setTimeout(() => timeout.resolve('timeout'), END_TIMEOUT_MS);
    const result = await Promise.race([Promise.all(this.#running.values()), timeout.promise]);
    clearTimeout(timer);
    if (result === 'timeout') this.#logger.warn('gave up waiting', { for: [...this.#running.keys()] });
  }
}
