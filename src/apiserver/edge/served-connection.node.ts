/** One client's connection: from the accepted socket over TLS and its requests to its end. */
import { constants, type Http2Stream, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, UserInfo } from '../../lib/index.ts';
import { type Account, openAccount } from './byte-budget.ts';
import { addressKey, type ConnectionPhase, type HeldConnection } from './connection-table.ts';
import type { EndReason } from './edge-metrics.ts';
import { type FloodKind, FloodMeter } from './flood-meter.ts';
import {
  CONNECTION_BODY_BYTES,
  HANDSHAKE_TIMEOUT_MS,
  HEADER_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  LINGER_MS,
  MAX_CONCURRENT_STREAMS,
  MAX_PIPELINED_REQUESTS,
  QUICK_RESET_MS,
  REQUEST_OVERHEAD_BYTES,
  SENT_PER_UPDATE_BYTE,
  STRANGER_IDLE_MS,
  STREAM_WINDOW_BYTES,
  SUSPECT_RESETS,
} from './limits.ts';

export interface ServedConnectionOptions {
  readonly clock: Clock;
  /** We end it, and why; called once. */
  readonly onEnd: (connection: ServedConnection, reason: EndReason) => void;
}

/** Node's event: nghttp2 refused the input. */
const PROTOCOL_ERRORS: ReadonlySet<string> = new Set(['ERR_HTTP2_ERROR', 'ERR_HTTP2_TOO_MANY_INVALID_FRAMES']);

export class ServedConnection implements HeldConnection {
  readonly socket: Socket;
  readonly address: string;
  readonly bodyAccount: Account = openAccount('this connection', CONNECTION_BODY_BYTES);
  readonly #options: ServedConnectionOptions;
  readonly #floods = new FloodMeter();
  #tls: TLSSocket | undefined;
  #session: ServerHttp2Session | undefined;
  #user: UserInfo | undefined;
  #active = 0;
  #since: number;
  #handshakeUntil: number;
  /** Bytes read when the last request was over; more of them are the head of the next one (HTTP/1.1). */
  #readWhenIdle = 0;
  #headSince: number | undefined;
  /** Bytes that were of use, and the most by which those read have exceeded them. */
  #credited = 0;
  #wasted = 0;
  readonly #watchers = new Set<(now: number) => void>();
  readonly #answered = new WeakSet<Http2Stream>();
  #resets = 0;
  #endedAt: number | undefined;

  constructor(socket: Socket, options: ServedConnectionOptions) {
    this.socket = socket;
    this.address = addressKey(socket.remoteAddress);
    this.#options = options;
    this.#since = options.clock.now().mono;
    this.#handshakeUntil = this.#since + HANDSHAKE_TIMEOUT_MS;
  }

  /** The user whose credentials it showed first. */
  get user(): UserInfo | undefined {
    return this.#user;
  }

  get session(): ServerHttp2Session | undefined {
    return this.#session;
  }

