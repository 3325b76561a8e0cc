import { describe, expect, it } from 'vitest';
import type { ControllerRevision, PodTemplateSpec, ReplicaSet } from '../../api/index.ts';
import { ago } from '../evidence.fixtures.ts';
import { rolloutsOfRecords, rolloutsOfSets, rolloutText } from './rollouts.ts';
import { templateChanges } from './template-changes.ts';

function template(container: object = {}, spec: object = {}, metadata: object = {}): PodTemplateSpec {
  return { metadata, spec: { ...spec, containers: [{ name: 'web', image: 'web:1', ...container }] } };
}

describe('what differs between two templates', () => {
  it.each<[string, PodTemplateSpec, PodTemplateSpec, readonly string[]]>([
    ['nothing', template(), template(), []],
    ['an image', template(), template({ image: 'web:2' }), ['container web image: web:1 → web:2']],
    [
      'variables',
      template({
        env: [
          { name: 'MODE', value: 'a' },
          { name: 'OLD', value: '1' },
        ],
      }),
      template({
        env: [
          { name: 'MODE', value: 'b' },
          { name: 'NEW', value: '2' },
        ],
      }),
      ['container web env MODE: a → b', 'container web env OLD: removed', 'container web env NEW: added'],
    ],
    [
      'a secret in a variable',
      template({ env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }),
      template({ env: [{ name: 'DB_PASSWORD', value: 'hunter3' }] }),
      ['container web env DB_PASSWORD: changed'],
    ],
    [
      'a secret in a URL',
      template({ env: [{ name: 'DB', value: 'postgres://me:hunter2@db/app' }] }),
      template({ env: [{ name: 'DB', value: 'postgres://me:hunter3@db/app' }] }),
      ['container web env DB: changed'],
    ],
    [
      'where a variable comes from',
      template({ env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'a', key: 'k' } } }] }),
      template({ env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'b', key: 'k' } } }] }),
      ['container web env KEY valueFrom secretKeyRef name: a → b'],
    ],
    [
      'a limit, and a probe that was added',
      template({ resources: { limits: { memory: '64Mi' } } }),
      template({ resources: { limits: { memory: '32Mi' } }, livenessProbe: { tcpSocket: { port: 80 } } }),
      ['container web resources limits memory: 64Mi → 32Mi', 'container web livenessProbe: added'],
    ],
    [
      'its command',
      template({ command: ['a'] }),
      template({ command: ['a', '-x'] }),
      ['container web command: ["a"] → ["a","-x"]'],
    ],
    [
      'volumes and labels, but not those of controllers',
      template({}, { volumes: [{ name: 'data', emptyDir: {} }] }, { labels: { app: 'a', 'pod-template-hash': '1' } }),
      template({}, {}, { labels: { app: 'b', 'pod-template-hash': '2' } }),
      ['volume data: removed', 'label app: a → b'],
    ],
    [
      'when it was restarted',
      template(),
      template({}, {}, { annotations: { 'kubectl.kubernetes.io/restartedAt': 'T' } }),
      ['annotation kubectl.kubernetes.io/restartedAt: added T'],
    ],
  ])('%s', (_, before, after, wanted) => {
    expect(templateChanges(before, after)).toEqual(wanted);
  });

  it('is bounded', () => {
    const env = Array.from({ length: 50 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(500) }));
    const found = templateChanges(template(), template({ env, args: ['y'.repeat(500)] }));
    expect([found.length, found.at(-1)]).toEqual([13, '39 more']);
    expect(Math.max(...found.map((text) => text.length))).toBeLessThan(200);
  });
});

function set(revision: number | undefined, seconds: number, image: string): ReplicaSet {
  return {
    metadata: {
      uid: `rs-${image}`,
      creationTimestamp: ago(seconds),
      ...(revision === undefined ? {} : { annotations: { 'deployment.kubernetes.io/revision': `${revision}` } }),
    },
    spec: { selector: {}, template: template({ image }) },
  };
}

function record(revision: number, seconds: number, image: string): ControllerRevision {
  return {
    metadata: { name: `db-${revision}`, creationTimestamp: ago(seconds) },
    revision,
    data: { spec: { template: { ...template({ image }), $patch: 'replace' } } },
  };
}

describe('rollouts', () => {
  it('are the revisions of a deployment in order, each with its difference from the one before', () => {
    const found = rolloutsOfSets(
      'deployment/web',
      [set(2, 60, 'web:2'), set(1, 900, 'web:1'), set(undefined, 9, 'x')],
      [],
    );
    expect(found.map((one) => [one.at, rolloutText(one)])).toEqual([
      [ago(900), 'rollout to revision 1 of deployment/web'],
      [ago(60), 'rollout to revision 2 of deployment/web: container web image: web:1 → web:2'],
    ]);
  });

  it('that return to an earlier template began with its first new pod, if there is one', () => {
    const sets = [set(3, 900, 'web:1'), set(2, 60, 'web:2')];
    const pod = (seconds: number) => ({
      metadata: {
        creationTimestamp: ago(seconds),
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'rs-web:1', controller: true }],
      },
    });
    const back = (pods: Parameters<typeof rolloutsOfSets>[2]) => rolloutsOfSets('deployment/web', sets, pods)[1]?.at;
    expect([back([pod(800), pod(30), pod(20)]), back([pod(800)]), back([])]).toEqual([ago(30), undefined, undefined]);
  });

  it('know how the newest template differs from an older one, not only from the one right before it', () => {
    const all = rolloutsOfRecords(
      'statefulset/db',
      [record(1, 900, 'db:1'), record(2, 30, 'db:2'), record(3, 9, 'db:3')],
      [],
    );
    expect(all.map(({ changesSince }) => changesSince)).toEqual([
      ['container web image: db:1 → db:3'],
      ['container web image: db:2 → db:3'],
      undefined,
    ]);
  });

  it('are the records of a stateful set', () => {
    const [, second] = rolloutsOfRecords('statefulset/db', [record(1, 900, 'db:1'), record(2, 30, 'db:2')], []);
    expect([second?.at, second?.changes, second?.makers]).toEqual([
      ago(30),
      ['container web image: db:1 → db:2'],
      ['db-2', 'db-2'],
    ]);
  });
});
