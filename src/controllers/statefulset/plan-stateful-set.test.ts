import { describe, expect, it } from 'vitest';
import {
  type ControllerRevision,
  nameOf,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
  type StatefulSetSpec,
} from '../../api/index.ts';
import { revisionData } from '../history/revision.ts';
import { planStatefulSet, type StatefulSetPlan, type StatefulSetView, type Step } from './plan-stateful-set.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1, 0);
const SET_OWNER: OwnerReference = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'web',
  uid: 'set',
  controller: true,
  blockOwnerDeletion: true,
};

function revision(name: string, image = name): ControllerRevision {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
  return { metadata: { name }, revision: 1, data: revisionData(template) };
}

function setOf(spec: Partial<StatefulSetSpec>, status = {}): StatefulSet {
  return {
    metadata: { namespace: 'team', name: 'web', uid: 'set', generation: 4 },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: {},
      serviceName: 'svc',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
    status: { replicas: 0, ...status },
  };
}

interface PodOptions {
  readonly phase?: string;
  readonly ready?: boolean;
  readonly going?: boolean;
  readonly revision?: string;
  readonly labels?: Record<string, string>;
  /** Seconds since it got ready. */
  readonly readyFor?: number;
  readonly volumes?: NonNullable<Pod['spec']>['volumes'];
}

/** Running and ready, unless said otherwise. */
function pod(ordinal: number, options: PodOptions = {}): Pod {
  const { phase = 'Running', ready = phase === 'Running', going = false, readyFor = 60 } = options;
  const name = `web-${ordinal}`;
  return {
    metadata: {
      namespace: 'team',
      name,
      uid: `uid-${ordinal}`,
      labels: {
        'statefulset.kubernetes.io/pod-name': name,
        'apps.kubernetes.io/pod-index': String(ordinal),
        'controller-revision-hash': options.revision ?? 'new',
        ...options.labels,
      },
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { containers: [], ...(options.volumes === undefined ? {} : { volumes: options.volumes }) },
    status: {
      phase,
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          lastTransitionTime: new Date(NOW - readyFor * 1000).toISOString(),
        },
      ],
    },
  };
}

interface Extra {
  readonly current?: string;
  readonly foreign?: readonly string[];
  readonly claims?: readonly PersistentVolumeClaim[];
  /** Of web-0. */
  readonly backOffMs?: number;
}

function plan(set: StatefulSet, pods: readonly Pod[], extra: Extra = {}) {
  const { current = 'new', foreign = [], claims = [], backOffMs = 0 } = extra;
  const view: StatefulSetView = {
    set,
    revisions: { current: revision(current), update: revision('new'), collisionCount: 0 },
    pods,
    foreignPod: (name) => (foreign.includes(name) ? { metadata: { name } } : undefined),
    failureWaitMs: (name) => (name === 'web-0' ? backOffMs : 0),
    claim: (name) => claims.find((claim) => nameOf(claim) === name),
    now: NOW,
  };
  return planStatefulSet(view);
}

function describeStep(step: Step): string {
  switch (step.kind) {
    case 'create':
      return `create ${nameOf(step.pod)}@${step.pod.metadata?.labels?.['controller-revision-hash']}${step.claims.map((claim) => ` +${nameOf(claim)}`).join('')}`;
    case 'claim':
      return `claim ${step.claims.map(nameOf).join(' ')}`;
    case 'own':
      return `own ${nameOf(step.claim)} by ${step.owners.map(({ name }) => name).join(' ') || 'nobody'}`;
    case 'conflict':
      return `conflict ${nameOf(step.claim)}`;
    case 'delete':
    case 'label':
    case 'complain':
      return `${step.kind} ${nameOf(step.pod)}`;
  }
}

function steps({ steps: list }: StatefulSetPlan): string[] {
  return list.map(describeStep);
}

const PARALLEL = { podManagementPolicy: 'Parallel' };
const partition = (count: number): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: count } },
});
const unavailable = (maxUnavailable: number | string): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable } },
});

