import { describe, expect, it } from 'vitest';
import type { Observations } from './observations.ts';
import { CALM, type PressureState, stepPressure } from './pressure-step.ts';
import type { Threshold } from './thresholds.ts';

const hardMemory: Threshold = {
  signal: 'memory.available',
  value: { amount: 100 },
  minReclaim: { amount: 50 },
  gracePeriodMs: 0,
  text: '100',
};
const softMemory: Threshold = {
  signal: 'memory.available',
  value: { amount: 300 },
  gracePeriodMs: 30_000,
  text: '300',
};
const hardDisk: Threshold = { signal: 'nodefs.available', value: { fraction: 0.1 }, gracePeriodMs: 0, text: '10%' };
const thresholds = [hardMemory, hardDisk, softMemory];

function seen(memory: number, disk = 500): Observations {
  return {
    'memory.available': { available: memory, capacity: 1000 },
    'nodefs.available': { available: disk, capacity: 1000 },
  };
}

function step(before: PressureState, observed: Observations, now: number) {
  return stepPressure(before, observed, { thresholds, now, transitionMs: 60_000 });
}

describe('stepPressure', () => {
  it('is calm above all thresholds', () => {
    expect(step(CALM, seen(300), 0)).toMatchObject({ verdict: { memory: false, disk: false, pid: false } });
    expect(step(CALM, seen(300), 0).reclaim).toBeUndefined();
  });

  it('reclaims at once below a hard threshold, and memory before disk', () => {
    expect(step(CALM, seen(99, 50), 0).reclaim).toBe(hardMemory);
    expect(step(CALM, seen(500, 50), 0).reclaim).toBe(hardDisk);
  });

  it('waits for the grace of a soft threshold, and forgets it when it was left between', () => {
    let result = step(CALM, seen(200), 0);
    expect(result.reclaim).toBeUndefined();
    expect(result.verdict.memory).toBe(true);
    result = step(result.state, seen(200), 29_999);
    expect(result.reclaim).toBeUndefined();
    expect(step(result.state, seen(200), 30_000).reclaim).toBe(softMemory);
    result = step(result.state, seen(301), 29_999);
    expect(step(result.state, seen(200), 30_001).reclaim).toBeUndefined();
  });

  it('reclaims until threshold and minimum reclaim together are free', () => {
    const first = step(CALM, seen(99), 0);
    expect(step(first.state, seen(149), 1).reclaim).toBe(hardMemory);
    expect(step(first.state, seen(150), 1).reclaim).toBeUndefined();
    expect(step(CALM, seen(149), 1).reclaim).toBeUndefined();
  });

  it('keeps the condition for the transition period', () => {
    const first = step(CALM, seen(99), 0);
    const later = step(first.state, seen(900), 59_999);
    expect(later.verdict.memory).toBe(true);
    expect(step(later.state, seen(900), 60_000).verdict.memory).toBe(false);
  });

  it('concludes nothing from what could not be seen', () => {
    expect(step(CALM, {}, 0).verdict).toEqual({ memory: false, disk: false, pid: false });
  });
});
