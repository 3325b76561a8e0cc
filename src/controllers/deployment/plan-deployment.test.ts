import { describe, expect, it } from 'vitest';
import type { Deployment, DeploymentSpec, IntOrString, ReplicaSet } from '../../api/index.ts';
import {
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  newestSetAnnotations,
  nextRevision,
  REVISION,
  REVISION_HISTORY,
} from './annotations.ts';
import { planDeployment } from './plan-deployment.ts';
import { scaleAll } from './proportional.ts';
import { isSameTemplate, POD_TEMPLATE_HASH, splitSets } from './replica-sets.ts';
import { fencepostsOf } from './rollout-math.ts';

const NOW = Date.UTC(2026, 0, 1);

function deployment(spec: Partial<DeploymentSpec> = {}, status: Deployment['status'] = {}): Deployment {
  const template = { spec: { containers: [{ name: 'c', image: 'new' }] } };
  const selector = { matchLabels: { app: 'web' } };
  return {
    metadata: { namespace: 'team', name: 'web', uid: 'd', generation: 1 },
    spec: { replicas: 10, selector, template, strategy: rolling(1, 1), ...spec },
    status,
  };
}

function rolling(maxSurge: IntOrString, maxUnavailable: IntOrString): DeploymentSpec['strategy'] {
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
}

interface SetShape {
  readonly image?: string;
  readonly size: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly revision?: string;
  /** Order of creation. */
  readonly at?: number;
}

function set(name: string, shape: SetShape): ReplicaSet {
  const { image = name, size, available = size, desired, max, revision, at = 0 } = shape;
  const annotations = {
    ...(desired === undefined ? {} : { [DESIRED_REPLICAS]: String(desired) }),
    ...(max === undefined ? {} : { [MAX_REPLICAS]: String(max) }),
    ...(revision === undefined ? {} : { [REVISION]: revision }),
  };
  return {
    metadata: {
      name,
      uid: name,
      annotations,
      creationTimestamp: new Date(NOW + at * 1000).toISOString(),
      generation: 1,
    },
    spec: {
      replicas: size,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { [POD_TEMPLATE_HASH]: name } }, spec: { containers: [{ name: 'c', image }] } },
    },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}

describe('fenceposts', () => {
  it.each<[string, number, IntOrString, IntOrString, number, number]>([
    ['numbers', 10, 3, 2, 3, 2],
    ['shares: surge up, unavailable down', 3, '25%', '25%', 1, 0],
    ['both round to nothing', 1, '0%', '25%', 0, 1],
    ['no more can be missing than there are', 2, 0, 5, 0, 2],
    ['nothing is wanted', 0, '25%', 1, 0, 0],
  ])('%s', (_, replicas, maxSurge, maxUnavailable, surge, unavailable) => {
    const posts = fencepostsOf(deployment({ replicas, strategy: rolling(maxSurge, maxUnavailable) }));
    expect(posts).toEqual({ maxSurge: surge, maxUnavailable: unavailable });
  });

  it('Recreate has none', () => {
    expect(fencepostsOf(deployment({ strategy: { type: 'Recreate' } }))).toEqual({ maxSurge: 0, maxUnavailable: 0 });
  });
});

function scaled(given: Deployment, sets: readonly ReplicaSet[]): Record<string, number> {
  return Object.fromEntries(
    scaleAll(given, splitSets(given, sets)).map(({ set: { metadata }, to }) => [metadata?.name ?? '', to]),
  );
}

describe('proportional scaling', () => {
  it.each<
    [string, number, SetShape & { name: string }, readonly (SetShape & { name: string })[], Record<string, number>]
  >([
    ['one set alone', 12, { name: 'new', size: 10, desired: 10 }, [], { new: 12 }],
    [
      'up in proportion, the rest to the largest',
      15,
      { name: 'new', size: 5, desired: 10, max: 11, at: 2 },
      [{ name: 'old', size: 6, desired: 10, max: 11 }],
      { old: 9, new: 7 },
    ],
    [
      'down in proportion',
      5,
      { name: 'new', size: 5, desired: 10, max: 11, at: 2 },
      [{ name: 'old', size: 6, desired: 10, max: 11 }],
      { old: 3, new: 3 },
    ],
    [
      'down to nothing',
      0,
      { name: 'new', size: 5, desired: 10, max: 11, at: 2 },
      [{ name: 'old', size: 6, desired: 10, max: 11 }],
      { old: 0, new: 0 },
    ],
    [
      'of two alike the newer one grows',
      11,
      { name: 'new', size: 5, desired: 10, max: 11, at: 2 },
      [{ name: 'old', size: 5, desired: 10, max: 11 }],
      { new: 7, old: 5 },
    ],
    [
      'the rest of a rollout that is over',
      10,
      { name: 'new', size: 10, desired: 10, at: 2 },
      [{ name: 'old', size: 1, desired: 10 }],
      { old: 0 },
    ],
  ])('%s', (_, replicas, newest, old, expected) => {
    const sets = [newest, ...old].map(({ name, ...shape }) => set(name, shape));
    expect(scaled(deployment({ replicas }, { replicas: 11 }), sets)).toEqual(expected);
  });
});

