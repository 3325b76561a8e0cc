/** Tests what is said of a StatefulSet that was scaled down and whose pods are still there. */
import { describe, expect, it } from 'vitest';
import { diagnoseWorkload } from '../diagnose-workload.ts';
import { ago, crashed, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { Pod, WorkloadObject } from '../evidence/kinds.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';

const set = (replicas: number, spec: object = {}): WorkloadObject => ({
  kind: 'StatefulSet',
  metadata: { name: 'kv', namespace: 'shop', uid: 's', creationTimestamp: ago(9000) },
  spec: { replicas, serviceName: 'kv', selector: {}, template: {}, ...spec },
  status: { replicas: 3, currentRevision: 'a', updateRevision: 'a' },
});
const of = (ordinal: number, given: Parameters<typeof pod>[0] = {}): Pod => pod({ name: `kv-${ordinal}`, ...given });
const ill = { status: crashed({ exitCode: 1 }) };
const going = (seconds: number): Parameters<typeof pod>[0] => ({
  metadata: { deletionTimestamp: ago(seconds - 3600), deletionGracePeriodSeconds: 3600 },
});
const about = (workload: WorkloadObject, ...pods: readonly Pod[]) => {
  const given: WorkloadEvidence = {
    now: NOW,
    workload,
    events: [],
    pods,
    looked: pods.map((one) =>
      evidence({ pod: one, owners: [workload], siblings: pods.filter((each) => each !== one) }),
    ),
    notLookedAt: [],
    namespaceFlag: '-n shop',
  };
  const { state, asWanted, findings } = diagnoseWorkload(given);
  return { state, asWanted, says: findings.map(({ id, says }) => `${id}: ${says}`) };
};

describe('a set that was scaled down', () => {
  it('waits for a pod that is not ready', () => {
    const { state, asWanted, says } = about(set(1), of(0, ill), of(1), of(2));
    expect([state, asWanted]).toEqual(['0/1 ready, 2 pods to go', false]);
    expect(says).toContain(
      'scale-down-waits: statefulset/kv is to have 1 pod, and pods kv-2 and kv-1 go only when pod kv-0 is ready: container web ends with exit code 1',
    );
  });

  it('waits for a pod that is to go itself', () => {
    const { says } = about(set(1), of(0), of(1, ill), of(2));
    expect(says).toContainEqual(
      expect.stringMatching(/pods kv-2 and kv-1 go only when pod kv-1 is ready: container web/),
    );
  });

  it('waits for a pod that ends slowly', () => {
    const { state, says } = about(set(1), of(0), of(1), of(2, going(90)));
    expect(state).toBe('1/1 ready, 2 pods to go');
    expect(says).toContainEqual(
      expect.stringMatching(
        /^scale-down-waits: statefulset\/kv is to have 1 pod, and pod kv-1 goes when pod kv-2 has ended: container web ends slowly/,
      ),
    );
  });

  it('to nothing', () => {
    expect(about(set(0), of(0), of(1))).toEqual({ state: 'scaled to 0, 2 pods to go', asWanted: false, says: [] });
  });

  it.each<[string, WorkloadObject, readonly Pod[], string]>([
    ['goes on', set(1), [of(0), of(1)], '1/1 ready, 1 pod to go'],
    ['ends its last pod, which is ill', set(1), [of(0), of(1, { status: { ready: false } })], '1/1 ready, 1 pod to go'],
    [
      'ends all at once',
      set(1, { podManagementPolicy: 'Parallel' }),
      [of(0, ill), of(1), of(2)],
      '0/1 ready, 2 pods to go',
    ],
    ['has as many as it wants', set(2), [of(0), of(1)], '2/2 ready'],
    ['begins at another ordinal', set(2, { ordinals: { start: 5 } }), [of(5), of(6)], '2/2 ready'],
  ])('waits for nobody when it %s', (_, workload, pods, expected) => {
    const { state, says } = about(workload, ...pods);
    expect(state).toBe(expected);
    expect(says.some((each) => each.startsWith('scale-down-waits'))).toBe(false);
  });
});
