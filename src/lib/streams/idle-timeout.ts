/** Ends a connection that is idle for too long. */
import type { Clock, Timer } from '../clock.ts';
import type { DuplexStream } from '../http.ts';

/** A timer that is later than this shows that our machine was suspended, not that the connection was idle, ms. */
const LATE_MS = 60_000;

/** `stream`, which is destroyed after `timeoutMs` without a byte in either direction. 0: never. */
export function withIdleTimeout(stream: DuplexStream, clock: Clock, timeoutMs: number): DuplexStream {
  if (timeoutMs <= 0) return stream;
  let lastMono = clock.now().mono;
  let timer: Timer | undefined;
  const passed = (): void => {
    lastMono = clock.now().mono;
  };
  const plan = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, (lateMs) => {
      if (lateMs > LATE_MS) passed();
      const left = lastMono + timeoutMs - clock.now().mono;
      if (left > 0) plan(left);
      else stream.destroy(new Error(`idle for ${timeoutMs} ms`));
    });
  };
  plan(timeoutMs);
  return {
    readable: (async function* () {
      try {
        for await (const chunk of stream.readable) {
          passed();
          yield chunk;
        }
      } finally {
        timer?.cancel();
      }
    })(),
    write: async (chunk) => {
      await stream.write(chunk);
      passed();
    },
    end: () => stream.end(),
    destroy: (error) => {
      timer?.cancel();
      stream.destroy(error);
    },
  };
}
