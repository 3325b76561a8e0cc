/** Randomness from the operating system. */
import { randomInt, randomUUID } from 'node:crypto';
import type { Random } from './random.ts';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** 2^48 − 1, the widest range of `randomInt`. */
const RANGE = 0xffff_ffff_ffff;

/** Unpredictable randomness; `split` gives the same source, since its streams are independent anyway. */
export const systemRandom: Random = {
  next: () => randomInt(RANGE) / RANGE,
  uuid: () => randomUUID(),
  suffix: (length) => Array.from({ length }, () => SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)]).join(''),
  split: () => systemRandom,
};