  get phase(): ConnectionPhase {
    if (this.#active > 0) return 'busy';
    if (this.#tls !== undefined) return 'idle';
    return this.socket.bytesRead === 0 ? 'silent' : 'handshake';
  }

  get since(): number {
    return this.#since;
  }

  /** It has given up so many requests at once that the next ones are looked at only when they have lived for a moment. */
  get isSuspect(): boolean {
    return this.#resets >= SUSPECT_RESETS;
  }

  get isEnding(): boolean {
    return this.#endedAt !== undefined;
  }

  /** The TLS handshake is over. */
  secured(tls: TLSSocket): void {
    this.#tls = tls;
    this.#since = this.#options.clock.now().mono;
  }

  /** It speaks HTTP/2. */
  speaksHttp2(session: ServerHttp2Session): void {
    this.#session = session;
    session.on('ping', () => this.#count('ping'));
    session.on('remoteSettings', () => this.#count('settings'));
    session.on('error', (error: Error) => this.#onSessionError(error));
    if (this.#user !== undefined) this.#widen(session);
  }

  /** It has shown credentials: it may do more from now on. */
  trust(user: UserInfo): void {
    if (this.#user !== undefined) return;
    this.#user = user;
    this.#floods.trust();
    if (this.#session !== undefined) this.#widen(this.#session);
  }

  #widen(session: ServerHttp2Session): void {
    if (session.closed || session.destroyed) return;
    session.settings({ maxConcurrentStreams: MAX_CONCURRENT_STREAMS, initialWindowSize: STREAM_WINDOW_BYTES });
  }

  /** An HTTP/2 request comes: is it one too many, and is it given up at once? */
  opened(stream: ServerHttp2Stream): void {
    const began = this.#options.clock.now().mono;
    stream.on('close', () => {
      // A stream that took its answer cost no more than it had to. An end by the server is not the client's doing.
      if ((stream.writableFinished && this.#answered.has(stream)) || this.isEnding) return;
      if (this.#options.clock.now().mono - began >= QUICK_RESET_MS) return;
      this.#resets += 1;
      this.#count('reset');
    });
  }

  /** The answer begins, and its client still wants it. */
  answers(stream: Http2Stream): void {
    if (!stream.closed && !stream.destroyed) this.#answered.add(stream);
  }

  /** A request is under way, until the function returned is called. */
  begin(): () => void {
    this.#active += 1;
    this.#since = this.#options.clock.now().mono;
    this.#headSince = undefined;
    this.credit(REQUEST_OVERHEAD_BYTES);
    this.#count('request');
    if (this.#session === undefined && this.#active > MAX_PIPELINED_REQUESTS) this.end('pipelining');
    return () => {
      this.#active -= 1;
      this.#since = this.#options.clock.now().mono;
      this.#readWhenIdle = this.#tls?.bytesRead ?? 0;
    };
  }

  /** Calls `look` at each sweep, until what is returned is called: one timer for all, and none where we were away ourselves. */
  watch(look: (now: number) => void): () => void {
    this.#watchers.add(look);
    return () => this.#watchers.delete(look);
  }

  /** The useful part of the received bytes. */
  credit(bytes: number): void {
    this.#credited += bytes;
  }

  /** Ends what takes too long, and what floods. */
  sweep(now: number): void {
    if (this.#endedAt !== undefined) {
      // It was asked to end, and has had its time.
      if (now - this.#endedAt > LINGER_MS) this.socket.destroy();
      return;
    }
    if (this.#tls === undefined) {
      if (now > this.#handshakeUntil) this.end('handshake-timeout');
      return;
    }
    if (this.#session !== undefined) this.#countWaste(this.#tls, now);
    for (const look of this.#watchers) look(now);
    if (this.#active > 0) return;
    if (this.#session === undefined && this.#isHeadLate(this.#tls, now)) this.end('header-timeout');
    else if (now - this.#since > (this.#user === undefined ? STRANGER_IDLE_MS : IDLE_TIMEOUT_MS)) this.end('idle');
  }

  crowdOut(): void {
    this.end('crowded-out');
  }

  /** Ends it. HTTP/2 clients are told why; others are just closed. Idempotent. */
  end(reason: EndReason): void {
    if (this.#endedAt !== undefined) return;
    this.#endedAt = this.#options.clock.now().mono;
    this.#options.onEnd(this, reason);
    const session = this.#session;
    if (session === undefined || session.destroyed || reason === 'crowded-out') this.socket.destroy();
    else if (reason === 'idle') session.close();
    else if (reason === 'no-ping') session.destroy();
    else session.destroy(new Error(`ended: ${reason}`), constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  #count(kind: FloodKind): void {
    if (this.isEnding) return;
    if (!this.#floods.allows(kind, this.#options.clock.now().mono)) this.end(`flood-${kind}`);
  }

  /** nghttp2 has ended it by its own bounds and has said why; Node's last frames are let out. */
  #onSessionError(error: Error): void {
    const isProtocol = 'code' in error && PROTOCOL_ERRORS.has(String(error.code));
    if (!isProtocol || this.#endedAt !== undefined) return;
    this.#endedAt = this.#options.clock.now().mono;
    this.#options.onEnd(this, 'protocol');
  }

  #countWaste(tls: TLSSocket, now: number): void {
    const useful = this.#credited + tls.bytesWritten / SENT_PER_UPDATE_BYTE;
    const more = tls.bytesRead - useful - this.#wasted;
    if (more <= 0) return;
    this.#wasted += more;
    if (!this.#floods.allows('wasted', now, more)) this.end('flood-wasted');
  }

  #isHeadLate(tls: TLSSocket, now: number): boolean {
    if (tls.bytesRead <= this.#readWhenIdle) return false;
    this.#headSince ??= now;
    return now - this.#headSince > HEADER_TIMEOUT_MS;
  }
}
