/** Counts what one connection sends that costs us more than it costs its client. */
import { type BucketShape, fullBucket, type TokenBucket } from '../../lib/index.ts';
import { KNOWN_FLOODS, STRANGER_FLOODS } from './limits.ts';

export type FloodKind = keyof typeof KNOWN_FLOODS;

/** Token buckets, one a kind; smaller ones until the connection has shown credentials. */
export class FloodMeter {
  #shapes: Readonly<Record<FloodKind, BucketShape>> = STRANGER_FLOODS;
  readonly #buckets = new Map<FloodKind, TokenBucket>();

  /** The connection has shown credentials: it may send more, and its counts begin again. */
  trust(): void {
    if (this.#shapes === KNOWN_FLOODS) return;
    this.#shapes = KNOWN_FLOODS;
    this.#buckets.clear();
  }

  /**
   * @param mono monotonic ms
   * @param amount frames, or bytes for `wasted`
   * @returns false when it is too much: the connection must end
   */
  allows(kind: FloodKind, mono: number, amount = 1): boolean {
    const shape = this.#shapes[kind];
    if (shape.burst === Number.POSITIVE_INFINITY) return true;
    const before = this.#buckets.get(kind) ?? fullBucket(shape, mono);
    const gained = (Math.max(0, mono - before.at) / 1000) * shape.perSecond;
    const tokens = Math.min(shape.burst, before.tokens + gained) - amount;
    this.#buckets.set(kind, { tokens: Math.max(tokens, 0), at: Math.max(mono, before.at) });
    return tokens >= 0;
  }
}
