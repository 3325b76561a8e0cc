import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.node.ts';
import { createProbeTransport } from './probe-transport.node.ts';
import { createStreamDialer } from './stream-dialer.node.ts';
import { decodeText, encodeText, readAll } from '../lib/index.ts';
import { systemProcess } from '../lib/process.node.ts';

const transport = createProbeTransport({ clock: systemClock });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const get = (
  port: number,
  path: string,
  more: { scheme?: 'http' | 'https'; timeoutMs?: number; headers?: { name: string; value: string }[] } = {},
) => transport.http({ scheme: 'http', host: '127.0.0.1', port, path, headers: [], timeoutMs: 5000, ...more });

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

function app(request: http.IncomingMessage, response: http.ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://x');
  const redirect = (location: string, status = 302): void => void response.writeHead(status, { location }).end('moved');
  if (url.pathname === '/status') response.writeHead(Number(url.search.slice(1))).end('body');
  else if (url.pathname === '/echo')
    response.end(JSON.stringify({ url: request.url, headers: request.headersDistinct }));
  else if (url.pathname === '/loop') redirect('/loop');
  else if (url.pathname === '/hops')
    redirect(url.search === '?0' ? '/status?200' : `/hops?${Number(url.search.slice(1)) - 1}`);
  else if (url.pathname === '/away') redirect('http://localhost:1/');
  else if (url.pathname === '/nowhere') response.writeHead(302).end('no location');
  else if (url.pathname === '/big') {
    response.on('error', () => {});
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(4096)));
    };
    response.on('drain', write);
    write();
  } else if (url.pathname === '/half') response.write('half');
  else if (url.pathname === '/eof') request.socket.destroy();
  else if (url.pathname === '/reset') request.socket.resetAndDestroy();
  else if (url.pathname === '/garbage') request.socket.end('garbage\r\n\r\n');
}

