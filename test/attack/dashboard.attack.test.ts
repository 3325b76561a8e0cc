/** What strangers, hostile pages on other ports, slow clients and other identities can do to the live page, over real sockets. */
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../support/in-memory-api.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, DEPLOYMENTS } from '../../src/api/index.ts';
import { createKubeClient } from '../../src/client/index.ts';
import { Dashboard, type Place, type Viewer } from '../../src/dashboard/index.ts';
import { type DashboardServer, startDashboardServer } from '../../src/dashboard/dashboard-server.node.ts';
import { MAX_BODY_BYTES, MAX_CONNECTIONS, MAX_STREAMS_EACH } from '../../src/dashboard/limits.ts';
import { systemSecrets } from '../../src/dashboard/secrets.node.ts';
import { silentLogger } from '../../src/lib/index.ts';
import { systemClock } from '../../src/lib/clock.node.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';

interface Served {
  readonly dashboard: Dashboard;
  readonly server: DashboardServer;
  readonly place: Place;
  readonly host: string;
}

let api: InMemoryApi;
let one: Served;
let other: Served;

async function serve(id: string): Promise<Served> {
  const server = await startDashboardServer({ listen: { host: '127.0.0.1', port: 0 }, logger: silentLogger });
  const place = { name: `mendlet-${id}.localhost`, port: server.port, isTls: false, id };
  const files = {
    login: () => '<p>sign in</p>',
    page: (state: object) => `<p>the page</p>${JSON.stringify(state).replaceAll('<', '&lt;')}`,
    asset: () => undefined,
  };
  const dashboard = new Dashboard(
    { clock: systemClock, logger: silentLogger, secrets: systemSecrets, files },
    { place, cluster: 'c', viewerOfToken: async (token) => (token === 'alices-token' ? viewer('alice') : undefined) },
  );
  server.serve((asked) => dashboard.handle(asked));
  return { dashboard, server, place, host: `${place.name}:${place.port}` };
}

function viewer(name: string, groups: readonly string[] = ['system:authenticated']): Viewer {
  const connection = api.as({ name, groups });
  return { name, key: name, connection, client: createKubeClient(connection, { clock: systemClock }) };
}

const admin = (): Viewer => viewer('admin', ['system:masters', 'system:authenticated']);

beforeAll(async () => {
  api = await createInMemoryApi();
  [one, other] = await Promise.all([serve('aaaa'), serve('bbbb')]);
  await api.client.create(DEPLOYMENTS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: HOSTILE }] } },
    },
  } as never);
});
afterAll(async () => {
  for (const { dashboard, server } of [one, other]) {
    dashboard.close();
    await server.close();
  }
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Ask {
  readonly to?: Served;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function ask(path: string, { to = one, method = 'GET', headers = {}, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: to.place.port, path, method, headers: { host: to.host, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          // The first line of a stream is enough.
          if (path.startsWith('/stream') && text.includes('\n')) response.destroy();
        });
        const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        response.on('end', done);
        response.on('close', done);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

const post = (path: string, value: unknown, more: Ask = {}): Promise<Answer> =>
  ask(path, {
    ...more,
    method: 'POST',
    body: JSON.stringify(value),
    headers: {
      'content-type': 'application/json',
      origin: `http://${(more.to ?? one).host}`,
      ...more.headers,
    },
  });

async function login(who: Viewer, { to = one, write = false }: { to?: Served; write?: boolean } = {}): Promise<string> {
  const code = to.dashboard.link(who, { write })?.url.split('#login=')[1];
  const answer = await post('/login', { code }, { to });
  expect(answer.status).toBe(204);
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

describe('strangers', () => {
  it.each(['/stream', '/life?id=deploy/default/web', '/logs?namespace=a&pod=b&container=c', '/rights?namespace=default'])(
    'get nothing from %s',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 401 });
    },
  );

  it('get the form, and nothing of the cluster', async () => {
    const { status, text } = await ask('/');
    expect([status, text]).toEqual([200, '<p>sign in</p>']);
  });

  it('cannot act', async () => {
    const act = { act: 'restart', kind: 'deploy', namespace: 'default', name: 'web' };
    expect(await post('/acts', act)).toMatchObject({ status: 401 });
    expect(await post('/acts', act, { headers: { cookie: `mendlet-aaaa=${'a'.repeat(43)}` } })).toMatchObject({
      status: 401,
    });
  });

  it('have no feed begun, and no session', async () => {
    const before = one.dashboard.usage;
    await Promise.all(Array.from({ length: 50 }, () => ask('/')));
    await Promise.all(Array.from({ length: 50 }, () => ask('/stream')));
    expect(one.dashboard.usage).toEqual(before);
  });

  it('who guess are slowed down, while a valid link is let in', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => post('/login', { code: 'x'.repeat(43) })));
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
    expect(await post('/login', { token: 'alices-token' })).toMatchObject({ status: 429 });
    await login(admin());
  });
});

