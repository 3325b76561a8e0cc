import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { smallerPng } from './smaller-png.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, named, sum]);
}

/** Two columns in RGB; each line has its filter. */
function png(...lines: readonly (readonly number[])[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(2, 0);
  head.writeUInt32BE(lines.length, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const body = chunk('IDAT', deflateSync(Buffer.from(lines.flat())));
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), body, chunk('IEND', Buffer.alloc(0))]);
}

/** The colours of all pixels, line by line. */
function coloursOf(small: Buffer): readonly string[] {
  const body = (type: string): Buffer => {
    const at = small.indexOf(type);
    return small.subarray(at + 4, at + 4 + small.readUInt32BE(at - 4));
  };
  const palette = body('PLTE');
  const raw = inflateSync(body('IDAT'));
  return [...raw.entries()]
    .filter(([at]) => at % 3 !== 0)
    .map(([, index]) => palette.subarray(index * 3, index * 3 + 3).toString('hex'));
}

it('keeps the colours, whatever filter a line has', () => {
  const small = smallerPng(
    png(
      [0, 10, 20, 30, 200, 100, 50],
      [1, 10, 20, 30, 190, 80, 20],
      [2, 0, 0, 0, 0, 0, 0],
      [3, 5, 10, 15, 95, 40, 10],
      [4, 0, 0, 0, 0, 0, 0],
    ),
  );
  const line = ['0a141e', 'c86432'];
  expect(coloursOf(small)).toEqual([...line, ...line, ...line, ...line, ...line]);
});

it('refuses what browsers do not write', () =>
  expect(() => smallerPng(Buffer.from('GIF89a, and more'))).toThrow('no PNG'));
