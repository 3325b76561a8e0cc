/** Tests floods of frames that cost their sender little, and frames with every known fault. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pass, startUnderAttack, type UnderAttack } from './edge/edge-under-attack.ts';
import { openTls, type Target, type Wire } from './edge/hostile-client.ts';
import {
  block,
  data,
  END_HEADERS,
  END_STREAM,
  ENHANCE_YOUR_CALM,
  frame,
  frameOfLength,
  framesIn,
  goAwayCode,
  openRequest,
  PADDED,
  ping,
  PREFACE,
  priority,
  request,
  reset,
  settings,
  settingsAck,
  TYPES,
  windowUpdate,
  word,
} from './edge/http2-frames.ts';
import { inShort } from './extent.ts';

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

async function open(to: Target): Promise<Wire> {
  const wire = await openTls(to, ['h2']);
  wires.push(wire);
  await wire.send(Buffer.concat([PREFACE, settings()]));
  return wire;
}

function times(count: number, make: (i: number) => Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => make(i)));
}

/** Waits for the end of the connection, at the latest at the server's next checks of it. */
function over(wire: Wire): Promise<void> {
  return expect
    .poll(async () => {
      await target.clock.advance(1000);
      return wire.isOver;
    })
    .toBe(true);
}

const WATCH = '/api/v1/secrets?watch=1';
const empty = Buffer.alloc(0);

/** Floods by name, with their frames. */
const floods: Readonly<Record<string, (i: number) => Buffer>> = {
  'quick resets': (i) => Buffer.concat([request(2 * i + 1, 'GET', '/version'), reset(2 * i + 1)]),
  'quick resets with no error': (i) => Buffer.concat([request(2 * i + 1, 'GET', '/version'), reset(2 * i + 1, 0)]),
  'streams that break a rule': (i) => Buffer.concat([openRequest(2 * i + 1, WATCH), windowUpdate(2 * i + 1, 0)]),
  pings: () => ping,
  settings: () => settings([[4, 65_535]]),
  'empty data': (i) => (i === 0 ? openRequest(1, '/version') : data(1, empty)),
  'header blocks without end': (i) =>
    i === 0 ? frame(TYPES.headers, 0, 1, block('GET', '/')) : frame(TYPES.continuation, 0, 1, empty),
};
/** Floods of frames that Node does not report, so that only their bytes show them. */
const silentFloods: Readonly<Record<string, () => Buffer>> = {
  priorities: () => priority(1),
  'window updates': () => windowUpdate(0, 1),
  'unknown frames': () => frame(0x4b, 0, 0, Buffer.alloc(16)),
};

describe('a flood', () => {
  const who = ['stranger', 'admin'] as const;
  const all = Object.entries(floods).flatMap(([name, make]) => who.map((by) => [name, by, make] as const));
  const cases = inShort(
    // Four thousand whole requests take long.
    all.filter(([name, by]) => by === 'stranger' || name !== 'quick resets with no error'),
    all,
  );
  it.each(cases)('of %s by a %s ends its connection, and nobody else’s', async (_, by, make) => {
    const witness = await open(target.admin);
    await witness.send(request(1, 'GET', WATCH));
    const wire = await open(target[by]);
    const count = by === 'stranger' ? 2500 : 12_000;
    const bytes = times(count, make);
    for (let at = 0; at < bytes.length && !wire.isOver; at += 64 * 1024) {
      await wire.send(bytes.subarray(at, at + 64 * 1024));
    }
    await over(wire);
    expect([undefined, ENHANCE_YOUR_CALM, 1, 2]).toContain(goAwayCode(wire.received));
    await target.stillServes();
    expect(witness.isOver).toBe(false);
  });

  const silentCases = Object.entries(silentFloods).flatMap(([name, make]) =>
    who.map((by) => [name, by, make] as const),
  );
  it.each(silentCases)('of %s by a %s ends its connection at the next look', async (_, by, make) => {
    const ends = (): number => target.ended('flood-wasted') + target.ended('protocol');
    const before = ends();
    const wire = await open(target[by]);
    const bytes = times(by === 'stranger' ? 40_000 : 300_000, make);
    await wire.send(bytes.subarray(0, by === 'stranger' ? 400 * 1024 : 3 * 1024 * 1024));
    await over(wire);
    expect(ends()).toBe(before + 1);
    expect([undefined, ENHANCE_YOUR_CALM]).toContain(goAwayCode(wire.received));
    await target.stillServes();
  });

  it('of a stranger’s requests ends with a calm word', async () => {
    const before = target.ended('flood-request');
    const wire = await open(target.stranger);
    for (let i = 0; i < 300 && !wire.isOver; i += 1) await wire.send(request(2 * i + 1, 'GET', '/livez'));
    await over(wire);
    expect(target.ended('flood-request')).toBe(before + 1);
    expect([undefined, ENHANCE_YOUR_CALM]).toContain(goAwayCode(wire.received));
  });
});

