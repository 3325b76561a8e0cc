/** Detects a SPDY client that left while its last input was still waiting for the server. */
import type { Clock, Timer } from '../clock.ts';
import type { DuplexStream } from '../http.ts';
import { encodeSpdyPing } from './spdy-frames.ts';
import { SpdyPingSieve } from './spdy-ping-sieve.ts';

/** A client that is gone is detected after two probes: its machine refuses the first, and the second cannot be sent. */
const PROBE_MS = 5000;
/** An even number, as a server's pings have. The server behind us would use even numbers, too, but no runtime pings. */
const PROBE_ID = 2;

/**
 * Wraps the stream from a SPDY server to a client, and inserts pings while the server does not accept the client's input. The
 * end of the client's bytes waits behind that input, so that it would go unnoticed.
 */
export function probeStuckClient(server: DuplexStream, clock: Clock): DuplexStream {
  const input = new SpdyPingSieve();
  const output = new SpdyPingSieve();
  let underWay = 0;
  let written = 0;
  let isProbeDue = false;
  let wake = (): void => {};
  let timer: Timer | undefined;

  const plan = (): void => {
    const writtenThen = written;
    timer = clock.setTimer(PROBE_MS, () => {
      timer = undefined;
      if (underWay === 0) return;
      isProbeDue = written === writtenThen;
      wake();
      plan();
    });
  };
  const over = (): void => {
    underWay = 0;
    timer?.cancel();
  };
  return {
    readable: (async function* () {
      const chunks = server.readable[Symbol.asyncIterator]();
      let next: { readonly result?: IteratorResult<Uint8Array>; readonly error?: unknown } | undefined;
      const ask = (): void => {
        next = undefined;
        chunks.next().then(
          (result) => {
            next = { result };
            wake();
          },
          (error: unknown) => {
            next = { error };
            wake();
          },
        );
      };
      try {
        ask();
        for (;;) {
          if (next === undefined && !isProbeDue) await new Promise<void>((resolve) => (wake = resolve));
          if (isProbeDue) {
            isProbeDue = false;
            if (output.atBoundary) yield encodeSpdyPing(PROBE_ID);
          }
          if (next === undefined) continue;
          const { result, error } = next as { result?: IteratorResult<Uint8Array>; error?: unknown };
          if (result === undefined) throw error;
          if (result.done === true) return;
          output.push(result.value);
          yield result.value;
          ask();
        }
      } finally {
        over();
      }
    })(),
    write: async (chunk) => {
      // Answers to our own pings must not reach the server.
      const { passed, pings } = input.push(chunk);
      underWay += 1;
      if (timer === undefined) plan();
      try {
        for (const piece of [...passed, ...pings.filter((ping) => (ping[11] as number) % 2 === 1)]) {
          await server.write(piece);
          written += 1;
        }
      } finally {
        underWay -= 1;
      }
    },
    end: () => server.end(),
    destroy: (error) => {
      over();
      server.destroy(error);
    },
  };
}