describe('a name that leads here (DNS rebinding)', () => {
  it.each(['evil.example', '127.0.0.1:PORT', 'localhost:PORT', 'mendlet-bbbb.localhost:PORT', 'evil.example:PORT'])(
    '%s is refused with a valid cookie, too',
    async (name) => {
      const cookie = await login(admin());
      const host = name.replace('PORT', String(one.place.port));
      for (const path of ['/', '/stream', '/life?id=deploy/default/web']) {
        const answer = await ask(path, { headers: { host, cookie } });
        expect(answer.status).toBe(421);
        expect(answer.text).not.toContain('aaaa');
      }
    },
  );

  it('is refused when it comes twice', async () => {
    const answer = await raw(`GET / HTTP/1.1\r\nhost: ${one.host}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 4/);
  });

  it('is refused in the request line', async () => {
    const answer = await raw(`GET http://evil.example/ HTTP/1.1\r\nhost: ${one.host}\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
  });
});

/** @returns all that comes until the end of the connection */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(one.place.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('a hostile page on another local port', () => {
  const hostile = 'http://localhost:3000';

  it('cannot act, even if a browser sent the cookie', async () => {
    const cookie = await login(admin(), { write: true });
    const act = { act: 'restart', kind: 'deploy', namespace: 'default', name: 'web' };
    const tries: readonly Record<string, string>[] = [
      { origin: hostile, cookie, 'sec-fetch-site': 'cross-site' },
      { origin: `http://${one.place.name}:3000`, cookie, 'sec-fetch-site': 'same-site' },
      { origin: 'null', cookie },
    ];
    for (const headers of tries) expect(await post('/acts', act, { headers })).toMatchObject({ status: 403 });
    // A form needs no leave of the browser.
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
      expect(await post('/acts', act, { headers: { 'content-type': type, cookie } })).toMatchObject({ status: 415 });
  });

  it('gets no leave to read answers', async () => {
    const cookie = await login(admin());
    for (const path of ['/', '/stream', '/rights?namespace=default']) {
      const { headers } = await ask(path, { headers: { cookie } });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
    }
    for (const method of ['OPTIONS', 'TRACE', 'PUT'])
      expect(await ask('/stream', { method, headers: { cookie, origin: hostile } })).toMatchObject({ status: 405 });
  });

  it('cannot show the page in a frame', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    expect(await ask('/', { headers: { ...headers, cookie: await login(admin()) } })).toMatchObject({ status: 403 });
  });
});

describe('a session', () => {
  it('has a cookie for this host alone', async () => {
    const code = one.dashboard.link(admin(), { write: false })?.url.split('#login=')[1];
    const { headers } = await post('/login', { code });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^mendlet-aaaa=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(await post('/login', { code })).toMatchObject({ status: expect.toSatisfy((n: number) => n >= 403) });
  });

  it('of one mendlet opens no other on the same machine', async () => {
    const cookie = await login(admin());
    expect(await ask('/stream', { headers: { cookie } })).toMatchObject({ status: 200 });
    expect(await ask('/stream', { to: other, headers: { cookie } })).toMatchObject({ status: 401 });
    const renamed = cookie.replace('aaaa', 'bbbb');
    expect(await ask('/stream', { to: other, headers: { cookie: renamed } })).toMatchObject({ status: 401 });
  });

  it('ends with its streams when its user signs out', async () => {
    const cookie = await login(admin());
    const stream = new Promise<void>((resolve) => {
      request(
        { host: '127.0.0.1', port: one.place.port, path: '/stream', headers: { host: one.host, cookie }, agent: false },
        (response) => response.on('close', resolve).resume(),
      ).end();
    });
    await expect.poll(() => one.dashboard.usage.streams).toBe(1);
    expect(await post('/logout', {}, { headers: { cookie } })).toMatchObject({ status: 204 });
    await stream;
    await expect.poll(() => one.dashboard.usage.streams).toBe(0);
    expect(await ask('/stream', { headers: { cookie } })).toMatchObject({ status: 401 });
  });

  it('shows and does what its identity may, and says what it may not', async () => {
    const bob = await login(viewer('bob'), { write: true });
    const page = await ask('/', { headers: { cookie: bob } });
    expect(page.text).toContain('You may not list pods in all namespaces');
    expect(page.text).not.toContain('web');
    const rights = await ask('/rights?namespace=default', { headers: { cookie: bob } });
    expect(JSON.parse(rights.text)).toMatchObject({
      restart: { allowed: false, reason: expect.stringContaining('bob may not create') },
    });
    const act = { act: 'restart', kind: 'deploy', namespace: 'default', name: 'web' };
    expect((await post('/acts', act, { headers: { cookie: bob } })).status).toBeGreaterThanOrEqual(400);
    const life = await ask('/life?id=deploy/default/web', { headers: { cookie: bob } });
    expect(life.status).toBe(404);
    const logs = await ask('/logs?namespace=default&pod=web&container=main', { headers: { cookie: bob } });
    expect([logs.status, JSON.parse(logs.text).words]).toEqual([403, expect.stringContaining('bob')]);
  });

  it('that was opened read-only acts for nobody', async () => {
    const cookie = await login(admin());
    const act = { act: 'restart', kind: 'deploy', namespace: 'default', name: 'web' };
    const { status, text } = await post('/acts', act, { headers: { cookie } });
    expect([status, text]).toEqual([403, expect.stringContaining('--write')]);
  });

  it('follows what is taken from its identity at once', async () => {
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] }];
    const metadata = { name: 'carol' };
    await api.client.create(CLUSTER_ROLES, { metadata, rules } as never);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'carol' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'carol' }];
    await api.client.create(CLUSTER_ROLE_BINDINGS, { metadata, roleRef, subjects } as never);
    const cookie = await login(viewer('carol'));
    const { text } = await ask('/', { headers: { cookie } });
    expect(text).toContain('deploy/default/web');
    expect(text).toContain('You may not list pods');
  });
});

