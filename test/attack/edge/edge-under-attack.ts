/** An API server behind its real TLS edge on loopback, with an honest client that must always be served. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { createApiServer, createPlainTokenSigner } from '../../../src/apiserver/index.ts';
import { connectionShares, type ConnectionShares } from '../../../src/apiserver/edge/connection-shares.ts';
import { ensurePki, type Pki } from '../../../src/apiserver/edge/pki.node.ts';
import { type EdgeServer, type EdgeServerOptions, startEdgeServer } from '../../../src/apiserver/edge/server.node.ts';
import { systemSigner } from '../../../src/apiserver/edge/signer.node.ts';
import { createHttpConnection, type HttpConnection } from '../../../src/client/http-connection.node.ts';
import { systemClock } from '../../../src/lib/clock.node.ts';
import { systemFileSystem } from '../../../src/lib/file-system.node.ts';
import {
  createMetrics,
  decodeText,
  encodeText,
  type MetricsRegistry,
  readAll,
  seededRandom,
  silentLogger,
} from '../../../src/lib/index.ts';
import { createManualClock } from '../../../src/lib/manual-clock.node.ts';
import { createMemoryStore } from '../../../src/store/index.ts';
import type { Target } from './hostile-client.ts';

export interface UnderAttack {
  readonly port: number;
  readonly edge: EdgeServer;
  readonly pki: Pki;
  /** The clock of the edge alone, so that the test controls its time limits. */
  readonly clock: ReturnType<typeof createManualClock>;
  readonly metrics: MetricsRegistry;
  /** A target without credentials. */
  readonly stranger: Target;
  /** A target with the admin's credentials. */
  readonly admin: Target;
  /** The bearer token of an ordinary user, who may only query his own identity. */
  readonly token: string;
  /** A new honest client; `h2` on one connection. */
  honest(): HttpConnection;
  /** Fails unless a new honest client is served: a read, a write of some size, a read back. */
  stillServes(): Promise<void>;
  /** Fails unless the edge holds nothing for any client any more. */
  holdsNothing(): Promise<void>;
  /** Counters of the edge by reason. */
  ended(reason: string): number;
  refused(reason: string): number;
  close(): Promise<void>;
}

const MAX = 64 * 1024 * 1024;

export async function startUnderAttack(
  options: Partial<Pick<EdgeServerOptions, 'connection'>> & { readonly shares?: ConnectionShares } = {},
): Promise<UnderAttack> {
  const folder = await mkdtemp(join(tmpdir(), 'mendlet-edge-attack-'));
  const pki = await ensurePki({
    dir: folder,
    nodeName: 'node-1',
    serverNames: [],
    fs: systemFileSystem,
    clock: systemClock,
    signer: systemSigner,
  });
  const server = createApiServer(
    {
      store: createMemoryStore({ clock: systemClock }),
      clock: systemClock,
      random: seededRandom(1),
      logger: silentLogger,
    },
    { version: { gitVersion: 'v1.36.4+mendlet.test' }, tokens: createPlainTokenSigner('attack') },
  );
  await server.ready;
  const metrics = createMetrics();
  const clock = createManualClock();
  const edgeOptions: EdgeServerOptions = {
    connection: server.connection,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    trust: {
      certificate: pki.server,
      authorityPem: pki.authorityPem,
      tokens: async (token) => (token === TOKEN ? { name: 'jane', groups: [] } : server.authenticateToken(token)),
    },
    shares: options.shares ?? connectionShares(undefined, 1024),
    clock,
    logger: silentLogger,
    metrics,
    name: 'apiserver',
    ...(options.connection && { connection: options.connection }),
  };
  const started = await startEdgeServer(edgeOptions);
  if (!started.ok) throw new Error(started.error.message);
  const edge = started.server;
  const port = edge.addresses[0]?.port ?? 0;
  const clients: HttpConnection[] = [];
  const honest = (): HttpConnection => {
    const connection = createHttpConnection({
      server: `https://127.0.0.1:${port}`,
      authorityPem: pki.authorityPem,
      client: pki.admin,
      clock: systemClock,
    });
    clients.push(connection);
    return connection;
  };
  const counted = (metric: string, reason: string): number => {
    const line = new RegExp(`^${metric}\\{listener="apiserver",reason="${reason}"\\} (\\d+)$`, 'm');
    return Number(line.exec(metrics.text())?.[1] ?? 0);
  };
  let written = 0;
  const stillServes = async (): Promise<void> => {
    const connection = honest();
    const name = `honest-${(written += 1)}`;
    const value = 'x'.repeat(100 * 1024);
    const body = encodeText(
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } }),
    );
    const path = '/api/v1/namespaces/default/configmaps';
    const headers = { 'content-type': 'application/json' };
    expect((await connection.request({ method: 'POST', url: path, headers, body })).status).toBe(201);
    const { status, body: read } = await connection.request({ method: 'GET', url: `${path}/${name}`, headers: {} });
    expect(status).toBe(200);
    expect(JSON.parse(decodeText(await readAll(read, MAX)))).toMatchObject({ data: { value } });
    connection.close();
  };
  return {
    port,
    edge,
    pki,
    clock,
    metrics,
    stranger: { port },
    admin: { port, credentials: pki.admin },
    token: TOKEN,
    honest,
    stillServes,
    holdsNothing: () =>
      expect
        .poll(() => edge.usage)
        .toEqual({
          connections: 0,
          sessions: 0,
          underWay: 0,
          bodyBytes: 0,
          bodyOwners: 0,
          waitingBodies: 0,
          strangerRequests: 0,
        }),
    ended: (reason) => counted('mendlet_edge_connections_ended_total', reason),
    refused: (reason) => counted('mendlet_edge_requests_refused_total', reason),
    close: async () => {
      for (const client of clients) client.close();
      const closing = edge.close();
      await clock.advance(10_000);
      await closing;
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const TOKEN = 'token-of-jane';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Moves the clock in the steps in which a server checks its connections. */
export async function pass(clock: { advance(ms: number): Promise<void> }, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) await clock.advance(Math.min(1000, left));
}

/** Memory outside and inside the heap after a garbage collection, bytes. */
export function memoryHeld(): number {
  collectGarbage();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