describe('an honest client', () => {
  it('may give up all its watches at once, and begin again, as informers that restart do', async () => {
    const wire = await open(target.admin);
    await expect
      .poll(() => framesIn(wire.received).filter(({ type }) => type === TYPES.settings).length)
      .toBeGreaterThan(1);
    // The bound for strangers, and the higher one for users.
    await wire.send(Buffer.concat([settingsAck, settingsAck]));
    let id = 1;
    for (let round = 0; round < inShort(2, 3); round += 1) {
      const ids: number[] = [];
      for (let i = 0; i < inShort(1200, 1900); i += 1, id += 2) ids.push(id);
      await wire.send(Buffer.concat(ids.map((each) => request(each, 'GET', WATCH))));
      await expect.poll(() => target.edge.usage.underWay).toBeGreaterThan(ids.length - 1);
      await wire.send(Buffer.concat(ids.map((each) => reset(each))));
      await expect.poll(() => target.edge.usage.underWay).toBe(0);
    }
    expect(wire.isOver).toBe(false);
    await wire.send(request(id, 'GET', '/version'));
    await expect.poll(() => framesIn(wire.received).some(({ stream }) => stream === id) || wire.isOver).toBe(true);
    expect(wire.isOver).toBe(false);
  });

  it('may ping each second for hours, and give up now and then', async () => {
    const wire = await open(target.admin);
    await wire.send(request(1, 'GET', WATCH));
    await expect.poll(() => target.edge.usage.underWay).toBe(1);
    let answered = 0;
    for (let i = 1; i < inShort(60, 600); i += 1) {
      await wire.send(Buffer.concat([ping, request(2 * i + 1, 'GET', WATCH), reset(2 * i + 1)]));
      await pass(target.clock, 1000);
      // The client also answers the server's pings.
      const asked = framesIn(wire.received).filter(({ type, flags }) => type === TYPES.ping && flags === 0);
      for (const { payload } of asked.slice(answered)) await wire.send(frame(TYPES.ping, 1, 0, payload));
      answered = asked.length;
    }
    expect(wire.isOver).toBe(false);
  });
});

