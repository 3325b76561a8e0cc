/** Health and metrics over plain HTTP, for a program that has no API of its own. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { exitCodes, type ListenAddress } from '../cli/index.ts';
import { errorMessage, type MetricsRegistry } from '../lib/index.ts';
import { takenPort } from './taken-port.node.ts';
import { UserError } from './user-error.ts';

export interface HealthServerOptions {
  readonly listen: ListenAddress;
  readonly metrics: MetricsRegistry;
  /** Why it is not ready yet; undefined: it is. */
  readonly notReady: () => string | undefined;
}

export interface HealthServer {
  /** "http://127.0.0.1:10261" */
  readonly url: string;
  close(): void;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** A request's head takes no longer, and no more. */
const HEAD_TIMEOUT_MS = 5000;
const MAX_HEAD_BYTES = 8192;
const MAX_CONNECTIONS = 64;
/** How often connections are looked at for the time-out above; Node's own is half a minute. */
const CHECK_INTERVAL_MS = 1000;

/** @throws UserError when it cannot listen there */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port } = options.listen;
  const server = createServer(
    {
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: HEAD_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
    },
    ({ method = '', url = '' }, response) => answer(method, url.split('?')[0] ?? '', response, options),
  );
  boundConnections(server);
  await listening(server, options.listen);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port === 0 ? bound : port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * If one client holds all places, the next client takes the oldest one: no client is locked out, and each answer takes an
 * instant.
 */
function boundConnections(server: Server): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    if (open.size <= MAX_CONNECTIONS) return;
    const [oldest] = open;
    if (oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });
}

function answer(method: string, path: string, response: ServerResponse, options: HealthServerOptions): void {
  const send = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type }).end(text);
  };
  if (method !== 'GET' && method !== 'HEAD') send(405, 'only GET\n');
  else if (path === '/healthz' || path === '/livez') send(200, 'ok');
  else if (path === '/readyz') {
    const why = options.notReady();
    if (why === undefined) send(200, 'ok');
    else send(503, `${why}\n`);
  } else if (path === '/metrics') send(200, options.metrics.text(), METRICS_TYPE);
  else send(404, 'not found\n');
}

async function listening(server: Server, { host, port }: ListenAddress): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, resolve);
    });
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    const message = taken ? takenPort(`${host}:${port}`) : `cannot listen on ${host}:${port}: ${errorMessage(error)}`;
    throw new UserError(message, { cause: error, ...(taken ? { exitCode: exitCodes.inUse } : {}) });
  }
}
