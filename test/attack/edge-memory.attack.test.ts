/** Tests the memory that strangers and users can make the server hold: bodies that are endless, slow or forbidden. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TOTAL_BODY_BYTES } from '../../src/apiserver/edge/limits.ts';
import { guardConnection } from '../../src/kubelet/server/guarded-connection.ts';
import { type Connection, encodeText, type UserInfo } from '../../src/lib/index.ts';
import { memoryHeld, pass, startUnderAttack, type UnderAttack } from './edge/edge-under-attack.ts';
import { openTls, type Target, type Wire } from './edge/hostile-client.ts';
import {
  block,
  data,
  END_HEADERS,
  frame,
  framesIn,
  openRequest,
  PREFACE,
  settings,
  TYPES,
} from './edge/http2-frames.ts';
import { inShort } from './extent.ts';

const MIB = 1024 * 1024;
const PATH = '/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };

let target: UnderAttack;
const wires: Wire[] = [];
beforeAll(async () => {
  target = await startUnderAttack();
});
afterAll(() => target.close());
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.close();
  await target.holdsNothing();
});

async function openHttp2(to: Target): Promise<Wire> {
  const wire = await openTls(to, ['h2']);
  wires.push(wire);
  await wire.send(Buffer.concat([PREFACE, settings()]));
  return wire;
}

async function openHttp1(to: Target): Promise<Wire> {
  const wire = await openTls(to, ['http/1.1']);
  wires.push(wire);
  return wire;
}

/** The number of streams that the server has reset. */
function reset(wire: Wire): number {
  return framesIn(wire.received).filter(({ type }) => type === TYPES.rstStream).length;
}

describe('unfinished bodies of HTTP/2 strangers', () => {
  const kinds: readonly (readonly [string, Record<string, string>])[] = [
    ['that say their length', { 'content-length': String(2.9 * MIB) }],
    ['that say no length', {}],
    ['with a token that nobody has', { authorization: 'Bearer nobody' }],
  ];
  it.each(kinds)('%s are refused before a byte of them is kept', async (_, headers) => {
    const before = memoryHeld();
    const piece = Buffer.alloc(16 * 1024);
    const connections = inShort(2, 20);
    const streams = 50;
    for (let n = 0; n < connections; n += 1) {
      const wire = await openHttp2(target.stranger);
      // The client sends all that it may without a window update: the window of each stream.
      for (let i = 0; i < streams && !wire.isOver; i += 1) {
        const id = 2 * i + 1;
        await wire.send(Buffer.concat([openRequest(id, PATH, { ...JSON_TYPE, ...headers }), data(id, piece)]));
      }
      await expect.poll(() => reset(wire) >= streams || wire.isOver).toBe(true);
    }
    expect(target.edge.usage).toMatchObject({ bodyBytes: 0, underWay: 0 });
    // The short form announces some 290 MiB.
    expect(memoryHeld() - before).toBeLessThan(48 * MIB);
    await target.stillServes();
  });

  it('are no more than the streams that a stranger may have', async () => {
    const wire = await openHttp2(target.stranger);
    const opened: Buffer[] = [];
    // The last request stays open for a missing continuation; the others are answered at once.
    for (let i = 0; i < 99; i += 1) opened.push(openRequest(2 * i + 1, PATH, JSON_TYPE));
    await wire.send(Buffer.concat(opened));
    await expect.poll(() => reset(wire)).toBe(99);
    await target.stillServes();
  });
});

