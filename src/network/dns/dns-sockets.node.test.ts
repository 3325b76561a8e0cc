import { connect, createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../lib/index.ts';
import { openDnsSockets } from './dns-sockets.node.ts';
import type { OpenServer, PacketHandler } from './dns-sockets.ts';
import { TcpFrames, tcpFrame } from './tcp-frames.ts';

const HOST = '127.0.0.1';
const sockets = openDnsSockets(silentLogger);
const open: OpenServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A port that is free by TCP. Most likely it is free by UDP, too. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, HOST, done));
  const address = server.address();
  await new Promise<unknown>((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function listen(handler: PacketHandler): Promise<number> {
  const port = await freePort();
  const result = await sockets.listen({ address: HOST, port }, handler);
  if (!result.ok) throw new Error(result.message);
  open.push(result.server);
  return port;
}

/** Answers with the reversed packet. */
const reversing: PacketHandler = (packet, _client, reply) => reply(packet.toReversed());

describe('sockets of the DNS', () => {
  it.each(['udp', 'tcp'] as const)('exchange packets by %s, and drop those that are no answer', async (transport) => {
    const clients: string[] = [];
    const port = await listen((packet, client, reply) => {
      clients.push(`${client.transport} ${client.address}`);
      if (transport === 'udp') reply(Uint8Array.of(0));
      reversing(packet, client, reply);
    });
    const { signal } = new AbortController();
    const accept = (packet: Uint8Array): boolean => packet.length === 3;
    const answer = await sockets.exchange({
      server: { address: HOST, port },
      transport,
      packet: Uint8Array.of(1, 2, 3),
      accept,
      signal,
    });
    expect([...(answer ?? [])]).toEqual([3, 2, 1]);
    expect(clients).toEqual([`${transport} ${HOST}`]);
  });

  it('say that nobody listens, and end when they are told to', async () => {
    const port = await freePort();
    const nobody = { server: { address: HOST, port }, packet: Uint8Array.of(1), accept: () => true };
    const { signal } = new AbortController();
    expect(await sockets.exchange({ ...nobody, transport: 'udp', signal })).toBeUndefined();
    expect(await sockets.exchange({ ...nobody, transport: 'tcp', signal })).toBeUndefined();
    const silent = await listen(() => {});
    const ending = new AbortController();
    const waiting = sockets.exchange({
      ...nobody,
      server: { address: HOST, port: silent },
      transport: 'udp',
      signal: ending.signal,
    });
    ending.abort();
    expect(await waiting).toBeUndefined();
  });

  it('tell taken ports from missing addresses', async () => {
    const port = await listen(reversing);
    expect(await sockets.listen({ address: HOST, port }, reversing)).toMatchObject({ ok: false, reason: 'in-use' });
    expect(await sockets.listen({ address: '192.0.2.77', port }, reversing)).toMatchObject({
      ok: false,
      reason: 'no-address',
    });
  });

  it('answer several queries of one connection, however they are cut, and more than may be open at a time', async () => {
    const waiting: (() => void)[] = [];
    const port = await listen((packet, _client, reply) => void waiting.push(() => reply(packet)));
    const socket = connect(port, HOST);
    const frames = new TcpFrames();
    const answers: number[] = [];
    socket.on('data', (chunk) => {
      frames.push(chunk);
      for (let next = frames.next(); next !== undefined; next = frames.next()) answers.push(next[0] ?? 0);
    });
    const bytes = Array.from({ length: 100 }, (_, at) => [...tcpFrame(Uint8Array.of(at))]).flat();
    for (let at = 0; at < bytes.length; at += 7) socket.write(Uint8Array.from(bytes.slice(at, at + 7)));
    await expect.poll(() => waiting.length).toBe(32);
    await expect
      .poll(() => {
        for (const answer of waiting.splice(0)) answer();
        return answers.length;
      })
      .toBe(100);
    expect(answers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at));
    socket.destroy();
  });
});
