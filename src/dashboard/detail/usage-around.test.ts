import { expect, test } from 'vitest';
import type { LifeDeath } from '../../page/index.ts';
import { withUsage } from './usage-around.ts';

const STEP = 300_000;
const MIB = 1024 * 1024;
const series = {
  stepMs: STEP,
  from: 1_000_000,
  cpu: [0.25, 0.5, null],
  memory: [31 * MIB, 12 * MIB, null],
  restarts: [0, 1, null],
};
const death = (at: number, evidence: object = {}): LifeDeath => ({
  pod: 'p',
  container: 'main',
  at,
  words: 'w',
  exit: 'e',
  evidence: { lastLines: [], probes: [], ...evidence },
  before: [],
  done: [],
});
const usage = (at: number, evidence?: object) => {
  const [told] = withUsage([death(at, evidence)], series);
  return [told?.evidence.memory, told?.evidence.cpu];
};

test('a death has the memory before and after it, and the CPU of its time', () => {
  expect(usage(series.from + STEP + 5)).toEqual([
    '31Mi before, 12Mi after (its pods together)',
    '0.25 cores in the 5 min before, 0.5 cores in those of it (its pods together)',
  ]);
});

test('what its node has proved stays in front', () => {
  expect(usage(series.from + STEP, { memory: '511Mi of 512Mi' })[0]).toBe(
    '511Mi of 512Mi; 31Mi before, 12Mi after (its pods together)',
  );
});

test('figures that nobody has are left out', () => {
  expect(usage(series.from + 2 * STEP)[0]).toBe('12Mi before (its pods together)');
  expect(usage(series.from - 10 * STEP)).toEqual([undefined, undefined]);
  expect(usage(series.from + 20 * STEP)).toEqual([undefined, undefined]);
  expect(withUsage([death(5)], undefined)).toEqual([death(5)]);
});
