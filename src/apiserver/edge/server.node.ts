/** The TLS server before a `Connection`: HTTP/2 and HTTP/1.1 on the same port, on any number of addresses. */
import type { IncomingMessage } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import {
  type Clock,
  errorMessage,
  type GuardedConnection,
  type Logger,
  type MetricsRegistry,
} from '../../lib/index.ts';
import { noTokens, type TokenAuthenticator } from './authentication.ts';
import { BodyAccounts } from './body-accounts.ts';
import { ByteBudget } from './byte-budget.ts';
import { Connections } from './connections.node.ts';
import type { ConnectionShares } from './connection-shares.ts';
import { createEdgeMetrics, type EdgeMetrics } from './edge-metrics.ts';
import { Endings } from './endings.ts';
import { type ExchangeOptions, serveExchange } from './exchange.node.ts';
import {
  CLOSE_GRACE_MS,
  LINGER_MS,
  MAX_HEADER_BYTES,
  MAX_HEADERS,
  MAX_INVALID_FRAMES,
  MAX_REJECTED_STREAMS,
  MAX_SESSION_MEMORY_MB,
  MAX_SETTINGS_ENTRIES,
  STRANGER_CONCURRENT_STREAMS,
  STRANGER_WINDOW_BYTES,
  STREAM_RESET_BURST,
  STREAM_RESET_RATE_PER_SECOND,
} from './limits.ts';
import type { NodeRequest, NodeResponse } from './node-messages.node.ts';
import type { ServedConnection } from './served-connection.node.ts';
import type { KeyPair } from './signer.ts';
import { StrangerRequests } from './stranger-requests.ts';
import { serveUpgrade } from './upgrade.node.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** How it proves who it is, and whom it believes. */
export interface EdgeTrust {
  readonly certificate: KeyPair;
  /** Client certificates signed by this authority are believed. */
  readonly authorityPem: string;
  readonly tokens?: TokenAuthenticator;
}

export interface EdgeServerOptions {
  /** The connection behind the edge: it authorizes each request, and then reads its body. */
  readonly connection: GuardedConnection;
  readonly addresses: readonly ListenAddress[];
  readonly trust: EdgeTrust;
  /** How many connections each kind of client may hold; absent: as many as the process may open files for. */
  readonly shares?: ConnectionShares;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: MetricsRegistry;
  /** Which port this is, in metrics: "apiserver", "kubelet". */
  readonly name?: string;
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

/** The resources held now, for metrics and tests: all of them are zero again once the clients are gone. */
export interface EdgeUsage {
  readonly connections: number;
  readonly sessions: number;
  readonly underWay: number;
  readonly bodyBytes: number;
  readonly bodyOwners: number;
  readonly waitingBodies: number;
  readonly strangerRequests: number;
}

/** A server that listens on one address after another, until it is closed. */
export class EdgeServer {
  readonly #options: EdgeServerOptions;
  readonly #exchange: ExchangeOptions;
  readonly #metrics: EdgeMetrics;
  readonly #accounts = new BodyAccounts();
  readonly #strangers = new StrangerRequests();
  readonly #budget: ByteBudget;
  readonly #connections: Connections;
  /** TLS and HTTP for every address; the listeners only hand sockets to it, once there is room for them. */
  readonly #protocols: Http2SecureServer;
  readonly #listeners: { readonly server: Server; readonly address: ListenAddress }[] = [];
  readonly #endings = new Endings();
  #certificate: KeyPair;
  #underWay = 0;
  #idle: (() => void) | undefined;

