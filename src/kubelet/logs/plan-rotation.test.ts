import { describe, expect, it } from 'vitest';
import { planRotation, rotatedName } from './plan-rotation.ts';

const WALL = Date.UTC(2026, 10, 21, 9, 30, 0);

describe('planRotation', () => {
  it.each([
    ['nothing to do', ['0.log'], 5, [], []],
    ['the last one is compressed', ['0.log', '0.log.20261121-090000'], 5, [], ['0.log.20261121-090000']],
    [
      'the oldest go',
      ['0.log', '0.log.20261121-010000.gz', '0.log.20261121-020000.gz', '0.log.20261121-030000'],
      4,
      ['0.log.20261121-010000.gz'],
      ['0.log.20261121-030000'],
    ],
    ['two files: nothing rotated is kept', ['0.log', '0.log.20261121-010000'], 2, ['0.log.20261121-010000'], []],
    [
      'a compression cut short is done again',
      ['0.log', '0.log.20261121-010000', '0.log.20261121-010000.gz'],
      5,
      ['0.log.20261121-010000.gz'],
      ['0.log.20261121-010000'],
    ],
    ['temporary files go', ['0.log', '0.log.20261121-010000.tmp'], 5, ['0.log.20261121-010000.tmp'], []],
    ['others are left alone', ['0.log', '1.log.20261121-010000', '0.log.old', '0.log.txt'], 5, [], []],
  ])('%s', (_, siblings, maxFiles, remove, compress) => {
    expect(planRotation(siblings, '0.log', maxFiles)).toEqual({ remove, compress });
  });
});

describe('rotatedName', () => {
  it('tells when, in UTC', () => {
    expect(rotatedName([], '0.log', WALL)).toBe('0.log.20261121-093000');
  });

  it('never takes a name that is taken, compressed or not', () => {
    expect(rotatedName(['0.log.20261121-093000.gz'], '0.log', WALL)).toBe('0.log.20261121-093000-1');
    expect(rotatedName(['0.log.20261121-093000', '0.log.20261121-093000-1'], '0.log', WALL)).toBe(
      '0.log.20261121-093000-2',
    );
  });
});