describe('OrderedReady', () => {
  it.each<[string, Partial<StatefulSetSpec>, Pod[], string[], string | undefined]>([
    ['begins with the first', {}, [], ['create web-0@new'], 'Pod web-0 to be Running and Ready'],
    ['waits for it', {}, [pod(0, { phase: 'Pending' })], [], 'Pod web-0 to be Running and Ready'],
    ['goes on with the next', {}, [pod(0)], ['create web-1@new'], 'Pod web-1 to be Running and Ready'],
    ['fills a gap first', {}, [pod(0), pod(2)], ['create web-1@new'], 'Pod web-1 to be Running and Ready'],
    ['rests', {}, [pod(0), pod(1), pod(2)], [], undefined],
    ['waits until one that goes is gone', {}, [pod(0, { going: true })], [], 'Pod web-0 to terminate'],
    [
      'replaces one that failed, once it is gone',
      {},
      [pod(0, { phase: 'Failed' })],
      ['delete web-0'],
      'Pod web-0 ended and must be gone before it is made again',
    ],
    ['one that succeeded, too', { replicas: 1 }, [pod(0, { phase: 'Succeeded' })], ['delete web-0'], expect.anything()],
    ['deletes none twice', {}, [pod(0, { phase: 'Failed', going: true })], [], expect.anything()],
    ['counts from where it shall', { ordinals: { start: 5 } }, [pod(5)], ['create web-6@new'], expect.anything()],
    ['shrinks from the highest', { replicas: 1 }, [pod(0), pod(1), pod(2)], ['delete web-2'], 'Pod web-2 to terminate'],
    [
      'one at a time',
      { replicas: 1 },
      [pod(0), pod(1), pod(2, { going: true })],
      [],
      'Pod web-2 to terminate before the scale-down goes on',
    ],
    ['not while one that stays is sick', { replicas: 1 }, [pod(0, { ready: false }), pod(1)], [], expect.anything()],
    [
      'nor while a lower one that goes is sick',
      { replicas: 0 },
      [pod(0, { ready: false }), pod(1, { ready: false })],
      [],
      'Pod web-0 to be Running and Ready before the scale-down goes on',
    ],
    ['the sick one itself may go', { replicas: 0 }, [pod(0, { ready: false })], ['delete web-0'], expect.anything()],
    [
      'takes those below the first ordinal away',
      { replicas: 1, ordinals: { start: 2 } },
      [pod(0), pod(2)],
      ['delete web-0'],
      expect.anything(),
    ],
    ['waits for minReadySeconds', { minReadySeconds: 90 }, [pod(0)], [], 'Pod web-0 to be Available'],
    ['and goes on then', { minReadySeconds: 60 }, [pod(0)], ['create web-1@new'], expect.anything()],
  ])('%s', (_, spec, pods, expected, why) => {
    const made = plan(setOf(spec), pods);
    expect(steps(made)).toEqual(expected);
    expect(made.why).toEqual(why);
  });

  it('wakes when minReadySeconds are over', () => {
    expect(plan(setOf({ minReadySeconds: 90 }), [pod(0)]).wakeAfterMs).toBe(30_000);
    expect(plan(setOf({ minReadySeconds: 60 }), [pod(0)]).wakeAfterMs).toBeUndefined();
  });

  it('waits before it replaces one that failed again', () => {
    const made = plan(setOf({ podManagementPolicy: 'Parallel' }), [pod(0, { phase: 'Failed' }), pod(1)], {
      backOffMs: 4000,
    });
    expect(made).toMatchObject({ wakeAfterMs: 4000, why: 'the back-off of Pod web-0, which failed again' });
    expect(steps(made)).toEqual(['create web-2@new']);
  });

  it('only counts while it is being deleted', () => {
    const set = setOf({});
    const going = { ...set, metadata: { ...set.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(plan(going, [pod(0, { phase: 'Failed' })])).toMatchObject({ steps: [], status: { replicas: 1 } });
  });

  it('leaves a name that somebody else has', () => {
    expect(steps(plan(setOf({}), [], { foreign: ['web-0'] }))).toEqual(['complain web-0']);
  });

  it('gives back the labels of an identity', () => {
    const made = plan(setOf({ replicas: 1 }), [pod(0, { labels: { 'apps.kubernetes.io/pod-index': '7' } })]);
    expect(made.steps).toMatchObject([
      { kind: 'label', labels: { 'statefulset.kubernetes.io/pod-name': 'web-0', 'apps.kubernetes.io/pod-index': '0' } },
    ]);
  });
});

describe('Parallel', () => {
  it.each<[string, Partial<StatefulSetSpec>, Pod[], string[]]>([
    ['makes all at once', {}, [], ['create web-0@new', 'create web-1@new', 'create web-2@new']],
    ['waits for nobody', {}, [pod(0, { ready: false }), pod(2)], ['create web-1@new']],
    ['but for the end of the one of that name', {}, [pod(0, { going: true }), pod(1), pod(2)], []],
    [
      'shrinks all at once',
      { replicas: 1 },
      [pod(0, { ready: false }), pod(1), pod(2)],
      ['delete web-2', 'delete web-1'],
    ],
    [
      'replaces those that ended',
      {},
      [pod(0, { phase: 'Failed' }), pod(1, { phase: 'Succeeded' })],
      ['delete web-0', 'delete web-1', 'create web-2@new'],
    ],
    ['updates one at a time', {}, [0, 1, 2].map((ordinal) => pod(ordinal, { revision: 'old' })), ['delete web-2']],
    [
      'replaces a bad update',
      {},
      [pod(0, { revision: 'old' }), pod(1, { revision: 'old' }), pod(2, { revision: 'bad', ready: false })],
      ['delete web-2'],
    ],
  ])('%s', (_, spec, pods, expected) => {
    expect(steps(plan(setOf({ ...PARALLEL, ...spec }), pods))).toEqual(expected);
  });
});

describe('an update', () => {
  const old = (ordinal: number, options: PodOptions = {}): Pod => pod(ordinal, { revision: 'old', ...options });

  it.each<[string, Partial<StatefulSetSpec>, Pod[], string[]]>([
    ['begins with the highest', {}, [old(0), old(1), old(2)], ['delete web-2']],
    ['waits for it', {}, [old(0), old(1), pod(2, { ready: false })], []],
    ['makes it again from the new revision', {}, [old(0), old(1)], ['create web-2@new']],
    ['goes down', {}, [old(0), old(1), pod(2)], ['delete web-1']],
    ['stops at the partition', partition(2), [old(0), old(1), pod(2)], []],
    ['makes those below the partition from the current revision', partition(2), [old(0)], ['create web-1@old']],
    ['does nothing with a partition above all', partition(9), [old(0), old(1), old(2)], []],
    // A strategy without parameters gets none by default, and the status still counts the pod that was just deleted.
    [
      'goes on without a partition',
      { updateStrategy: { type: 'RollingUpdate' } },
      [old(0), old(1)],
      ['create web-2@new'],
    ],
    [
      'brings one that is not its turn back as it was',
      { updateStrategy: { type: 'RollingUpdate' } },
      [old(1), pod(2)],
      ['create web-0@old'],
    ],
    ['is others’ business with OnDelete', { updateStrategy: { type: 'OnDelete' } }, [old(0), old(1), old(2)], []],
    [
      'makes what was deleted from the new one',
      { updateStrategy: { type: 'OnDelete' } },
      [old(0)],
      ['create web-1@new'],
    ],
    ['comes after the scale-down', { replicas: 2 }, [old(0), old(1), old(2)], ['delete web-2']],
    ['of several at once', unavailable(2), [old(0), old(1), old(2)], ['delete web-2', 'delete web-1']],
    ['of a share, at least one', unavailable('10%'), [old(0), old(1), old(2)], ['delete web-2']],
    [
      'of several, less those that are away',
      { ...PARALLEL, ...unavailable(2) },
      [old(0), old(1), pod(2, { ready: false })],
      ['delete web-1'],
    ],
    [
      'replaces a bad one even when no more may be away',
      { ...PARALLEL, ...unavailable(1) },
      [old(0), old(1), old(2, { ready: false })],
      ['delete web-2'],
    ],
    [
      'of several waits',
      { ...PARALLEL, ...unavailable(2) },
      [old(0), pod(1, { ready: false }), pod(2, { going: true })],
      [],
    ],
  ])('%s', (_, spec, pods, expected) => {
    const set = setOf(spec, { currentRevision: 'old', currentReplicas: 3 });
    expect(steps(plan(set, pods, { current: 'old' }))).toEqual(expected);
  });

  it('is over when all are there and ready', () => {
    const status = { currentRevision: 'old', currentReplicas: 0 };
    const over = plan(setOf({}, status), [pod(0), pod(1), pod(2)], { current: 'old' }).status;
    expect(over).toMatchObject({
      currentRevision: 'new',
      updateRevision: 'new',
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    const more = plan(setOf({}, status), [pod(0), pod(1), pod(2), pod(3)], { current: 'old' }).status;
    expect(more).toMatchObject({ currentRevision: 'old', updatedReplicas: 4 });
    const held = plan(setOf(partition(1)), [old(0), pod(1), pod(2)], { current: 'old' }).status;
    expect(held).toMatchObject({ currentRevision: 'old', currentReplicas: 1, updatedReplicas: 2 });
  });
});

it('the status counts', () => {
  const pods = [pod(0), pod(1, { readyFor: 5 }), pod(2, { phase: 'Pending' }), pod(3, { going: true })];
  expect(plan(setOf({ minReadySeconds: 10 }), pods).status).toEqual({
    observedGeneration: 4,
    replicas: 4,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: 'new',
    updateRevision: 'new',
    collisionCount: 0,
    availableReplicas: 2,
  });
});

describe('claims', () => {
  const DATA: PersistentVolumeClaim = {
    metadata: { name: 'data', labels: { tier: 'x' } },
    spec: { accessModes: ['ReadWriteOnce'] },
  };
  const claiming = (more: Partial<StatefulSetSpec> = {}): StatefulSet =>
    setOf({ replicas: 1, volumeClaimTemplates: [DATA], ...more });
  const retain = (whenDeleted: string, whenScaled: string): Partial<StatefulSetSpec> => ({
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
  const claim = (ordinal: number, owners: OwnerReference[] = [], going = false): PersistentVolumeClaim => ({
    metadata: {
      name: `data-web-${ordinal}`,
      ownerReferences: owners,
      ...(going ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  });
  const using = (ordinal: number, options: PodOptions = {}): Pod =>
    pod(ordinal, {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-web-${ordinal}` } }],
      ...options,
    });
  const podOwner = (ordinal: number, uid = `uid-${ordinal}`): OwnerReference => ({
    apiVersion: 'v1',
    kind: 'Pod',
    name: `web-${ordinal}`,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  });
  const other: OwnerReference = { apiVersion: 'x/v1', kind: 'Other', name: 'other', uid: 'o', controller: true };

  it('come with their pod', () => {
    const [step] = plan(claiming(), []).steps;
    expect(step).toMatchObject({
      kind: 'create',
      pod: {
        metadata: { name: 'web-0' },
        spec: {
          hostname: 'web-0',
          subdomain: 'svc',
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }],
        },
      },
      claims: [
        { metadata: { namespace: 'team', name: 'data-web-0', labels: { tier: 'x', app: 'web' } }, spec: DATA.spec },
      ],
    });
  });

  it.each<[string, StatefulSet, Pod[], PersistentVolumeClaim[], string[]]>([
    ['are taken again', claiming(), [], [claim(0)], ['create web-0@new']],
    ['are waited for when they go', claiming(), [], [claim(0, [], true)], ['complain web-0']],
    ['come back for a pod that waits', claiming(), [using(0, { phase: 'Pending' })], [], ['claim data-web-0']],
    ['can not be given to a pod', claiming(), [pod(0)], [claim(0)], ['complain web-0']],
    ['are nobody’s', claiming(), [using(0)], [claim(0)], []],
    ['go with the set', claiming(retain('Delete', 'Retain')), [using(0)], [claim(0)], ['own data-web-0 by web']],
    ['once', claiming(retain('Delete', 'Retain')), [using(0)], [claim(0, [SET_OWNER])], []],
    ['no more', claiming(), [using(0)], [claim(0, [SET_OWNER])], ['own data-web-0 by nobody']],
    [
      'go with the pod when there are fewer',
      claiming(retain('Retain', 'Delete')),
      [using(0), using(1)],
      [claim(0), claim(1)],
      ['own data-web-1 by web-1'],
    ],
    [
      'and then the pod goes',
      claiming(retain('Delete', 'Delete')),
      [using(0), using(1)],
      [claim(0, [SET_OWNER]), claim(1, [podOwner(1)])],
      ['delete web-1'],
    ],
    [
      'stay when the pod is wanted again',
      claiming(retain('Retain', 'Delete')),
      [using(0)],
      [claim(0, [podOwner(0)])],
      ['own data-web-0 by nobody'],
    ],
    [
      'of an earlier pod are left to go',
      claiming(retain('Retain', 'Delete')),
      [],
      [claim(0, [podOwner(0, 'earlier')])],
      [],
    ],
    ['of others stay theirs', claiming(retain('Delete', 'Retain')), [using(0)], [claim(0, [other])], []],
    [
      'of others, ours by mistake',
      claiming(retain('Delete', 'Retain')),
      [using(0)],
      [claim(0, [other, SET_OWNER])],
      ['own data-web-0 by other'],
    ],
    [
      'of others are told',
      claiming(retain('Delete', 'Retain')),
      [],
      [claim(0, [other])],
      ['conflict data-web-0', 'create web-0@new'],
    ],
  ])('%s', (_, set, pods, claims, expected) => {
    expect(steps(plan(set, pods, { claims }))).toEqual(expected);
  });
});
