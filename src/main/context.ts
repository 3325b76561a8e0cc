/** The surroundings that `main.ts` has read, for the composition roots. */
import type { Surroundings } from './data-dir-path.ts';
import type { Terminal } from '../lib/index.ts';

export interface MainContext {
  readonly user: Surroundings;
  readonly pid: number;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal;
  /** The checkout's folder, if this runs from one. */
  readonly checkout: string | undefined;
  /** Standard output, if it is a terminal. */
  readonly screen: Terminal | undefined;
  /** Text for people: control characters in it cannot drive the terminal. */
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Standard output as it is. */
  readonly outRaw: (data: string | Uint8Array) => void;
}
