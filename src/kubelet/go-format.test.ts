import { describe, expect, it } from 'vitest';
import { formatDuration, formatDurationMs, quote } from './go-format.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [0.5, '500µs'],
    [1, '1ms'],
    [850, '850ms'],
    [999.5, '999.5ms'],
    [1000, '1s'],
    [1234, '1.234s'],
    [60_000, '1m0s'],
    [185_000, '3m5s'],
    [90_500, '1m30.5s'],
    [3_600_000, '1h0m0s'],
    [-1500, '-1.5s'],
  ])('%d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
  it('cuts to whole ms', () => {
    expect(formatDurationMs(1234.9)).toBe('1.234s');
  });
});

describe('quote', () => {
  it.each([
    ['a', '"a"'],
    ['a"b\\', '"a\\"b\\\\"'],
    ['\n\t\x01', '"\\n\\t\\x01"'],
    ['é☃', '"é☃"'],
    ['\u2028', '"\\u2028"'],
  ])('%j', (text, quoted) => {
    expect(quote(text)).toBe(quoted);
  });
});
