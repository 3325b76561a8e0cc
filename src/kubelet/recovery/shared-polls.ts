/** Repeats a question while somebody is interested: once for all of them, and with a bound on how many run at once. */
import { type Clock, jitterUp, type Random, Semaphore } from '../../lib/index.ts';
import { PERIOD_JITTER } from './limits.ts';

export interface SharedPollsOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Questions under way at once; further ones wait their turn. */
  readonly atOnce: number;
  /** ms from an answer to the next question. */
  readonly periodMs: (answer: string | undefined) => number;
  /** `undefined`: it is not known now. Never rejects. */
  readonly ask: (key: string) => Promise<string | undefined>;
}

type Listener = (answer: string) => void;

interface Poll {
  readonly listeners: Set<Listener>;
  readonly ended: AbortController;
  last: string | undefined;
}

export class SharedPolls {
  readonly #options: SharedPollsOptions;
  readonly #places: Semaphore;
  readonly #polls = new Map<string, Poll>();
  #closed = false;

  constructor(options: SharedPollsOptions) {
    this.#options = options;
    this.#places = new Semaphore(options.atOnce);
  }

  /** Passes on each answer, and the last one at once, until the returned function is called. */
  follow(key: string, onAnswer: Listener): () => void {
    if (this.#closed) return () => {};
    const poll = this.#polls.get(key) ?? this.#begin(key);
    const listener: Listener = (answer) => onAnswer(answer);
    poll.listeners.add(listener);
    if (poll.last !== undefined) listener(poll.last);
    return () => {
      poll.listeners.delete(listener);
      if (poll.listeners.size === 0) this.#end(key, poll);
    };
  }

  close(): void {
    this.#closed = true;
    for (const [key, poll] of this.#polls) this.#end(key, poll);
  }

  #begin(key: string): Poll {
    const poll: Poll = { listeners: new Set(), ended: new AbortController(), last: undefined };
    this.#polls.set(key, poll);
    void this.#run(key, poll);
    return poll;
  }

  #end(key: string, poll: Poll): void {
    poll.ended.abort();
    if (this.#polls.get(key) === poll) this.#polls.delete(key);
  }

  async #run(key: string, poll: Poll): Promise<void> {
    const { clock, random, periodMs, ask } = this.#options;
    const { signal } = poll.ended;
    while (!signal.aborted) {
      const answer = await this.#places.run(async () => (signal.aborted ? undefined : await ask(key)));
      if (signal.aborted) return;
      poll.last = answer;
      if (answer !== undefined) for (const listener of poll.listeners) listener(answer);
      await clock.sleep(jitterUp(periodMs(answer), PERIOD_JITTER, random), signal).catch(() => {});
    }
  }
}
