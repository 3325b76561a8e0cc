import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, decodeText, encodeText } from '../bytes.ts';
import { createManualClock } from '../manual-clock.node.ts';
import { createDuplexPair } from './duplex-pair.ts';
import { holdBackPings } from './held-pings.ts';
import {
  encodeSpdyData,
  encodeSpdyPing,
  encodeSpdyReply,
  encodeSpdyReset,
  SpdyDecoder,
  SpdyError,
  type SpdyEvent,
  SpdyStreamOpener,
} from './spdy-frames.ts';
import { SpdyPingSieve } from './spdy-ping-sieve.ts';
import { SpdySession, type SpdySink, type SpdyStreamEnd } from './spdy-session.ts';
import { bytes, cut, sizes } from './streams.fixtures.ts';
import { probeStuckClient } from './stuck-client.ts';

function decode(pieces: readonly Uint8Array[]): SpdyEvent[] {
  const decoder = new SpdyDecoder();
  return pieces.flatMap((piece) => [...decoder.push(piece)]);
}

/** Data of one stream joined until FIN or another frame. */
function joined(events: readonly SpdyEvent[]): string[] {
  const out: string[] = [];
  for (const event of events) {
    if (event.type !== 'data') {
      out.push(JSON.stringify(event));
      continue;
    }
    const text = Buffer.from(event.payload).toString('hex');
    const last = out.at(-1);
    const begin = `data ${event.streamId} `;
    if (last?.startsWith(begin) && !last.endsWith('.')) out[out.length - 1] = last + text + (event.fin ? '.' : '');
    else out.push(begin + text + (event.fin ? '.' : ''));
  }
  return out;
}

