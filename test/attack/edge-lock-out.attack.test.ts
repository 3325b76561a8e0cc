/** Tests clients that take all connections of a port, idle clients, and ambiguous HTTP/1.1. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionShares } from '../../src/apiserver/edge/connection-shares.ts';
import { createMetrics } from '../../src/lib/index.ts';
import { startHealthServer } from '../../src/main/health-server.node.ts';
import { pass, startUnderAttack, type UnderAttack } from './edge/edge-under-attack.ts';
import { openSilent, openTls, type Target, type Wire } from './edge/hostile-client.ts';
import { framesIn, PREFACE, request, settings, settingsAck, TYPES } from './edge/http2-frames.ts';
import { inShort } from './extent.ts';

const shares = connectionShares(undefined, 1024);
const WATCH = '/api/v1/secrets?watch=1';

let target: UnderAttack;
const wires: Wire[] = [];
beforeAll(async () => {
  target = await startUnderAttack({ shares });
});
afterAll(() => target.close());
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.close();
  await target.holdsNothing();
});

async function keep(opening: Promise<Wire>): Promise<Wire> {
  const wire = await opening;
  wires.push(wire);
  return wire;
}

async function openHttp2(to: Target): Promise<Wire> {
  const wire = await keep(openTls(to, ['h2']));
  await wire.send(Buffer.concat([PREFACE, settings(), settingsAck]));
  return wire;
}

const stillOpen = (): number => wires.filter(({ isOver }) => !isOver).length;

describe('idle connections of strangers', () => {
  const kinds: readonly (readonly [string, number, () => Promise<Wire>])[] = [
    ['without a word', inShort(4, 40), () => keep(openSilent(target.stranger))],
    ['after the handshake', inShort(3, 20), () => keep(openTls(target.stranger, ['http/1.1']))],
    ['in HTTP/2', inShort(3, 20), () => openHttp2(target.stranger)],
    [
      'that begin a handshake',
      inShort(4, 40),
      async () => {
        const wire = await keep(openSilent(target.stranger));
        await wire.send(Buffer.from([0x16, 3, 1, 2, 0, 1]));
        return wire;
      },
    ],
  ];
  it.each(kinds)('%s hold a share, and end for newer ones', async (_, factor, open) => {
    const watch = await openHttp2(target.admin);
    await watch.send(request(1, 'GET', WATCH));
    const count = factor * shares.strangersPerAddress;
    for (let n = 0; n < count; n += 1) {
      await open();
      if (n % 40 === 39) await target.stillServes();
    }
    expect(target.edge.usage.connections).toBeLessThanOrEqual(shares.strangersPerAddress + 10);
    expect(target.ended('crowded-out')).toBeGreaterThan(0);
    await target.stillServes();
    // A new stranger is served, too.
    const stranger = await keep(openTls(target.stranger, ['http/1.1']));
    await stranger.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await stranger.until(({ text }) => text.includes('ok'));
    expect(stranger.text).toContain('HTTP/1.1 200');
    expect(watch.isOver).toBe(false);
  });

  it('end by themselves after a while, whatever they speak', async () => {
    await keep(openSilent(target.stranger));
    await keep(openTls(target.stranger, ['http/1.1']));
    await openHttp2(target.stranger);
    const asked = await keep(openTls(target.stranger, ['http/1.1']));
    await asked.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked.until(({ text }) => text.includes('ok'));
    await expect.poll(() => target.edge.usage.underWay).toBe(0);
    await pass(target.clock, 9_000);
    expect(stillOpen()).toBe(4);
    await pass(target.clock, 3_000);
    await expect.poll(stillOpen).toBe(3);
    expect(target.ended('handshake-timeout')).toBe(1);
    await pass(target.clock, 14_000);
    await expect.poll(stillOpen).toBe(0);
  });

  it('end, too, when all that they do is begin a request', async () => {
    const before = target.ended('header-timeout');
    const wire = await keep(openTls(target.stranger, ['http/1.1']));
    const known = await keep(openTls(target.admin, ['http/1.1']));
    const text = 'GET /livez HTTP/1.1\r\nX: ';
    for (let i = 0; i < 22; i += 1) {
      await wire.send(text[i] ?? 'x');
      await known.send(text[i] ?? 'x');
      await sleep(2);
      await target.clock.advance(1000);
    }
    await expect.poll(stillOpen).toBe(0);
    expect(target.ended('header-timeout')).toBe(before + 2);
  });
});

describe('the health port of a program without an API', () => {
  it('answers though others hold all its places', async () => {
    const health = await startHealthServer({
      listen: { host: '127.0.0.1', port: 0 },
      metrics: createMetrics(),
      notReady: () => undefined,
    });
    const to = { port: Number(new URL(health.url).port) };
    for (let n = 0; n < inShort(200, 2000); n += 1) {
      const wire = await keep(openSilent(to));
      if (n % 2 === 0) await wire.send('GET /livez HTTP/1.1\r\nX: ');
    }
    const honest = await keep(openSilent(to));
    await honest.send('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    await honest.until(({ text }) => text.includes('ok'));
    expect(honest.text).toMatch(/^HTTP\/1.1 200/);
    await expect.poll(stillOpen).toBeLessThanOrEqual(64);
    // The server ends the idle connections.
    await expect.poll(() => wires.slice(-64).filter(({ isOver }) => !isOver).length, { timeout: 60_000 }).toBe(0);
    health.close();
  });
});

describe('those who have shown credentials', () => {
  it('stay while they watch in silence, and go when they ask nothing for long', async () => {
    const watch = await openHttp2(target.admin);
    await watch.send(request(1, 'GET', WATCH));
    const http1 = await keep(openTls(target.admin, ['http/1.1']));
    await http1.send(`GET ${WATCH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await expect.poll(() => target.edge.usage.underWay).toBe(2);
    const idle = await openHttp2(target.admin);
    const idleToo = await keep(openTls(target.admin, ['http/1.1']));
    let answered = 0;
    for (let minute = 0; minute < inShort(5, 60); minute += 1) {
      for (let part = 0; part < 4; part += 1) {
        await pass(target.clock, 15_000);
        // The server pings the connection, and the test's clock would not wait for the answer.
        for (const wire of [watch, idle]) {
          const asked = framesIn(wire.received).filter(({ type, flags }) => type === TYPES.ping && flags === 0);
          for (const { payload } of asked.slice(answered)) await wire.send(pong(payload));
        }
        answered = framesIn(watch.received).filter(({ type, flags }) => type === TYPES.ping && flags === 0).length;
        await sleep(20);
      }
    }
    expect([watch.isOver, http1.isOver]).toEqual([false, false]);
    await expect.poll(() => [idle.isOver, idleToo.isOver]).toEqual([true, true]);
  });
});

function pong(payload: Uint8Array): Buffer {
  const head = Buffer.from([0, 0, 8, TYPES.ping, 1, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

describe('HTTP/1.1', () => {
  const twofold: Readonly<Record<string, string>> = {
    'length and chunks': 'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'two lengths': 'Content-Length: 5\r\nContent-Length: 6',
    'two lengths in one': 'Content-Length: 5, 6',
    'a negative length': 'Content-Length: -5',
    'a length with a sign': 'Content-Length: +5',
    'a hexadecimal length': 'Content-Length: 0x5',
    'chunks that are not last': 'Transfer-Encoding: chunked, identity',
    'a disguised coding': 'Transfer-Encoding: xchunked',
    'a blank before the colon': 'Content-Length : 5',
    'a folded header': 'X: a\r\n Content-Length: 5',
    'a bare line feed': 'X: a\nContent-Length: 5',
    'a NUL': 'X: a\0b',
    'no name': ': x',
  };
  it.each(Object.entries(twofold))('that may mean two things is refused: %s', async (_, header) => {
    const wire = await keep(openTls(target.admin, ['http/1.1']));
    await wire.send(
      `POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    await wire.ended;
    expect(wire.text).toMatch(/^HTTP\/1.1 400/);
    expect(wire.text).not.toContain('gitVersion');
  });

  it('in chunks that are none ends', async () => {
    for (const chunk of ['zz\r\n', '-1\r\n', 'ffffffffffffffffff\r\n', `1;${'x'.repeat(64 * 1024)}\r\n`]) {
      const wire = await keep(openTls(target.admin, ['http/1.1']));
      await wire.send(`POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      await wire.send(chunk);
      await expect
        .poll(async () => {
          await target.clock.advance(1000);
          return wire.isOver;
        })
        .toBe(true);
    }
    await target.stillServes();
  });

  it('ahead of its answers ends the connection', async () => {
    const wire = await keep(openTls(target.admin, ['http/1.1']));
    await wire.send(`GET ${WATCH} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(inShort(100, 2000)));
    await wire.ended;
    expect(target.ended('pipelining')).toBe(1);
    await target.stillServes();
  });

  it('upgrades of strangers are refused, and their sockets end though they say more', async () => {
    const path = '/api/v1/namespaces/default/pods/x/exec?command=sh&stdout=1';
    for (const upgrade of ['websocket', 'SPDY/3.1', 'h2c']) {
      const wire = await keep(openTls(target.stranger, ['http/1.1']));
      await wire.send(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
      await wire.send(Buffer.alloc(256 * 1024));
      await wire.until(({ text }) => text.includes('Unauthorized"'));
      expect(wire.text).toMatch(/^HTTP\/1.1 401/);
      await pass(target.clock, 5_000);
      await wire.ended;
    }
    await target.holdsNothing();
  });
});
