import { Duplex, PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, readAll } from './bytes.ts';
import { readChunks, toDuplexStream } from './duplex.ts';

/** The two ends of a pipe. */
function pair(): [Duplex, Duplex] {
  const there = new PassThrough();
  const back = new PassThrough();
  const left = Duplex.from({ readable: back, writable: there });
  const right = Duplex.from({ readable: there, writable: back });
  for (const end of [left, right]) end.on('error', () => {});
  return [left, right];
}

describe('readChunks', () => {
  it('gives all bytes, and rejects when the stream breaks', async () => {
    const whole = new PassThrough();
    whole.write('one ');
    whole.end('two');
    expect(decodeText(await readAll(readChunks(whole), 100))).toBe('one two');
    const broken = new PassThrough();
    broken.on('error', () => {});
    const reading = readAll(readChunks(broken), 100).catch((error: unknown) => error);
    broken.write('half');
    broken.destroy(new Error('cable cut'));
    expect(await reading).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('cable cut') });
  });
});

describe('duplex streams', () => {
  it('start with the bytes that were read already', async () => {
    const [left, right] = pair();
    const stream = toDuplexStream(left, encodeText('head '));
    right.end('tail');
    expect(decodeText(await readAll(stream.readable, 100))).toBe('head tail');
  });
});
