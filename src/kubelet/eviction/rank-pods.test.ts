import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { PodStats } from '../stats/summary.ts';
import { storageViolation } from './local-storage.ts';
import { evictionMessage } from './messages.ts';
import { type Candidate, rankPods } from './rank-pods.ts';
import { isCriticalPod } from '../pods/critical-pod.ts';

const MIB = 1024 * 1024;
const TIME = '2026-11-21T00:00:00Z';

function candidate(
  name: string,
  given: { memory?: number; request?: string; priority?: number; disk?: number; pids?: number; unknown?: boolean },
): Candidate {
  const pod: Pod = {
    metadata: { name, namespace: 'default', uid: name },
    spec: {
      containers: [{ name: 'main', resources: { requests: given.request ? { memory: given.request } : {} } }],
      ...(given.priority === undefined ? {} : { priority: given.priority }),
    },
  };
  const stats: PodStats = {
    podRef: { name, namespace: 'default', uid: name },
    startTime: TIME,
    containers: [{ name: 'main', startTime: TIME, memory: { time: TIME, workingSetBytes: (given.memory ?? 0) * MIB } }],
    memory: { time: TIME, workingSetBytes: (given.memory ?? 0) * MIB },
    'ephemeral-storage': { time: TIME, usedBytes: given.disk ?? 0, inodesUsed: given.disk ?? 0 },
    process_stats: { process_count: given.pids ?? 0 },
  };
  return { pod, stats: given.unknown === true ? undefined : stats };
}

const names = (candidates: readonly Candidate[]) => candidates.map(({ pod }) => pod.metadata?.name);

describe('rankPods', () => {
  it('takes those over their requests first, then by priority, then by how much they are over', () => {
    const ranked = rankPods('memory.available', [
      candidate('within', { memory: 500, request: '1Gi', priority: -5 }),
      candidate('high', { memory: 900, request: '10Mi', priority: 10 }),
      candidate('little', { memory: 60, request: '50Mi' }),
      candidate('much', { memory: 300, request: '50Mi' }),
    ]);
    expect(names(ranked)).toEqual(['much', 'little', 'high', 'within']);
  });

  it('takes the largest on disk first, by bytes or inodes', () => {
    const pods = [candidate('small', { disk: 5 }), candidate('large', { disk: 50 })];
    expect(names(rankPods('nodefs.available', pods))).toEqual(['large', 'small']);
    expect(names(rankPods('nodefs.inodesFree', pods))).toEqual(['large', 'small']);
  });

  it('takes the one with the most processes', () => {
    const pods = [candidate('few', { pids: 3 }), candidate('bomb', { pids: 3000 })];
    expect(names(rankPods('pid.available', pods))).toEqual(['bomb', 'few']);
  });

  it('leaves critical and static pods out', () => {
    const statics = candidate('static', { memory: 900 });
    const pod: Pod = {
      ...statics.pod,
      metadata: { ...statics.pod.metadata, annotations: { 'kubernetes.io/config.source': 'file' } },
    };
    expect(isCriticalPod(pod)).toBe(true);
    const pods = [candidate('critical', { memory: 900, priority: 2_000_001_000 }), { ...statics, pod }];
    expect(rankPods('memory.available', pods)).toEqual([]);
  });

  it('may take one of which nothing is known, after those that are known to be over', () => {
    const pods = [candidate('unknown', { unknown: true }), candidate('over', { memory: 20, request: '10Mi' })];
    expect(names(rankPods('memory.available', pods))).toEqual(['over', 'unknown']);
  });
});

it('tells an evicted pod what the node was short of, and which container was over its request', () => {
  const { pod, stats } = candidate('a', { memory: 300, request: '50Mi' });
  const threshold = {
    signal: 'memory.available',
    value: { amount: 100 * MIB },
    gracePeriodMs: 0,
    text: '100Mi',
  } as const;
  const text = evictionMessage(threshold, { available: 80 * MIB, capacity: 1000 * MIB }, pod, stats);
  expect(text).toBe(
    'The node was low on resource: memory. Threshold quantity: 102400Ki, available: 81920Ki. ' +
      'Container main was using 307200Ki, request is 50Mi, has larger consumption of memory. ',
  );
});

describe('storageViolation', () => {
  const pod = (spec: Partial<Pod['spec'] & object>): Pod => ({
    metadata: { name: 'a', namespace: 'default', uid: 'a' },
    spec: { containers: [{ name: 'main' }], ...spec },
  });
  const stats = (given: Partial<PodStats>): PodStats => ({
    podRef: { name: 'a', namespace: 'default', uid: 'a' },
    startTime: TIME,
    containers: [],
    ...given,
  });

  it.each([
    ['within', 10 * MIB, undefined],
    ['beyond', 10 * MIB + 1, 'Usage of EmptyDir volume "cache" exceeds the limit "10Mi". '],
  ])('emptyDir %s its limit', (_, usedBytes, expected) => {
    const limited = pod({ volumes: [{ name: 'cache', emptyDir: { sizeLimit: '10Mi' } }] });
    expect(storageViolation(limited, stats({ volume: [{ name: 'cache', time: TIME, usedBytes }] }))).toBe(expected);
  });

  it('leaves memory emptyDirs to their file system', () => {
    const limited = pod({ volumes: [{ name: 'cache', emptyDir: { medium: 'Memory', sizeLimit: '1' } }] });
    expect(
      storageViolation(limited, stats({ volume: [{ name: 'cache', time: TIME, usedBytes: 99 }] })),
    ).toBeUndefined();
  });

  it('counts writable layer and log of a container against its limit, and all against the pod’s', () => {
    const limited = pod({ containers: [{ name: 'main', resources: { limits: { 'ephemeral-storage': '10' } } }] });
    const fs = (usedBytes: number) => ({ time: TIME, usedBytes });
    const container = { name: 'main', startTime: TIME, rootfs: fs(6), logs: fs(5) };
    expect(storageViolation(limited, stats({ containers: [container] }))).toBe(
      'Container main exceeded its local ephemeral storage limit "10". ',
    );
    expect(storageViolation(limited, stats({ 'ephemeral-storage': fs(11) }))).toBe(
      'Pod ephemeral local storage usage exceeds the total limit of containers 10. ',
    );
  });
});
