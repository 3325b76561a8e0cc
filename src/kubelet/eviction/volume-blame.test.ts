import { describe, expect, it } from 'vitest';
import type { EvictionSignal, Threshold } from './thresholds.ts';
import { isVolumesFault } from './volume-blame.ts';

const threshold = (signal: EvictionSignal): Threshold => ({
  signal,
  value: { fraction: 0.1 },
  gracePeriodMs: 0,
  text: '10%',
});

describe('whether volumes fill the disk', () => {
  const at = (available: number, capacity = 1000) => ({ available, capacity });
  it.each<[string, EvictionSignal, Parameters<typeof isVolumesFault>[1], number | undefined, boolean]>([
    ['more than is missing', 'nodefs.available', { 'nodefs.available': at(40) }, 60, true],
    ['less than is missing', 'nodefs.available', { 'nodefs.available': at(40) }, 59, false],
    ['none', 'nodefs.available', { 'nodefs.available': at(99) }, 0, false],
    ['not known', 'nodefs.available', { 'nodefs.available': at(40) }, undefined, false],
    ['images beside', 'imagefs.available', { 'nodefs.available': at(40), 'imagefs.available': at(40) }, 60, true],
    ['images elsewhere', 'imagefs.available', { 'nodefs.available': at(40), 'imagefs.available': at(30) }, 900, false],
    ['inodes', 'nodefs.inodesFree', { 'nodefs.available': at(40), 'nodefs.inodesFree': at(40) }, 900, false],
    ['memory', 'memory.available', { 'nodefs.available': at(40), 'memory.available': at(40) }, 900, false],
  ])('%s', (_, signal, observed, bytes, isFault) => {
    const overuse = bytes === undefined ? undefined : { bytes, message: '' };
    expect(isVolumesFault(threshold(signal), observed, overuse)).toBe(isFault);
  });
});
