import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError, decodeText, encodeText, type HttpRequest, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';
import { parseProxyName } from './proxy-target.ts';

let api: TestServer;
let asked: { origin: string; request: HttpRequest }[];
let closed: number;
let answer: { status: number; headers?: Record<string, string>; body?: string } | 'gone';

beforeEach(async () => {
  asked = [];
  closed = 0;
  answer = { status: 200 };
  api = await startTestServer({
    clock: createManualClock(),
    originConnection: (origin) => ({
      request: async (request) => {
        asked.push({ origin, request });
        if (answer === 'gone') throw new ConnectionError('connection refused');
        return { status: answer.status, headers: answer.headers ?? {}, body: encodeText(answer.body ?? 'hello') };
      },
      upgrade: async (request) => {
        asked.push({ origin, request });
        return { upgraded: false, response: { status: 400, headers: {}, body: encodeText('no') } };
      },
      close: () => {
        closed += 1;
      },
    }),
  });
});
afterEach(() => api.close());

const base = '/api/v1/namespaces/default';

async function runningPod(name: string, ip: string, ready = true): Promise<void> {
  const ports = [{ name: 'web', containerPort: 8080 }];
  const manifest = podManifest(name, {
    metadata: { labels: { app: 'a' } },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'x', ports }] },
  });
  await api.call('POST', `${base}/pods`, manifest);
  const status = {
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  };
  await api.call(
    'PATCH',
    `${base}/pods/${name}/status`,
    { status },
    { 'content-type': 'application/merge-patch+json' },
  );
}

describe('pods/proxy', () => {
  it.each([
    ['p', 'http://10.1.1.1:8080'],
    ['p:80', 'http://10.1.1.1:80'],
    ['p:web', 'http://10.1.1.1:8080'],
    ['https:p:443', 'https://10.1.1.1:443'],
    ['http:p:', 'http://10.1.1.1:8080'],
  ])('of %s goes to %s', async (name, origin) => {
    await runningPod('p', '10.1.1.1');
    const headers = { authorization: 'Bearer secret', accept: 'text/html' };
    const { status, body } = await api.call('POST', `${base}/pods/${name}/proxy/a/b%20c/?x=1`, 'data', headers);
    expect([status, body, closed]).toEqual([200, 'hello', 1]);
    expect(asked[0]).toMatchObject({ origin, request: { method: 'POST', url: '/a/b%20c/?x=1' } });
    expect(asked[0]?.request.headers).toEqual({ accept: 'text/html' });
    expect(asked[0]?.request.body).toEqual(encodeText('data'));
  });

  it('leads to the folder, where links work', async () => {
    await runningPod('p', '10.1.1.1');
    const { status, headers } = await api.call('GET', `${base}/pods/p/proxy?x=1`);
    expect([status, headers['location']]).toEqual([301, `${base}/pods/p/proxy/?x=1`]);
    answer = { status: 302, headers: { location: '/login' } };
    const redirected = await api.call('GET', `${base}/pods/p/proxy/private`);
    expect(redirected.headers['location']).toBe(`${base}/pods/p/proxy/login`);
    for (const [location, expected] of [
      [`${asked[0]?.origin}/in`, `${base}/pods/p/proxy/in`],
      ['https://elsewhere.example/in', 'https://elsewhere.example/in'],
    ] as const) {
      answer = { status: 302, headers: { location } };
      expect((await api.raw('GET', `${base}/pods/p/proxy/x`)).headers['location']).toBe(expected);
    }
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'passes %s on, with a path and without',
    async (method) => {
      await runningPod('p', '10.1.1.1');
      const bare = await api.call(method, `${base}/pods/p/proxy?method=${method}`);
      const isLed = method === 'GET' || method === 'HEAD';
      expect(bare.status).toBe(isLed ? 301 : 200);
      expect(asked.map(({ request }) => [request.method, request.url])).toEqual(
        isLed ? [] : [[method, `/?method=${method}`]],
      );
      asked = [];
      expect((await api.call(method, `${base}/pods/p/proxy/some/path?method=${method}`)).status).toBe(200);
      expect(asked.map(({ request }) => [request.method, request.url])).toEqual([
        [method, `/some/path?method=${method}`],
      ]);
    },
  );

  it('leads the links of pages through itself', async () => {
    await runningPod('p', '10.1.1.1');
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': '99' };
    answer = { status: 200, headers, body: '<a href="/rewriteme">test ä</a>' };
    const got = await api.raw('GET', `${base}/pods/https:p:443/proxy/`, undefined, { 'accept-encoding': 'gzip' });
    const page = decodeText(await readAll(got.body, 1000));
    expect(page).toBe(`<a href="${base}/pods/https:p:443/proxy/rewriteme">test ä</a>`);
    expect(got.headers['content-length']).toBeUndefined();
    expect(asked[0]?.request.headers['accept-encoding']).toBeUndefined();
    answer = { status: 200, headers: { 'content-type': 'text/plain' }, body: '<a href="/x">' };
    expect((await api.call('GET', `${base}/pods/p/proxy/`)).body).toBe('<a href="/x">');
  });

  it('says what it cannot reach', async () => {
    expect((await api.call('GET', `${base}/pods/none/proxy/`)).status).toBe(404);
    await api.call('POST', `${base}/pods`, podManifest('p'));
    expect((await api.call('GET', `${base}/pods/p/proxy/`)).status).toBe(400);
    await runningPod('q', '10.1.1.2');
    expect((await api.call('GET', `${base}/pods/q:nope/proxy/`)).status).toBe(400);
    answer = 'gone';
    const { status, body } = await api.call('GET', `${base}/pods/q/proxy/`);
    expect([status, body.message]).toEqual([503, 'error trying to reach service: connection refused']);
    expect(closed).toBe(1);
  });
});

describe('services/proxy', () => {
  const service = (spec: object) => api.call('POST', `${base}/services`, { metadata: { name: 's' }, spec });

  it('goes to a ready pod behind it', async () => {
    await runningPod('p', '10.1.1.1');
    await runningPod('sick', '10.1.1.2', false);
    await service({ selector: { app: 'a' }, ports: [{ port: 80, targetPort: 'web' }] });
    expect((await api.call('GET', `${base}/services/s/proxy/`)).status).toBe(200);
    expect(asked[0]?.origin).toBe('http://10.1.1.1:8080');
    const strange = await api.call('GET', `${base}/services/s:99/proxy/`);
    expect(strange.body.message).toBe('no service port "99" found for service "s"');
  });

  it('goes to the endpoints that somebody wrote, as far as they are pods', async () => {
    await runningPod('p', '10.9.9.9');
    await service({
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
    });
    expect((await api.call('GET', `${base}/services/s:b/proxy/`)).body.message).toBe(
      'no endpoints available for service "s"',
    );
    await api.call('POST', `${base}/endpoints`, {
      metadata: { name: 's' },
      subsets: [
        {
          addresses: [{ ip: '10.9.9.9', targetRef: { kind: 'Pod', namespace: 'default', name: 'p' } }],
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2 },
          ],
        },
      ],
    });
    await api.call('GET', `${base}/services/https:s:81/proxy/x`);
    expect(asked[0]?.origin).toBe('https://10.9.9.9:2');
  });
});

it.each(['', ':80', 'ftp:a:1', 'a:b:c:d'])('no name is %j', (text) => {
  expect(() => parseProxyName(text)).toThrow('invalid request');
});
