/** What the bench and the processes of its servers tell each other. */
import type { Breather } from '../../../src/lib/index.ts';

export interface Order {
  readonly operation: string;
  readonly count: number;
  readonly round: number;
}

export interface Measured {
  readonly ready?: true;
  readonly error?: string;
  /** This checkout cannot do it. */
  readonly unsupported?: true;
  /** CPU time of all threads for all `count` operations, µs. */
  readonly micros?: number;
  /** After them, without garbage, in bytes. */
  readonly heapUsed?: number;
  readonly rss?: number;
}

export interface BreatherAdapter {
  readonly loopBreather: Breather;
}
