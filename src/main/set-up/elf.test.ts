import { describe, expect, it } from 'vitest';
import { isStaticElf } from './elf.ts';

/** A minimal ELF head with program headers of the given types. */
function elf(types: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(64 + 56 * types.length);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(32, 64n, true);
  view.setUint16(54, 56, true);
  view.setUint16(56, types.length, true);
  types.forEach((type, index) => view.setUint32(64 + 56 * index, type, true));
  return bytes;
}

describe('isStaticElf', () => {
  it.each([
    ['a static program', elf([1, 1, 4]), true],
    ['one with an interpreter', elf([6, 3, 1]), false],
    ['one without program headers (an object file)', elf([]), false],
    ['one cut off', elf([1, 1]).subarray(0, 100), false],
    ['a script', new TextEncoder().encode('#!/bin/sh\n'.repeat(10)), false],
    ['nothing', new Uint8Array(), false],
  ])('%s', (_name, bytes, verdict) => expect(isStaticElf(bytes)).toBe(verdict));
});
