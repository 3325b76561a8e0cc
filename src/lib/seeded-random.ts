/**
 * A seeded stream of randomness: the same seed gives the same draws on every machine. For the simulator and for tests.
 * The generator is xoshiro128** (Blackman and Vigna), its state filled by splitmix32.
 */
import type { Random } from './random.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a over UTF-16 code units. */
function hashLabel(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

function splitmix32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

function rotateLeft(value: number, bits: number): number {
  return ((value << bits) | (value >>> (32 - bits))) >>> 0;
}

function xoshiro128(seed: number): () => number {
  const fill = splitmix32(seed);
  let [a, b, c, d] = [fill(), fill(), fill(), fill()];
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5) >>> 0, 7), 9) >>> 0;
    const shifted = (b << 9) >>> 0;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d >>> 0, 11);
    return result;
  };
}

/**
 * A `Random` whose draws depend on `seed` alone. `split` depends on the seed and the label, not on earlier draws, so that an
 * additional draw in one component does not change the others; the same label twice gives the same stream.
 */
export function seededRandom(seed: number | string): Random {
  const origin = hashLabel(String(seed));
  const draw = xoshiro128(origin);
  const next = (): number => ((draw() >>> 5) * 0x4000000 + (draw() >>> 6)) / 0x20000000000000;
  return {
    next,
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => draw().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
    suffix: (length) =>
      Array.from({ length }, () => SUFFIX_ALPHABET[Math.floor(next() * SUFFIX_ALPHABET.length)]).join(''),
    split: (label) => seededRandom(`${origin}/${label}`),
  };
}
