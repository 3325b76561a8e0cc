/** Tests the client's connection with the API server's edge, over TLS on loopback. */
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensurePki, type Pki } from '../apiserver/edge/pki.node.ts';
import { type EdgeServer, type EdgeServerOptions, startEdgeServer } from '../apiserver/edge/server.node.ts';
import { systemSigner } from '../apiserver/edge/signer.node.ts';
import { systemClock } from '../lib/clock.node.ts';
import { systemFileSystem } from '../lib/file-system.node.ts';
import {
  type Connection,
  decodeText,
  encodeText,
  type GuardedConnection,
  type HttpRequest,
  type HttpResponse,
  readAll,
  silentLogger,
  withBody,
} from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { createHttpConnection, type HttpConnection, type HttpConnectionOptions } from './http-connection.node.ts';

const MAX = 16 * 1024 * 1024;
let pki: Pki;
let strangers: Pki;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mendlet-edge-'));
  const make = (dir: string): Promise<Pki> =>
    ensurePki({
      dir: join(folder, dir),
      nodeName: 'node-1',
      serverNames: [],
      fs: systemFileSystem,
      clock: systemClock,
      signer: systemSigner,
    });
  pki = await make('ours');
  strangers = await make('theirs');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The requests that the handler saw. */
interface Seen {
  readonly requests: HttpRequest[];
  /** Resolved to make "/slow" answer. */
  readonly release: PromiseWithResolvers<void>;
  /** Chunks that were pulled from "/flood". */
  pulled: number;
  /** Streams that were ended by their signal. */
  aborted: number;
}

function nothingSeen(): Seen {
  return { requests: [], release: Promise.withResolvers<void>(), pulled: 0, aborted: 0 };
}

function waitForAbort(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted !== false) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function json(status: number, value: unknown): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: encodeText(JSON.stringify(value)) };
}