describe('HTTP probes', () => {
  let port: number;
  const start = async (): Promise<number> => (port = await listen(http.createServer(app)));

  it.each([
    [200, { result: 'success', output: 'body' }],
    [299, { result: 'success', output: 'body' }],
    [304, { result: 'success', output: '', warning: 'Probe terminated redirects, Response body: ' }],
    [399, { result: 'success', output: 'body', warning: 'Probe terminated redirects, Response body: body' }],
    [400, { result: 'failure', output: 'HTTP probe failed with statuscode: 400' }],
    [500, { result: 'failure', output: 'HTTP probe failed with statuscode: 500' }],
  ])('judge status %i', async (status, expected) => {
    expect(await get(await start(), `/status?${status}`)).toEqual(expected);
  });

  it.each([
    ['lines that end with LF alone', 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\n\nfine'],
    ['long headers', `HTTP/1.1 200 OK\r\nCookie: ${'x'.repeat(100_000)}\r\nConnection: close\r\n\r\nfine`],
  ])('read %s', async (_, answer) => {
    port = await listen(createServer((socket) => socket.once('data', () => socket.end(answer)).on('error', () => {})));
    expect(await get(port, '/')).toEqual({ result: 'success', output: 'fine' });
  });

  it('send what the probe says', async () => {
    const headers = [
      { name: 'User-Agent', value: 'kube-probe/1.36' },
      { name: 'Host', value: 'example.org' },
      { name: 'X-Twice', value: 'a' },
      { name: 'x-twice', value: 'b' },
    ];
    const { output } = await get(await start(), '/echo?a=b c/ü', { headers });
    expect(JSON.parse(output)).toMatchObject({
      url: '/echo?a=b%20c/%C3%BC',
      headers: {
        'user-agent': ['kube-probe/1.36'],
        host: ['example.org'],
        'x-twice': ['a', 'b'],
        connection: ['close'],
      },
    });
  });

  it('follow redirects on the same host, ten of them', async () => {
    await start();
    expect(await get(port, '/hops?8')).toEqual({ result: 'success', output: 'body' });
    expect(await get(port, '/hops?9')).toEqual({ result: 'success', output: 'body' });
    const warned = { result: 'success', warning: 'Probe terminated redirects, Response body: moved' };
    expect(await get(port, '/hops?10')).toMatchObject(warned);
    expect(await get(port, '/loop')).toMatchObject(warned);
    expect(await get(port, '/away')).toMatchObject(warned);
    expect(await get(port, '/nowhere')).toMatchObject({
      result: 'success',
      warning: expect.stringContaining('no location'),
    });
  });

  it('read no more than 10 KiB', async () => {
    const attempt = await get(await start(), '/big');
    expect(attempt.result).toBe('success');
    expect(attempt.output.length).toBe(10 * 1024);
  });

  it.each([
    ['/half', 'context deadline exceeded (Client.Timeout or context cancellation while reading body)'],
    ['/silent', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
    ['/eof', 'EOF'],
    ['/reset', 'connection reset by peer'],
    ['/garbage', 'malformed HTTP response'],
  ])('fail in the known words (%s)', async (path, words) => {
    await start();
    const attempt = await get(port, path, { timeoutMs: 200 });
    expect(attempt.result).toBe('failure');
    expect(attempt.output).toContain(`Get "http://127.0.0.1:${port}${path}": `);
    expect(attempt.output).toContain(words);
  });

  it('quote the first bytes of an answer that is none of HTTP, as Go does', async () => {
    const settings = Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0x64]);
    port = await listen(createServer((socket) => socket.on('error', () => {}).end(settings)));
    const { output } = await get(port, '/');
    expect(output).toContain(String.raw`malformed HTTP response "\x00\x00\x06\x04\x00\x00\x00\x00`);
  });

  it('fail when nobody listens', async () => {
    const closed = await freePort();
    expect(await get(closed, '/')).toEqual({
      result: 'failure',
      output: `Get "http://127.0.0.1:${closed}/": dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    });
  });

  it('fail with a header that cannot be sent', async () => {
    expect((await get(await start(), '/', { headers: [{ name: 'X', value: 'a\nb' }] })).result).toBe('failure');
  });

  it('speak HTTPS without looking at the certificate', async () => {
    const pem = await systemProcess.run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      '-',
      '-subj',
      '/CN=x',
      '-days',
      '1',
    ]);
    if (pem.code !== 0) return; // No openssl here.
    const tls = await listen(https.createServer({ cert: pem.stdout, key: pem.stdout }, app));
    expect(await get(tls, '/status?200', { scheme: 'https' })).toEqual({ result: 'success', output: 'body' });
    const plain = await get(await start(), '/', { scheme: 'https' });
    expect(plain.output).toContain('http: server gave HTTP response to HTTPS client');
  });
});

describe('HTTPS probes', () => {
  it('of a server that waits for more of what it takes for a request end with the words of Go', async () => {
    const port = await listen(createServer((socket) => socket.on('error', () => {})));
    const { output } = await get(port, '/ping', { scheme: 'https', timeoutMs: 200 });
    expect(output).toBe(`Get "https://127.0.0.1:${port}/ping": net/http: TLS handshake timeout`);
    const plain = await get(port, '/ping', { timeoutMs: 200 });
    expect(plain.output).toContain('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
  });
});

describe('TCP probes', () => {
  it('succeed when somebody listens, and fail when nobody does', async () => {
    const port = await listen(createServer());
    expect(await transport.tcp({ host: '127.0.0.1', port, timeoutMs: 5000 })).toEqual({
      result: 'success',
      output: '',
    });
    const closed = await freePort();
    expect(await transport.tcp({ host: '127.0.0.1', port: closed, timeoutMs: 5000 })).toEqual({
      result: 'failure',
      output: `dial tcp 127.0.0.1:${closed}: connect: connection refused`,
    });
    const nowhere = await transport.tcp({ host: 'no-such-host.invalid', port, timeoutMs: 30_000 });
    expect(nowhere).toEqual({ result: 'failure', output: 'dial tcp: lookup no-such-host.invalid: no such host' });
  });

  it('fail at the time-out', async () => {
    // The accept queue of a stopped listener fills up; 192.0.2.1 is reserved for documents and usually dropped.
    const attempt = await transport.tcp({ host: '192.0.2.1', port: 80, timeoutMs: 100 });
    expect(attempt.result).toBe('failure');
    expect(attempt.output).toMatch(/^dial tcp 192\.0\.2\.1:80: (i\/o timeout|connect: )/);
  });
});

describe('StreamDialer', () => {
  let server: http.Server;
  beforeAll(() => {
    server = http.createServer((_, response) => void response.writeHead(404).end('no such token'));
    server.on('upgrade', (request, socket) => {
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${request.headers.upgrade}\r\nconnection: Upgrade\r\n\r\n`,
      );
      socket.write(`${JSON.stringify(request.headers)}\n`);
      socket.pipe(socket);
    });
  });

  it('passes the handshake and the bytes', async () => {
    const port = await listen(server);
    const dialer = createStreamDialer({ clock: systemClock });
    const headers = {
      host: 'api',
      authorization: 'Bearer x',
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
    };
    const answer = await dialer.upgrade(`http://127.0.0.1:${port}/exec/token`, { method: 'POST', url: '/x', headers });
    if (!answer.upgraded) throw new Error('not upgraded');
    await answer.stream.write(encodeText('hello'));
    answer.stream.end();
    const [seen, echo] = decodeText(await readAll(answer.stream.readable, 10_000)).split('\n');
    expect(echo).toBe('hello');
    expect(JSON.parse(seen ?? '')).toEqual({
      'content-length': '0',
      host: `127.0.0.1:${port}`,
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': 'v4.channel.k8s.io',
    });
    const { host: _, ...plain } = headers;
    const refused = await dialer.upgrade(`http://127.0.0.1:${port}/none`, {
      method: 'GET',
      url: '/x',
      headers: { ...plain, connection: 'close', upgrade: '' },
    });
    expect(refused).toMatchObject({ upgraded: false, response: { status: 404 } });
    await expect(
      dialer.upgrade(`http://127.0.0.1:${await freePort()}/`, { method: 'POST', url: '/', headers }),
    ).rejects.toMatchObject({ name: 'ConnectionError' });
  });
});
