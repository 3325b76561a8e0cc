import { describe, expect, it } from 'vitest';
import { beginning, type CpuReading, lastStretch, withReading } from './cpu-stretch.ts';
import { CPU_STRETCH_MS, SAMPLE_PERIOD_MS } from './limits.ts';

const reading = (seconds: number, periods: number, throttledPeriods: number): CpuReading => ({
  at: seconds * 1000,
  periods,
  throttledPeriods,
});
const all = (readings: readonly CpuReading[]) => readings.reduce<readonly CpuReading[]>(withReading, []);

const born = reading(0, 0, 0);

describe('the last stretch', () => {
  it.each<[string, readonly CpuReading[], object | undefined]>([
    ['of what nobody read', [], undefined],
    ['of what never wanted to run', [reading(0, 0, 0), reading(10, 0, 0)], undefined],
    ['of a short life is all of it', [born, reading(3, 30, 29)], { periods: 30, throttledPeriods: 29 }],
    [
      'of a life of less than a minute, too',
      [born, reading(3, 30, 29), reading(50, 90, 30)],
      { periods: 90, throttledPeriods: 30 },
    ],
    ['of an old life that was read once is all of it', [reading(0, 900, 5)], { periods: 900, throttledPeriods: 5 }],
    [
      'of an old life begins with the first reading',
      [reading(0, 900, 5), reading(20, 1000, 100)],
      { periods: 100, throttledPeriods: 95 },
    ],
    [
      'of a long life is its last minute',
      [reading(0, 1000, 5), reading(30, 1100, 6), reading(60, 1200, 100), reading(90, 1300, 190)],
      { periods: 200, throttledPeriods: 184 },
    ],
    [
      'counts from the last reading before it',
      [reading(0, 1000, 5), reading(10, 1010, 5), reading(75, 1300, 190)],
      { periods: 290, throttledPeriods: 185 },
    ],
    ['of what slept is nothing', [reading(0, 1000, 900), reading(60, 1000, 900)], undefined],
  ])('%s', (_, readings, wanted) => {
    expect(lastStretch(all(readings))).toEqual(wanted);
  });

  it('begins with its life, if that is not too long ago', () => {
    expect(beginning(1000, { wall: 4000, mono: 50 })).toEqual([{ at: -2950, periods: 0, throttledPeriods: 0 }]);
    expect(beginning(9000, { wall: 4000, mono: 50 })).toEqual([{ at: 50, periods: 0, throttledPeriods: 0 }]);
    expect(beginning(1000, { wall: 1001 + CPU_STRETCH_MS, mono: 50 })).toEqual([]);
  });

  it('needs few readings, however often is read', () => {
    let readings: readonly CpuReading[] = [];
    for (let seconds = 0; seconds < 600; seconds += 0.25) {
      readings = withReading(readings, reading(seconds, seconds * 10, seconds * 5));
      expect(readings.length).toBeLessThanOrEqual(2 * (CPU_STRETCH_MS / SAMPLE_PERIOD_MS + 1) + 1);
    }
    const stretch = lastStretch(readings);
    expect(stretch?.periods).toBeGreaterThanOrEqual(CPU_STRETCH_MS / 100);
    expect(stretch?.periods).toBeLessThanOrEqual((CPU_STRETCH_MS + SAMPLE_PERIOD_MS) / 100);
  });
});
