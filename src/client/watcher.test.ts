import { describe, expect, it } from 'vitest';
import { expired, PODS } from '../api/index.ts';
import { ConnectionError, seededRandom } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import type { KubeClient } from './kube-client.ts';
import { watcher } from './watcher.ts';

/** The pauses before each new try when watches fail with these errors, one after another; lists always work. */
async function pausesAfter(errors: readonly Error[]): Promise<readonly number[]> {
  const clock = createManualClock();
  const stop = new AbortController();
  const left = [...errors];
  const client = {
    list: () => Promise.resolve({ items: [], resourceVersion: '7' }),
    watch: async function* () {
      const error = left.shift();
      if (error !== undefined) throw error;
      stop.abort();
      yield* [];
    },
  } as unknown as KubeClient;
  const pauses: number[] = [];
  for await (const event of watcher({ client, resource: PODS, clock, random: seededRandom(1) }, stop.signal)) {
    if (event.kind !== 'error') continue;
    pauses.push(event.retryMs);
    setImmediate(() => void clock.advance(event.retryMs));
  }
  return pauses;
}

describe('a watch whose past is gone', () => {
  const refused = new ConnectionError('refused');
  const gone = expired('too old resource version: 1 (7)');

  it('is listed anew at once', async () => {
    expect(await pausesAfter([gone])).toEqual([0]);
  });

  it('is listed anew at once also when the server was away before: now it answers', async () => {
    const pauses = await pausesAfter([refused, refused, refused, gone]);
    expect(pauses.map((ms) => ms > 0)).toEqual([true, true, true, false]);
  });

  it('is listed anew at once each time that the server was away for long', async () => {
    const pauses = await pausesAfter([refused, refused, gone, refused, refused, refused, refused, gone]);
    expect(pauses.map((ms) => ms > 0)).toEqual([true, true, false, true, true, true, true, false]);
  });

  it('is listed anew with pauses when lists do not help', async () => {
    const pauses = await pausesAfter([gone, gone, gone]);
    expect(pauses.map((ms) => ms >= 800)).toEqual([false, true, true]);
  });
});
