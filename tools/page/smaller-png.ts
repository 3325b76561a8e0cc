/** Makes pictures of pages small: at most 256 colours, which is all that text and flat areas need, and the best compression. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB for each pixel, row by row. */
  readonly pixels: Uint32Array;
}

/** @param png as browsers write it: 8 bits a channel, RGB or RGBA, not interlaced. @throws for any other form */
export function smallerPng(png: Buffer): Buffer {
  const picture = decode(png);
  const { palette, indexes } = quantized(picture.pixels);
  return encode(picture, palette, indexes);
}

function decode(png: Buffer): Picture {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('this is no PNG');
  const data: Buffer[] = [];
  let [width, height, channels] = [0, 0, 0];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      channels = body[9] === 6 ? 4 : body[9] === 2 ? 3 : 0;
      if (body[8] !== 8 || channels === 0 || body[12] !== 0)
        throw new Error('this PNG has another form than browsers write');
    } else if (type === 'IDAT') data.push(body);
    at += 12 + length;
  }
  return { width, height, pixels: pixelsOf(inflateSync(Buffer.concat(data)), width, height, channels) };
}

/** Undoes the filters of the lines (PNG, section 9). */
function pixelsOf(raw: Buffer, width: number, height: number, channels: number): Uint32Array {
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let above = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const filter = raw[start] ?? 0;
    const line = new Uint8Array(raw.subarray(start + 1, start + 1 + stride));
    for (let x = 0; x < stride; x += 1) {
      const left = x < channels ? 0 : (line[x - channels] ?? 0);
      const up = above[x] ?? 0;
      const corner = x < channels ? 0 : (above[x - channels] ?? 0);
      line[x] = (line[x] ?? 0) + predicted(filter, left, up, corner);
    }
    for (let x = 0; x < width; x += 1) {
      const at = x * channels;
      pixels[y * width + x] = ((line[at] ?? 0) << 16) | ((line[at + 1] ?? 0) << 8) | (line[at + 2] ?? 0);
    }
    above = line;
  }
  return pixels;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Distances between colours that count as another colour: first the different ones, however rare, then shades of common ones. */
const APART = [48, 24, 12, 6, 0];

/** Each colour becomes the nearest of the palette. */
function quantized(pixels: Uint32Array): { readonly palette: readonly number[]; readonly indexes: Uint8Array } {
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts].toSorted((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const palette: number[] = [];
  for (const apart of APART) {
    for (const colour of colours) {
      if (palette.length === MAX_COLOURS) break;
      if (palette.length === 0 || nearest(colour, palette).distance > apart ** 2) palette.push(colour);
    }
  }
  const index = new Map(colours.map((colour) => [colour, nearest(colour, palette).at]));
  return { palette, indexes: Uint8Array.from(pixels, (pixel) => index.get(pixel) ?? 0) };
}

function nearest(colour: number, palette: readonly number[]): { readonly at: number; readonly distance: number } {
  let [best, least] = [0, Infinity];
  for (const [at, each] of palette.entries()) {
    const [r, g, b] = [16, 8, 0].map((shift) => ((colour >> shift) & 255) - ((each >> shift) & 255));
    const distance = (r ?? 0) ** 2 + (g ?? 0) ** 2 + (b ?? 0) ** 2;
    if (distance < least) [best, least] = [at, distance];
  }
  return { at: best, distance: least };
}

function encode({ width, height }: Picture, palette: readonly number[], indexes: Uint8Array): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits, a palette, no interlacing.
  head.set([8, 3, 0, 0, 0], 8);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