function handler(seen: Seen): GuardedConnection {
  return {
    readsBodies: true,
    request: async (unread) => {
      const request = await withBody(unread);
      seen.requests.push(request);
      const path = new URL(request.url, 'http://x').pathname;
      if (path === '/whoami') return json(200, { user: request.user, headers: request.headers, url: request.url });
      if (path === '/echo')
        return { status: 201, headers: { connection: 'close' }, body: request.body ?? new Uint8Array(0) };
      if (path === '/crash') throw new Error('handler bug');
      if (path === '/hang') {
        await waitForAbort(request.signal);
        throw new Error('aborted');
      }
      if (path === '/slow') {
        await seen.release.promise;
        return json(200, 'done');
      }
      if (path === '/watch' || path === '/flood') {
        const body = (async function* () {
          if (path === '/flood') {
            while (request.signal?.aborted === false) {
              seen.pulled += 1;
              yield new Uint8Array(64 * 1024);
            }
          } else {
            yield encodeText('first\n');
            await waitForAbort(request.signal);
          }
          seen.aborted += 1;
        })();
        return { status: 200, headers: { 'content-type': 'application/json' }, body };
      }
      return json(404, { kind: 'Status', url: request.url });
    },
    upgrade: async (request) => {
      seen.requests.push(request);
      if (request.url !== '/exec') return { upgraded: false, response: json(403, { kind: 'Status', code: 403 }) };
      const echo = Promise.withResolvers<void>();
      const received: Uint8Array[] = [];
      let wake: (() => void) | undefined;
      let ended = false;
      return {
        upgraded: true,
        status: 101,
        headers: { upgrade: 'SPDY/3.1', connection: 'Upgrade', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
        stream: {
          readable: (async function* () {
            for (;;) {
              const chunk = received.shift();
              if (chunk !== undefined) yield encodeText(decodeText(chunk).toUpperCase());
              else if (ended) return;
              else await new Promise<void>((resolve) => (wake = resolve));
            }
          })(),
          write: async (chunk) => {
            received.push(chunk.slice());
            wake?.();
          },
          end: () => {
            ended = true;
            wake?.();
          },
          destroy: () => echo.resolve(),
        },
      };
    },
  };
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function start(
  options: Partial<EdgeServerOptions> = {},
): Promise<{ server: EdgeServer; seen: Seen; url: string }> {
  const seen = nothingSeen();
  const started = await startEdgeServer({
    connection: handler(seen),
    addresses: [{ host: '127.0.0.1', port: 0 }],
    trust: { certificate: pki.server, authorityPem: pki.authorityPem },
    clock: systemClock,
    logger: silentLogger,
    ...options,
  });
  if (!started.ok) throw new Error(started.error.message);
  cleanups.push(() => started.server.close());
  return { server: started.server, seen, url: `https://127.0.0.1:${started.server.addresses[0]?.port}` };
}

function client(server: string, options: Partial<HttpConnectionOptions> = {}): HttpConnection {
  const connection = createHttpConnection({
    server,
    authorityPem: pki.authorityPem,
    client: pki.admin,
    clock: systemClock,
    ...options,
  });
  cleanups.push(() => connection.close());
  return connection;
}

async function get(
  connection: Connection,
  url: string,
  more: Partial<HttpRequest> = {},
): Promise<{ status: number; body: string }> {
  const response = await connection.request({ method: 'GET', url, headers: {}, ...more });
  return { status: response.status, body: decodeText(await readAll(response.body, MAX)) };
}

/** Sends a request over HTTP/1.1. */
async function getHttp1(
  url: string,
  options: https.RequestOptions = {},
  body?: string | Uint8Array,
): Promise<{ status: number; body: string; headers: http.IncomingHttpHeaders }> {
  const request = https.request(url, {
    ca: pki.authorityPem,
    cert: pki.admin.certificatePem,
    key: pki.admin.keyPem,
    ...options,
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: response.headers };
}

describe('who asks', () => {
  it('is the subject of a client certificate, over HTTP/2 and HTTP/1.1', async () => {
    const { url } = await start();
    const admin = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
    expect(JSON.parse((await get(client(url), '/whoami?a=b%20c')).body)).toMatchObject({
      user: admin,
      url: '/whoami?a=b%20c',
    });
    expect(JSON.parse((await getHttp1(`${url}/whoami`)).body)).toMatchObject({ user: admin });
    const node = await get(client(url, { client: pki.node }), '/whoami');
    expect(JSON.parse(node.body)).toMatchObject({
      user: { name: 'system:node:node-1', groups: ['system:nodes', 'system:authenticated'] },
    });
  });

  it('is nobody without credentials, and cannot be claimed by headers', async () => {
    const { url } = await start();
    const anonymous = createHttpConnection({ server: url, authorityPem: pki.authorityPem, clock: systemClock });
    const { body } = await get(anonymous, '/whoami', { headers: { 'x-remote-user': 'kubernetes-admin' } });
    expect(JSON.parse(body)).toMatchObject({ user: { name: 'system:anonymous', groups: ['system:unauthenticated'] } });
    anonymous.close();
  });

  it("is refused with a stranger's certificate, with the server's own, and with an unknown token", async () => {
    const { url } = await start();
    const cases: Partial<HttpConnectionOptions>[] = [{ client: strangers.admin }, { client: pki.server }];
    for (const options of cases) expect((await get(client(url, options), '/whoami')).status).toBe(401);
    const token = createHttpConnection({
      server: url,
      authorityPem: pki.authorityPem,
      clock: systemClock,
      token: 'unknown',
    });
    const refused = await get(token, '/whoami');
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.body)).toMatchObject({
      kind: 'Status',
      code: 401,
      reason: 'Unauthorized',
      message: 'Unauthorized',
    });
    token.close();
  });

  it('is whom a token names; the token goes no further', async () => {
    const { url } = await start({
      trust: {
        certificate: pki.server,
        authorityPem: pki.authorityPem,
        tokens: async (token) => (token === 's3cret' ? { name: 'bot', groups: [] } : undefined),
      },
    });
    const bot = createHttpConnection({
      server: url,
      authorityPem: pki.authorityPem,
      clock: systemClock,
      token: 's3cret',
    });
    const { body } = await get(bot, '/whoami');
    expect(JSON.parse(body)).toMatchObject({ user: { name: 'bot', groups: ['system:authenticated'] } });
    expect(body).not.toContain('s3cret');
    bot.close();
  });

  it('does not talk to a server that is not the right one', async () => {
    const { url } = await start();
    const wary = client(url, { authorityPem: strangers.authorityPem });
    await expect(get(wary, '/whoami')).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(
      (await get(client(url, { authorityPem: strangers.authorityPem, insecureSkipTlsVerify: true }), '/whoami')).status,
    ).toBe(200);
  });
});

describe('requests', () => {
  it('carry bodies up to 3 MiB', async () => {
    const { url } = await start();
    const connection = client(url);
    const most = 'x'.repeat(3 * 1024 * 1024);
    const echo = await get(connection, '/echo', { method: 'POST', body: encodeText(most) });
    expect(echo).toEqual({ status: 201, body: most });
    expect(await getHttp1(`${url}/echo`, { method: 'POST' }, most)).toMatchObject({ status: 201, body: most });
    const refused = await get(connection, '/echo', { method: 'POST', body: encodeText(`${most}x`) });
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.body)).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' });
    const tooMuch = 'x'.repeat(8 * 1024 * 1024);
    // With a length or chunked, HTTP/1.1 clients send the whole body before they read.
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const { status, body } = await getHttp1(`${url}/echo`, { method: 'POST', headers }, tooMuch);
      expect(status).toBe(413);
      expect(JSON.parse(body)).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' });
    }
    expect((await get(connection, '/whoami')).status).toBe(200);
  });

  it('get an answer when the handler fails', async () => {
    const { url } = await start();
    expect((await get(client(url), '/crash')).status).toBe(500);
    const { status, body } = await getHttp1(`${url}/crash`);
    expect(status).toBe(500);
    expect(body).not.toContain('handler bug');
  });

  it('share one connection', async () => {
    const { url } = await start();
    const proxy = await startProxy(url);
    const connection = client(proxy.url);
    await Promise.all(Array.from({ length: 200 }, () => get(connection, '/whoami')));
    expect(proxy.connections()).toBe(1);
  });

  it('end when aborted, before and under way', async () => {
    const { url, seen } = await start();
    const connection = client(url);
    const abort = new AbortController();
    const hanging = get(connection, '/hang', { signal: abort.signal }).catch((error: unknown) => error);
    await expect.poll(() => seen.requests.length).toBe(1);
    abort.abort(new Error('too slow'));
    expect(await hanging).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('too slow') });
    await expect.poll(() => seen.requests[0]?.signal?.aborted).toBe(true);
    await expect(get(connection, '/whoami', { signal: abort.signal })).rejects.toMatchObject({
      name: 'ConnectionError',
    });
  });
});