  constructor(options: EdgeServerOptions) {
    this.#options = options;
    const { connection, logger, clock, shares, trust } = options;
    const { certificate, tokens = noTokens } = trust;
    this.#certificate = certificate;
    this.#metrics = createEdgeMetrics(options.metrics, options.name, () => ({
      connections: this.#connections.counts,
      bodyBytes: this.#accounts.used,
      waitingBodies: this.#budget.waiting,
    }));
    this.#budget = new ByteBudget({ clock });
    this.#connections = new Connections({ clock, logger, metrics: this.#metrics, ...(shares && { shares }) });
    this.#exchange = {
      connection,
      logger,
      tokens,
      clock,
      metrics: this.#metrics,
      bodies: { budget: this.#budget, accounts: this.#accounts },
      strangers: this.#strangers,
      promote: (peer, user) => this.#connections.promote(peer, user),
    };
    this.#protocols = this.#createProtocols();
  }

  /** The addresses that it listens on, with the chosen ports. */
  get addresses(): readonly ListenAddress[] {
    return this.#listeners.map(({ address }) => address);
  }

  get usage(): EdgeUsage {
    return {
      connections: this.#connections.size,
      sessions: this.#connections.sessions,
      underWay: this.#underWay,
      bodyBytes: this.#accounts.used,
      bodyOwners: this.#accounts.owners,
      waitingBodies: this.#budget.waiting,
      strangerRequests: this.#strangers.underWay,
    };
  }

  /** Listens on one more address (the pod bridge appears only with the first pod). */
  async listen(address: ListenAddress): Promise<ListenResult> {
    if (this.#endings.reason !== undefined) return { ok: false, error: toListenError(address, this.#endings.reason) };
    const server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: address.host, port: address.port }, resolve);
      });
    } catch (error) {
      return { ok: false, error: toListenError(address, error) };
    }
    const { reason } = this.#endings;
    if (reason !== undefined) {
      server.close();
      return { ok: false, error: toListenError(address, reason) };
    }
    const { port } = server.address() as AddressInfo;
    const bound = { host: address.host, port };
    server.on('error', (error) =>
      this.#options.logger.error('listener failed', { address: formatAddress(bound), error }),
    );
    this.#listeners.push({ server, address: bound });
    this.#connections.start();
    return { ok: true, address: bound };
  }

  /** New connections get this certificate; those there are go on. */
  setCertificate(certificate: KeyPair): void {
    this.#certificate = certificate;
    this.#protocols.setSecureContext(this.#secureContext());
  }

  /**
   * Listens no more, ends watches and upgrades, lets other requests finish for a moment, then closes all connections. What is
   * written has another moment to leave.
   */
  async close(): Promise<void> {
    this.#connections.stop();
    const closed = this.#listeners.map(({ server }) => new Promise((resolve) => server.close(resolve)));
    this.#endings.end(new Error('the server is closing'));
    this.#connections.closeSessions();
    if (this.#underWay > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const patience = new AbortController();
      await Promise.race([idle, this.#options.clock.sleep(CLOSE_GRACE_MS, patience.signal).catch(() => {})]);
      patience.abort();
    }
    this.#connections.closeAll();
    const lingering = new AbortController();
    const { clock } = this.#options;
    await Promise.race([Promise.all(closed), clock.sleep(LINGER_MS, lingering.signal).catch(() => {})]);
    lingering.abort();
    // What was written to a machine that vanished never leaves: TCP itself would try for a quarter of an hour.
    this.#connections.destroyAll();
    await Promise.all(closed);
  }

  #secureContext(): { cert: string; key: string; ca: string; minVersion: 'TLSv1.2' } {
    const { certificatePem, keyPem } = this.#certificate;
    return { cert: certificatePem, key: keyPem, ca: this.#options.trust.authorityPem, minVersion: 'TLSv1.2' };
  }

  #createProtocols(): Http2SecureServer {
    // Node's types lack the first; idle connections are ours to end.
    const http1Options = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0 };
    const server = createSecureServer({
      ...this.#secureContext(),
      allowHTTP1: true,
      requestCert: true,
      // A stranger may ask for health; the user is found for each request.
      rejectUnauthorized: false,
      maxSessionMemory: MAX_SESSION_MEMORY_MB,
      maxSessionInvalidFrames: MAX_INVALID_FRAMES,
      maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
      maxSettings: MAX_SETTINGS_ENTRIES,
      maxHeaderListPairs: MAX_HEADERS,
      streamResetBurst: STREAM_RESET_BURST,
      streamResetRate: STREAM_RESET_RATE_PER_SECOND,
      http1Options,
      // Wider once credentials were shown.
      settings: {
        maxConcurrentStreams: STRANGER_CONCURRENT_STREAMS,
        initialWindowSize: STRANGER_WINDOW_BYTES,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
    });
    // Before Node's own listener, which makes a session of it.
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#connections.secured(socket));
    server.on('session', (session: ServerHttp2Session) => this.#connections.speaksHttp2(session));
    server.on('stream', (stream: ServerHttp2Stream) => this.#connections.ofSession(stream.session)?.opened(stream));
    server.on('request', (incoming: NodeRequest, outgoing: unknown) => this.#serve(incoming, outgoing, false));
    server.on('checkContinue', (incoming: NodeRequest, outgoing: unknown) => this.#serve(incoming, outgoing, true));
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Uint8Array) =>
      this.#upgrade(incoming, socket, head),
    );
    // A client that speaks no TLS or does not trust us: its problem, worth a line in the log.
    server.on('tlsClientError', (error) => this.#options.logger.debug('TLS handshake failed', { error }));
    server.on('sessionError', (error) => this.#options.logger.debug('HTTP/2 session failed', { error }));
    return server;
  }

  #accept(socket: Socket): void {
    this.#connections.accept(socket);
    this.#protocols.emit('connection', socket);
  }

  #serve(incoming: NodeRequest, outgoing: unknown, expectsContinue: boolean): void {
    const peer =
      'stream' in incoming
        ? this.#connections.ofSession(incoming.stream.session)
        : this.#connections.ofSocket(incoming.socket);
    if (peer === undefined || peer.isEnding) {
      if ('stream' in incoming) incoming.stream.destroy();
      else incoming.destroy();
      return;
    }
    if (peer.isSuspect && 'stream' in incoming && !expectsContinue) {
      // The reset behind it comes in the same read, and then there is nothing to do.
      setImmediate(() => {
        if (!incoming.stream.destroyed && !peer.isEnding) this.#exchangeWith(peer, incoming, outgoing, false);
      });
      return;
    }
    this.#exchangeWith(peer, incoming, outgoing, expectsContinue);
  }

  #exchangeWith(peer: ServedConnection, incoming: NodeRequest, outgoing: unknown, expectsContinue: boolean): void {
    const response = outgoing as NodeResponse;
    this.#track(serveExchange({ incoming, outgoing: response, peer, expectsContinue }, this.#exchange, this.#endings));
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Uint8Array): void {
    const peer = this.#connections.ofSocket(incoming.socket);
    if (peer === undefined || peer.isEnding) socket.destroy();
    else this.#track(serveUpgrade({ incoming, socket, head, peer }, this.#exchange, this.#endings));
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
