import { describe, expect, it } from 'vitest';
import type {
  KubeObject,
  OwnerReference,
  Pod,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
  ResourceRow,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import type { AskedScale } from './expected-pods.ts';
import { planBudget } from './plan-budget.ts';
import { staleInMs } from './stale-disruption.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 10);
const at = (secondsAgo: number): string => formatTime(NOW - secondsAgo * 1000);

function owner(apiVersion: string, kind: string, name: string): OwnerReference {
  return { apiVersion, kind, name, uid: name, controller: true };
}

interface PodOptions {
  readonly ready?: boolean;
  readonly owner?: OwnerReference;
  readonly deleting?: boolean;
  readonly created?: number;
}

function pod(name: string, options: PodOptions = {}): Pod {
  const { ready = true, deleting = false, created = 600 } = options;
  return {
    metadata: {
      namespace: 'n',
      name,
      creationTimestamp: at(created),
      ...(options.owner === undefined ? {} : { ownerReferences: [options.owner] }),
      ...(deleting ? { deletionTimestamp: at(1) } : {}),
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

function scaled(uid: string, replicas: number, ref?: OwnerReference): KubeObject {
  const object = {
    metadata: { namespace: 'n', name: uid, uid, ...(ref === undefined ? {} : { ownerReferences: [ref] }) },
    spec: { replicas },
  };
  return object;
}

const OBJECTS: Readonly<Record<string, KubeObject>> = {
  'replicasets/rs': scaled('rs', 4),
  'replicasets/web-1': scaled('web-1', 3, owner('apps/v1', 'Deployment', 'web')),
  'replicasets/web-2': scaled('web-2', 2, owner('apps/v1', 'Deployment', 'web')),
  'deployments/web': scaled('web', 5),
  'statefulsets/db': scaled('db', 3),
  'replicationcontrollers/old': scaled('old', 2),
};

const find = (row: ResourceRow, _: string, name: string): KubeObject | undefined => OBJECTS[`${row.resource}/${name}`];

/** What the server said of other kinds. */
const asked = new Map<string, AskedScale>([
  ['j', { ok: false, problem: 'jobs.batch does not implement the scale subresource' }],
  ['w', { ok: true, replicas: 6 }],
  ['left', { ok: false }],
]);

function plan(spec: PodDisruptionBudgetSpec, pods: readonly Pod[], status?: PodDisruptionBudgetStatus) {
  const metadata = { namespace: 'n', name: 'pdb', generation: 2 };
  return planBudget({ budget: { metadata, spec, ...(status && { status }) }, pods, scales: { find, asked }, now: NOW });
}

const many = (count: number, options: PodOptions = {}): Pod[] =>
  Array.from({ length: count }, (_, i) => pod(`${options.owner?.name ?? 'p'}${i}`, options));
const RS = owner('apps/v1', 'ReplicaSet', 'rs');

describe('planBudget', () => {
  it.each<{ what: string; spec: PodDisruptionBudgetSpec; pods: Pod[]; counts: readonly number[] }>([
    { what: 'minAvailable: all that are there count', spec: { minAvailable: 2 }, pods: many(3), counts: [3, 2, 3, 1] },
    { what: 'too few are healthy', spec: { minAvailable: 2 }, pods: many(3, { ready: false }), counts: [0, 2, 3, 0] },
    { what: 'no pods', spec: { minAvailable: 0 }, pods: [], counts: [0, 0, 0, 0] },
    { what: 'no bound', spec: {}, pods: many(3), counts: [3, 0, 0, 0] },
    {
      what: 'maxUnavailable: of what is wanted',
      spec: { maxUnavailable: 1 },
      pods: many(3, { owner: RS }),
      counts: [3, 3, 4, 0],
    },
    { what: 'all wanted are there', spec: { maxUnavailable: 1 }, pods: many(4, { owner: RS }), counts: [4, 3, 4, 1] },
    { what: 'a share, rounded up', spec: { minAvailable: '30%' }, pods: many(4, { owner: RS }), counts: [4, 2, 4, 2] },
    {
      what: 'a share unavailable, rounded up',
      spec: { maxUnavailable: '30%' },
      pods: many(4, { owner: RS }),
      counts: [4, 2, 4, 2],
    },
    {
      what: 'more than all unavailable',
      spec: { maxUnavailable: 9 },
      pods: many(4, { owner: RS }),
      counts: [4, 0, 4, 4],
    },
    {
      what: 'the sets of a deployment count as it does',
      spec: { maxUnavailable: 1 },
      pods: [
        ...many(3, { owner: owner('apps/v1', 'ReplicaSet', 'web-1') }),
        ...many(2, { owner: owner('apps/v1', 'ReplicaSet', 'web-2') }),
      ],
      counts: [5, 4, 5, 1],
    },
    {
      what: 'several controllers',
      spec: { maxUnavailable: 1 },
      pods: [
        ...many(3, { owner: owner('apps/v1', 'StatefulSet', 'db') }),
        ...many(2, { owner: owner('v1', 'ReplicationController', 'old') }),
      ],
      counts: [5, 4, 5, 1],
    },
    {
      what: 'a controller of another kind',
      spec: { maxUnavailable: '50%' },
      pods: [...many(4, { owner: owner('x.io/v1', 'X', 'w') }), ...many(2, { owner: RS })],
      counts: [6, 5, 10, 1],
    },
    {
      what: 'those that are going count no more',
      spec: { minAvailable: 1 },
      pods: [pod('a'), pod('b', { deleting: true })],
      counts: [1, 1, 2, 0],
    },
  ])('$what', ({ spec, pods, counts }) => {
    const { status } = plan(spec, pods);
    const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed = 0 } = status;
    expect([currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed]).toEqual(counts);
    expect(status.observedGeneration).toBe(2);
    expect(status.conditions).toMatchObject([
      disruptionsAllowed > 0
        ? { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods' }
        : { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' },
    ]);
  });

  it.each([
    ['a job', owner('batch/v1', 'Job', 'j'), 'jobs.batch does not implement the scale subresource'],
    ['a controller that is gone', owner('apps/v1', 'ReplicaSet', 'gone'), 'found no controllers for pod "p"'],
    ['a custom controller that is gone', owner('x.io/v1', 'X', 'left'), 'found no controllers for pod "p"'],
    ['one that the server was not asked for', owner('x.io/v1', 'X', 'x'), 'found no controllers for pod "p"'],
  ])('pods of %s cannot be counted', (_, reference, problem) => {
    const before = {
      disruptionsAllowed: 3,
      currentHealthy: 4,
      desiredHealthy: 1,
      expectedPods: 4,
      observedGeneration: 1,
    };
    const { status, events } = plan({ maxUnavailable: 1 }, [pod('p', { owner: reference })], before);
    expect(status).toMatchObject({
      ...before,
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'SyncFailed', message: problem, observedGeneration: 1 }],
    });
    expect(events).toMatchObject([
      { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message: expect.stringContaining(problem) },
    ]);
  });

  it('tells of pods that nobody scales, and of none at all', () => {
    const selector = { matchLabels: { app: 'web' } };
    expect(plan({ maxUnavailable: 1, selector }, [pod('p')]).events).toMatchObject([
      { reason: 'UnmanagedPods', message: expect.stringContaining('(selector: app=web)') },
    ]);
    expect(plan({ minAvailable: 1 }, []).events).toMatchObject([{ type: 'Normal', reason: 'NoPods' }]);
  });

  it('evicted pods count no more, until they are spared', () => {
    const disruptedPods = { going: at(30), spared: at(121), gone: at(5), again: at(20), deleting: at(3) };
    const pods = [
      pod('going'),
      pod('spared'),
      pod('again', { created: 10 }),
      pod('deleting', { deleting: true }),
      pod('other'),
    ];
    const { status, events, recheckAfterMs } = plan({ minAvailable: 1 }, pods, { disruptedPods });
    expect(status).toMatchObject({ disruptedPods: { going: at(30) }, currentHealthy: 3, disruptionsAllowed: 2 });
    expect(recheckAfterMs).toBe(90_000);
    expect(events).toMatchObject([
      { reason: 'NotDeleted', pod: { metadata: { name: 'spared' } }, message: expect.stringContaining('n/pdb') },
    ]);
  });

  it('says nothing new when nothing is new', () => {
    const first = plan({ minAvailable: 1 }, many(3)).status;
    expect(plan({ minAvailable: 1 }, many(3), first).status).toEqual(first);
  });
});

describe('a disruption that did not come', () => {
  const target = (reason: string, secondsAgo: number, more: PodOptions & { phase?: string } = {}): Pod => {
    const base = pod('p', more);
    const condition = { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: at(secondsAgo) };
    return { ...base, status: { phase: more.phase ?? 'Running', conditions: [condition] } };
  };
  it.each<[string, Pod, number | undefined]>([
    ['young', target('EvictionByEvictionAPI', 20), 100_000],
    ['old', target('EvictionByEvictionAPI', 130), 0],
    ['from the future', target('EvictionByEvictionAPI', -500), 120_000],
    ['being deleted', target('EvictionByEvictionAPI', 130, { deleting: true }), undefined],
    ['over', target('EvictionByEvictionAPI', 130, { phase: 'Failed' }), undefined],
    ["the kubelet's", target('TerminationByKubelet', 130), undefined],
    ['none', pod('p'), undefined],
  ])('%s', (_, given, expected) => {
    expect(staleInMs(given, NOW)).toBe(expected);
  });
});
