/** exec and attach for a WebSocket client, of a runtime that speaks SPDY (upstream: StreamTranslatorHandler). */
import {
  CLOSE_NORMAL,
  CLOSE_PROTOCOL_ERROR,
  type Clock,
  concatBytes,
  type DuplexStream,
  errorMessage,
  holdBackPings,
  SpdySession,
  type SpdySink,
  type SpdyStreamEnd,
  WebSocketConnection,
} from '../../lib/index.ts';
import { MAX_STATUS_BYTES, RUNTIME_PING_MS } from './limits.ts';
import { CHANNELS, ChannelReader, type ChannelProtocol, encodeChannel } from './streaming-channels.ts';
import { failureForClient, statusForClient } from './streaming-status.ts';

export interface ExecStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface ExecTranslation {
  readonly clock: Clock;
  readonly protocol: ChannelProtocol;
  readonly streams: ExecStreams;
  /** Its handshake is answered. */
  readonly client: DuplexStream;
  /** Upgraded to SPDY/3.1 with v4.channel.k8s.io. */
  readonly runtime: DuplexStream;
}

/** Resolves when the client is gone and the runtime's connection is closed. Never rejects. */
export async function translateExec(translation: ExecTranslation): Promise<void> {
  await new ExecTranslator(translation).run();
}

class ExecTranslator {
  readonly #options: ExecTranslation;
  readonly #session: SpdySession;
  readonly #client: WebSocketConnection;
  /** Channel → the stream that its input goes to. */
  readonly #inputs = new Map<number, number>();
  /** Resolves when the inputs are known, or will never be. */
  readonly #opened = Promise.withResolvers<void>();
  #lastPingMono: number;

  constructor(options: ExecTranslation) {
    const { client, runtime, clock } = options;
    this.#options = options;
    this.#session = new SpdySession(holdBackPings(runtime, clock));
    this.#client = new WebSocketConnection(client, clock, () => this.#keepAlive());
    this.#lastPingMono = clock.now().mono;
  }

  async run(): Promise<void> {
    const output = this.#output();
    await this.#input();
    this.#session.destroy();
    this.#client.destroy();
    await output;
  }

  /** From the runtime to the client, with the status and the close at the end. */
  async #output(): Promise<void> {
    const { protocol, streams } = this.#options;
    let lost: unknown;
    const reading = this.#session.run().catch((error: unknown) => {
      lost = error;
    });
    let status: Uint8Array | undefined;
    try {
      const ends = await this.#openStreams().finally(() => this.#opened.resolve());
      await this.#notify(streams.stdout ? CHANNELS.stdout : streams.stderr ? CHANNELS.stderr : CHANNELS.error);
      const { written, how } = await ends.status;
      await ends.outputs;
      status = statusForClient(protocol, written, how === 'fin');
    } catch (error) {
      status = failureForClient(protocol, errorMessage(lost ?? error));
    }
    if (status !== undefined) await this.#send(CHANNELS.error, status).catch(() => {});
    this.#client.close(CLOSE_NORMAL, '');
    this.#session.destroy();
    await reading;
  }

  /** All at once, in kubectl's order: a runtime waits for them all before it begins. */
  async #openStreams(): Promise<{
    readonly status: Promise<{ readonly written: Uint8Array; readonly how: SpdyStreamEnd }>;
    readonly outputs: Promise<unknown>;
  }> {
    const { stdin, stdout, stderr, tty } = this.#options.streams;
    const error = collector(MAX_STATUS_BYTES);
    const outputs: Promise<unknown>[] = [];
    const output = (channel: number): SpdySink => {
      const { promise, resolve } = Promise.withResolvers<SpdyStreamEnd>();
      outputs.push(promise);
      return { data: (payload) => this.#send(channel, payload), end: resolve };
    };
    const input = async (channel: number, streamtype: string): Promise<void> => {
      const end = (): void => void this.#inputs.delete(channel);
      const id = await this.#session.open({ streamtype }, { data: () => {}, end });
      this.#inputs.set(channel, id);
    };
    await Promise.all([
      this.#session.open({ streamtype: 'error' }, error.sink),
      stdin && input(CHANNELS.stdin, 'stdin'),
      stdout && this.#session.open({ streamtype: 'stdout' }, output(CHANNELS.stdout)),
      stderr && this.#session.open({ streamtype: 'stderr' }, output(CHANNELS.stderr)),
      tty && input(CHANNELS.resize, 'resize'),
    ]);
    return { status: error.all, outputs: Promise.all(outputs) };
  }

  /** From the client to the runtime, until the client is gone. */
  async #input(): Promise<void> {
    const reader = new ChannelReader(this.#options.protocol);
    for await (const piece of this.#client.messages()) {
      const input = reader.push(piece);
      if (input === undefined) continue;
      if (input.type === 'malformed') {
        this.#client.close(CLOSE_PROTOCOL_ERROR, 'a close signal names one channel');
        continue;
      }
      await this.#opened.promise;
      const id = this.#inputs.get(input.channel);
      // Upstream, too, ignores what comes for a channel that takes nothing.
      if (id === undefined) continue;
      const isEnd = input.type === 'close';
      if (isEnd) this.#inputs.delete(input.channel);
      // A runtime that takes no more has ended the command: its status is on its way.
      await this.#session.send(id, isEnd ? NOTHING : input.payload, isEnd).catch(() => this.#inputs.clear());
    }
  }

  /** An empty message on the lowest channel that we write: the client knows that it is connected (as upstream). */
  async #notify(channel: number): Promise<void> {
    await this.#send(channel, NOTHING).catch(() => {});
  }

  #send(channel: number, payload: Uint8Array): Promise<void> {
    return this.#client.send(encodeChannel(this.#options.protocol, channel, payload));
  }

  /** A runtime ends a connection that is idle for long; a client's pings keep it, as they would over SPDY. */
  #keepAlive(): void {
    const { mono } = this.#options.clock.now();
    if (mono - this.#lastPingMono < RUNTIME_PING_MS) return;
    this.#lastPingMono = mono;
    this.#session.ping().catch(() => {});
  }
}

const NOTHING = new Uint8Array(0);

/** All of a short stream. More than `maxBytes` is cut. */
export function collector(maxBytes: number): {
  readonly sink: SpdySink;
  readonly all: Promise<{ readonly written: Uint8Array; readonly how: SpdyStreamEnd }>;
} {
  const pieces: Uint8Array[] = [];
  let left = maxBytes;
  const { promise, resolve } = Promise.withResolvers<{ written: Uint8Array; how: SpdyStreamEnd }>();
  const data = (payload: Uint8Array): void => {
    const kept = payload.slice(0, left);
    left -= kept.length;
    if (kept.length > 0) pieces.push(kept);
  };
  return { sink: { data, end: (how) => resolve({ written: concatBytes(pieces), how }) }, all: promise };
}