it('a request that is aborted while its connection opens ends at once, and is never sent', async () => {
  const { url, seen } = await start();
  const held: Socket[] = [];
  const port = Number(new URL(url).port);
  const slow = createServer((socket) => held.push(socket));
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  cleanups.push(() => slow.close());
  const connection = client(`https://127.0.0.1:${(slow.address() as AddressInfo).port}`);
  const abort = new AbortController();
  const watch = get(connection, '/watch', { signal: abort.signal }).catch((error: unknown) => error);
  await expect.poll(() => held.length).toBe(1);
  abort.abort(new Error('not the leader any more'));
  expect(await watch).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('not the leader') });
  const [socket] = held;
  const onward = connect(port, '127.0.0.1');
  for (const end of [socket, onward]) end?.on('error', () => {});
  socket?.pipe(onward).pipe(socket);
  expect((await get(connection, '/whoami')).status).toBe(200);
  expect(seen.requests.map((request) => request.url)).toEqual(['/whoami']);
});

describe('streams', () => {
  it('show each piece at once and end on both sides when the client leaves', async () => {
    const { url, seen } = await start();
    const abort = new AbortController();
    const connection = client(url);
    const response = await connection.request({ method: 'GET', url: '/watch', headers: {}, signal: abort.signal });
    const chunks = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    expect(decodeText((await chunks.next()).value as Uint8Array)).toBe('first\n');
    const pending = chunks.next().catch((error: unknown) => error);
    abort.abort();
    await pending;
    await expect.poll(() => seen.aborted).toBe(1);
    // Leaving the loop does the same.
    const again = await connection.request({ method: 'GET', url: '/watch', headers: {} });
    for await (const _ of again.body as AsyncIterable<Uint8Array>) break;
    await expect.poll(() => seen.aborted).toBe(2);
  });

  it('end when an HTTP/2 client is cut off', async () => {
    const { url, seen } = await start();
    const proxy = await startProxy(url);
    const response = await client(proxy.url).request({ method: 'GET', url: '/watch', headers: {} });
    const broken = readAll(response.body, MAX).catch((error: unknown) => error);
    proxy.cut();
    expect(await broken).toMatchObject({ name: 'ConnectionError' });
    await expect.poll(() => seen.aborted).toBe(1);
  });

  it('end when an HTTP/1.1 client is cut off', async () => {
    const { url, seen } = await start();
    const proxy = await startProxy(url);
    const request = https.get(`${proxy.url}/watch`, {
      ca: pki.authorityPem,
      cert: pki.admin.certificatePem,
      key: pki.admin.keyPem,
    });
    request.on('error', () => {});
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.on('error', () => {});
    await once(response, 'data');
    proxy.cut();
    await expect.poll(() => seen.aborted).toBe(1);
  });

  it.each(['h2', 'http/1.1'])('wait for a slow %s client', async (protocol) => {
    const { url, seen } = await start();
    if (protocol === 'h2') {
      const response = await client(url).request({ method: 'GET', url: '/flood', headers: {} });
      const chunks = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
      await chunks.next();
    } else {
      const request = https.get(`${url}/flood`, {
        ca: pki.authorityPem,
        cert: pki.admin.certificatePem,
        key: pki.admin.keyPem,
      });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.pause();
      cleanups.push(() => request.destroy());
    }
    let pulled = -1;
    while (pulled !== seen.pulled) {
      ({ pulled } = seen);
      await systemClock.sleep(200);
    }
    expect(pulled).toBeGreaterThan(0);
    expect(pulled).toBeLessThan(400);
  });

  it('survive thousands of quick cancels on one connection', async () => {
    const { url, seen } = await start();
    const proxy = await startProxy(url);
    const connection = client(proxy.url);
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const response = await connection.request({ method: 'GET', url: '/watch', headers: {} });
          for await (const _ of response.body as AsyncIterable<Uint8Array>) break;
        }),
      );
    }
    expect(proxy.connections()).toBe(1);
    await expect.poll(() => seen.aborted).toBe(2000);
  });

  it('end cleanly when the server closes, and short requests are answered first', async () => {
    const { url, server, seen } = await start();
    const connection = client(url);
    const watch = await connection.request({ method: 'GET', url: '/watch', headers: {} });
    const slow = get(connection, '/slow');
    await expect.poll(() => seen.requests.length).toBe(2);
    const closing = server.close();
    expect(decodeText(await readAll(watch.body, MAX))).toBe('first\n');
    expect(seen.requests[1]?.signal?.aborted).toBe(false);
    seen.release.resolve();
    expect(await slow).toEqual({ status: 200, body: '"done"' });
    await closing;
    await expect(get(connection, '/whoami')).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('do not keep a closing server from its end when their client is silent', async () => {
    const { url, server, seen } = await start();
    const proxy = await startProxy(url);
    const credentials = { ca: pki.authorityPem, cert: pki.admin.certificatePem, key: pki.admin.keyPem };
    const request = https.get(`${proxy.url}/flood`, credentials);
    request.on('error', () => {});
    cleanups.push(() => request.destroy());
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    response.on('error', () => {});
    // As a machine that lost its power: it neither reads nor closes, and what was written to it never leaves.
    proxy.freeze();
    let pulled = -1;
    while (pulled !== seen.pulled) {
      ({ pulled } = seen);
      await systemClock.sleep(200);
    }
    await server.close();
    await expect.poll(() => seen.aborted).toBe(1);
  });
});

