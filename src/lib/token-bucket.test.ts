import { describe, expect, it } from 'vitest';
import { fullBucket, reserve, tryTake } from './token-bucket.ts';

const shape = { burst: 2, perSecond: 0.5 };

describe('token bucket', () => {
  it('gives its burst, then one token per 1/rate', () => {
    let bucket = fullBucket(shape, 0);
    const answers: boolean[] = [];
    for (const mono of [0, 0, 0, 1000, 2000, 2000, 60_000, 60_000, 60_000]) {
      const step = tryTake(bucket, shape, mono);
      bucket = step.bucket;
      answers.push(step.ok);
    }
    expect(answers).toEqual([true, true, false, false, true, false, true, true, false]);
  });

  it('reserves tokens of the future', () => {
    let bucket = fullBucket(shape, 0);
    const delays = Array.from({ length: 4 }, () => {
      const step = reserve(bucket, shape, 0);
      bucket = step.bucket;
      return step.delayMs;
    });
    expect(delays).toEqual([0, 0, 2000, 4000]);
  });
});
