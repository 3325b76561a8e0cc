import { describe, expect, it } from 'vitest';
import { CpuHistory, nanoCores, withSample } from './cpu-history.ts';

const sample = (seconds: number, coreSeconds: number) => ({ at: seconds * 1000, nanoseconds: coreSeconds * 1e9 });

describe('nanoCores', () => {
  it.each([
    ['half a core', [sample(0, 0)], sample(10, 5), 500_000_000],
    ['the newest that is old enough', [sample(18, 9), sample(10, 8), sample(0, 0)], sample(20, 10), 200_000_000],
    ['nothing at all', [sample(0, 3)], sample(10, 3), 0],
    ['a window too short', [sample(6, 0)], sample(10, 5), undefined],
    ['a window too long', [sample(0, 0)], sample(100, 5), undefined],
    ['a counter that began anew', [sample(0, 9)], sample(10, 5), undefined],
    ['no sample', [], sample(10, 5), undefined],
  ])('%s', (_, samples, now, expected) => {
    expect(nanoCores(samples, now)).toBe(expected);
  });
});

describe('withSample', () => {
  it('keeps a few, and none that are too old', () => {
    const all = [0, 10, 20, 30, 40, 50].reduce<readonly ReturnType<typeof sample>[]>(
      (kept, at) => withSample(kept, sample(at, at)),
      [],
    );
    expect(all.map(({ at }) => at / 1000)).toEqual([50, 40, 30, 20]);
    expect(withSample(all, sample(105, 105)).map(({ at }) => at / 1000)).toEqual([105, 50]);
  });

  it('drops all of before when the counter began anew', () => {
    expect(withSample([sample(10, 9)], sample(20, 1))).toEqual([sample(20, 1)]);
  });

  it('does not let a row of questions push the useful ones out', () => {
    expect(withSample([sample(10, 1)], sample(11, 2))).toEqual([sample(10, 1)]);
  });
});

describe('CpuHistory', () => {
  it('takes the beginning of what is new for its first sample', () => {
    const history = new CpuHistory();
    expect(history.nanoCores('a', sample(20, 5))).toBeUndefined();
    expect(history.nanoCores('a', sample(20, 5), 10_000)).toBe(500_000_000);
    history.note('a', sample(14, 5));
    expect(history.nanoCores('a', sample(20, 5), 10_000)).toBe(0);
  });

  it('forgets what is gone', () => {
    const history = new CpuHistory();
    history.note('a', sample(0, 0));
    history.note('b', sample(0, 0));
    history.retain(new Set(['b']));
    expect(history.nanoCores('a', sample(10, 1))).toBeUndefined();
    expect(history.nanoCores('b', sample(10, 1))).toBe(100_000_000);
  });
});
