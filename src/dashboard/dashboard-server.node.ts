/**
 * The sockets of the dashboard: a listener of its own on loopback, or with TLS beyond it. Everything that comes in is bounded in size,
 * number and time, whoever sends it.
 */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { fromNodeHeaders, type HttpRequest, type HttpResponse, type Logger } from '../lib/index.ts';
import { Connections } from './connections.node.ts';
import { DRAIN_MS, HEAD_MS, MAX_BODY_BYTES, MAX_HEAD_BYTES } from './limits.ts';
import { Refused } from './refused.ts';

export interface ListenWish {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface DashboardServerOptions {
  readonly listen: ListenWish;
  /** Absent: plain HTTP, which is for loopback alone. */
  readonly tls?: { readonly certificatePem: string; readonly keyPem: string };
  readonly logger: Logger;
}

/** @param known to be called when the request has a session */
export type Handle = (request: HttpRequest, known: () => void) => Promise<HttpResponse>;

export interface DashboardServer {
  readonly port: number;
  /** Before it there is no answer but 503. */
  serve(handle: Handle): void;
  /** New connections get this certificate. */
  setCertificate(tls: { readonly certificatePem: string; readonly keyPem: string }): void;
  close(): Promise<void>;
}

/** How often a free port is looked for that is free on both loopback addresses. */
const PORT_ATTEMPTS = 20;
const CHECK_MS = 1000;
const KEEP_ALIVE_MS = 15_000;

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** @throws Error as the system has it (EADDRINUSE, EACCES …) */
export async function startDashboardServer(options: DashboardServerOptions): Promise<DashboardServer> {
  let handle: Handle | undefined;
  const listener: RequestListener = (incoming, outgoing) => {
    const known = (): void => open.known(incoming.socket);
    void exchange(incoming, outgoing, handle, { known, logger: options.logger });
  };
  const limits = {
    headersTimeout: HEAD_MS,
    requestTimeout: HEAD_MS,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEAD_BYTES,
  };
  const { tls } = options;
  const open = new Connections();
  const create = (): Server => {
    const server: Server =
      tls === undefined
        ? createHttpServer(limits, listener)
        : createHttpsServer(
            { ...limits, handshakeTimeout: HEAD_MS, cert: tls.certificatePem, key: tls.keyPem, minVersion: 'TLSv1.2' },
            listener,
          );
    server.maxRequestsPerSocket = 0;
    server.prependListener('connection', (socket: Socket) => open.accept(socket));
    server.on('request', (incoming, outgoing) => open.serving(incoming.socket, outgoing));
    return server;
  };
  const { servers, port } = await listenOn(create, options.listen);
  return {
    port,
    serve: (given) => {
      handle = given;
    },
    setCertificate: ({ certificatePem, keyPem }) => {
      for (const server of servers)
        if ('setSecureContext' in server)
          (server as unknown as { setSecureContext(to: object): void }).setSecureContext({
            cert: certificatePem,
            key: keyPem,
            minVersion: 'TLSv1.2',
          });
    },
    close: async () => {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      for (const server of servers) server.closeAllConnections();
      open.closeAll();
      await Promise.all(closed);
    },
  };
}

/**
 * A browser asks for a name of localhost at 127.0.0.1 and at ::1: whoever else had one of them would get what is meant for us. So
 * the port is taken on both.
 */
async function listenOn(
  create: () => Server,
  { host, port }: ListenWish,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  const isLocal = host === '127.0.0.1' || host === 'localhost' || host === '::1';
  for (let attempt = 1; ; attempt += 1) {
    const first = create();
    await listening(first, isLocal ? '127.0.0.1' : host, port);
    const { port: bound } = first.address() as AddressInfo;
    if (!isLocal) return { servers: [first], port: bound };
    const second = create();
    try {
      await listening(second, '::1', bound);
      return { servers: [first, second], port: bound };
    } catch (error) {
      if (!isTaken(error)) return { servers: [first], port: bound };
      await new Promise((resolve) => first.close(resolve));
      if (port !== 0 || attempt >= PORT_ATTEMPTS) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}

const NOT_YET: HttpResponse = { status: 503, headers: {}, body: new Uint8Array() };

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: Handle | undefined,
  { known, logger }: { readonly known: () => void; readonly logger: Logger },
): Promise<void> {
  const controller = new AbortController();
  outgoing.on('close', () => controller.abort(new Error('the client is gone')));
  outgoing.on('error', () => {});
  incoming.on('error', () => {});
  try {
    const response = handle === undefined ? NOT_YET : await handle(requestOf(incoming, controller.signal), known);
    await send(incoming, outgoing, response);
  } catch (error) {
    if (!controller.signal.aborted) logger.warn('answer broken off', { error });
    outgoing.destroy();
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): HttpRequest {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  const headers = fromNodeHeaders(incoming.headers);
  // Node keeps the first of several: what stands in between may have looked at another one.
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
  const { host: _, ...others } = headers;
  return {
    method,
    url,
    headers: hosts.length === 1 ? headers : others,
    signal,
    readBody: () => readBody(incoming),
  };
}

/** At most `MAX_BODY_BYTES`; Node's own time-out of requests ends one that comes too slowly. @throws Refused */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (Number(incoming.headers['content-length'] ?? 0) > MAX_BODY_BYTES)
    throw new Refused(413, 'The body is too large.');
  for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Refused(413, 'The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function send(incoming: IncomingMessage, outgoing: ServerResponse, response: HttpResponse): Promise<void> {
  const { status, headers, body } = response;
  const isUnread = incoming.method === 'POST' && !incoming.readableEnded;
  // A body that nobody wanted is not read: the connection ends with the answer.
  const connection = isUnread ? { connection: 'close' } : {};
  if (isUnread) outgoing.once('finish', () => incoming.destroy());
  if (body instanceof Uint8Array) {
    outgoing.writeHead(status, {
      ...headers,
      ...connection,
      ...(status === 204 ? {} : { 'content-length': body.length }),
    });
    outgoing.end(incoming.method === 'HEAD' ? undefined : body);
    watch(outgoing);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for await (const chunk of body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

/** Ends a client that does not take what it is sent. */
function watch(outgoing: ServerResponse): void {
  if (outgoing.writableFinished || outgoing.destroyed) return;
  const timer = setTimeout(() => outgoing.destroy(), DRAIN_MS);
  const done = (): void => clearTimeout(timer);
  outgoing.once('finish', done);
  outgoing.once('close', done);
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), DRAIN_MS);
    const done = (): void => {
      clearTimeout(timer);
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
    if (outgoing.destroyed) done();
  });
}
