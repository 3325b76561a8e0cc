/**
 * Tests damaged objects in the whole API server: named, never served, never taken for deleted; restored and removed by
 * commands.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, createApiServer } from '../../src/apiserver/index.ts';
import { systemClock as clock } from '../../src/lib/clock.node.ts';
import { decodeText, encodeText, type Logger, readAll, seededRandom } from '../../src/lib/index.ts';
import type { DamagedKey, Store } from '../../src/store/index.ts';
import { openSqliteStore } from '../../src/store/sqlite.node.ts';
import { inShort } from './extent.ts';

const SECRET = 'hunter2-of-the-attack';
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
let folder: string;
let path: string;
let store: Store;
let server: ApiServer;
let damaged: readonly DamagedKey[] = [];
let logged = '';

const logger: Logger = (() => {
  const write = (...parts: readonly unknown[]): void => {
    logged += `${JSON.stringify(parts, (_, value: unknown) => (value instanceof Error ? String(value.stack) : value))}\n`;
  };
  const self = { debug: write, info: write, warn: write, error: write, child: () => self };
  return self;
})();

async function start(): Promise<void> {
  damaged = [];
  store = await openSqliteStore({ path, clock, listener: { onDamage: (keys) => (damaged = keys) } });
  server = createApiServer({ store, clock, random: seededRandom(1), logger }, { version: { gitVersion: 'v1.36.0' } });
  await server.ready;
}

async function stop(): Promise<void> {
  await server.close();
  await store.close();
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

async function call(method: string, url: string, body?: object, user = ADMIN): Promise<Answer> {
  const request = { method, url, headers: {}, ...(body && { body: encodeText(JSON.stringify(body)) }) };
  const { status, headers, body: answer } = await server.as(user).request(request);
  return { status, headers, text: decodeText(await readAll(answer, 1e7)) };
}

/** Changes values as a faulty disk would, without new checksums. */
function spoil(...keys: readonly string[]): void {
  const db = new DatabaseSync(path);
  const newest = db.prepare('SELECT revision, value FROM log WHERE key = ? ORDER BY revision DESC LIMIT 1');
  for (const key of keys) {
    const { revision = 0, value } = newest.get(key) ?? {};
    if (!(value instanceof Uint8Array)) throw new Error(`no ${key}`);
    // The value still parses, so that only a checksum shows the damage.
    const text = decodeText(value).replace(/[a-y](?=")/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 1));
    db.prepare('UPDATE log SET value = ? WHERE revision = ?').run(encodeText(text), revision);
  }
  db.close();
}

function allKeys(): readonly string[] {
  const db = new DatabaseSync(path);
  const keys = db.prepare('SELECT key, max(revision) AS revision, deleted FROM log GROUP BY key').all();
  db.close();
  return keys.filter(({ deleted }) => deleted === 0).map(({ key }) => String(key));
}

const secrets = '/api/v1/namespaces/default/secrets';
const secret = (name: string): object => ({ metadata: { name }, stringData: { password: SECRET }, type: 'Opaque' });

beforeEach(async () => {
  folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mendlet-served-'));
  path = join(folder, 'store.db');
  logged = '';
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
  if (logged.includes('hunter2')) throw new Error('content of an object was logged');
});

describe('a damaged object', () => {
  it('is left out by name, its place is kept, and the rest is served', async () => {
    for (const name of ['one', 'two', 'three']) expect((await call('POST', secrets, secret(name))).status).toBe(201);
    await stop();
    spoil('/registry/secrets/default/two');
    await start();
    expect(damaged.map(({ key }) => key)).toEqual(['/registry/secrets/default/two']);
    const list = await call('GET', secrets);
    expect(JSON.parse(list.text).items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([
      'one',
      'three',
    ]);
    expect(String(list.headers['warning'])).toContain('secrets default/two');
    const get = await call('GET', `${secrets}/two`);
    expect([get.status, JSON.parse(get.text).reason]).toEqual([500, 'StorageReadError']);
    expect(get.text).toContain('/registry/secrets/default/two');
    const create = await call('POST', secrets, secret('two'));
    expect([create.status, JSON.parse(create.text).reason]).toEqual([409, 'AlreadyExists']);
    const patch = await call('DELETE', `${secrets}/two`);
    expect(patch.status).toBe(500);
    const health = await call('GET', '/readyz?verbose');
    expect([health.status, `${get.text}${create.text}${patch.text}`.includes('hunter2')]).toEqual([200, false]);
  });

  it('does not look deleted to the node whose pod it is', async () => {
    const pod = (name: string): object => ({
      metadata: { name },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'busybox' }] },
    });
    const pods = '/api/v1/namespaces/default/pods';
    await call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
    for (const name of ['one', 'two']) expect((await call('POST', pods, pod(name))).status).toBe(201);
    const kubelet = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
    const ask = (name: string): Promise<Answer> =>
      call('GET', `${pods}?fieldSelector=spec.nodeName%3Dn1,metadata.name%3D${name}`, undefined, kubelet);
    await stop();
    spoil('/registry/pods/default/two');
    await start();
    const all = await call('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', undefined, kubelet);
    expect([all.status, JSON.parse(all.text).items.length]).toEqual([200, 1]);
    expect([(await ask('one')).status, JSON.parse((await ask('one')).text).items.length]).toEqual([200, 1]);
    const damagedOne = await ask('two');
    expect([damagedOne.status, JSON.parse(damagedOne.text).reason]).toEqual([500, 'StorageReadError']);
    expect([(await ask('none')).status, JSON.parse((await ask('none')).text).items]).toEqual([200, []]);
  });

  it('is restored by PUT with its identity, and removed by the delete that says so', async () => {
    for (const name of ['one', 'two', 'three']) await call('POST', secrets, secret(name));
    const backup = JSON.parse((await call('GET', `${secrets}/one`)).text);
    await stop();
    spoil(...['one', 'two', 'three'].map((name) => `/registry/secrets/default/${name}`));
    await start();
    const put = await call('PUT', `${secrets}/one`, backup);
    expect([put.status, JSON.parse(put.text).metadata?.uid]).toEqual([200, backup.metadata.uid]);
    expect(JSON.parse((await call('GET', `${secrets}/one`)).text).data).toEqual(backup.data);
    const option = { kind: 'DeleteOptions', apiVersion: 'v1', ignoreStoreReadErrorWithClusterBreakingPotential: true };
    expect((await call('DELETE', `${secrets}/one`, option)).status).toBe(400);
    expect((await call('DELETE', `${secrets}/two`, option)).status).toBe(200);
    expect((await call('GET', `${secrets}/two`)).status).toBe(404);
    // The answer names this query; kubectl has no flag for it, and sends no body with --raw.
    const told = /delete --raw 'PATH(\?[^']+)'/.exec((await call('DELETE', `${secrets}/three`)).text)?.[1] ?? '';
    expect((await call('DELETE', `${secrets}/three${told}`)).status).toBe(200);
    expect((await call('GET', `${secrets}/three`)).status).toBe(404);
    expect(damaged).toEqual([]);
    await stop();
    await start();
    expect(damaged).toEqual([]);
    expect((await call('POST', secrets, secret('two'))).status).toBe(201);
  });

  it('never keeps the server from starting, whichever it is', async () => {
    await call('POST', secrets, secret('one'));
    await stop();
    const keys = allKeys();
    for (const some of inShort([keys], [keys, ...keys.map((key) => [key])])) {
      spoil(...some);
      await start();
      expect((await call('GET', '/readyz')).status).toBe(200);
      for (const key of some) expect(logged.includes('hunter2') ? key : '').toBe('');
      await stop();
      rmSync(path);
      for (const end of ['-wal', '.acknowledged']) rmSync(`${path}${end}`, { force: true });
      await start();
      await call('POST', secrets, secret('one'));
      await stop();
    }
    await start();
  });
});
