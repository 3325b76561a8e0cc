/**
 * `Connection` over the network: HTTP/2 if the server offers it, else HTTP/1.1 with keep-alive; each upgrade has a separate
 * HTTP/1.1 connection.
 */
import * as http from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import * as https from 'node:https';
import { isIP } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type ConnectionOptions,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls';
import {
  abortable,
  type Clock,
  type Connection,
  ConnectionError,
  errorMessage,
  fromNodeHeaders,
  type HttpRequest,
  type HttpResponse,
  readChunks,
  toDuplexStream,
  type UpgradeResponse,
  withoutConnectionHeaders,
} from '../lib/index.ts';
import { openSession } from './http2-session.node.ts';
import { CONNECT_TIMEOUT_MS, MAX_HTTP1_SOCKETS, TCP_KEEP_ALIVE_MS } from './limits.ts';

export interface HttpConnectionOptions {
  /** "https://HOST:PORT", optionally with a path that precedes that of every request; "http://…" for a server without TLS. */
  readonly server: string;
  /** The certificate authority, PEM. Absent: the system's authorities. */
  readonly authorityPem?: string;
  readonly client?: { readonly certificatePem: string; readonly keyPem: string };
  readonly token?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** The name to check in the server's certificate, and for SNI. Default: the host of `server`. */
  readonly tlsServerName?: string;
  /** Where to connect to in place of the host of `server`, which stays its name; such a server is asked in HTTP/1.1. */
  readonly dial?: { readonly host: string; readonly port: number };
  readonly clock: Clock;
}

export interface HttpConnection extends Connection {
  /** Ends all requests and closes the sockets. */
  close(): void;
}

type Opened = { readonly protocol: 'h2'; readonly session: ClientHttp2Session } | { readonly protocol: 'http/1.1' };

/** A stream that the server did not process because it was shutting down; it is safe to send it again on a new connection. */
class RefusedStream extends ConnectionError {}

function abortError(signal: AbortSignal | undefined): ConnectionError {
  return new ConnectionError(`request aborted: ${errorMessage(signal?.reason)}`, { cause: signal?.reason });
}

