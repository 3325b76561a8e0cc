import { describe, expect, it } from 'vitest';
import { durationMs, formatDurationMs } from './duration.ts';

describe('durations', () => {
  it.each<[string, number | undefined]>([
    ['0', 0],
    ['0s', 0],
    ['100ms', 100],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['5m0s', 300_000],
    ['5', undefined],
    ['', undefined],
    ['-5s', undefined],
    ['5s x', undefined],
    ['five', undefined],
  ])('%s', (text, ms) => expect(durationMs(text)).toBe(ms));

  it.each<[number, string]>([
    [0, '0s'],
    [250, '250ms'],
    [1500, '1.5s'],
    [300_000, '5m0s'],
    [5_400_000, '1h30m0s'],
  ])('%d ms', (ms, text) => expect(formatDurationMs(ms)).toBe(text));
});
