import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../defaulting/defaults.ts';
import { printFieldError } from '../field-error.ts';
import type { KubeObject, Resource } from '../resource.ts';
import { DEPLOYMENTS, REPLICA_SETS, REPLICATION_CONTROLLERS } from '../resources.ts';
import type { Deployment, ReplicaSet, ReplicationController } from '../types.gen.ts';
import { warningsOf } from '../warnings/warnings.ts';
import { validateCreate, validateUpdate } from './validate.ts';

const metadata = { namespace: 'n', name: 'web' };
const selector = { matchLabels: { app: 'web' } };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };

function defaulted<T extends KubeObject>(resource: Resource<T>, spec: object): T {
  return applyDefaults(resource, structuredClone({ metadata, spec }) as unknown as T);
}

function created(resource: Resource<KubeObject>, spec: object): string[] {
  return validateCreate(resource, defaulted(resource, spec)).map(printFieldError);
}

function changed(resource: Resource<KubeObject>, spec: object, old: object, subresource = ''): string[] {
  const stored = { ...metadata, resourceVersion: '1' };
  const of = (given: object): KubeObject => ({ ...defaulted(resource, given), metadata: stored });
  return validateUpdate(resource, of(spec), of(old), subresource).map(printFieldError);
}

describe('defaults', () => {
  it('of a deployment', () => {
    const { spec } = defaulted<Deployment>(DEPLOYMENTS, { selector, template });
    expect(spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] } },
    });
    expect(spec?.template.spec?.enableServiceLinks).toBeUndefined();
  });

  it('of one that recreates: no numbers of a rolling update', () => {
    const { spec } = defaulted<Deployment>(DEPLOYMENTS, { selector, template, strategy: { type: 'Recreate' } });
    expect(spec?.strategy).toEqual({ type: 'Recreate' });
  });

  it('a replica set has one replica, and may have none', () => {
    expect(defaulted<ReplicaSet>(REPLICA_SETS, { selector, template }).spec?.replicas).toBe(1);
    expect(defaulted<ReplicaSet>(REPLICA_SETS, { selector, template, replicas: 0 }).spec?.replicas).toBe(0);
  });

  it('a replication controller selects what its template labels', () => {
    const object = defaulted<ReplicationController>(REPLICATION_CONTROLLERS, { template });
    expect(object).toMatchObject({
      metadata: { labels: { app: 'web' } },
      spec: { replicas: 1, selector: { app: 'web' } },
    });
  });
});

const rolling = (rollingUpdate: object) => ({ selector, template, strategy: { type: 'RollingUpdate', rollingUpdate } });

describe('a new deployment', () => {
  it.each<[string, object, string[]]>([
    ['is fine', { selector, template }, []],
    ['may surge alone', rolling({ maxSurge: 1, maxUnavailable: 0 }), []],
    ['may surge beyond its size', rolling({ maxSurge: '300%', maxUnavailable: '100%' }), []],
    ['without a selector', { template }, ['spec.selector: Required value']],
    [
      'with an empty one',
      { selector: {}, template },
      ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
    ],
    [
      'that does not match its template',
      { selector: { matchLabels: { app: 'db' } }, template },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'with fewer than no pods',
      { selector, template, replicas: -1 },
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'that stands still',
      rolling({ maxSurge: 0, maxUnavailable: 0 }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'that stands still in percent',
      rolling({ maxSurge: '0%', maxUnavailable: '0%' }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      'with more unavailable than there are',
      rolling({ maxUnavailable: '101%' }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      'that recreates and rolls',
      { selector, template, strategy: { type: 'Recreate', rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'of an unknown way',
      { selector, template, strategy: { type: 'Canary' } },
      ['spec.strategy.type: Unsupported value: "Canary": supported values: "Recreate", "RollingUpdate"'],
    ],
    [
      'due before its pods can be available',
      { selector, template, minReadySeconds: 30, progressDeadlineSeconds: 30 },
      ['spec.progressDeadlineSeconds: Invalid value: 30: must be greater than minReadySeconds'],
    ],
    [
      'whose pods end',
      {
        selector,
        template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } },
      },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
      ],
    ],
    [
      'without containers',
      { selector, template: { metadata: template.metadata } },
      ['spec.template.spec.containers: Required value'],
    ],
  ])('%s', (_, spec, expected) => {
    expect(created(DEPLOYMENTS, spec)).toEqual(expected);
  });
});

describe('a change of a deployment', () => {
  it('may not be one of its selector', () => {
    const other = { matchLabels: { app: 'web', tier: 'x' } };
    const labels = { app: 'web', tier: 'x' };
    expect(
      changed(
        DEPLOYMENTS,
        { selector: other, template: { ...template, metadata: { labels } } },
        { selector, template },
      ),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable']);
  });

  it.each<[string, object, object, string[]]>([
    ['fine', { replicas: 2, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 1 }, {}, []],
    [
      'more than there are',
      { replicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      {},
      [
        'status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas',
      ],
    ],
    [
      'fewer collisions',
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['status.collisionCount: Invalid value: 1: cannot be decremented'],
    ],
  ])('of its status: %s', (_, status, before, expected) => {
    const meta = { ...metadata, resourceVersion: '1' };
    const errors = validateUpdate(
      DEPLOYMENTS,
      { metadata: meta, status } as Deployment,
      { metadata: meta, status: before } as Deployment,
      'status',
    );
    expect(errors.map(printFieldError)).toEqual(expected);
  });
});

describe('replica sets and replication controllers', () => {
  it.each<[string, Resource<KubeObject>, object, string[]]>([
    ['a fine set', REPLICA_SETS, { selector, template, minReadySeconds: 3 }, []],
    ['a fine controller', REPLICATION_CONTROLLERS, { template }, []],
    [
      'a set that selects others',
      REPLICA_SETS,
      { selector: { matchLabels: { a: 'b' } }, template },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'a controller that selects others',
      REPLICATION_CONTROLLERS,
      { selector: { a: 'b' }, template },
      ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    ],
    [
      'a controller with nothing',
      REPLICATION_CONTROLLERS,
      {},
      ['spec.selector: Required value', 'spec.template: Required value'],
    ],
  ])('%s', (_, resource, spec, expected) => {
    expect(created(resource, spec)).toEqual(expected);
  });

  it("a set's selector stays, a controller's may change", () => {
    const both = { ...template, metadata: { labels: { app: 'web', a: 'b' } } };
    expect(
      changed(REPLICA_SETS, { selector: { matchLabels: { a: 'b' } }, template: both }, { selector, template: both }),
    ).toEqual(['spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: field is immutable']);
    expect(changed(REPLICATION_CONTROLLERS, { selector: { a: 'b' }, template: both }, { template: both })).toEqual([]);
  });
});

it('names that are no DNS labels are warned of', () => {
  expect(warningsOf(DEPLOYMENTS, { metadata: { name: 'a.b' } })).toEqual([
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
  ]);
});
