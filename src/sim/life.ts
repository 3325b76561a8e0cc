/**
 * One incarnation of a simulated process. Whatever reaches the process (timers, answers) comes through its life: a dead one
 * gets nothing ever again, a suspended one gets it when it wakes, late and in order.
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

  /** Aborted by `stop`, never by `kill`: a killed process does not hear of it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Runs `fn` inside the process, as soon as it runs at all. */
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

  /** What others do when its connections close. Returns how to forget it. */
  onKill(listener: () => void): () => void {
    this.#onKill.add(listener);
    return () => this.#onKill.delete(listener);
  }

  /** SIGTERM: asks it to end; it goes on until it has, or is killed. */
  stop(): void {
    this.#controller.abort(new Error(`${this.name} was asked to stop`));
  }

  /** SIGSTOP for `ms`; then everything that came meanwhile is delivered. */
  suspend(ms: number): void {
    if (!this.#alive || this.#suspended) return;
    this.#suspended = true;
    this.#sim.after(ms, `resume ${this.name}`, () => {
      this.#suspended = false;
      this.#release();
    });
  }

  /** One per event, as one per turn of a real loop: their promises run in between. */
  #release(): void {
    if (this.#backlog.length === 0) return;
    this.#sim.after(0, `backlog ${this.name}`, () => {
      if (!this.#alive || this.#suspended) return;
      this.#backlog.shift()?.();
      this.#release();
    });
  }
}