describe('what is sent', () => {
  it('is bounded in size, whether it says so or not', async () => {
    const cookie = await login(admin(), { write: true });
    const big = { act: 'x'.repeat(2 * MAX_BODY_BYTES) };
    expect(await post('/acts', big, { headers: { cookie } })).toMatchObject({ status: 413 });
    const chunked = await post('/acts', big, { headers: { cookie, 'transfer-encoding': 'chunked' } }).catch(() => ({
      status: 413,
    }));
    expect(chunked.status).toBe(413);
  });

  it.each(['', 'null', '[]', '{"act":1}', '{"act":"restart","kind":"deploy","namespace":"../x","name":"y"}', '{"__proto__":{}}'])(
    'as an act is looked at: %s',
    async (body) => {
      const cookie = await login(admin(), { write: true });
      const headers = { 'content-type': 'application/json', origin: `http://${one.host}`, cookie };
      const { status } = await ask('/acts', { method: 'POST', body, headers });
      expect(status).toBe(400);
    },
  );

  it.each(['/life?id=', '/life?id=node/a/b', '/life?id=pod/../x', '/stream?from=x', '/logs?pod=..%2f..', '/rights?namespace=%2e'])(
    'as a question is looked at: %s',
    async (path) => {
      expect(await ask(path, { headers: { cookie: await login(admin()) } })).toMatchObject({ status: 400 });
    },
  );

  it('opens a bounded number of streams', async () => {
    const cookie = await login(admin());
    const open = Array.from({ length: MAX_STREAMS_EACH }, () => {
      const asked = request(
        { host: '127.0.0.1', port: one.place.port, path: '/stream', headers: { host: one.host, cookie }, agent: false },
        (response) => response.resume(),
      );
      asked.on('error', () => {});
      asked.end();
      return asked;
    });
    await expect.poll(() => one.dashboard.usage.streams).toBe(MAX_STREAMS_EACH);
    expect(one.dashboard.usage.feeds).toBeLessThanOrEqual(3);
    expect(await ask('/stream', { headers: { cookie } })).toMatchObject({ status: 429 });
    for (const asked of open) asked.destroy();
    await expect.poll(() => one.dashboard.usage.streams).toBe(0);
  });

  it('in many silent connections locks nobody out', async () => {
    const sockets = Array.from({ length: MAX_CONNECTIONS + 20 }, () => connect(one.place.port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => {});
    await sleep(200);
    expect(await ask('/')).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });
});
