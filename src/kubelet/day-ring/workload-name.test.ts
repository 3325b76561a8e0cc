import { expect, test } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { workloadOf } from './workload-name.ts';

const CREATED = '2026-11-23T10:00:30Z';
const MINUTE = Math.floor(Date.parse(CREATED) / 60_000);

function podOf(kind: string, name: string, hash?: string): Pod {
  return {
    metadata: {
      namespace: 'shop',
      name: 'pod',
      creationTimestamp: CREATED,
      ...(hash === undefined ? {} : { labels: { 'pod-template-hash': hash } }),
      ...(kind === '' ? {} : { ownerReferences: [{ apiVersion: 'v1', kind, name, uid: 'u', controller: true }] }),
    },
  };
}

test.each([
  ['', '', undefined, 'Pod pod'],
  ['Node', 'n1', undefined, 'Pod pod'],
  ['ReplicaSet', 'api-5d4f', '5d4f', 'Deployment api'],
  ['ReplicaSet', 'api-v2', undefined, 'ReplicaSet api-v2'],
  ['ReplicaSet', 'api-v2', 'other', 'ReplicaSet api-v2'],
  ['ReplicaSet', '-5d4f', '5d4f', 'ReplicaSet -5d4f'],
  ['StatefulSet', 'db', undefined, 'StatefulSet db'],
  ['DaemonSet', 'logs', undefined, 'DaemonSet logs'],
  ['Job', `nightly-${MINUTE}`, undefined, 'CronJob nightly'],
  ['Job', `nightly-${MINUTE - 600}`, undefined, 'CronJob nightly'],
  ['Job', `nightly-${MINUTE + 60}`, undefined, `Job nightly-${MINUTE + 60}`],
  ['Job', 'backup-20261123', undefined, 'Job backup-20261123'],
  ['Job', 'import', undefined, 'Job import'],
  ['Rollout', 'web', 'abc', 'Rollout web'],
])('a pod of %s %s with hash %s: %s', (kind, name, hash, expected) => {
  const found = workloadOf(podOf(kind, name, hash));
  expect(`${found.kind} ${found.name}`).toBe(expected);
  expect(found.namespace).toBe('shop');
});
