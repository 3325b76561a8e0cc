/** How many requests of strangers are looked at at once, by address and in all. */
import { STRANGER_REQUESTS, STRANGER_REQUESTS_PER_ADDRESS } from './limits.ts';

export class StrangerRequests {
  readonly #byAddress = new Map<string, number>();
  #all = 0;

  get underWay(): number {
    return this.#all;
  }

  /** @returns the function to call at its end (a second call does nothing), or undefined: there are too many */
  enter(address: string): (() => void) | undefined {
    const own = this.#byAddress.get(address) ?? 0;
    if (this.#all >= STRANGER_REQUESTS || own >= STRANGER_REQUESTS_PER_ADDRESS) return undefined;
    this.#all += 1;
    this.#byAddress.set(address, own + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#leave(address);
    };
  }

  #leave(address: string): void {
    const own = (this.#byAddress.get(address) ?? 0) - 1;
    this.#all -= 1;
    if (own <= 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, own);
  }
}
