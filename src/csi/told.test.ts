import { expect, it } from 'vitest';
import { statsFromCsi } from './from-csi.ts';
import { CsiError } from './plugins.ts';
import { MAX_TOLD_LENGTH, told } from './told.ts';

const FLOOD = `\u001b[2J\r\nno\u0000\u202e${'x'.repeat(5_000_000)}`;

it('is one line without control characters', () => {
  expect(told('mount\n\tfailed\r\n')).toBe('mount failed');
  expect(told('\u001b[31mred\u0007\u202e')).toBe('\\u001b[31mred\\u0007\\u202e');
});

it.each([
  ['an error', new CsiError('Internal', `rpc error: code = Internal desc = ${FLOOD}`).message],
  [
    'an abnormal condition',
    statsFromCsi({
      $typeName: 'csi.v1.NodeGetVolumeStatsResponse',
      usage: [],
      volumeCondition: { $typeName: 'csi.v1.VolumeCondition', abnormal: true, message: FLOOD },
    }).condition?.message ?? '',
  ],
  ['nothing but control characters', told('\u0001'.repeat(100_000))],
])('is bounded: %s', (_, text) => {
  expect(text.length).toBeLessThanOrEqual(MAX_TOLD_LENGTH);
  expect(text.length).toBeGreaterThan(100);
  expect(text.endsWith('…')).toBe(true);
  // oxlint-disable-next-line no-control-regex -- the test is about control characters
  expect(text).not.toMatch(/[\u0000-\u001f\u202e]/);
});