describe('bodies of users', () => {
  it('that do not come are held by the budget, waited for in turn, and given up', async () => {
    const wire = await openHttp2(target.admin);
    const before = memoryHeld();
    const count = 40;
    const opened: Buffer[] = [];
    for (let i = 0; i < count; i += 1) {
      opened.push(openRequest(2 * i + 1, PATH, { ...JSON_TYPE, 'content-length': String(3 * MIB) }));
      opened.push(data(2 * i + 1, Buffer.alloc(1024)));
    }
    await wire.send(Buffer.concat(opened));
    await expect.poll(() => target.edge.usage.waitingBodies).toBeGreaterThan(10);
    expect(target.edge.usage.bodyBytes).toBeLessThanOrEqual(16 * MIB);
    expect(memoryHeld() - before).toBeLessThan(48 * MIB);
    await target.stillServes();
    await pass(target.clock, 11_000);
    // Requests that waited get the reason.
    await expect.poll(() => target.refused('body-budget')).toBeGreaterThan(10);
    expect(target.edge.usage.waitingBodies).toBe(0);
    await pass(target.clock, 6_000);
    // Bodies that were being read came too slowly.
    await expect.poll(() => target.refused('body-timeout')).toBeGreaterThan(0);
    await expect.poll(() => target.edge.usage.bodyBytes).toBe(0);
    await expect.poll(() => wire.text).toContain('came too slowly');
    expect(wire.text).toContain('this connection may have');
    expect(wire.isOver).toBe(false);
    await target.stillServes();
  });

  it('of one byte to a frame hold no more than they say', async () => {
    const wire = await openHttp2(target.admin);
    await wire.send(openRequest(1, PATH, { ...JSON_TYPE, 'content-length': String(3 * MIB) }));
    await expect.poll(() => target.edge.usage.bodyBytes).toBe(3 * MIB);
    const before = memoryHeld();
    // Each write is a TLS record, and therefore a separate buffer on the other side.
    for (let i = 0; i < inShort(600, 20_000); i += 1) await wire.send(data(1, Buffer.from('x')));
    await expect.poll(() => wire.isOver || target.edge.usage.underWay === 1).toBe(true);
    expect(memoryHeld() - before).toBeLessThan(24 * MIB);
    await target.stillServes();
  });

  it('may come slowly, as long as they come', async () => {
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'slow' },
      data: { value: 'x'.repeat(700 * 1024) },
    });
    const wire = await openHttp1(target.admin);
    const head = ['Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    await wire.send(`POST ${PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    await expect.poll(() => target.edge.usage.bodyBytes).toBe(body.length);
    // 20 KiB a second, for over half a minute.
    for (let at = 0; at < body.length; at += 20 * 1024) {
      const seen = wire.received.length;
      await wire.send(body.slice(at, at + 20 * 1024));
      await sleep(3);
      await target.clock.advance(1000);
      if (wire.received.length > seen) break;
    }
    await wire.until(({ text }) => text.includes('\r\n\r\n'));
    expect(wire.text).toContain('HTTP/1.1 201');
  });

  it('that say no length do not wait for room that nobody needs', async () => {
    const wire = await openHttp2(target.admin);
    const body = (name: string): Buffer =>
      Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
    const sent = Array.from({ length: 50 }, (_, i) =>
      Buffer.concat([openRequest(2 * i + 1, PATH, JSON_TYPE), data(2 * i + 1, body(`brief-${i}`), 1)]),
    );
    await wire.send(Buffer.concat(sent));
    const answered = (): number => framesIn(wire.received).filter(({ type }) => type === TYPES.data).length;
    await expect.poll(answered).toBeGreaterThanOrEqual(50);
    expect(wire.text).not.toContain('TooManyRequests');
    const large = JSON.stringify({ ...JSON.parse(body('large').toString()), data: { value: 'x'.repeat(500_000) } });
    const http1 = await openHttp1(target.admin);
    await http1.send(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let at = 0; at < large.length; at += 50_000) {
      const piece = large.slice(at, at + 50_000);
      await http1.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    }
    await http1.send('0\r\n\r\n');
    await http1.until(({ text }) => text.includes('\r\n\r\n'));
    expect(http1.text).toContain('HTTP/1.1 201');
  });

  it('of all together stay below the whole, and agents find room', async () => {
    // The bound applies to the sum of announced bodies: no user gets more than a share, with any number of connections.
    const each = inShort(8, 16);
    for (let n = 0; n < each; n += 1) {
      const wire = await openHttp2(target.stranger);
      const headers = { ...JSON_TYPE, authorization: `Bearer ${target.token}` };
      await wire.send(Buffer.concat(Array.from({ length: 64 }, (_, i) => openRequest(2 * i + 1, PATH, headers))));
    }
    await expect.poll(() => target.edge.usage.underWay).toBe(0);
    expect(target.edge.usage.bodyBytes).toBeLessThan(TOTAL_BODY_BYTES);
    await target.stillServes();
  });
});

