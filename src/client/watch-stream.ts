/** Parses the bytes of a watch: newline-delimited JSON, divided anywhere. */
import { type KubeObject, type Status, StatusError } from '../api/index.ts';
import { ConnectionError, TooManyBytesError, errorMessage, splitLines } from '../lib/index.ts';
import type { WatchEvent } from './kube-client.ts';
import { MAX_WATCH_LINE_BYTES } from './limits.ts';

interface WireEvent {
  readonly type?: unknown;
  readonly object?: unknown;
}

/**
 * The events of a watch. Rejects with `StatusError` for an ERROR event, `ConnectionError` when the stream breaks or is
 * malformed.
 */
export async function* parseWatchStream<T extends KubeObject>(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const lines of splitLines(stream, MAX_WATCH_LINE_BYTES)) {
      for (const line of lines) if (line !== '') yield parseWatchLine<T>(line);
    }
  } catch (error) {
    if (error instanceof TooManyBytesError) throw new ConnectionError(`watch event too large: ${errorMessage(error)}`);
    throw error;
  }
}

export function parseWatchLine<T extends KubeObject>(line: string): WatchEvent<T> {
  let event: WireEvent;
  try {
    event = JSON.parse(line) as WireEvent;
  } catch (error) {
    throw new ConnectionError('watch was cut in the middle of an event', { cause: error });
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object as T };
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: (event.object as KubeObject).metadata?.resourceVersion ?? '' };
    case 'ERROR':
      throw new StatusError(event.object as Status);
    default:
      throw new ConnectionError(`watch sent an event of unknown type ${JSON.stringify(event.type)}`);
  }
}