describe('a broken connection', () => {
  it('rejects what is under way and is opened again', async () => {
    const { url, seen } = await start();
    const proxy = await startProxy(url);
    const connection = client(proxy.url);
    const broken = get(connection, '/hang').catch((error: unknown) => error);
    await expect.poll(() => seen.requests.length).toBe(1);
    proxy.cut();
    expect(await broken).toMatchObject({ name: 'ConnectionError' });
    expect((await get(connection, '/whoami')).status).toBe(200);
    expect(proxy.connections()).toBe(2);
  });

  it('is noticed within two pings though nothing closes it', async () => {
    const { url } = await start();
    const proxy = await startProxy(url);
    const clock = createManualClock();
    const connection = client(proxy.url, { clock });
    const watch = await connection.request({ method: 'GET', url: '/watch', headers: {} });
    const reading = readAll(watch.body, MAX);
    let isBroken = false;
    reading.catch(() => (isBroken = true));
    // Answered pings keep the connection open.
    for (let n = 0; n < 3; n++) {
      const before = proxy.received();
      await clock.advance(4_500);
      await expect.poll(proxy.received).toBeGreaterThan(before);
    }
    expect(isBroken).toBe(false);
    proxy.freeze();
    await clock.advance(4_500);
    // A late timer shows a delay of our own process, not of the server.
    await clock.suspend(60_000);
    expect(isBroken).toBe(false);
    await clock.advance(4_500);
    await expect(reading).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('is told when nobody listens', async () => {
    const { url, server } = await start();
    await server.close();
    await expect(get(client(url), '/')).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

function listener(request: http.IncomingMessage, response: http.ServerResponse): void {
  if (request.url === '/base/cut') response.destroy();
  else if (request.url === '/base/half') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setTimeout(() => response.destroy(), 20);
  } else request.pipe(response);
}

describe('HTTP/1.1 servers', () => {
  it.each(['http', 'https'])('are spoken to as well (%s)', async (scheme) => {
    const tls = { cert: pki.server.certificatePem, key: pki.server.keyPem };
    const server = scheme === 'http' ? http.createServer(listener) : https.createServer(tls, listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const connection = client(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
    expect(await get(connection, '/x', { method: 'POST', body: encodeText('hello') })).toEqual({
      status: 200,
      body: 'hello',
    });
    await expect(get(connection, '/cut')).rejects.toMatchObject({ name: 'ConnectionError' });
    await expect(get(connection, '/half')).rejects.toMatchObject({ name: 'ConnectionError' });
    connection.close();
  });
});

describe('upgrades', () => {
  const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };

  it('pass raw bytes both ways and end each way by itself', async () => {
    const { url, seen } = await start();
    const answer = await client(url).upgrade({ method: 'POST', url: '/exec', headers });
    if (!answer.upgraded) throw new Error('not upgraded');
    expect(answer.headers).toMatchObject({ upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' });
    expect(seen.requests[0]).toMatchObject({ headers, user: { name: 'kubernetes-admin' } });
    await answer.stream.write(encodeText('hello '));
    await answer.stream.write(encodeText('there'));
    answer.stream.end();
    expect(decodeText(await readAll(answer.stream.readable, MAX))).toBe('HELLO THERE');
  });

  it('may be refused with an ordinary answer', async () => {
    const { url } = await start();
    const answer = await client(url).upgrade({ method: 'POST', url: '/no', headers });
    if (answer.upgraded) throw new Error('upgraded');
    expect(answer.response.status).toBe(403);
    expect(decodeText(await readAll(answer.response.body, MAX))).toContain('"code":403');
    const anonymous = createHttpConnection({
      server: url,
      authorityPem: pki.authorityPem,
      clock: systemClock,
      token: 'x',
    });
    const unauthorized = await anonymous.upgrade({ method: 'POST', url: '/exec', headers });
    expect(unauthorized).toMatchObject({ upgraded: false, response: { status: 401 } });
    anonymous.close();
  });

  it('end with the server', async () => {
    const { url, server } = await start();
    const answer = await client(url).upgrade({ method: 'POST', url: '/exec', headers });
    if (!answer.upgraded) throw new Error('not upgraded');
    const reading = readAll(answer.stream.readable, MAX).then(
      () => 'ended',
      () => 'broken',
    );
    await server.close();
    expect(['ended', 'broken']).toContain(await reading);
  });
});

describe('listening', () => {
  it('says which address cannot be listened on, and leaves nothing behind', async () => {
    const { url, server } = await start();
    const port = Number(new URL(url).port);
    const base = {
      connection: handler(nothingSeen()),
      trust: { certificate: pki.server, authorityPem: pki.authorityPem },
      clock: systemClock,
      logger: silentLogger,
    };
    const taken = await startEdgeServer({
      ...base,
      addresses: [
        { host: '127.0.0.2', port },
        { host: '127.0.0.1', port },
      ],
    });
    expect(taken).toMatchObject({
      ok: false,
      error: { code: 'in-use', message: `cannot listen on 127.0.0.1:${port}: the port is taken by another process` },
    });
    expect(await server.listen({ host: '127.0.0.2', port })).toEqual({
      ok: true,
      address: { host: '127.0.0.2', port },
    });
    expect(await server.listen({ host: '192.0.2.1', port })).toMatchObject({
      ok: false,
      error: { code: 'no-such-address' },
    });
    const second = client(`https://127.0.0.2:${port}`, { tlsServerName: 'localhost' });
    expect((await get(second, '/whoami')).status).toBe(200);
    await expect(get(client(`https://127.0.0.2:${port}`), '/whoami')).rejects.toThrow(/not in the cert/);
    expect((await get(client(url), '/whoami')).status).toBe(200);
  });

  it('shows a renewed certificate to new connections', async () => {
    const { url, server } = await start();
    server.setCertificate(strangers.server);
    expect((await get(client(url, { authorityPem: strangers.authorityPem }), '/healthz')).status).toBe(404);
  });
});

/** A TCP proxy that can be cut or frozen. */
async function startProxy(target: string): Promise<{
  url: string;
  connections: () => number;
  /** Bytes that came from the server. */
  received: () => number;
  cut: () => void;
  freeze: () => void;
}> {
  const { port, protocol } = new URL(target);
  const pairs: [Socket, Socket][] = [];
  let received = 0;
  const proxy: Server = createServer((socket) => {
    const upstream = connect(Number(port), '127.0.0.1');
    pairs.push([socket, upstream]);
    socket.on('error', () => {});
    upstream.on('error', () => {});
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
    socket.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    upstream.pipe(socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const all = (act: (socket: Socket) => void): void => pairs.flat().forEach(act);
  cleanups.push(() => {
    all((socket) => socket.destroy());
    proxy.close();
  });
  return {
    url: `${protocol}//127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    connections: () => pairs.length,
    received: () => received,
    cut: () => all((socket) => socket.destroy()),
    freeze: () =>
      all((socket) => {
        socket.unpipe();
        socket.pause();
      }),
  };
}