describe('bodies of HTTP/1.1', () => {
  const heads: readonly (readonly [string, string])[] = [
    ['with a length', 'Content-Length: 3000000'],
    ['in chunks', 'Transfer-Encoding: chunked'],
  ];
  it.each(heads)('of strangers %s are refused unread, and the connection ends', async (_, header) => {
    for (let n = 0; n < inShort(10, 100); n += 1) {
      const wire = await openHttp1(target.stranger);
      await wire.send(
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n${header.includes('chunked') ? '5\r\nhello\r\n' : 'x'}`,
      );
      await wire.until(({ text }) => text.includes('Unauthorized"'));
      expect(wire.text).toMatch(/^HTTP\/1.1 401/);
      expect(wire.text.toLowerCase()).toContain('connection: close');
    }
    expect(target.edge.usage.bodyBytes).toBeLessThanOrEqual(10 * 65_536);
    await pass(target.clock, 6_000);
    await Promise.all(wires.map(({ ended }) => ended));
    await target.stillServes();
  });

  it('are not asked for where they are not wanted (100-continue)', async () => {
    const head = (length: number): string =>
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
    const stranger = await openHttp1(target.stranger);
    await stranger.send(head(3 * MIB));
    await stranger.until(({ text }) => text.includes('Unauthorized"'));
    expect(stranger.text).toMatch(/^HTTP\/1.1 401/);
    expect(stranger.text).not.toContain('100 Continue');
    await stranger.ended;
    const admin = await openHttp1(target.admin);
    const large = await openHttp1(target.admin);
    await large.send(head(4 * MIB));
    await large.until(({ text }) => text.includes('limit is'));
    expect(large.text).toMatch(/^HTTP\/1.1 413/);
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'expected' } });
    await admin.send(head(body.length));
    await admin.until(({ text }) => text.includes('\r\n\r\n'));
    expect(admin.text).toMatch(/^HTTP\/1.1 100 Continue/);
    await admin.send(body);
    await admin.until(({ text }) => text.includes('201 Created'));
    expect(admin.text).toContain('HTTP/1.1 201');
  });
});

describe('heads', () => {
  it('of one connection are bounded in size and in number', async () => {
    const many = Array.from({ length: 300 }, (_, i) => `X-${i}: 1`).join('\r\n');
    const long = `X-Long: ${'x'.repeat(40 * 1024)}`;
    for (const header of [many, long]) {
      const wire = await openHttp1(target.admin);
      await wire.send(`GET /version HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      await wire.until(({ text }) => text.includes('\r\n'));
      expect(wire.text).toMatch(/^HTTP\/1.1 431/);
    }
    const names = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, '1']));
    const values = {
      'x-long': 'x'.repeat(15 * 1024),
      'x-longer': 'y'.repeat(15 * 1024),
      'x-longest': 'z'.repeat(15 * 1024),
    };
    for (const headers of [names, values]) {
      const wire = await openHttp2(target.admin);
      const all = block('GET', '/version', headers);
      const pieces = [all.subarray(0, 16_000), all.subarray(16_000, 32_000), all.subarray(32_000)].filter(
        (p) => p.length > 0,
      );
      const frames = pieces.map((piece, i) =>
        frame(
          i === 0 ? TYPES.headers : TYPES.continuation,
          i === pieces.length - 1 ? END_HEADERS | 1 : i === 0 ? 1 : 0,
          1,
          piece,
        ),
      );
      await wire.send(Buffer.concat(frames));
      const over = new Set<number>([TYPES.rstStream, TYPES.goAway, TYPES.data]);
      await wire.until(({ received }) => framesIn(received).some(({ type }) => over.has(type)));
      const answer = framesIn(wire.received).find(({ type }) => type === TYPES.data);
      if (answer !== undefined)
        expect(answer.payload.toString()).toMatch(/more than (128 headers|32768 bytes of headers)/);
    }
    await target.stillServes();
  });
});

describe("the kubelet's port", () => {
  it('reads no body of strangers and of users who may not, and reads those of users who may', async () => {
    const read: number[] = [];
    const answered: Connection = {
      request: async ({ body }) => {
        read.push(body?.length ?? 0);
        return { status: 200, headers: {}, body: encodeText('run') };
      },
      upgrade: () => Promise.reject(new Error('nobody upgrades here')),
    };
    const access = {
      authorize: async ({ name }: UserInfo) => (name === 'jane' ? ('denied' as const) : ('allowed' as const)),
    };
    const kubelet = await startUnderAttack({ connection: guardConnection(answered, access) });
    const cases = [
      [kubelet.stranger, '', 401],
      [kubelet.stranger, `Authorization: Bearer ${kubelet.token}\r\n`, 403],
    ] as const;
    for (const [to, header, code] of cases) {
      const wire = await openHttp1(to);
      await wire.send(`POST /run/a/b/c HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 3000000\r\n\r\nx`);
      await wire.until(({ text }) => text.includes('\r\n\r\n'));
      expect(wire.text.split(' ')[1]).toBe(String(code));
    }
    expect(read).toEqual([]);
    const wire = await openHttp1(kubelet.admin);
    await wire.send('POST /run/a/b/c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\ncmd');
    await wire.until(({ text }) => text.includes('run'));
    expect(read).toEqual([3]);
    for (const each of wires) each.close();
    await kubelet.holdsNothing();
    await kubelet.close();
  });
});
