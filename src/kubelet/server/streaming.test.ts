import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  createDuplexPair,
  decodeText,
  type DuplexStream,
  encodeSpdyData,
  encodeSpdyReply,
  encodeText,
  encodeWebSocketFrame,
  WebSocketDecoder,
  SpdyDecoder,
} from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { ChannelReader, encodeChannel, EXEC_PROTOCOLS } from './streaming-channels.ts';
import { translateExec } from './streaming-exec.ts';
import { statusForClient } from './streaming-status.ts';

const V5 = EXEC_PROTOCOLS['v5.channel.k8s.io']!;
const V1 = EXEC_PROTOCOLS['channel.k8s.io']!;
const MASK = new Uint8Array([9, 8, 7, 6]);

describe('status for a client', () => {
  const failure = '{"status":"Failure","message":"exit 3","reason":"NonZeroExitCode"}';
  it.each([
    ['v5', V5, failure, true, failure],
    ['v5, nothing written', V5, '', true, '{"metadata":{},"status":"Success"}'],
    ['v5, broken', V5, '', false, /"reason":"InternalError"/],
    ['v5, broken after it', V5, failure, false, failure],
    ['v1', V1, failure, true, 'exit 3'],
    ['v1, a success', V1, '{"status":"Success"}', true, undefined],
    ['v1, nothing written', V1, '', true, undefined],
    ['v1, broken', V1, '', false, /connection to the container runtime broke/],
    ['v1, a text', V1, 'no such thing', true, 'no such thing'],
  ])('%s', (_, protocol, written, isComplete, expected) => {
    const status = statusForClient(protocol, encodeText(written), isComplete);
    if (expected instanceof RegExp) expect(decodeText(status ?? new Uint8Array(0))).toMatch(expected);
    else expect(status && decodeText(status)).toBe(expected);
  });
});

describe('channels', () => {
  it.each(Object.entries(EXEC_PROTOCOLS))('%s: come out as they went in, in any pieces', (_, protocol) => {
    const channel = fc.integer({ min: 0, max: 9 });
    const size = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(channel, fc.uint8Array({ maxLength: 60 }), size, (number, payload, step) => {
        const reader = new ChannelReader(protocol);
        const decoder = new WebSocketDecoder({ masked: false });
        const wire = encodeChannel(protocol, number, payload);
        const out: Uint8Array[] = [];
        for (let at = 0; at < wire.length; at += step) {
          for (const event of decoder.push(wire.subarray(at, at + step))) {
            const input = event.type === 'data' ? reader.push(event) : undefined;
            if (input === undefined) continue;
            expect(input).toMatchObject({ type: 'data', channel: number });
            if (input.type === 'data') out.push(input.payload);
          }
        }
        expect(concatBytes(out)).toEqual(payload);
      }),
    );
  });

  it.each([
    [[255, 0], { type: 'close', channel: 0 }],
    [[255], { type: 'malformed' }],
    [[255, 0, 0], { type: 'malformed' }],
    [[], undefined],
  ])('a close signal of %j', (bytes, expected) => {
    const piece = { type: 'data', payload: new Uint8Array(bytes), first: true, last: true } as const;
    expect(new ChannelReader(V5).push(piece)).toEqual(expected);
  });
});

describe('translateExec', () => {
  /** The runtime's end: answers all streams, and tells what it gets. */
  async function serve(runtime: DuplexStream, expectedStreams: number, then: () => Promise<void>): Promise<string[]> {
    const decoder = new SpdyDecoder();
    const got: string[] = [];
    let streams = 0;
    try {
      for await (const chunk of runtime.readable) {
        for (const event of decoder.push(chunk)) {
          if (event.type === 'data') got.push(`${event.streamId} ${decodeText(event.payload)}${event.fin ? '.' : ''}`);
          if (event.type !== 'syn-stream') continue;
          await runtime.write(encodeSpdyReply(event.streamId));
          streams += 1;
          if (streams === expectedStreams) void then();
        }
      }
    } catch {
      // Translated to its end: our side is let go.
    }
    return got;
  }

  async function session(status: string | undefined): Promise<{ said: string[]; got: string[] }> {
    const [client, clientEnd] = createDuplexPair();
    const [runtime, runtimeEnd] = createDuplexPair();
    const streams = { stdin: true, stdout: true, stderr: true, tty: false };
    const done = translateExec({
      clock: createManualClock(),
      protocol: V5,
      streams,
      client: clientEnd,
      runtime: runtimeEnd,
    });
    const got = serve(runtime, 4, async () => {
      await client.write(encodeWebSocketFrame('binary', encodeText('\0in'), MASK));
      await client.write(encodeWebSocketFrame('binary', new Uint8Array([255, 0]), MASK));
      await runtime.write(encodeSpdyData(5, encodeText('out'), true));
      if (status === undefined) {
        runtime.destroy();
        return;
      }
      await runtime.write(encodeSpdyData(7, encodeText('err'), true));
      await runtime.write(encodeSpdyData(1, encodeText(status), true));
    });
    const decoder = new WebSocketDecoder({ masked: false });
    const said: string[] = [];
    for await (const chunk of client.readable) {
      for (const event of decoder.push(chunk)) {
        if (event.type === 'data') said.push(`${event.payload[0]} ${decodeText(event.payload.subarray(1))}`);
        else if (event.type === 'close') said.push(`close ${event.code}`);
      }
    }
    client.destroy();
    await done;
    return { said, got: await got };
  }

  it('carries input with its end, outputs, status and close', async () => {
    const { said, got } = await session('{"status":"Success"}');
    expect(said).toEqual(['1 ', '1 out', '2 err', '3 {"status":"Success"}', 'close 1000']);
    expect(got).toEqual(['3 in', '3 .']);
  });

  it('tells when the runtime breaks off', async () => {
    const { said } = await session(undefined);
    expect(said.at(-2)).toMatch(/^3 .*"reason":"InternalError"/);
    expect(said.at(-1)).toBe('close 1000');
  });
});
