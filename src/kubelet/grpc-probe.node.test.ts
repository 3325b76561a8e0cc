import { once } from 'node:events';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../lib/clock.node.ts';
import { createProbeTransport } from './probe-transport.node.ts';

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

const check = (port: number, more: { timeoutMs?: number; service?: string } = {}) =>
  transport.grpc({ host: '127.0.0.1', port, service: '', userAgent: 'kube-probe/1.36', timeoutMs: 5000, ...more });

type Handle = (stream: ServerHttp2Stream, body: Buffer, headers: Record<string, unknown>) => void;

/** A gRPC server as any other: a frame in the body, the status in the trailers. */
function health(handle: Handle): Promise<number> {
  const server = createHttp2();
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => handle(stream, Buffer.concat(chunks), headers));
  });
  return listen(server);
}

function reply(stream: ServerHttp2Stream, message: readonly number[], status = '0', text?: string): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': status, ...(text && { 'grpc-message': text }) }),
  );
  stream.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
}

/** An answer of headers alone, as gRPC servers refuse. */
function refuse(stream: ServerHttp2Stream, status: string, text: string): void {
  const head = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': text };
  stream.respond(head, { endStream: true });
}

describe('gRPC probe', () => {
  it('makes the call of grpc.health.v1 and reads its answer', async () => {
    const seen: unknown[] = [];
    const port = await health((stream, body, headers) => {
      seen.push(
        headers[':path'],
        headers['content-type'],
        headers['user-agent'],
        headers['te'],
        body.toString('latin1'),
      );
      reply(stream, [0x08, 1]);
    });
    expect(await check(port, { service: 'db' })).toEqual({ result: 'success', output: 'service healthy' });
    expect(seen).toEqual([
      '/grpc.health.v1.Health/Check',
      'application/grpc',
      'kube-probe/1.36',
      'trailers',
      '\0\0\0\0\x04\x0a\x02db',
    ]);
  });

  it.each<[string, Handle, string]>([
    ['not serving', (stream) => reply(stream, [0x08, 2]), 'service unhealthy (responded with "NOT_SERVING")'],
    ['the zero status', (stream) => reply(stream, []), 'service unhealthy (responded with "UNKNOWN")'],
    ['an unknown one', (stream) => reply(stream, [0x08, 9]), 'service unhealthy (responded with "9")'],
    [
      'no health service',
      (stream) => refuse(stream, '12', 'unknown service grpc.health.v1.Health'),
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health',
    ],
    [
      'an unknown service',
      (stream) => refuse(stream, '5', 'unknown%20service'),
      'error: health rpc probe failed: rpc error: code = NotFound desc = unknown service',
    ],
    [
      'plain HTTP/2',
      (stream) => stream.respond({ ':status': 404, 'content-type': 'text/html' }, { endStream: true }),
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unexpected HTTP status code received from server: 404',
    ],
    [
      'an end without trailers',
      (stream) => stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { endStream: true }),
      'error: health rpc probe failed: rpc error: code = Internal desc = server closed the stream without sending trailers',
    ],
    [
      'a broken message',
      (stream) => reply(stream, [0x08]),
      'error: health rpc probe failed: rpc error: code = Internal desc = failed to unmarshal the received message',
    ],
  ])('%s', async (_, handle, output) => {
    expect(await check(await health(handle))).toEqual({ result: 'failure', output });
  });

  it('fails when the connection breaks', async () => {
    const port = await health((stream) => stream.session?.socket.destroy());
    expect(await check(port)).toEqual({
      result: 'failure',
      output: 'error: health rpc probe failed: rpc error: code = Unavailable desc = connection lost: EOF',
    });
  });

  it('fails when the answer does not come in time', async () => {
    expect(await check(await health(() => {}), { timeoutMs: 200 })).toEqual({
      result: 'failure',
      output: 'timeout: health rpc did not complete within 200ms',
    });
  });

  it.each<[string, () => Promise<number>]>([
    ['nobody listens', async () => 1],
    ['the server is silent', () => listen(createServer((socket) => void socket.on('error', () => {})))],
    [
      'the server speaks something else',
      () => listen(createServer((socket) => void socket.on('error', () => {}).end('220 mail.example ESMTP\r\n'))),
    ],
  ])('fails when %s', async (_, port) => {
    const number = await port();
    expect(await check(number, { timeoutMs: 300 })).toEqual({
      result: 'failure',
      output: `timeout: failed to connect service "127.0.0.1:${number}" within 300ms: context deadline exceeded`,
    });
  });

  it('connects again to a server that comes up within the time-out', async () => {
    const probe = createServer();
    const port = await listen(probe);
    probe.close();
    await once(probe, 'close');
    const attempt = check(port, { timeoutMs: 60_000 });
    const server = createHttp2().on('stream', (stream) => reply(stream, [0x08, 1]));
    servers.push(server);
    server.listen(port, '127.0.0.1');
    expect((await attempt).result).toBe('success');
  });
});