/** Faulty bytes by name, sent after the preface and the first SETTINGS. */
const wrong: Readonly<Record<string, Buffer>> = {
  'data on no stream': data(0, Buffer.from('x')),
  'data on an idle stream': data(1, Buffer.from('x')),
  'headers on stream 0': frame(TYPES.headers, END_HEADERS | END_STREAM, 0, block('GET', '/')),
  'headers on an even stream': request(2, 'GET', '/'),
  'a stream number that falls': Buffer.concat([request(5, 'GET', '/version'), request(3, 'GET', '/version')]),
  'the same stream twice': Buffer.concat([request(1, 'GET', '/version'), request(1, 'GET', '/version')]),
  'an empty header block': frame(TYPES.headers, END_HEADERS | END_STREAM, 1),
  'headers padded beyond their end': frame(TYPES.headers, END_HEADERS | PADDED, 1, Buffer.from([255, 0x82])),
  'data padded beyond its end': Buffer.concat([openRequest(1, '/'), frame(TYPES.data, PADDED, 1, Buffer.from([9, 1]))]),
  'priority of 4 bytes': frame(TYPES.priority, 0, 1, word(0)),
  'a stream that depends on itself': priority(1, 1),
  'a reset of 3 bytes': frame(TYPES.rstStream, 0, 1, Buffer.alloc(3)),
  'a reset of an idle stream': reset(7),
  'settings of 5 bytes': frame(TYPES.settings, 0, 0, Buffer.alloc(5)),
  'settings on a stream': frame(TYPES.settings, 0, 1, Buffer.alloc(6)),
  'settings that answer and ask': frame(TYPES.settings, 1, 0, Buffer.alloc(6)),
  'settings without end': settings(Array.from({ length: 2700 }, (_, i) => [i % 60_000, 1] as const)),
  'a window of 4 GiB': settings([[4, 0xffff_ffff]]),
  'frames of 1 byte': settings([[5, 1]]),
  'push from a client': frame(TYPES.pushPromise, END_HEADERS, 1, Buffer.concat([word(2), block('GET', '/')])),
  'a ping of 7 bytes': frame(TYPES.ping, 0, 0, Buffer.alloc(7)),
  'a ping on a stream': frame(TYPES.ping, 0, 3, Buffer.alloc(8)),
  'a goaway on a stream': frame(TYPES.goAway, 0, 3, Buffer.alloc(8)),
  'a goaway of 1 byte': frame(TYPES.goAway, 0, 0, Buffer.alloc(1)),
  'a window update of nothing': windowUpdate(0, 0),
  'a window beyond its end': Buffer.concat([windowUpdate(0, 0x7fff_ffff), windowUpdate(0, 0x7fff_ffff)]),
  'a continuation of nothing': frame(TYPES.continuation, END_HEADERS, 1, block('GET', '/')),
  'another frame within a header block': Buffer.concat([frame(TYPES.headers, 0, 1, block('GET', '/')), ping]),
  'a frame of 16 MiB': frameOfLength(0xff_ffff, TYPES.data, 0, 1, Buffer.alloc(1024)),
  'a frame cut off': frameOfLength(100, TYPES.headers, END_HEADERS, 1, Buffer.alloc(10)),
  'an index beyond the table': frame(TYPES.headers, END_HEADERS | END_STREAM, 1, Buffer.from([0xff, 0xff, 0xff, 0x7f])),
  'an index of zero': frame(TYPES.headers, END_HEADERS | END_STREAM, 1, Buffer.from([0x80])),
  'a table of 4 GiB': frame(
    TYPES.headers,
    END_HEADERS | END_STREAM,
    1,
    Buffer.from([0x3f, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  ),
  'a text longer than its block': frame(
    TYPES.headers,
    END_HEADERS | END_STREAM,
    1,
    Buffer.from([0x40, 0x7f, 0xff, 0x7f, 0x61]),
  ),
  'bad Huffman': frame(
    TYPES.headers,
    END_HEADERS | END_STREAM,
    1,
    Buffer.from([0x40, 0x84, 0xff, 0xff, 0xff, 0xff, 0x01, 0x61]),
  ),
  // A large header is put into the table once, and then referenced by one byte each time.
  'a header bomb': frame(
    TYPES.headers,
    END_HEADERS | END_STREAM,
    1,
    Buffer.concat([
      block('GET', '/version'),
      Buffer.from([0x40, 1, 0x78, 0x7f, 0x81, 0x1e]),
      Buffer.alloc(4000, 0x61),
      Buffer.alloc(8000, 0xbe),
    ]),
  ),
  'no path': frame(TYPES.headers, END_HEADERS | END_STREAM, 1, Buffer.from([0x82, 0x87])),
  'a path twice': request(1, 'GET', '/version', { ':path': '/a' }),
  'an unknown pseudo header': request(1, 'GET', '/version', { ':evil': 'x' }),
  'capitals in a name': request(1, 'GET', '/version', { 'X-Big': 'x' }),
  'a line break in a value': request(1, 'GET', '/version', { 'x-a': 'a\r\nx-b: c' }),
  'a NUL in a value': request(1, 'GET', '/version', { 'x-a': 'a\0b' }),
  'headers of a connection': request(1, 'GET', '/version', { connection: 'close', 'transfer-encoding': 'chunked' }),
  'an unknown method': request(1, 'BREW', '/version'),
  'connect with a path': request(1, 'CONNECT', '/version'),
  'two lengths': request(1, 'GET', '/version', { 'content-length': '5' }),
  'less than was announced': Buffer.concat([
    openRequest(1, '/', { 'content-length': '9' }),
    data(1, Buffer.from('abc'), END_STREAM),
  ]),
  'more than was announced': Buffer.concat([
    openRequest(1, '/', { 'content-length': '1' }),
    data(1, Buffer.from('abc'), END_STREAM),
  ]),
  'a length that is no number': openRequest(1, '/api/v1/namespaces', { 'content-length': '-5' }),
  'a length beyond all numbers': openRequest(1, '/api/v1/namespaces', { 'content-length': '9'.repeat(40) }),
  'data after its end': Buffer.concat([request(1, 'GET', '/version'), data(1, Buffer.from('x'))]),
  'HTTP/1.1 in its middle': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
  zeros: Buffer.alloc(4096),
};

describe('wrong frames', () => {
  const who = ['stranger', 'admin'] as const;
  it.each(who)('by a %s neither end the server nor leave anything behind', async (by) => {
    for (const [name, bytes] of Object.entries(wrong)) {
      const wire = await open(target[by]);
      // The bytes are sent whole; short ones also byte by byte.
      await wire.send(bytes);
      wire.socket.end();
      const second = await open(target[by]);
      if (bytes.length < inShort(40, 400)) for (const byte of bytes) await second.send(Buffer.from([byte]));
      await second.send(ping);
      second.close();
      await expect.poll(() => target.edge.usage.underWay, { message: name }).toBe(0);
      wire.close();
    }
    await target.holdsNothing();
    await target.stillServes();
  });

  it('instead of the preface end the connection', async () => {
    for (const bytes of [
      Buffer.from('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'),
      Buffer.alloc(24),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ]) {
      const wire = await openTls(target.stranger, ['h2']);
      wires.push(wire);
      await wire.send(Buffer.concat([bytes, Buffer.alloc(64)]));
      await wire.ended;
    }
    await target.stillServes();
  });
});
