import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { hardReserve, parseThresholds, ThresholdError, thresholdAmount } from './thresholds.ts';

const settings = DEFAULT_SETTINGS.eviction;

describe('parseThresholds', () => {
  it('reads the defaults', () => {
    const found = parseThresholds(settings).map(({ signal, value }) => [signal, value]);
    expect(found).toEqual([
      ['memory.available', { amount: 104_857_600 }],
      ['nodefs.available', { fraction: 0.1 }],
      ['nodefs.inodesFree', { fraction: 0.05 }],
      ['imagefs.available', { fraction: 0.15 }],
      ['imagefs.inodesFree', { fraction: 0.05 }],
    ]);
  });

  it('joins a soft threshold with its grace and its minimum reclaim', () => {
    const [soft] = parseThresholds({
      ...settings,
      hard: {},
      soft: { 'memory.available': '1Gi' },
      softGracePeriodMs: { 'memory.available': 90_000 },
      minimumReclaim: { 'memory.available': '5%' },
    });
    expect(soft).toEqual({
      signal: 'memory.available',
      value: { amount: 1024 ** 3 },
      gracePeriodMs: 90_000,
      minReclaim: { fraction: 0.05 },
      text: '1Gi',
    });
  });

  it('takes 0% as never', () => {
    expect(parseThresholds({ ...settings, hard: { 'nodefs.available': '0%' } })).toEqual([]);
  });

  it.each([
    [{ hard: { 'memory.free': '1Gi' } }, 'evictionHard[memory.free]', 'unknown signal'],
    [{ hard: { 'memory.available': 'much' } }, 'evictionHard[memory.available]', 'neither a quantity nor a percentage'],
    [{ hard: { 'memory.available': '-1Gi' } }, 'evictionHard[memory.available]', 'neither'],
    [{ hard: { 'memory.available': '101%' } }, 'evictionHard[memory.available]', 'more than 100%'],
    [{ soft: { 'pid.available': '10%' } }, 'evictionSoftGracePeriod[pid.available]', 'needs a grace period'],
    [{ minimumReclaim: { 'x.y': '1' } }, 'evictionMinimumReclaim[x.y]', 'unknown signal'],
  ])('refuses %j', (change, field, message) => {
    try {
      parseThresholds({ ...settings, ...change });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ThresholdError);
      expect((error as ThresholdError).field).toBe(field);
      expect((error as Error).message).toContain(message);
    }
  });
});

it('thresholdAmount takes a part of the capacity', () => {
  expect(thresholdAmount({ fraction: 0.1 }, 50)).toBe(5);
  expect(thresholdAmount({ amount: 7 }, 50)).toBe(7);
});

it('hardReserve is what the hard threshold keeps free', () => {
  const thresholds = parseThresholds({
    ...settings,
    soft: { 'pid.available': '20%' },
    softGracePeriodMs: { 'pid.available': 1 },
  });
  expect(hardReserve(thresholds, 'nodefs.available', 1000)).toBe(100);
  expect(hardReserve(thresholds, 'memory.available', 1000)).toBe(104_857_600);
  expect(hardReserve(thresholds, 'pid.available', 1000)).toBe(0);
});
