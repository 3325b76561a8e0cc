/**
 * Reads the checksum chain of an SQLite write-ahead log as its file format describes it: each frame's checksum continues the
 * one before. SQLite itself ends at the first frame that does not fit and says nothing; this shows how far it will come.
 * Pure.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** The lowest bit of the magic number says in which byte order the checksums were computed. */
const MAGIC = 0x377f0682;

export interface WalChain {
  /** Two random numbers that change whenever the file is written from its beginning again; `undefined`: no sound header. */
  readonly salts: string | undefined;
  /** Frames from the beginning that belong together, up to the last whole transaction. */
  readonly soundFrames: number;
  /** Whole frames that the file has room for. */
  readonly frames: number;
}

/** @param bytes the whole file */
export function readWalChain(bytes: Uint8Array): WalChain {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const none = { salts: undefined, soundFrames: 0, frames: 0 };
  if (bytes.length < HEADER_BYTES) return none;
  const magic = view.getUint32(0);
  if ((magic & 0xfffffffe) >>> 0 !== MAGIC) return none;
  const littleEndian = (magic & 1) === 0;
  const pageBytes = view.getUint32(8);
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return none;
  let sum = addTo([0, 0], view, 0, 24, littleEndian);
  if (sum[0] !== view.getUint32(24) || sum[1] !== view.getUint32(28)) return none;
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const frames = Math.floor((bytes.length - HEADER_BYTES) / frameBytes);
  let soundFrames = 0;
  for (let frame = 0; frame < frames; frame++) {
    const at = HEADER_BYTES + frame * frameBytes;
    if (view.getUint32(at + 8) !== view.getUint32(16) || view.getUint32(at + 12) !== view.getUint32(20)) break;
    sum = addTo(sum, view, at, 8, littleEndian);
    sum = addTo(sum, view, at + FRAME_HEADER_BYTES, pageBytes, littleEndian);
    if (sum[0] !== view.getUint32(at + 16) || sum[1] !== view.getUint32(at + 20)) break;
    // A frame that ends a transaction says how many pages the file then has.
    if (view.getUint32(at + 4) !== 0) soundFrames = frame + 1;
  }
  return { salts: saltsOf(bytes), soundFrames, frames };
}

/** The salts in a header, unchecked. */
export function saltsOf(header: Uint8Array): string {
  return Array.from(header.subarray(16, 24), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

type Sum = readonly [number, number];

/** SQLite's running checksum over whole pairs of 32-bit words. */
function addTo(from: Sum, view: DataView, at: number, length: number, littleEndian: boolean): Sum {
  let [first, second] = from;
  for (let offset = at; offset < at + length; offset += 8) {
    first = (first + view.getUint32(offset, littleEndian) + second) >>> 0;
    second = (second + view.getUint32(offset + 4, littleEndian) + first) >>> 0;
  }
  return [first, second];
}
