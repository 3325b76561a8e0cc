/** Wraps Node's streams as `DuplexStream` and bodies. It opens no streams itself. */
import type { Duplex, Readable } from 'node:stream';
import { errorMessage } from './errors.ts';
import { ConnectionError, type DuplexStream } from './http.ts';

/** Resolves when the stream has bytes, its end or an error. */
function readiness(stream: Readable): Promise<void> {
  return new Promise((resolve) => {
    const events = ['readable', 'end', 'close', 'error'] as const;
    const onEvent = (): void => {
      for (const event of events) stream.off(event, onEvent);
      resolve();
    };
    for (const event of events) stream.on(event, onEvent);
  });
}

/**
 * The bytes of a Node stream. Unlike the stream's own iterator it does not close the writing side of a duplex at the end. Rejects
 * with `ConnectionError` when the stream breaks before its end. A caller that stops early must close the stream itself.
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Uint8Array, void> {
  for (;;) {
    const chunk: unknown = stream.read();
    if (chunk instanceof Uint8Array) {
      yield chunk;
    } else if (stream.readableEnded) {
      return;
    } else if (stream.destroyed) {
      const cause = stream.errored;
      throw new ConnectionError(`connection broke: ${cause === null ? 'closed early' : errorMessage(cause)}`, {
        cause,
      });
    } else {
      await readiness(stream);
    }
  }
}

/** @param head bytes that have already been read from the stream */
export function toDuplexStream(stream: Duplex, head: Uint8Array = new Uint8Array(0)): DuplexStream {
  // An error reaches the reader and the writer; without a listener it would end the process.
  stream.on('error', () => {});
  return {
    readable: (async function* () {
      if (head.length > 0) yield head;
      yield* readChunks(stream);
    })(),
    write: (chunk) =>
      new Promise((resolve, reject) => {
        stream.write(chunk, (error) => {
          if (error === null || error === undefined) resolve();
          else reject(new ConnectionError(`connection broke: ${error.message}`, { cause: error }));
        });
      }),
    end: () => void stream.end(),
    destroy: (error) => void stream.destroy(error),
  };
}
