import { describe, expect, it } from 'vitest';
import type { Pod, PodStatus } from '../../api/index.ts';
import { claimTroubles, nodeTroubles } from './other-troubles.ts';
import { podTroubles, subjectOf } from './pod-troubles.ts';

const at = '2026-05-01T12:00:00Z';
const since = Date.parse(at);
const podWith = (status: PodStatus, metadata: NonNullable<Pod['metadata']> = {}): Pod => ({
  metadata: { namespace: 'shop', name: 'api', creationTimestamp: at, ...metadata },
  spec: { containers: [{ name: 'web', image: 'i' }] },
  status: { phase: 'Running', ...status },
});
const ready = { type: 'Ready', status: 'True' };
const stopped = (reason: string, status = 'True') => ({
  type: 'mendlet.dev/HealingStopped',
  status,
  reason,
  message: 'container web exited with 7; tried restarts: 2 of the container. To go on: mendlet restart pod/api --force',
  lastTransitionTime: at,
});
const container = (more: object) => ({ name: 'web', image: 'i', imageID: '', ready: false, restartCount: 4, ...more });
const brief = (pod: Pod) =>
  podTroubles(pod).map((each) => [
    each.trigger,
    each.weight,
    each.cause.slice(0, 60),
    each.since ?? null,
    each.until ?? null,
  ]);

describe('a pod', () => {
  it.each<[string, Pod, unknown[][]]>([
    ['that is well', podWith({ conditions: [ready] }), []],
    [
      'that is not ready holds others back',
      podWith({ conditions: [{ type: 'Ready', status: 'False' }] }),
      [
        ['GaveUp', 'hold', 'not ready', null, null],
        ['NeedsHuman', 'hold', 'not ready', null, null],
      ],
    ],
    [
      'whose ladder has ended',
      podWith({ conditions: [ready, stopped('AttemptsExhausted')] }),
      [['GaveUp', 'now', 'container web exited with 7; tried restarts: 2 of the contai', since, null]],
    ],
    [
      'that a rule stopped',
      podWith({ conditions: [ready, stopped('RuleStop')] }),
      [['NeedsHuman', 'now', 'container web exited with 7; tried restarts: 2 of the contai', since, null]],
    ],
    ['that goes on', podWith({ conditions: [ready, stopped('NotStopped', 'False')] }), []],
    [
      'with a policy that is no policy',
      podWith({
        conditions: [
          ready,
          {
            type: 'mendlet.dev/Healing',
            status: 'Unknown',
            reason: 'InvalidPolicy',
            message: 'rungs: Required value',
            lastTransitionTime: at,
          },
        ],
      }),
      [['NeedsHuman', 'now', 'its healing policy is not used: rungs: Required value', since, null]],
    ],
    [
      'that no node takes',
      podWith({
        phase: 'Pending',
        conditions: [ready, { type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }],
      }),
      [['NeedsHuman', 'patience', 'no node takes it: 0/1 nodes are available', since, null]],
    ],
    [
      'whose image is not there',
      podWith({
        conditions: [ready],
        containerStatuses: [
          container({ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }),
        ],
      }),
      [['NeedsHuman', 'patience', 'container web does not start: ImagePullBackOff: no such imag', null, null]],
    ],
    [
      'that waits in a crash loop',
      podWith({
        conditions: [ready],
        containerStatuses: [
          container({
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          }),
        ],
      }),
      [['NeedsHuman', 'patience', 'container web ends again and again, 4 restarts so far: exit ', null, null]],
    ],
    [
      'that runs between two crashes',
      podWith({
        conditions: [ready],
        containerStatuses: [
          container({
            state: { running: { startedAt: at } },
            lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
          }),
        ],
      }),
      [
        [
          'NeedsHuman',
          'patience',
          'container web ends again and again, 4 restarts so far: exit ',
          null,
          since + 600_000,
        ],
      ],
    ],
    [
      'whose volume hangs',
      podWith({
        conditions: [
          ready,
          {
            type: 'mendlet.dev/VolumeProblem',
            status: 'True',
            reason: 'Hangs',
            message: 'volume data: no answer',
            lastTransitionTime: at,
          },
        ],
      }),
      [['DataAtRisk', 'now', 'Hangs: volume data: no answer', since, null]],
    ],
    ['on its way out', podWith({ conditions: [stopped('AttemptsExhausted')] }, { deletionTimestamp: at }), []],
    ['that is over', podWith({ phase: 'Failed', conditions: [stopped('AttemptsExhausted')] }), []],
  ])('%s', (_name, pod, wanted) => expect(brief(pod)).toEqual(wanted));

  it('says no secret, in one line', () => {
    const message = 'container web exited with 1: postgres://app:hunter22@db/x\nTOKEN=abcdef123456 \u001b[31m';
    const [found] = podTroubles(podWith({ conditions: [ready, { ...stopped('AttemptsExhausted'), message }] }));
    expect(found?.cause).toBe('container web exited with 1: postgres://***@db/x TOKEN=*** \\u001b[31m');
    const [long] = podTroubles(
      podWith({ conditions: [ready, { ...stopped('AttemptsExhausted'), message: 'x'.repeat(9999) }] }),
    );
    expect(long?.cause.length).toBeLessThan(401);
  });
});

