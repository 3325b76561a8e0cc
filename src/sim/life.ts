/**
 * One incarnation of a simulated process. All timers and answers reach the process through its life: a dead process gets
 * nothing any more, a suspended one gets everything when it wakes, late and in order.
 */
import type { Sim } from './sim.ts';

export class Life {
  readonly name: string;
  readonly #sim: Sim;
  readonly #controller = new AbortController();
  #alive = true;
  #suspended = false;
  #backlog: (() => void)[] = [];
  readonly #onKill = new Set<() => void>();

  constructor(sim: Sim, name: string) {
    this.#sim = sim;
    this.name = name;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get suspended(): boolean {
    return this.#suspended;
  }

  /** Aborted by `stop`, never by `kill`, which a process cannot notice. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs `fn` inside the process, after a suspension if it is suspended. */
  deliver(fn: () => void): void {
    if (!this.#alive) return;
    if (this.#suspended || this.#backlog.length > 0) this.#backlog.push(fn);
    else fn();
  }

  /** SIGKILL: nothing is delivered any more. */
  kill(): void {
    this.#alive = false;
    this.#backlog = [];
    for (const listener of this.#onKill) listener();
    this.#onKill.clear();
  }

  /** Adds a listener that is called when the process's connections close. @returns a function that removes it */
  onKill(listener: () => void): () => void {
    this.#onKill.add(listener);
    return () => this.#onKill.delete(listener);
  }

  /** SIGTERM: asks the process to end; it runs until it does, or is killed. */
  stop(): void {
    this.#controller.abort(new Error(`${this.name} was asked to stop`));
  }

  /** SIGSTOP for `ms`; deliveries of that time come afterwards. */
  suspend(ms: number): void {
    if (!this.#alive || this.#suspended) return;
    this.#suspended = true;
    this.#sim.after(ms, `resume ${this.name}`, () => {
      this.#suspended = false;
      this.#release();
    });
  }

  /** Delivers one backlog entry per event, like one per turn of a real loop, so that promises run in between. */
  #release(): void {
    if (this.#backlog.length === 0) return;
    this.#sim.after(0, `backlog ${this.name}`, () => {
      if (!this.#alive || this.#suspended) return;
      this.#backlog.shift()?.();
      this.#release();
    });
  }
}
