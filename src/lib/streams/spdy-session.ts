/** The client's end of a SPDY/3.1 connection: opens streams, sends data, and passes received data to each stream's sink. */
import { ConnectionError, type DuplexStream } from '../http.ts';
import { MAX_SPDY_STREAMS } from './limits.ts';
import {
  encodeSpdyData,
  encodeSpdyPing,
  encodeSpdyReset,
  RST_REFUSED_STREAM,
  SpdyDecoder,
  type SpdyEvent,
  SpdyStreamOpener,
} from './spdy-frames.ts';

/** `fin`: the data is complete. `reset`: the peer aborted the stream. `lost`: the connection ended first. */
export type SpdyStreamEnd = 'fin' | 'reset' | 'lost';

export interface SpdySink {
  /** The connection is read further when this resolves, which is the back-pressure. */
  data(payload: Uint8Array): Promise<void> | void;
  /** Called once, after all data. */
  end(how: SpdyStreamEnd): void;
}

interface OpenStream {
  readonly sink: SpdySink;
  readonly replied: () => void;
  readonly refused: (error: Error) => void;
  hasReply: boolean;
}

/**
 * A session has no flow control, like the library behind every runtime's streaming server: it neither sends nor obeys
 * WINDOW_UPDATE, so a wait for one would never end. A slow sink delays the whole connection instead.
 */
export class SpdySession {
  readonly #connection: DuplexStream;
  readonly #opener = new SpdyStreamOpener();
  readonly #streams = new Map<number, OpenStream>();
  #nextId = 1;
  #nextPing = 1;
  #isOver = false;

  constructor(connection: DuplexStream) {
    this.#connection = connection;
  }

  /** Reads to the connection's end, then ends all streams. Rejects with `ConnectionError`, `SpdyError`, or a sink's error. */
  async run(): Promise<void> {
    const decoder = new SpdyDecoder();
    try {
      for await (const chunk of this.#connection.readable) {
        for (const event of decoder.push(chunk)) {
          const done = this.#handle(event);
          if (done !== undefined) await done;
        }
      }
    } finally {
      this.#isOver = true;
      for (const id of this.#streams.keys()) this.#finish(id, 'lost');
      this.#connection.destroy();
    }
  }

  /**
   * Opens a stream and waits for its reply, because a peer drops data that comes earlier. Rejects with `ConnectionError` when the
   * peer refuses the stream or the connection ends.
   */
  async open(headers: Readonly<Record<string, string>>, sink: SpdySink): Promise<number> {
    const id = this.#nextId;
    if (this.#isOver || id > 2 * MAX_SPDY_STREAMS) throw new ConnectionError('connection broke: no more streams');
    this.#nextId += 2;
    const reply = new Promise<void>((replied, refused) => {
      this.#streams.set(id, { sink, replied, refused, hasReply: false });
    });
    reply.catch(() => {});
    await this.#connection.write(this.#opener.open(id, headers));
    await reply;
    return id;
  }

  /** Resolves when the peer's machine has accepted the data. Rejects with `ConnectionError`. */
  send(streamId: number, payload: Uint8Array, fin = false): Promise<void> {
    return this.#connection.write(encodeSpdyData(streamId, payload, fin));
  }

  /** Sends a ping and does not wait for the answer. */
  ping(): Promise<void> {
    const id = this.#nextPing;
    this.#nextPing = (this.#nextPing + 2) % 0x8000_0000;
    return this.#connection.write(encodeSpdyPing(id));
  }

  destroy(error?: Error): void {
    this.#connection.destroy(error);
  }

  #handle(event: SpdyEvent): Promise<void> | void {
    switch (event.type) {
      case 'data':
        return this.#data(event.streamId, event.payload, event.fin);
      case 'syn-reply':
        return this.#reply(event.streamId, event.fin);
      case 'headers':
        if (event.fin) this.#finish(event.streamId, 'fin');
        return;
      case 'rst-stream':
        return this.#finish(event.streamId, 'reset');
      case 'syn-stream':
        // Nothing in our use of SPDY lets a server open streams.
        this.#sendQuietly(encodeSpdyReset(event.streamId, RST_REFUSED_STREAM));
        return;
      case 'ping':
        if (event.id % 2 === 0) this.#sendQuietly(encodeSpdyPing(event.id));
        return;
      // The peer ends the connection itself when it is done.
      case 'go-away':
      case 'other':
        return;
    }
  }

  async #data(id: number, payload: Uint8Array, fin: boolean): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (payload.length > 0) await stream.sink.data(payload);
    if (fin) this.#finish(id, 'fin');
  }

  #reply(id: number, fin: boolean): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.hasReply = true;
    stream.replied();
    if (fin) this.#finish(id, 'fin');
  }

  #finish(id: number, how: SpdyStreamEnd): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#streams.delete(id);
    if (!stream.hasReply) {
      stream.refused(
        new ConnectionError(how === 'reset' ? 'the stream was refused' : 'connection broke: closed early'),
      );
    }
    stream.sink.end(how);
  }

  /** Sends without waiting: a wait would stop our reading, and thereby perhaps the peer. */
  #sendQuietly(frame: Uint8Array): void {
    this.#connection.write(frame).catch(() => {});
  }
}
