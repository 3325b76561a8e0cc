/** The parts of the cluster's pod network: which are taken, and which is next. Bounded by the number of parts. */
import { type Ipv4Range, numberToIpv4, parseIpv4Range } from '../api/index.ts';
import { assert } from '../lib/index.ts';
import type { NodeIpamSettings } from './node-ipam-settings.ts';

export class CidrPool {
  readonly #range: Ipv4Range;
  readonly #maskSize: number;
  readonly #partSize: number;
  /** Part → the node that has it. */
  readonly #owners = new Map<number, string>();
  readonly #parts = new Map<string, number>();
  /** The first part to look at: a part that was just given back rests as long as there are others. */
  #next = 0;

  constructor({ clusterCidr, nodeMaskSize }: NodeIpamSettings) {
    const range = parseIpv4Range(clusterCidr);
    assert(range !== undefined, `${clusterCidr} is no IPv4 network`);
    this.#range = range;
    this.#maskSize = nodeMaskSize;
    this.#partSize = 2 ** (32 - nodeMaskSize);
  }

  /** How many parts there are. */
  get size(): number {
    return this.#range.size / this.#partSize;
  }

  /** How many are taken. */
  get used(): number {
    return this.#owners.size;
  }

  /**
   * Notes that the node has this network.
   * @returns the node that already has a part of it; undefined when none has, or the network lies elsewhere
   */
  occupy(nodeName: string, cidr: string): string | undefined {
    const range = parseIpv4Range(cidr);
    if (range === undefined) return undefined;
    const first = Math.floor((range.base - this.#range.base) / this.#partSize);
    const last = Math.floor((range.base + range.size - 1 - this.#range.base) / this.#partSize);
    let other: string | undefined;
    for (let part = Math.max(0, first); part <= Math.min(last, this.size - 1); part++) {
      const owner = this.#owners.get(part);
      if (owner !== undefined && owner !== nodeName) {
        other = owner;
        continue;
      }
      this.#owners.set(part, nodeName);
    }
    return other;
  }

  /** A part for the node, the same as long as it is not given back; undefined: there is none left. */
  take(nodeName: string): string | undefined {
    const known = this.#parts.get(nodeName);
    if (known !== undefined) return this.#cidrOf(known);
    for (let tried = 0; tried < this.size; tried++) {
      const part = (this.#next + tried) % this.size;
      if (this.#owners.has(part)) continue;
      this.#owners.set(part, nodeName);
      this.#parts.set(nodeName, part);
      this.#next = (part + 1) % this.size;
      return this.#cidrOf(part);
    }
    return undefined;
  }

  /** The node is gone, or has another network. @returns whether it had anything */
  giveBack(nodeName: string): boolean {
    this.#parts.delete(nodeName);
    let had = false;
    for (const [part, owner] of this.#owners) had = (owner === nodeName && this.#owners.delete(part)) || had;
    return had;
  }

  #cidrOf(part: number): string {
    return `${numberToIpv4(this.#range.base + part * this.#partSize)}/${this.#maskSize}`;
  }
}
