/** Finds pings and the ends of frames in SPDY bytes, without decoding the rest. */
import { concatBytes } from '../bytes.ts';

const HEAD_BYTES = 8;
const PING_BYTES = 12;

/** Separates PING frames from all others, however the bytes are divided. Pure. */
export class SpdyPingSieve {
  /** The beginning of a frame whose type is not known yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #bodyLeft = 0;

  /** Whether a frame may be inserted here. */
  get atBoundary(): boolean {
    return this.#rest.length === 0 && this.#bodyLeft === 0;
  }

  push(chunk: Uint8Array): { readonly passed: readonly Uint8Array[]; readonly pings: readonly Uint8Array[] } {
    const bytes = this.#rest.length === 0 ? chunk : concatBytes([this.#rest, chunk]);
    this.#rest = new Uint8Array(0);
    const passed: Uint8Array[] = [];
    const pings: Uint8Array[] = [];
    let start = 0;
    let at = 0;
    const passUpTo = (end: number): void => {
      if (end > start) passed.push(bytes.subarray(start, end));
    };
    while (at < bytes.length) {
      if (this.#bodyLeft > 0) {
        const taken = Math.min(this.#bodyLeft, bytes.length - at);
        this.#bodyLeft -= taken;
        at += taken;
        continue;
      }
      const left = bytes.length - at;
      if (left < HEAD_BYTES || (isPing(bytes, at) && left < PING_BYTES)) {
        passUpTo(at);
        // A copy, so that a large chunk is not kept.
        this.#rest = bytes.slice(at);
        return { passed, pings };
      }
      if (isPing(bytes, at)) {
        passUpTo(at);
        pings.push(bytes.slice(at, at + PING_BYTES));
        at += PING_BYTES;
        start = at;
      } else {
        this.#bodyLeft =
          ((bytes[at + 5] as number) << 16) | ((bytes[at + 6] as number) << 8) | (bytes[at + 7] as number);
        at += HEAD_BYTES;
      }
    }
    passUpTo(at);
    return { passed, pings };
  }
}

/** Control bit, version 3, type 6, a body of 4 bytes. */
function isPing(bytes: Uint8Array, at: number): boolean {
  const head = [0x80, 3, 0, 6];
  return (
    head.every((byte, i) => bytes[at + i] === byte) && bytes[at + 5] === 0 && bytes[at + 6] === 0 && bytes[at + 7] === 4
  );
}
