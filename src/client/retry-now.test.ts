import { describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { RetryPause } from './retry-now.ts';

describe('RetryPause', () => {
  const endOf = (pause: Promise<boolean>): { ended?: boolean } => {
    const seen: { ended?: boolean } = {};
    void pause.then((ended) => (seen.ended = ended));
    return seen;
  };
  it('lasts its time, or until somebody ends it', async () => {
    const clock = createManualClock();
    const pause = new RetryPause();
    const whole = endOf(pause.sleep(clock, 30_000, new AbortController().signal));
    await clock.advance(29_999);
    expect(whole.ended).toBeUndefined();
    await clock.advance(1);
    expect(whole.ended).toBe(true);
    const short = endOf(pause.sleep(clock, 30_000, new AbortController().signal));
    pause.now();
    await clock.advance(0);
    expect([short.ended, clock.pendingTimers]).toEqual([true, 0]);
  });
  it('is short once for a try that was under way', async () => {
    const clock = createManualClock();
    const pause = new RetryPause();
    pause.now();
    const short = endOf(pause.sleep(clock, 30_000, new AbortController().signal));
    await clock.advance(200);
    expect(short.ended).toBe(true);
    const whole = endOf(pause.sleep(clock, 30_000, new AbortController().signal));
    await clock.advance(29_000);
    expect(whole.ended).toBeUndefined();
  });
  it('ends with its signal', async () => {
    const clock = createManualClock();
    const stop = new AbortController();
    const ended = endOf(new RetryPause().sleep(clock, 30_000, stop.signal));
    stop.abort();
    await clock.advance(0);
    expect([ended.ended, clock.pendingTimers]).toEqual([false, 0]);
  });
});
