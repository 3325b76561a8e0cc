import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, decodeText, encodeText } from '../bytes.ts';
import type { HttpRequest } from '../http.ts';
import { createManualClock } from '../manual-clock.node.ts';
import { createDuplexPair } from './duplex-pair.ts';
import { sha1 } from './sha1.ts';
import { bytes, cut, sizes } from './streams.fixtures.ts';
import { WebSocketConnection } from './websocket-connection.ts';
import {
  encodeWebSocketClose,
  encodeWebSocketFrame,
  WebSocketDecoder,
  WebSocketError,
  type WebSocketEvent,
} from './websocket-frames.ts';
import { answerHandshake } from './websocket-handshake.ts';

const KEY = new Uint8Array([1, 2, 3, 250]);

function decode(
  pieces: readonly Uint8Array[],
  options: { masked: boolean; maxMessageBytes?: number },
): WebSocketEvent[] {
  const decoder = new WebSocketDecoder(options);
  return pieces.flatMap((piece) => [...decoder.push(piece)]);
}

/** Messages and control frames, their pieces joined. */
function joined(events: readonly WebSocketEvent[]): string[] {
  const out: string[] = [];
  let message: Uint8Array[] = [];
  for (const event of events) {
    if (event.type === 'data') {
      if (event.first) message = [];
      message.push(event.payload);
      if (event.last) out.push(`data ${decodeHex(concatBytes(message))}`);
    } else if (event.type === 'close') out.push(`close ${event.code} ${event.reason}`);
    else out.push(`${event.type} ${decodeHex(event.payload)}`);
  }
  return out;
}

const decodeHex = (payload: Uint8Array): string => Buffer.from(payload).toString('hex');

it('sha1 is that of others', () => {
  fc.assert(
    fc.property(bytes(300), (message) => {
      expect(decodeHex(sha1(message))).toBe(createHash('sha1').update(message).digest('hex'));
    }),
  );
});

