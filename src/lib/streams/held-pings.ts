/** Holds back a client's SPDY pings, which could cut off output that it has not read yet. */
import { concatBytes } from '../bytes.ts';
import type { Clock, Timer } from '../clock.ts';
import type { DuplexStream } from '../http.ts';
import { MAX_HELD_PINGS } from './limits.ts';
import { SpdyPingSieve } from './spdy-ping-sieve.ts';

/** Ms for which the server must have been silent before it gets a ping. */
const QUIET_MS = 500;

/**
 * Wraps the stream to a SPDY server, and holds back PING frames until everything that the server sent has been read.
 *
 * A runtime's streaming server closes its socket when the command has ended, while output may still wait in the kernel for a slow
 * client. The kernel answers a ping that arrives then with a reset, and drops the output. A client (kubectl pings each 5 s)
 * cannot know this state, but we do.
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