describe('annotations of the newest set', () => {
  const given = {
    ...deployment(),
    metadata: { annotations: { mine: '1', [REVISION]: '9', 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
  };

  it('a new one has the next revision, and what the deployment says', () => {
    expect(newestSetAnnotations(given, undefined, 3n)).toEqual({ mine: '1', [REVISION]: '3' });
  });

  it('one that comes back remembers what it was', () => {
    expect(newestSetAnnotations(given, { mine: '1', [REVISION]: '1' }, 3n)).toEqual({
      [REVISION]: '3',
      [REVISION_HISTORY]: '1',
    });
    const again = { mine: '1', [REVISION]: '3', [REVISION_HISTORY]: '1' };
    expect(newestSetAnnotations(given, again, 5n)).toEqual({ [REVISION]: '5', [REVISION_HISTORY]: '1,3' });
  });

  it('one that is the newest, or says nonsense, stays as it is', () => {
    expect(newestSetAnnotations(given, { mine: '1', [REVISION]: '7' }, 3n)).toEqual({});
    expect(newestSetAnnotations(given, { mine: '1', [REVISION]: 'x' }, 3n)).toEqual({});
  });

  it('counts on from a number that needs 64 bits', () => {
    const old = (revision: string) => ({ metadata: { annotations: { [REVISION]: revision } } });
    expect(nextRevision([old('3546343826724305832'), old('7')])).toBe(3546343826724305833n);
    expect(nextRevision([old('99999999999999999999'), old('x'), {}])).toBe(1n);
  });

  it('the history is cut at its old end', () => {
    const history = Array.from({ length: 500 }, (_, index) => String(1000 + index)).join(',');
    const next = newestSetAnnotations(given, { mine: '1', [REVISION]: '1500', [REVISION_HISTORY]: history }, 1501n);
    expect(next[REVISION_HISTORY]?.length).toBeLessThanOrEqual(2000);
    expect(next[REVISION_HISTORY]).toMatch(/,1499,1500$/);
  });
});

it('templates are the same whatever their hashes, and not when a label differs', () => {
  const spec = { containers: [{ name: 'c', image: 'x' }] };
  const labelled = (labels: Record<string, string>) => ({ metadata: { labels }, spec });
  expect(isSameTemplate(labelled({ a: 'b', [POD_TEMPLATE_HASH]: '1' }), labelled({ a: 'b' }))).toBe(true);
  expect(isSameTemplate(labelled({ a: 'b' }), labelled({ a: 'c' }))).toBe(false);
  expect(isSameTemplate(undefined, {})).toBe(true);
});

function plan(given: Deployment, sets: readonly ReplicaSet[], quietMs = 0, hasPods = false) {
  const planned = planDeployment({ deployment: given, sets, hasPods: () => hasPods, quietMs, now: NOW });
  return { ...planned, changes: planned.changes.map(({ set: { metadata }, replicas }) => [metadata?.name, replicas]) };
}

describe('one step', () => {
  const old = set('old', { size: 10, desired: 10, revision: '1' });

  it('makes the new set as large as the surge allows', () => {
    const { create, changes, revision, status } = plan(deployment(), [old]);
    expect(create?.spec?.replicas).toBe(1);
    expect(create?.metadata?.annotations).toEqual({ [REVISION]: '2', [DESIRED_REPLICAS]: '10', [MAX_REPLICAS]: '11' });
    expect(changes).toEqual([]);
    expect(revision).toBe('2');
    expect(status).toMatchObject({ replicas: 10, availableReplicas: 10 });
  });

  it('scales old sets down by what can be spared', () => {
    const newest = set('new', { size: 1, available: 0, desired: 10, revision: '2' });
    expect(plan(deployment(), [old, newest]).changes).toEqual([['old', 9]]);
  });

  it('waits for what a set has not done yet', () => {
    const lowered = {
      ...set('old', { size: 9, available: 10, desired: 10, revision: '1' }),
      status: { replicas: 10, availableReplicas: 10 },
    };
    const newest = set('new', { size: 1, available: 0, desired: 10, revision: '2' });
    expect(plan(deployment(), [lowered, newest]).changes).toEqual([]);
  });

  it('gives up what never was available first, the oldest first', () => {
    const sick = set('sick', { size: 4, available: 0, desired: 10, revision: '2', at: 1 });
    const well = set('old', { size: 7, available: 7, desired: 10, revision: '1' });
    const newest = set('new', { size: 0, desired: 10, revision: '3', at: 2 });
    expect(plan(deployment({ replicas: 10, strategy: rolling(1, 3) }), [well, sick, newest]).changes).toEqual([
      ['sick', 0],
    ]);
  });

  it('does nothing but count while it is being deleted', () => {
    const going = deployment();
    const metadata = { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(plan({ ...going, metadata }, [old])).toMatchObject({ changes: [], deletes: [], status: { replicas: 10 } });
  });

  it('recreates: down, then wait, then up', () => {
    const given = deployment({ strategy: { type: 'Recreate' } });
    expect(plan(given, [old]).changes).toEqual([['old', 0]]);
    const empty = set('old', { size: 0, desired: 10, revision: '1' });
    expect(plan(given, [empty], 0, true).create).toBeUndefined();
    expect(plan(given, [empty]).create?.spec?.replicas).toBe(10);
    const newest = set('new', { size: 0, desired: 10, revision: '2' });
    expect(plan(given, [empty, newest]).changes).toEqual([['new', 10]]);
  });

  it('throws away history beyond its limit, never a set with pods', () => {
    const sets = [
      set('new', { size: 10, desired: 10, revision: '5' }),
      set('one', { size: 0, revision: '1' }),
      set('two', { size: 0, revision: '2' }),
      { ...set('three', { size: 0, revision: '3' }), status: { replicas: 1, observedGeneration: 1 } },
      set('four', { size: 0, revision: '4' }),
    ];
    const deletes = (limit: number) =>
      plan(
        deployment({ revisionHistoryLimit: limit }),
        sets.filter(({ status }) => limit > 0 || status?.replicas !== 1),
      ).deletes.map(({ metadata }) => metadata?.name);
    expect(deletes(0)).toEqual(['one', 'two', 'four']);
    // Its pods are still counted: the rollout is not over, and nothing is thrown away.
    expect(deletes(2)).toEqual([]);
  });
});

describe('the progress deadline', () => {
  const conditions = [
    { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', lastUpdateTime: '2026-01-01T00:00:00Z' },
  ];
  const counted = { replicas: 10, updatedReplicas: 10, readyReplicas: 9, availableReplicas: 9, conditions };
  const given = deployment({ progressDeadlineSeconds: 60 }, counted);
  const sets = [set('new', { size: 10, available: 9, desired: 10, revision: '1' })];
  const reason = (quietMs: number) =>
    plan(given, sets, quietMs).status.conditions?.find(({ type }) => type === 'Progressing')?.reason;

  it('passes when nothing has happened for longer', () => {
    expect(reason(60_000)).toBe('ReplicaSetUpdated');
    expect(plan(given, sets, 20_000).checkInMs).toBe(41_000);
    expect(reason(60_001)).toBe('ProgressDeadlineExceeded');
    expect(plan(given, sets, 60_001).checkInMs).toBeUndefined();
  });

  it('begins anew when somebody goes back to an earlier set', () => {
    const overdue = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
    const back = [
      set('new', { size: 0, revision: '1' }),
      set('broken', { size: 10, available: 0, revision: '2', at: 1 }),
    ];
    const undone = deployment(
      { progressDeadlineSeconds: 60 },
      { replicas: 10, updatedReplicas: 10, conditions: overdue },
    );
    const { status, checkInMs } = plan(undone, back, 1e9);
    expect(status.conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({
      status: 'True',
      reason: 'FoundNewReplicaSet',
      message: 'Found new replica set "new"',
    });
    expect(checkInMs).toBe(61_000);
  });

  it('is no matter without one', () => {
    const without = deployment({}, counted);
    expect(plan(without, sets, 1e9).status.conditions?.map(({ type }) => type)).toEqual(['Available']);
  });
});
