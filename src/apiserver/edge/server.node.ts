/** The TLS server before a `Connection`: HTTP/2 and HTTP/1.1 on the same port, on any number of addresses. */
import type { IncomingMessage } from 'node:http';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, type Connection, errorMessage, type Logger, type Timer } from '../../lib/index.ts';
import { noTokens, type TokenAuthenticator } from './authentication.ts';
import { type ExchangeOptions, type NodeResponse, serveExchange } from './exchange.node.ts';
import {
  CLOSE_GRACE_MS,
  KEEP_ALIVE_MS,
  MAX_CONCURRENT_STREAMS,
  MAX_CONNECTIONS,
  MAX_SESSION_MEMORY_MB,
  PING_INTERVAL_MS,
  STREAM_RESET_BURST,
  STREAM_RESET_RATE_PER_SECOND,
  STREAM_WINDOW_BYTES,
} from './limits.ts';
import type { KeyPair } from './signer.ts';
import { serveUpgrade } from './upgrade.node.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface EdgeServerOptions {
  /** What answers. */
  readonly connection: Connection;
  readonly addresses: readonly ListenAddress[];
  readonly certificate: KeyPair;
  /** Client certificates signed by this authority are believed. */
  readonly authorityPem: string;
  readonly tokens?: TokenAuthenticator;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Why an address cannot be listened on; the message names it. */
export interface ListenError {
  readonly code: 'in-use' | 'not-allowed' | 'no-such-address' | 'failed';
  readonly address: ListenAddress;
  readonly message: string;
}

export type ListenResult =
  | { readonly ok: true; readonly address: ListenAddress }
  | { readonly ok: false; readonly error: ListenError };

const LISTEN_ERRORS: Readonly<Record<string, readonly [ListenError['code'], string]>> = {
  EADDRINUSE: ['in-use', 'the port is taken by another process'],
  EACCES: ['not-allowed', 'not allowed to listen on this port'],
  EADDRNOTAVAIL: ['no-such-address', 'this machine has no such address'],
  ENOTFOUND: ['no-such-address', 'no such host name'],
};

function toListenError(address: ListenAddress, error: unknown): ListenError {
  const systemCode = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [code, text] = LISTEN_ERRORS[systemCode] ?? ['failed', errorMessage(error)];
  return { code, address, message: `cannot listen on ${formatAddress(address)}: ${text}` };
}

/** "127.0.0.1:6443", "[::1]:6443" */
export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A server that listens on one address after another, until it is closed. */
export class EdgeServer {
  readonly #options: EdgeServerOptions;
  readonly #exchange: ExchangeOptions;
  readonly #servers: { readonly server: Http2SecureServer; readonly address: ListenAddress }[] = [];
  readonly #sockets = new Set<Socket>();
  /** Sessions, and whether their last ping is answered. */
  readonly #sessions = new Map<ServerHttp2Session, boolean>();
  readonly #stop = new AbortController();
  #certificate: KeyPair;
  #underWay = 0;
  #idle: (() => void) | undefined;
  #pingTimer: Timer | undefined;

  constructor(options: EdgeServerOptions) {
    this.#options = options;
    this.#certificate = options.certificate;
    const { connection, logger, tokens = noTokens } = options;
    this.#exchange = { connection, logger, tokens };
  }

  /** Where it listens, with the ports that were chosen. */
  get addresses(): readonly ListenAddress[] {
    return this.#servers.map(({ address }) => address);
  }

