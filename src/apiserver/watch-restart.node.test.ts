/** Watches over a restart of everything: a server behind its TLS edge on a real SQLite file, and clients on real sockets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpConnection } from '../client/http-connection.node.ts';
import { systemClock as clock } from '../lib/clock.node.ts';
import { systemFileSystem as fs } from '../lib/file-system.node.ts';
import { createMetrics, decodeText, encodeText, readAll, seededRandom, silentLogger as logger } from '../lib/index.ts';
import type { Store } from '../store/index.ts';
import { openSqliteStore } from '../store/sqlite.node.ts';
import { connectionShares } from './edge/connection-shares.ts';
import { ensurePki, type Pki } from './edge/pki.node.ts';
import { startEdgeServer } from './edge/server.node.ts';
import { systemSigner } from './edge/signer.node.ts';
import { createApiServer } from './index.ts';
import type { Loose } from './test-server.ts';

const MAX = 8 * 1024 * 1024;
const MERGE = { 'content-type': 'application/merge-patch+json' };

/** A server process as far as its clients see it. */
class Served {
  readonly store: Store;
  readonly #close: () => Promise<void>;
  readonly #http: ReturnType<typeof createHttpConnection>;

  private constructor(store: Store, http: ReturnType<typeof createHttpConnection>, close: () => Promise<void>) {
    this.store = store;
    this.#http = http;
    this.#close = close;
  }

  static async start(folder: string, pki: Pki): Promise<Served> {
    const store = await openSqliteStore({ path: join(folder, 'state.db'), clock });
    const ports = { store, clock, random: seededRandom(1), logger };
    const server = createApiServer(ports, { version: { gitVersion: 'v1.36.4+mendlet.test' } });
    await server.ready;
    const started = await startEdgeServer({
      connection: server.connection,
      addresses: [{ host: '127.0.0.1', port: 0 }],
      trust: { certificate: pki.server, authorityPem: pki.authorityPem, tokens: async () => undefined },
      shares: connectionShares(undefined, 1024),
      clock,
      logger,
      metrics: createMetrics(),
      name: 'apiserver',
    });
    if (!started.ok) throw new Error(started.error.message);
    const edge = started.server;
    const url = `https://127.0.0.1:${edge.addresses[0]?.port}`;
    const http = createHttpConnection({ server: url, authorityPem: pki.authorityPem, client: pki.admin, clock });
    return new Served(store, http, async () => {
      http.close();
      await server.close();
      await edge.close();
      await store.close();
    });
  }

  async call(method: string, url: string, body?: object, headers: Record<string, string> = {}): Promise<Loose> {
    const sent = body === undefined ? {} : { body: encodeText(JSON.stringify(body)) };
    const answer = await this.#http.request({ method, url, headers, ...sent });
    return { status: answer.status, body: JSON.parse(decodeText(await readAll(answer.body, MAX))) };
  }

  /** The first events of a watch: `enough` of them. */
  async watch(url: string, from: string, enough: number): Promise<Loose[]> {
    const stop = new AbortController();
    const watch = `${url}?watch=1&resourceVersion=${from}`;
    const answer = await this.#http.request({ method: 'GET', url: watch, headers: {}, signal: stop.signal });
    const events: Loose[] = [];
    if (answer.body instanceof Uint8Array) throw new Error(decodeText(answer.body));
    let rest = '';
    for await (const chunk of answer.body) {
      const lines = (rest + decodeText(chunk)).split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line)));
      if (events.length >= enough) break;
    }
    stop.abort();
    return events;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const BOOKS = '/apis/example.com/v1/namespaces/default/books';
const definition = {
  metadata: { name: 'books.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'books', kind: 'Book' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { pages: { type: 'integer', default: 9 } } } },
          },
        },
      },
    ],
  },
};

let folder: string;
let pki: Pki;
let served: Served;

async function restart(): Promise<void> {
  await served.close();
  served = await Served.start(folder, pki);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mendlet-watch-restart-'));
  pki = await ensurePki({ dir: folder, nodeName: 'n', serverNames: [], fs, clock, signer: systemSigner });
  served = await Served.start(folder, pki);
  await served.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await vi.waitFor(async () => {
    if ((await served.call('GET', BOOKS)).status !== 200) throw new Error('no books yet');
  }, 30_000);
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

const told = (events: readonly Loose[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name} ${object.metadata?.labels?.l ?? ''}`);

describe.each([
  ['a kind of the server', MAPS, 'v1'],
  ['a custom kind', BOOKS, 'example.com/v1'],
])('a watch of %s', (_, url, apiVersion) => {
  const put = async (name: string, l: string): Promise<string> => {
    const kind = url === MAPS ? 'ConfigMap' : 'Book';
    const spec = url === MAPS ? {} : { spec: {} };
    const made = await served.call('POST', url, { apiVersion, kind, metadata: { name, labels: { l } }, ...spec });
    const answer =
      made.status === 409 ? await served.call('PATCH', `${url}/${name}`, { metadata: { labels: { l } } }, MERGE) : made;
    return answer.body.metadata.resourceVersion;
  };

  it('resumes after a restart from the history of the store, and goes on with what comes', async () => {
    const from = await put('a', 'one');
    await put('b', 'one');
    await put('a', 'two');
    await served.call('DELETE', `${url}/b`);
    await restart();
    expect(told(await served.watch(url, from, 3))).toEqual(['ADDED b one', 'MODIFIED a two', 'DELETED b one']);
    const later = served.watch(url, from, 4);
    await put('c', 'three');
    const events = await later;
    expect(told(events).at(-1)).toBe('ADDED c three');
    // Objects of the history are read by the schema of now, like all others.
    if (url === BOOKS) expect(events[0].object.spec.pages).toBe(9);
    expect(events[0].object.apiVersion).toBe(apiVersion);
  });

  it('is told 410 for what was compacted, and resumes from what is left', async () => {
    const from = await put('d', 'one');
    const kept = await put('d', 'two');
    await served.store.compact(Number(kept));
    await put('d', 'three');
    await restart();
    const [gone] = await served.watch(url, from, 1);
    const message = `too old resource version: ${from} (${kept})`;
    expect(gone).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message } });
    expect(told(await served.watch(url, kept, 1))).toEqual(['MODIFIED d three']);
    const { metadata } = (await served.call('GET', url)).body;
    const next = served.watch(url, metadata.resourceVersion, 1);
    await put('e', 'one');
    expect(told(await next)).toEqual(['ADDED e one']);
  });
});