class NodeHttpConnection implements HttpConnection {
  readonly #options: HttpConnectionOptions;
  readonly #url: URL;
  readonly #pathPrefix: string;
  readonly #agent: http.Agent;
  #opening: Promise<Opened> | undefined;
  #session: ClientHttp2Session | undefined;
  #closed = false;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.#url = new URL(options.server);
    this.#pathPrefix = this.#url.pathname.replace(/\/+$/, '');
    const agentOptions = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS, maxSockets: MAX_HTTP1_SOCKETS };
    this.#agent =
      this.#url.protocol === 'http:'
        ? new http.Agent(agentOptions)
        : new https.Agent({ ...agentOptions, ...this.#tlsOptions(['http/1.1']) });
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const opened = await this.#openFor(request);
    if (opened.protocol === 'http/1.1') return this.#requestHttp1(request);
    try {
      return await this.#requestHttp2(opened.session, request);
    } catch (error) {
      if (!(error instanceof RefusedStream)) throw error;
      const again = await this.#openFor(request);
      return again.protocol === 'h2' ? this.#requestHttp2(again.session, request) : this.#requestHttp1(request);
    }
  }

  upgrade(request: HttpRequest): Promise<UpgradeResponse> {
    return new Promise((resolve, reject) => {
      // An upgraded socket never returns to the pool, so it is a separate one.
      const sent = this.#startHttp1(request, reject, false);
      sent.on('upgrade', (response, socket, head) => {
        const headers = fromNodeHeaders(response.headers);
        request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
        resolve({ upgraded: true, status: 101, headers, stream: toDuplexStream(socket, head) });
      });
      sent.on('response', (response) => resolve({ upgraded: false, response: toResponse(response) }));
      sent.end(request.body);
    });
  }

  close(): void {
    this.#closed = true;
    this.#session?.destroy();
    this.#agent.destroy();
  }

  #tlsOptions(protocols: string[]): ConnectionOptions {
    const { authorityPem, client, insecureSkipTlsVerify, tlsServerName } = this.#options;
    const host = this.#url.hostname.replace(/^\[|\]$/g, '');
    const serverName = tlsServerName ?? host;
    return {
      host: this.#options.dial?.host ?? host,
      port: this.#options.dial?.port ?? Number(this.#url.port === '' ? 443 : this.#url.port),
      ALPNProtocols: protocols,
      rejectUnauthorized: insecureSkipTlsVerify !== true,
      // SNI must be a name. The certificate is checked against `serverName`, which may be an address other than the host.
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(serverName, certificate),
      ...(authorityPem === undefined ? {} : { ca: authorityPem }),
      ...(client === undefined ? {} : { cert: client.certificatePem, key: client.keyPem }),
    };
  }

  /** The server's host and port as they were given: a URL loses a port that its protocol has anyway. */
  get #name(): string {
    return this.#options.server.split('/')[2] ?? '';
  }

  /** Does not wait longer than the request: a signal that is aborted meanwhile would not be heard by a stream that begins later. */
  async #openFor({ signal }: HttpRequest): Promise<Opened> {
    if (signal === undefined) return this.#open();
    try {
      return await abortable(this.#open(), signal);
    } catch (error) {
      throw signal.aborted ? abortError(signal) : error;
    }
  }

  /** The open session, or a new one; concurrent callers share one handshake. */
  async #open(): Promise<Opened> {
    if (this.#closed) throw new ConnectionError(`connection to ${this.#options.server} was closed`);
    if (this.#url.protocol === 'http:' || this.#options.dial !== undefined) return { protocol: 'http/1.1' };
    const session = this.#session;
    if (session !== undefined && !session.closed && !session.destroyed) return { protocol: 'h2', session };
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<Opened> {
    const socket = await this.#handshake();
    if (socket.alpnProtocol !== 'h2') {
      // Node's HTTP/1.1 agent opens its own connections.
      socket.destroy();
      return { protocol: 'http/1.1' };
    }
    const session = openSession(socket, this.#url.origin, this.#options.clock);
    this.#session = session;
    if (this.#closed) session.destroy();
    return { protocol: 'h2', session };
  }

  #handshake(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectTls(this.#tlsOptions(['h2', 'http/1.1']));
      const fail = (error: Error): void => {
        timer.cancel();
        socket.destroy();
        reject(new ConnectionError(`${this.#options.server}: ${error.message}`, { cause: error }));
      };
      const timer = this.#options.clock.setTimer(CONNECT_TIMEOUT_MS, () =>
        fail(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)),
      );
      socket.setNoDelay(true);
      socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      socket.once('error', fail);
      socket.once('close', () => fail(new Error('closed during the handshake')));
      socket.once('secureConnect', () => {
        timer.cancel();
        socket.removeAllListeners('close');
        socket.off('error', fail);
        resolve(socket);
      });
    });
  }

  #headers(request: HttpRequest): Record<string, string> {
    const { host: _, ...headers } = request.headers;
    const { token } = this.#options;
    // HTTP/2 needs no length, but a server that knows it need not reserve room for the largest body.
    const length: Record<string, string> =
      request.body === undefined ? {} : { 'content-length': String(request.body.length) };
    return token === undefined || 'authorization' in headers
      ? { ...headers, ...length }
      : { ...headers, ...length, authorization: `Bearer ${token}` };
  }

  #requestHttp2(session: ClientHttp2Session, request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const headers = withoutConnectionHeaders(this.#headers(request));
      let stream: ClientHttp2Stream;
      try {
        stream = session.request(
          { ...headers, ':method': request.method, ':path': this.#pathPrefix + request.url },
          { endStream: request.body === undefined },
        );
      } catch (error) {
        reject(new RefusedStream(`${this.#options.server}: ${errorMessage(error)}`, { cause: error }));
        return;
      }
      const onAbort = (): void => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(abortError(request.signal));
      };
      request.signal?.addEventListener('abort', onAbort, { once: true });
      let failure: Error | undefined;
      stream.on('error', (error: Error) => {
        failure = error;
      });
      stream.on('close', () => {
        request.signal?.removeEventListener('abort', onAbort);
        const message = `${this.#options.server}: ${failure?.message ?? 'the connection broke before the answer'}`;
        const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        reject(new (isRefused ? RefusedStream : ConnectionError)(message, { cause: failure }));
      });
      stream.on('response', (raw) => {
        const status = raw[':status'] ?? 0;
        const body = stream.readableEnded ? new Uint8Array(0) : readHttp2Body(stream);
        resolve({ status, headers: fromNodeHeaders(raw), body });
      });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  #requestHttp1(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const sent = this.#startHttp1(request, reject, true);
      sent.on('response', (response) => resolve(toResponse(response)));
      sent.end(request.body);
    });
  }

  #startHttp1(request: HttpRequest, reject: (error: Error) => void, pooled: boolean): http.ClientRequest {
    const isPlain = this.#url.protocol === 'http:';
    const { dial } = this.#options;
    const options: http.RequestOptions = {
      host: dial?.host ?? this.#url.hostname.replace(/^\[|\]$/g, ''),
      port: dial?.port ?? (this.#url.port === '' ? (isPlain ? 80 : 443) : this.#url.port),
      method: request.method,
      path: this.#pathPrefix + request.url,
      headers: { ...this.#headers(request), ...(dial === undefined ? {} : { host: this.#name }) },
      agent: pooled ? this.#agent : false,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    };
    const sent = isPlain ? http.request(options) : https.request({ ...this.#tlsOptions(['http/1.1']), ...options });
    sent.on('error', (error) =>
      reject(
        request.signal?.aborted === true
          ? abortError(request.signal)
          : new ConnectionError(`${this.#options.server}: ${error.message}`, { cause: error }),
      ),
    );
    this.#limitConnecting(sent);
    return sent;
  }

  /** Limits the time to connect, because a host that drops packets would delay a request for minutes. */
  #limitConnecting(sent: http.ClientRequest): void {
    sent.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = this.#options.clock.setTimer(CONNECT_TIMEOUT_MS, () =>
        sent.destroy(new Error(`no connection within ${CONNECT_TIMEOUT_MS} ms`)),
      );
      socket.setNoDelay(true);
      socket.once('connect', () => timer.cancel());
      socket.once('close', () => timer.cancel());
    });
  }
}

function toResponse(response: http.IncomingMessage): HttpResponse {
  return {
    status: response.statusCode ?? 0,
    headers: fromNodeHeaders(response.headers),
    body: readHttp1Body(response),
  };
}

/** The body's chunks. A reader that stops early ends the connection. */
async function* readHttp1Body(response: http.IncomingMessage): AsyncGenerator<Uint8Array, void> {
  try {
    yield* readChunks(response);
    if (!response.complete) throw new ConnectionError('the connection broke in the middle of an answer');
  } finally {
    if (!response.readableEnded) response.destroy();
  }
}

/**
 * The body's chunks. A reader that stops early cancels the stream. A reset stream also "ends", so the end is checked for a
 * reset.
 */
async function* readHttp2Body(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array, void> {
  try {
    yield* readChunks(stream);
    if (stream.aborted) throw new ConnectionError('the connection broke in the middle of an answer');
  } finally {
    if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  }
}

/**
 * A connection to `server`. It opens with the first request, and again after a break. At a break, requests under way and streams
 * that are being read reject with `ConnectionError`.
 */
export function createHttpConnection(options: HttpConnectionOptions): HttpConnection {
  return new NodeHttpConnection(options);
}
