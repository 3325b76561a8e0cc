/** Keeps a client's SPDY pings from cutting off the output that it has not read yet. */
import { concatBytes } from '../bytes.ts';
import type { Clock, Timer } from '../clock.ts';
import type { DuplexStream } from '../http.ts';
import { MAX_HELD_PINGS } from './limits.ts';

/** The server must have been silent for this long before it gets a ping. */
const QUIET_MS = 500;
const HEAD_BYTES = 8;
const PING_BYTES = 12;

/**
 * Bytes for a SPDY server, which waits with PING frames until everything that the server sent has been read.
 *
 * A runtime's streaming server closes its socket when the command ended, while output may wait in the kernel for a slow
 * client. A ping that arrives there then is answered by a reset, and the kernel throws the output away. A client (kubectl pings
 * each 5 s) can't know; we do.
 */
export function holdBackPings(server: DuplexStream, clock: Clock): DuplexStream {
  const sieve = new SpdyPingSieve();
  let held: Uint8Array[] = [];
  let timer: Timer | undefined;
  let reads = 0;
  let isWaiting = true;
  let isOver = false;

  const plan = (): void => {
    if (timer !== undefined || held.length === 0 || isOver) return;
    const readsThen = reads;
    timer = clock.setTimer(QUIET_MS, () => {
      timer = undefined;
      if (isWaiting && reads === readsThen && sieve.atBoundary) release();
      else plan();
    });
  };
  const release = (): void => {
    const pings = concatBytes(held);
    held = [];
    server.write(pings).catch(() => {});
  };
  const over = (): void => {
    isOver = true;
    timer?.cancel();
  };
  return {
    readable: (async function* () {
      try {
        for await (const chunk of server.readable) {
          reads += 1;
          isWaiting = false;
          yield chunk;
          isWaiting = true;
        }
      } finally {
        over();
      }
    })(),
    write: async (chunk) => {
      const { passed, pings } = sieve.push(chunk);
      held = [...held, ...pings].slice(0, MAX_HELD_PINGS);
      plan();
      for (const piece of passed) await server.write(piece);
    },
    end: () => server.end(),
    destroy: (error) => {
      over();
      server.destroy(error);
    },
  };
}

/** Parts PING frames from all others, however the bytes are cut. */
export class SpdyPingSieve {
  /** The beginning of a frame that is not complete enough to know what it is. */
  #rest: Uint8Array = new Uint8Array(0);
  #bodyLeft = 0;

  /** Would a frame put in here stand between two frames? */
  get atBoundary(): boolean {
    return this.#rest.length === 0 && this.#bodyLeft === 0;
  }

  push(chunk: Uint8Array): { readonly passed: readonly Uint8Array[]; readonly pings: readonly Uint8Array[] } {
    const bytes = this.#rest.length === 0 ? chunk : concatBytes([this.#rest, chunk]);
    this.#rest = new Uint8Array(0);
    const passed: Uint8Array[] = [];
    const pings: Uint8Array[] = [];
    let start = 0;
    let at = 0;
    const passUpTo = (end: number): void => {
      if (end > start) passed.push(bytes.subarray(start, end));
    };
    while (at < bytes.length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, bytes.length - at);
        this.#bodyLeft -= taken;
        at += taken;
        continue;
      }
      const left = bytes.length - at;
      if (left < HEAD_BYTES || (isPing(bytes, at) && left < PING_BYTES)) {
        passUpTo(at);
        // A copy: the chunk may be large.
        this.#rest = bytes.slice(at);
        return { passed, pings };
      }
      if (isPing(bytes, at)) {
        passUpTo(at);
        pings.push(bytes.slice(at, at + PING_BYTES));
        at += PING_BYTES;
        start = at;
      } else {
        this.#bodyLeft =
          ((bytes[at + 5] as number) << 16) | ((bytes[at + 6] as number) << 8) | (bytes[at + 7] as number);
        at += HEAD_BYTES;
      }
    }
    passUpTo(at);
    return { passed, pings };
  }
}

/** Control bit, version 3, type 6, a body of 4 bytes. */
function isPing(bytes: Uint8Array, at: number): boolean {
  const head = [0x80, 3, 0, 6];
  return (
    head.every((byte, i) => bytes[at + i] === byte) && bytes[at + 5] === 0 && bytes[at + 6] === 0 && bytes[at + 7] === 4
  );
}
