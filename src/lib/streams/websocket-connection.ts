/** The server's end of a WebSocket after its handshake: messages in pieces, frames out, pings answered, one close. */
import { errorMessage } from '../errors.ts';
import type { Clock, Timer } from '../clock.ts';
import type { DuplexStream } from '../http.ts';
import {
  CLOSE_INTERNAL_ERROR,
  CLOSE_NORMAL,
  encodeWebSocketClose,
  encodeWebSocketFrame,
  WebSocketDecoder,
  WebSocketError,
  type WebSocketEvent,
} from './websocket-frames.ts';

/** The interval of kubectl's pings; kubectl gives up 61 s after the last pong (client-go: pingReadDeadline). */
const HEARTBEAT_MS = 5000;

export type MessagePiece = Extract<WebSocketEvent, { readonly type: 'data' }>;

export class WebSocketConnection {
  readonly #stream: DuplexStream;
  readonly #clock: Clock;
  readonly #onPing: () => void;
  #isClosing = false;
  /** The state of pongs: one may be on its way to a client that does not read, and the newest waits behind it. */
  #pong: 'none' | 'sending' | Uint8Array = 'none';
  /** Whether the client sent anything since the last heartbeat. */
  #heard = false;
  /** Whether the consumer is still busy with the last piece. */
  #isBusy = false;
  #heartbeat: Timer | undefined;

  /** @param onPing called for each ping, a sign of life of the client */
  constructor(stream: DuplexStream, clock: Clock, onPing: () => void = () => {}) {
    this.#stream = stream;
    this.#clock = clock;
    this.#onPing = onPing;
  }

  /**
   * The client's messages, until it closes, breaks the protocol or is gone. The next piece is read when the last one has been
   * consumed, which is the back-pressure. It may be called once, and must run for pings to be answered. It never rejects itself.
   */
  async *messages(): AsyncGenerator<MessagePiece, void> {
    const decoder = new WebSocketDecoder({ masked: true });
    this.#planHeartbeat();
    try {
      for await (const chunk of this.#stream.readable) {
        this.#heard = true;
        for (const event of decoder.push(chunk)) {
          if (event.type === 'close') {
            this.close(event.code === 1005 ? CLOSE_NORMAL : event.code, '');
            return;
          }
          if (event.type === 'ping') this.#ping(event.payload);
          else if (event.type === 'data' && !this.#isClosing) {
            this.#isBusy = true;
            yield event;
            this.#isBusy = false;
          }
        }
      }
    } catch (error) {
      if (error instanceof WebSocketError) this.close(error.code, error.message);
      else this.close(CLOSE_INTERNAL_ERROR, errorMessage(error));
    } finally {
      this.#heartbeat?.cancel();
    }
  }

  /** Resolves when the client's side has accepted the frame. Rejects with `ConnectionError` when it is gone. */
  async send(frame: Uint8Array): Promise<void> {
    if (!this.#isClosing) await this.#stream.write(frame);
  }

  /** Sends a close frame; nothing is sent after it. Idempotent. */
  close(code: number, reason: string): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#stream.write(encodeWebSocketClose(code, reason)).catch(() => {});
    this.#stream.end();
  }

  destroy(): void {
    this.#isClosing = true;
    this.#heartbeat?.cancel();
    this.#stream.destroy();
  }

  #ping(payload: Uint8Array): void {
    this.#onPing();
    this.#sendPong(payload);
  }

  /**
   * Plans unsolicited pongs, which the protocol allows. While a process does not read its input, we do not read from the client:
   * its pings wait behind that input, so it would think that we are dead, and we would not notice its own end. The pongs show a
   * living client that we live, and the machine of a client that is gone refuses them.
   */
  #planHeartbeat(): void {
    this.#heartbeat = this.#clock.setTimer(HEARTBEAT_MS, () => {
      if (this.#isClosing) return;
      if (this.#isBusy && !this.#heard) this.#sendPong(new Uint8Array(0));
      this.#heard = false;
      this.#planHeartbeat();
    });
  }

  /** Sends without waiting, because a client that does not read at the moment must still be able to write. */
  #sendPong(payload: Uint8Array): void {
    if (this.#pong !== 'none') {
      this.#pong = payload;
      return;
    }
    this.#pong = 'sending';
    this.send(encodeWebSocketFrame('pong', payload)).then(
      () => {
        const next = this.#pong;
        this.#pong = 'none';
        if (typeof next === 'object') this.#sendPong(next);
      },
      () => {},
    );
  }
}