describe('the subject of a pod', () => {
  const owned = (kind: string, name: string, labels = {}): Pod =>
    podWith({}, { labels, ownerReferences: [{ apiVersion: 'v1', kind, name, uid: 'u', controller: true }] });
  it.each<[string, Pod, string]>([
    ['a bare pod', podWith({}), 'Pod api'],
    ['a static pod', owned('Node', 'n1'), 'Pod api'],
    ['of a deployment', owned('ReplicaSet', 'api-5f6', { 'pod-template-hash': '5f6' }), 'Deployment api'],
    ['of a replica set', owned('ReplicaSet', 'api-5f6'), 'ReplicaSet api-5f6'],
    ['of a stateful set', owned('StatefulSet', 'db'), 'StatefulSet db'],
  ])('%s', (_name, pod, wanted) => {
    const { kind, name } = subjectOf(pod);
    expect(`${kind} ${name}`).toBe(wanted);
  });
});

it('a node that is not heard of is lost, one with a bad disk has data at risk', () => {
  const node = (
    ...conditions: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[]
  ) => nodeTroubles({ metadata: { name: 'n1' }, status: { conditions } }).map(({ trigger, cause }) => [trigger, cause]);
  expect(node({ type: 'Ready', status: 'True' })).toEqual([]);
  expect(node({ type: 'Ready', status: 'False' })).toEqual([]);
  expect(node({ type: 'Ready', status: 'Unknown', message: 'Kubelet stopped posting node status.' })).toEqual([
    ['NodeLost', 'node n1 is not heard of: Kubelet stopped posting node status.'],
  ]);
  expect(node({ type: 'VolumeDiskProblem', status: 'True', reason: 'VolumeDiskFailing', message: 'EIO' })).toEqual([
    ['DataAtRisk', 'the disk of its volumes: VolumeDiskFailing EIO'],
  ]);
});

it('a claim whose volume is lost has data at risk', () => {
  const claim = (status: object) =>
    claimTroubles({ metadata: { name: 'data', namespace: 'shop' }, spec: { volumeName: 'pv1' }, status }).map(
      ({ cause }) => cause,
    );
  expect(claim({ phase: 'Bound' })).toEqual([]);
  expect(claim({ phase: 'Lost' })).toEqual(['its volume pv1 does not exist any more']);
  const condition = {
    type: 'mendlet.dev/VolumeProblem',
    status: 'True',
    reason: 'NodeGone',
    message: 'node "n1" is gone',
  };
  expect(claim({ phase: 'Bound', conditions: [condition] })).toEqual(['NodeGone: node "n1" is gone']);
});