describe('frames', () => {
  const message = fc.record({
    kind: fc.constantFrom('text' as const, 'binary' as const, 'ping' as const, 'pong' as const),
    payload: fc.oneof(bytes(125), fc.uint8Array({ minLength: 126, maxLength: 400 })),
  });

  it('come out as they went in, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), sizes, fc.boolean(), (messages, cuts, masked) => {
        const fitting = messages.filter(
          ({ kind, payload }) => kind === 'text' || kind === 'binary' || payload.length < 126,
        );
        const wire = concatBytes([
          ...fitting.map(({ kind, payload }) => encodeWebSocketFrame(kind, payload, masked ? KEY : undefined)),
          encodeWebSocketClose(1000, 'bye', masked ? KEY : undefined),
        ]);
        expect(joined(decode(cut(wire, cuts), { masked }))).toEqual([
          ...fitting.map(
            ({ kind, payload }) => `${kind === 'text' || kind === 'binary' ? 'data' : kind} ${decodeHex(payload)}`,
          ),
          'close 1000 bye',
        ]);
      }),
    );
  });

  it('may be large, and are never held', () => {
    const payload = new Uint8Array(70_000).fill(7);
    const events = decode(cut(encodeWebSocketFrame('binary', payload, KEY), [10_000]), { masked: true });
    expect(events.length).toBeGreaterThan(5);
    expect(joined(events)).toEqual([`data ${decodeHex(payload)}`]);
  });

  it('join fragments, with a ping between them', () => {
    const first = encodeWebSocketFrame('binary', encodeText('ab'));
    first[0] = 0x02;
    const rest = encodeWebSocketFrame('binary', encodeText('cd'));
    rest[0] = 0x80;
    const wire = concatBytes([first, encodeWebSocketFrame('ping', encodeText('?')), rest]);
    expect(joined(decode([wire], { masked: false }))).toEqual(['ping 3f', `data ${decodeHex(encodeText('abcd'))}`]);
  });

  it.each<[string, number[], number]>([
    ['a reserved bit', [0xc2, 0x80, 0, 0, 0, 0], 1002],
    ['no mask', [0x82, 0x01, 65], 1002],
    ['an unknown opcode', [0x83, 0x80, 0, 0, 0, 0], 1002],
    ['an unknown control opcode', [0x8b, 0x80, 0, 0, 0, 0], 1002],
    ['a ping in fragments', [0x09, 0x80, 0, 0, 0, 0], 1002],
    ['a long ping', [0x89, 0xfe, 0, 200, 0, 0, 0, 0], 1002],
    ['a continuation of nothing', [0x80, 0x80, 0, 0, 0, 0], 1002],
    ['half a close code', [0x88, 0x81, 0, 0, 0, 0, 3], 1002],
    ['2^63 bytes', [0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1009],
    ['33 MiB', [0x82, 0xff, 0, 0, 0, 0, 2, 0x10, 0, 0, 0, 0, 0, 0], 1009],
  ])('refuse %s', (_, wire, code) => {
    expect(() => decode([new Uint8Array(wire)], { masked: true })).toThrow(expect.objectContaining({ code }));
  });

  it('count the fragments of a message together', () => {
    const fragment = encodeWebSocketFrame('binary', new Uint8Array(60));
    fragment[0] = 0x02;
    const next = encodeWebSocketFrame('binary', new Uint8Array(60));
    next[0] = 0;
    expect(() => decode([fragment, next], { masked: false, maxMessageBytes: 100 })).toThrow(WebSocketError);
  });

  it('of garbage end in events or a WebSocketError', () => {
    fc.assert(
      fc.property(bytes(200), sizes, fc.boolean(), (garbage, cuts, masked) => {
        try {
          decode(cut(garbage, cuts), { masked });
        } catch (error) {
          expect(error).toBeInstanceOf(WebSocketError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('handshake', () => {
  const request = (headers: Record<string, string>, method = 'GET'): HttpRequest => ({
    method,
    url: '/',
    headers: { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', ...headers },
  });

  it('accepts as RFC 6455 shows it, with the client’s first known subprotocol', () => {
    const answer = answerHandshake(request({ 'sec-websocket-protocol': 'x, v5.channel.k8s.io,v4.channel.k8s.io' }), [
      'v4.channel.k8s.io',
      'v5.channel.k8s.io',
    ]);
    expect(answer).toEqual({
      ok: true,
      protocol: 'v5.channel.k8s.io',
      headers: {
        upgrade: 'websocket',
        connection: 'Upgrade',
        'sec-websocket-accept': 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
        'sec-websocket-protocol': 'v5.channel.k8s.io',
      },
    });
  });

  it('takes a client that names none, where that is allowed', () => {
    expect(answerHandshake(request({}), ['a', ''])).toMatchObject({ ok: true, protocol: '' });
    expect(answerHandshake(request({}), ['a'])).toMatchObject({ ok: false, status: 403 });
  });

  it.each<[Record<string, string>, string, number]>([
    [{}, 'POST', 405],
    [{ 'sec-websocket-version': '8' }, 'GET', 426],
    [{ 'sec-websocket-key': 'short' }, 'GET', 400],
    [{ 'sec-websocket-protocol': 'chat' }, 'GET', 403],
  ])('refuses %j %s', (headers, method, status) => {
    expect(answerHandshake(request(headers, method), ['a', ''])).toMatchObject({ ok: false, status });
  });
});

describe('WebSocketConnection', () => {
  it('answers pings and the close, and a broken protocol with its code', async () => {
    for (const [sent, expected] of [
      [
        [encodeWebSocketFrame('ping', encodeText('?'), KEY), encodeWebSocketClose(1000, '', KEY)],
        ['pong 3f', 'close 1000 '],
      ],
      [[encodeWebSocketFrame('binary', encodeText('x'))], ['close 1002 a frame that is not masked']],
    ] as const) {
      const [client, server] = createDuplexPair();
      const connection = new WebSocketConnection(server, createManualClock());
      const serving = (async () => {
        for await (const { payload } of connection.messages()) throw new Error(`nobody said ${decodeText(payload)}`);
      })();
      const writing = (async () => {
        for (const frame of sent) await client.write(frame);
      })();
      const decoder = new WebSocketDecoder({ masked: false });
      const events: WebSocketEvent[] = [];
      for await (const chunk of client.readable) events.push(...decoder.push(chunk));
      expect(joined(events)).toEqual(expected);
      await writing;
      await serving;
    }
  });

  it('sends a pong by itself while its client is held up', async () => {
    const clock = createManualClock();
    const [client, server] = createDuplexPair();
    const connection = new WebSocketConnection(server, clock);
    const stuck = Promise.withResolvers<void>();
    const serving = (async () => {
      for await (const _ of connection.messages()) await stuck.promise;
    })();
    const chunks = client.readable[Symbol.asyncIterator]();
    await client.write(encodeWebSocketFrame('ping', encodeText('1'), KEY));
    expect(joined(decode([(await chunks.next()).value as Uint8Array], { masked: false }))).toEqual(['pong 31']);
    await client.write(encodeWebSocketFrame('binary', encodeText('input'), KEY));
    await clock.advance(5000);
    await clock.advance(5000);
    expect(joined(decode([(await chunks.next()).value as Uint8Array], { masked: false }))).toEqual(['pong ']);
    stuck.resolve();
    client.destroy();
    await serving;
    expect(clock.pendingTimers).toBe(0);
  });
});