describe('frames', () => {
  it('come out as they went in, wherever they are cut', () => {
    const frame = fc.oneof(
      fc.record({ id: fc.integer({ min: 1, max: 0x7fff_ffff }), payload: bytes(300) }).map(({ id, payload }) => ({
        wire: encodeSpdyData(id, payload, true),
        text: `data ${id} ${Buffer.from(payload).toString('hex')}.`,
      })),
      fc.integer({ min: 0, max: 0xffff_ffff }).map((id) => ({
        wire: encodeSpdyPing(id),
        text: JSON.stringify({ type: 'ping', id }),
      })),
      fc.integer({ min: 1, max: 0x7fff_ffff }).map((streamId) => ({
        wire: encodeSpdyReset(streamId, 5),
        text: JSON.stringify({ type: 'rst-stream', streamId, status: 5 }),
      })),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), sizes, (frames, cuts) => {
        const wire = concatBytes(frames.map((each) => each.wire));
        expect(joined(decode(cut(wire, cuts)))).toEqual(frames.map(({ text }) => text));
      }),
    );
  });

  it('split large data', () => {
    const payload = new Uint8Array(200_000).fill(3);
    const events = decode([encodeSpdyData(5, payload, true)]);
    expect(events.map((event) => event.type === 'data' && [event.payload.length, event.fin])).toEqual([
      [65_536, false],
      [65_536, false],
      [65_536, false],
      [3392, true],
    ]);
  });

  it('open streams with headers that zlib reads, one stream of it per connection', () => {
    const opener = new SpdyStreamOpener();
    const headers = { streamtype: 'data', port: '80' };
    const frames = [opener.open(1, headers), opener.open(3, { streamtype: 'error' })];
    expect(decode(frames)).toEqual([
      { type: 'syn-stream', streamId: 1, fin: false },
      { type: 'syn-stream', streamId: 3, fin: false },
    ]);
    const blocks = frames.map((each) => each.subarray(18));
    // `finishFlush` accepts a stream without its last block and checksum.
    const plain = [...inflateSync(concatBytes(blocks), { finishFlush: 2 })];
    const view = new DataView(new Uint8Array(plain).buffer);
    let at = 0;
    const text = (): string => {
      const length = view.getUint32(at);
      at += 4 + length;
      return decodeText(new Uint8Array(plain.slice(at - length, at)));
    };
    const read: string[][] = [];
    for (let block = 0; block < 2; block += 1) {
      const pairs = view.getUint32(at);
      at += 4;
      read.push(Array.from({ length: pairs }, () => `${text()}=${text()}`));
    }
    expect(read).toEqual([['streamtype=data', 'port=80'], ['streamtype=error']]);
  });

  it.each([
    ['another version', [0x80, 2, 0, 6, 0, 0, 0, 4]],
    ['a large control frame', [0x80, 3, 0, 8, 0, 0xff, 0xff, 0xff]],
    ['a ping without an id', [0x80, 3, 0, 6, 0, 0, 0, 0]],
    ['a reset without a status', [0x80, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1]],
  ])('refuse %s', (_, wire) => {
    expect(() => decode([new Uint8Array(wire)])).toThrow(SpdyError);
  });

  it('of garbage end in events or a SpdyError', () => {
    fc.assert(
      fc.property(bytes(200), sizes, (garbage, cuts) => {
        try {
          decode(cut(garbage, cuts));
        } catch (error) {
          expect(error).toBeInstanceOf(SpdyError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('SpdySession', () => {
  function collect(): { sink: SpdySink; text(): string; ended: Promise<SpdyStreamEnd> } {
    const pieces: Uint8Array[] = [];
    const { promise, resolve } = Promise.withResolvers<SpdyStreamEnd>();
    const sink: SpdySink = { data: (payload) => void pieces.push(payload), end: resolve };
    return { sink, text: () => decodeText(concatBytes(pieces)), ended: promise };
  }

  it('opens, sends, gets, and tells how each stream ended', async () => {
    const [ours, theirs] = createDuplexPair();
    const session = new SpdySession(ours);
    const running = session.run();
    const [a, b, c] = [collect(), collect(), collect()];
    const opening = Promise.all([a, b, c].map(({ sink }) => session.open({ streamtype: 'x' }, sink)));
    const peer = theirs.readable[Symbol.asyncIterator]();
    const read = async (): Promise<SpdyEvent[]> => decode([(await peer.next()).value as Uint8Array]);
    for (const streamId of [1, 3, 5]) {
      expect(await read()).toEqual([{ type: 'syn-stream', streamId, fin: false }]);
      await theirs.write(encodeSpdyReply(streamId));
    }
    expect(await opening).toEqual([1, 3, 5]);
    const sending = session.send(3, encodeText('in'), true);
    expect(joined(await read())).toEqual([`data 3 ${Buffer.from('in').toString('hex')}.`]);
    await sending;
    await theirs.write(encodeSpdyData(1, encodeText('out'), false));
    await theirs.write(encodeSpdyData(1, encodeText('put'), true));
    await theirs.write(encodeSpdyReset(3, 5));
    await theirs.write(encodeSpdyData(5, encodeText('half'), false));
    await theirs.write(encodeSpdyPing(2));
    expect(await read()).toEqual([{ type: 'ping', id: 2 }]);
    theirs.end();
    await running;
    expect(await Promise.all([a.ended, b.ended, c.ended])).toEqual(['fin', 'reset', 'lost']);
    expect([a.text(), c.text()]).toEqual(['output', 'half']);
    await expect(session.open({}, a.sink)).rejects.toThrow('no more streams');
  });

  it('rejects streams that the peer refuses, or that it never answers', async () => {
    const [ours, theirs] = createDuplexPair();
    const session = new SpdySession(ours);
    const running = session.run();
    const refused = session.open({ streamtype: 'x' }, collect().sink).catch((error: Error) => error.message);
    const silent = session.open({ streamtype: 'y' }, collect().sink).catch((error: Error) => error.message);
    const peer = theirs.readable[Symbol.asyncIterator]();
    await peer.next();
    await theirs.write(encodeSpdyReset(1, 3));
    expect(await refused).toBe('the stream was refused');
    await peer.next();
    theirs.destroy();
    expect(await silent).toContain('connection broke');
    await expect(running).rejects.toThrow('connection broke');
  });

  it('reads on only when a sink took what came', async () => {
    const [ours, theirs] = createDuplexPair();
    const session = new SpdySession(ours);
    const gate = Promise.withResolvers<void>();
    let taken = 0;
    const running = session.run();
    const opening = session.open(
      { streamtype: 'x' },
      {
        data: async () => {
          await gate.promise;
          taken += 1;
        },
        end: () => {},
      },
    );
    await theirs.readable[Symbol.asyncIterator]().next();
    await theirs.write(encodeSpdyReply(1));
    await opening;
    await theirs.write(encodeSpdyData(1, encodeText('a'), false));
    let second = false;
    const writing = theirs.write(encodeSpdyData(1, encodeText('b'), false)).then(() => {
      second = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([taken, second]).toEqual([0, false]);
    gate.resolve();
    await writing;
    theirs.end();
    await running;
    expect(taken).toBe(2);
  });
});

describe('pings', () => {
  it('are parted from all other frames, wherever they are cut', () => {
    const frame = fc.oneof(
      fc
        .record({ id: fc.integer({ min: 1, max: 99 }), payload: bytes(60) })
        .map(({ id, payload }) => encodeSpdyData(id, payload, false)),
      fc.constant(encodeSpdyPing(1)),
      fc.constant(encodeSpdyReset(1, 5)),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), sizes, (frames, cuts) => {
        const sieve = new SpdyPingSieve();
        const out = cut(concatBytes(frames), cuts).map((piece) => sieve.push(piece));
        const isPing = (each: Uint8Array): boolean => each[0] === 0x80 && each[3] === 6;
        expect(concatBytes(out.flatMap(({ passed }) => passed))).toEqual(
          concatBytes(frames.filter((each) => !isPing(each))),
        );
        expect(out.flatMap(({ pings }) => pings)).toEqual(frames.filter(isPing));
        expect(sieve.atBoundary).toBe(true);
      }),
    );
  });

  it('wait until what the server sent has been read', async () => {
    const clock = createManualClock();
    const [near, far] = createDuplexPair();
    const held = holdBackPings(near, clock);
    const reader = held.readable[Symbol.asyncIterator]();
    const seen: string[] = [];
    const server = (async () => {
      for await (const chunk of far.readable) seen.push(...joined(decode([chunk])));
    })();
    const output = far.write(encodeText('first')).then(() => far.write(encodeText('second')));
    expect(decodeText((await reader.next()).value as Uint8Array)).toBe('first');
    // The reader is busy, so "second" may still be in the kernel.
    await held.write(concatBytes([encodeSpdyPing(1), encodeSpdyData(1, encodeText('x'), false)]));
    await clock.advance(5000);
    expect(seen).toEqual([`data 1 ${Buffer.from('x').toString('hex')}`]);
    expect(decodeText((await reader.next()).value as Uint8Array)).toBe('second');
    const last = reader.next();
    await output;
    await clock.advance(2000);
    expect(seen.at(-1)).toBe('{"type":"ping","id":1}');
    far.end();
    expect((await last).done).toBe(true);
    held.end();
    await server;
    expect(clock.pendingTimers).toBe(0);
  });

  it('go to a client whose input is stuck, and its answers not to the server', async () => {
    const clock = createManualClock();
    const [near, far] = createDuplexPair();
    const stream = probeStuckClient(near, clock);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of stream.readable) seen.push(...joined(decode([chunk])));
    })();
    const write = stream.write(encodeSpdyData(1, encodeText('in'), false));
    await clock.advance(11_000);
    expect(seen).toEqual(['{"type":"ping","id":2}', '{"type":"ping","id":2}']);
    const server = far.readable[Symbol.asyncIterator]();
    expect(joined(decode([(await server.next()).value as Uint8Array]))).toEqual([
      `data 1 ${Buffer.from('in').toString('hex')}`,
    ]);
    await write;
    await stream.write(encodeSpdyPing(2));
    await clock.advance(60_000);
    await far.write(encodeSpdyData(1, encodeText('out'), true));
    const ping = stream.write(encodeSpdyPing(3));
    expect(joined(decode([(await server.next()).value as Uint8Array]))).toEqual(['{"type":"ping","id":3}']);
    await ping;
    far.end();
    await reading;
    expect(seen.slice(2)).toEqual([`data 1 ${Buffer.from('out').toString('hex')}.`]);
    expect(clock.pendingTimers).toBe(0);
  });
});
