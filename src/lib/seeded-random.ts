/**
 * A reproducible Random (sfc32 seeded from a hash of the label path). For the simulator and for tests; never for secrets.
 */
import type { Random } from './random.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a, 32 bit, over UTF-16 units. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/** Small fast counter generator: 32 bits per step. */
function sfc32(seedText: string): () => number {
  let a = fnv1a32(`a${seedText}`) | 0;
  let b = fnv1a32(`b${seedText}`) | 0;
  let c = fnv1a32(`c${seedText}`) | 0;
  let counter = 1;
  const step = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 12; i += 1) step();
  return step;
}

/** `split(label)` gives a stream that depends on the seed and the path of labels alone, not on what was drawn before. */
export function createSeededRandom(seed: number | string): Random {
  const path = String(seed);
  const step = sfc32(path);
  const next = (): number => step() / 4294967296;
  return {
    next,
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => step().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'[Number.parseInt(hex[16] as string, 16) % 4] as string;
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    suffix: (length) =>
      Array.from({ length }, () => SUFFIX_ALPHABET[Math.floor(next() * SUFFIX_ALPHABET.length)] as string).join(''),
    split: (label) => createSeededRandom(`${path}/${label}`),
  };
}
