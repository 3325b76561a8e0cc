import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { type Now } from '../../lib/index.ts';
import {
  afterCreation,
  allowCreation,
  describeBackOff,
  type FailedPodBackOff,
  NO_BACK_OFF,
  observeFailedPods,
} from './failed-pod-back-off.ts';

const START = Date.UTC(2026, 0, 1);

function at(seconds: number): Now {
  return { wall: START + seconds * 1000, mono: 5000 + seconds * 1000 };
}

function pod(name: string, createdAt: number, ready = false): Pod {
  return {
    metadata: { name, uid: name, creationTimestamp: new Date(START + createdAt * 1000).toISOString() },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      reason: 'OutOfcpu',
      message: 'too big',
    },
  };
}

/** A set of one pod on a node that refuses it: seconds at which its pods are created, for as long as asked. */
function storm(seconds: number): number[] {
  const created: number[] = [];
  const failed: Pod[] = [];
  let state: FailedPodBackOff = NO_BACK_OFF;
  for (let tick = 0; tick < seconds * 10; tick += 1) {
    const now = at(tick / 10);
    state = observeFailedPods(state, failed, [], now);
    const { count } = allowCreation(state, 1, now);
    if (count === 0) continue;
    state = afterCreation(state, now);
    created.push(tick / 10);
    failed.push(pod(`p${tick}`, Math.floor(tick / 10)));
  }
  return created;
}

describe('pods that fail at once', () => {
  it('are replaced ever more slowly', () => {
    const created = storm(1200);
    expect(created.slice(0, 6).map(Math.floor)).toEqual([0, 0, 1, 3, 7, 15]);
    expect(created.length).toBeLessThan(15);
    const gaps = created.slice(1).map((time, index) => time - (created[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(301);
  });

  it('many of one round count once', () => {
    let state = observeFailedPods(NO_BACK_OFF, [pod('a', 0), pod('b', 0)], [], at(1));
    expect(state.failures).toBe(1);
    expect(allowCreation(state, 2, at(1))).toEqual({ count: 2 });
    state = observeFailedPods(state, [pod('a', 0), pod('b', 0), pod('c', 1)], [], at(2));
    expect(state.failures).toBe(2);
    expect(allowCreation(state, 2, at(2))).toEqual({ count: 0, waitMs: 1000 });
    expect(describeBackOff(state, at(2))).toBe(
      'Back-off creating pods for 1s: new pods failed soon after their creation 2 times in a row, last c (OutOfcpu: too big)',
    );
    state = observeFailedPods(state, [pod('d', 1)], [], at(2.5));
    expect(state.failures).toBe(2);
    expect(allowCreation(state, 30, at(3))).toEqual({ count: 10, waitMs: 1000 });
  });

  it('are forgotten when a later one is ready', () => {
    const state = observeFailedPods(NO_BACK_OFF, [pod('a', 5)], [], at(6));
    expect(observeFailedPods(state, [pod('a', 5)], [pod('b', 5, true)], at(7)).failures).toBe(1);
    expect(observeFailedPods(state, [pod('a', 5)], [pod('b', 6)], at(7)).failures).toBe(1);
    expect(observeFailedPods(state, [pod('a', 5)], [pod('b', 6, true)], at(7)).failures).toBe(0);
  });

  it('are forgotten after ten minutes', () => {
    const state = observeFailedPods(NO_BACK_OFF, [pod('a', 5)], [], at(6));
    expect(observeFailedPods(state, [pod('a', 5)], [], at(606)).failures).toBe(1);
    expect(observeFailedPods(state, [pod('a', 5)], [], at(607)).failures).toBe(0);
  });
});

it('a pod that failed after a good while is replaced at once', () => {
  expect(observeFailedPods(NO_BACK_OFF, [pod('a', 0)], [], at(301)).failures).toBe(0);
});
