/** Addresses of pods whose network is gone: connections to them are reset until the address is somebody's again. */
import type { Clock } from '../../lib/index.ts';
import { DEAD_SECONDS } from './table-base.ts';

/** Pods that end within a quarter of an hour on one node; beyond, the oldest is forgotten. */
const MAX_DEAD = 4096;

export class DeadAddresses {
  readonly #clock: Clock;
  /** By address: the time, ms on the monotonic clock, at which nft forgets it. */
  readonly #dead = new Map<string, number>();
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(address: string): void {
    this.#dead.delete(address);
    this.#dead.set(address, this.#clock.now().mono + DEAD_SECONDS * 1000);
    this.#removed.delete(address);
    this.#added.add(address);
    const oldest = this.#dead.size > MAX_DEAD ? [...this.#dead.keys()][0] : undefined;
    if (oldest !== undefined) this.remove(oldest);
  }

  /** What the table has already. */
  adopt(addresses: readonly string[]): void {
    for (const address of addresses.slice(0, MAX_DEAD)) {
      this.#dead.set(address, this.#clock.now().mono + DEAD_SECONDS * 1000);
    }
  }

  /** @returns whether nft must be told */
  remove(address: string): boolean {
    if (!this.#dead.delete(address)) return false;
    this.#added.delete(address);
    this.#removed.add(address);
    return true;
  }

  get isEmpty(): boolean {
    return this.#dead.size === 0;
  }

  has(address: string): boolean {
    return this.#dead.has(address);
  }

  /**
   * What is new since the last commit; after the load of an empty table, everything.
   * @returns statements of nft, and what must be called when it has taken them
   */
  change(table: string, isEmpty: boolean): { readonly text: string; readonly commit: () => void } {
    const { mono } = this.#clock.now();
    for (const [address, until] of this.#dead) if (until <= mono) this.#dead.delete(address);
    const added = [...(isEmpty ? this.#dead.keys() : this.#added)].filter((address) => this.#dead.has(address));
    const removed = isEmpty ? [] : [...this.#removed];
    const set = `element ip ${table} dead`;
    const text = [
      // Added first: nft refuses to remove what is not there, and it may have forgotten the element itself.
      ...removed.map((address) => `add ${set} { ${address} }\ndelete ${set} { ${address} }\n`),
      // Removed first: an element that is there would keep its old end.
      ...added.map((address) => `add ${set} { ${address} }\ndelete ${set} { ${address} }\nadd ${set} { ${address} }\n`),
    ].join('');
    const addedNow = [...this.#added];
    const removedNow = [...this.#removed];
    return {
      text,
      commit: () => {
        for (const address of addedNow) this.#added.delete(address);
        for (const address of removedNow) this.#removed.delete(address);
      },
    };
  }
}