  /** Listens on one more address (the pod bridge appears only with the first pod). */
  async listen(address: ListenAddress): Promise<ListenResult> {
    if (this.#stop.signal.aborted) return { ok: false, error: toListenError(address, this.#stop.signal.reason) };
    const server = this.#createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: address.host, port: address.port }, resolve);
      });
    } catch (error) {
      return { ok: false, error: toListenError(address, error) };
    }
    if (this.#stop.signal.aborted) {
      server.close();
      return { ok: false, error: toListenError(address, this.#stop.signal.reason) };
    }
    const { port } = server.address() as AddressInfo;
    const bound = { host: address.host, port };
    server.on('error', (error) =>
      this.#options.logger.error('listener failed', { address: formatAddress(bound), error }),
    );
    this.#servers.push({ server, address: bound });
    this.#planPing();
    return { ok: true, address: bound };
  }

  /** New connections get this certificate; those there are go on. */
  setCertificate(certificate: KeyPair): void {
    this.#certificate = certificate;
    for (const { server } of this.#servers) server.setSecureContext(this.#secureContext());
  }

  /** Listens no more, ends watches and upgrades, lets other requests finish for a moment, then closes all connections. */
  async close(): Promise<void> {
    this.#pingTimer?.cancel();
    const closed = this.#servers.map(({ server }) => new Promise((resolve) => server.close(resolve)));
    this.#stop.abort(new Error('the server is closing'));
    for (const session of this.#sessions.keys()) session.close();
    if (this.#underWay > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const patience = new AbortController();
      await Promise.race([idle, this.#options.clock.sleep(CLOSE_GRACE_MS, patience.signal).catch(() => {})]);
      patience.abort();
    }
    for (const session of this.#sessions.keys()) session.destroy();
    // What was just written still has to leave: an ended socket sends it first.
    for (const socket of this.#sockets) socket.destroySoon();
    await Promise.all(closed);
  }

  #secureContext(): { cert: string; key: string; ca: string; minVersion: 'TLSv1.2' } {
    const { certificatePem, keyPem } = this.#certificate;
    return { cert: certificatePem, key: keyPem, ca: this.#options.authorityPem, minVersion: 'TLSv1.2' };
  }

  #createServer(): Http2SecureServer {
    const server = createSecureServer({
      ...this.#secureContext(),
      allowHTTP1: true,
      requestCert: true,
      // A stranger may ask for health; who he is, is decided per request.
      rejectUnauthorized: false,
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
      streamResetBurst: STREAM_RESET_BURST,
      streamResetRate: STREAM_RESET_RATE_PER_SECOND,
      http1Options: { keepAliveTimeout: KEEP_ALIVE_MS },
      settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.on('request', (incoming, outgoing) =>
      this.#track(serveExchange(incoming, outgoing as unknown as NodeResponse, this.#exchange, this.#stop.signal)),
    );
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Uint8Array) =>
      this.#track(serveUpgrade(incoming, socket, head, this.#exchange, this.#stop.signal)),
    );
    server.on('connection', (socket: Socket) => this.#keepSocket(socket));
    server.on('session', (session) => this.#keepSession(session));
    // A client that speaks no TLS or does not trust us: its problem, worth a line for whoever looks for it.
    server.on('tlsClientError', (error) => this.#options.logger.debug('TLS handshake failed', { error }));
    server.on('sessionError', (error) => this.#options.logger.debug('HTTP/2 session failed', { error }));
    return server;
  }

  #keepSocket(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, PING_INTERVAL_MS);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #keepSession(session: ServerHttp2Session): void {
    this.#sessions.set(session, true);
    session.on('close', () => this.#sessions.delete(session));
  }

  /** A client whose machine vanished holds watches that nobody reads: find it out. */
  #planPing(): void {
    this.#pingTimer ??= this.#options.clock.setTimer(PING_INTERVAL_MS, (lateMs) => {
      this.#pingTimer = undefined;
      for (const [session, answered] of this.#sessions) {
        // Were we ourselves away, the answer may wait in the kernel.
        if (!answered && lateMs < PING_INTERVAL_MS / 2) session.destroy();
        else this.#ping(session);
      }
      this.#planPing();
    });
  }

  #ping(session: ServerHttp2Session): void {
    if (session.destroyed) return;
    this.#sessions.set(session, false);
    session.ping((error) => {
      if (error === null && this.#sessions.has(session)) this.#sessions.set(session, true);
    });
  }

  #track(exchange: Promise<void>): void {
    this.#underWay += 1;
    void exchange.finally(() => {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#idle?.();
    });
  }
}

/**
 * Starts a server on all the addresses. An address that cannot be listened on is a value; nothing listens then. With port 0
 * all addresses get the port that the first one got.
 */
export async function startEdgeServer(
  options: EdgeServerOptions,
): Promise<{ readonly ok: true; readonly server: EdgeServer } | { readonly ok: false; readonly error: ListenError }> {
  const server = new EdgeServer(options);
  for (const { host, port } of options.addresses) {
    const result = await server.listen({ host, port: port === 0 ? (server.addresses[0]?.port ?? 0) : port });
    if (result.ok) continue;
    await server.close();
    return result;
  }
  return { ok: true, server };
}
