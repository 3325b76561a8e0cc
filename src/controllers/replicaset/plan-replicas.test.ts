import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { NO_BACK_OFF } from './failed-pod-back-off.ts';
import { BURST_REPLICAS } from './limits.ts';
import { planReplicas, type ReplicaView } from './plan-replicas.ts';

const START = Date.UTC(2026, 0, 1);
const at = (seconds: number) => ({ wall: START + seconds * 1000, mono: 5000 + seconds * 1000 });

function pod(name: string, phase = 'Running', more: { readonly deleting?: boolean; readonly node?: string } = {}): Pod {
  const creationTimestamp = new Date(START).toISOString();
  const deletionTimestamp = more.deleting === true ? creationTimestamp : undefined;
  return {
    metadata: { name, uid: name, creationTimestamp, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: { containers: [], ...(more.node === undefined ? {} : { nodeName: more.node }) },
    status: { phase, reason: 'OutOfcpu', message: 'too big' },
  };
}

const pods = (count: number, prefix = 'p') => Array.from({ length: count }, (_, i) => pod(`${prefix}${i}`));
const view = (desired: number, owned: readonly Pod[], more: Partial<ReplicaView> = {}): ReplicaView => ({
  desired,
  ending: false,
  owned,
  related: () => owned,
  backOff: NO_BACK_OFF,
  ...more,
});

describe('planReplicas', () => {
  it.each<[string, ReplicaView, { create: number; remove: number; waitMs?: number }]>([
    ['as many as wanted', view(3, pods(3)), { create: 0, remove: 0 }],
    ['none yet', view(3, []), { create: 3, remove: 0 }],
    ['one too many', view(2, pods(3)), { create: 0, remove: 1 }],
    [
      'ended and going pods do not count',
      view(2, [pod('a', 'Succeeded'), pod('b', 'Running', { deleting: true }), pod('c')]),
      { create: 1, remove: 0 },
    ],
    ['the set is ending', view(3, [], { ending: true }), { create: 0, remove: 0 }],
    ['the set is ending with too many', view(0, pods(3), { ending: true }), { create: 0, remove: 0 }],
    ['a burst, and the rest at once', view(BURST_REPLICAS + 1, []), { create: BURST_REPLICAS, remove: 0, waitMs: 0 }],
    ['exactly a burst', view(BURST_REPLICAS, []), { create: BURST_REPLICAS, remove: 0 }],
    [
      'a burst of removals, and the rest at once',
      view(0, pods(BURST_REPLICAS + 2)),
      { create: 0, remove: BURST_REPLICAS, waitMs: 0 },
    ],
  ])('%s', (_, given, expected) => {
    const { create, remove, waitMs } = planReplicas(given, at(0));
    expect({ create, remove: remove.length, ...(waitMs === undefined ? {} : { waitMs }) }).toEqual(expected);
  });

  it('lets the cheapest go: the one that has no node yet', () => {
    const owned = [pod('a', 'Running', { node: 'n' }), pod('b', 'Pending'), pod('c', 'Running', { node: 'n' })];
    expect(planReplicas(view(2, owned), at(0)).remove.map(({ metadata }) => metadata?.name)).toEqual(['b']);
  });

  it('asks for the pods of other sets only where some of ours go', () => {
    const related = () => {
      throw new Error('asked');
    };
    planReplicas(view(3, pods(3), { related }), at(0));
    planReplicas(view(4, pods(3), { related }), at(0));
    expect(() => planReplicas(view(2, pods(3), { related }), at(0))).toThrow('asked');
  });

  it('waits ever longer for pods that fail at once, and says so once for each round', () => {
    let backOff = NO_BACK_OFF;
    const failed: Pod[] = [];
    const told: (string | undefined)[] = [];
    let seconds = 0;
    const made: number[] = [];
    for (let step = 0; step < 100 && made.length < 5; step++) {
      const plan = planReplicas(view(1, failed, { backOff }), at(seconds));
      backOff = plan.backOff;
      if (plan.told !== undefined) told.push(plan.told);
      if (plan.create === 0) {
        expect(plan.waitMs).toBeGreaterThan(0);
        seconds += (plan.waitMs ?? 0) / 1000;
        continue;
      }
      made.push(seconds);
      failed.push(pod(`f${step}`, 'Failed'));
    }
    expect(made).toEqual([0, 0, 1, 3, 7]);
    expect(told[0]).toMatch(
      /^Back-off creating pods for 1s: new pods failed soon after their creation 2 times in a row/,
    );
    expect(told).toHaveLength(3);
  });
});
