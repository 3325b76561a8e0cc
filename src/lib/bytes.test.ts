import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, encodeText, readAll, splitLines } from './bytes.ts';

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (let i = 0; start < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] as number;
    yield bytes.slice(start, start + size);
    start += size;
  }
}

async function lines(stream: AsyncIterable<Uint8Array>, max = 1000): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of splitLines(stream, max)) all.push(...batch);
  return all;
}

describe('splitLines', () => {
  it('finds the same lines however the stream is cut, also inside a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', 'ü€𝄞'))),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
        async (wanted, sizes) => {
          const bytes = encodeText(wanted.map((line) => `${line}\n`).join(''));
          expect(await lines(inChunks(bytes, sizes), 10_000)).toEqual(wanted);
        },
      ),
    );
  });

  it('counts an open last line, and bounds a line', async () => {
    expect(await lines(inChunks(encodeText('a\nb'), [1]))).toEqual(['a', 'b']);
    await expect(lines(inChunks(encodeText('aaaaaaaa'), [3]), 5)).rejects.toThrow('more than 5 bytes');
    await expect(lines(inChunks(encodeText('aaaaaaaa\n'), [100]), 5)).rejects.toThrow('more than 5 bytes');
  });
});

describe('readAll', () => {
  it('joins chunks and bounds the whole', async () => {
    const bytes = encodeText('hello world');
    expect(await readAll(inChunks(bytes, [3]), 11)).toEqual(bytes);
    await expect(readAll(inChunks(bytes, [3]), 10)).rejects.toThrow('more than 10 bytes');
    await expect(readAll(bytes, 10)).rejects.toThrow('more than 10 bytes');
    expect(concatBytes([])).toEqual(new Uint8Array());
  });
});
