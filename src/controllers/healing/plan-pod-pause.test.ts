import { describe, expect, it } from 'vitest';
import { HEALING_PAUSED, HEALING_PAUSED_FROM, type Pod } from '../../api/index.ts';
import { pauseOwnerOf, planPodPause } from './plan-pod-pause.ts';

const controlled = (kind: string, name: string, hash?: string): Pod => ({
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    ...(hash === undefined ? {} : { labels: { 'pod-template-hash': hash } }),
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: 'u', controller: true }],
  },
});
const pod = (annotations: Record<string, string> = {}, more: Pod = {}): Pod => ({
  ...more,
  metadata: { ...controlled('ReplicaSet', 'web-7d4', '7d4').metadata, annotations, ...more.metadata },
});
const owner = (text?: string) => ({
  kind: 'Deployment',
  name: 'web',
  metadata: { name: 'web', ...(text === undefined ? {} : { annotations: { [HEALING_PAUSED]: text } }) },
});
const FROM = 'Deployment/web';
const paused = (text: string) => ({ [HEALING_PAUSED]: text, [HEALING_PAUSED_FROM]: FROM });
const resumed = { [HEALING_PAUSED]: null, [HEALING_PAUSED_FROM]: null };

describe('the workload whose pause a pod shares', () => {
  it.each([
    [controlled('ReplicaSet', 'web-7d4', '7d4'), { kind: 'Deployment', name: 'web' }],
    [controlled('StatefulSet', 'db'), { kind: 'StatefulSet', name: 'db' }],
    [controlled('DaemonSet', 'log'), { kind: 'DaemonSet', name: 'log' }],
    [controlled('ReplicaSet', 'web-7d4'), undefined],
    [controlled('ReplicaSet', '-7d4', '7d4'), undefined],
    [controlled('Job', 'once'), undefined],
    [controlled('Node', 'n1'), undefined],
    [{ metadata: { name: 'bare' } }, undefined],
  ] as const)('%#', (given, wanted) => expect(pauseOwnerOf(given)).toEqual(wanted));
});

describe('a pod', () => {
  it.each([
    ['of a workload that is not paused', pod(), owner(), undefined],
    ['of a paused one', pod(), owner('true'), paused('true')],
    ['of one that is paused for a reason', pod(), owner(' a deadlock '), paused('a deadlock')],
    ['of one that is paused already', pod(paused('true')), owner('true'), undefined],
    ['of one whose reason changed', pod(paused('true')), owner('why'), paused('why')],
    ['of one that is resumed', pod(paused('true')), owner(), resumed],
    ['of one whose pause is false', pod(paused('true')), owner('false'), resumed],
    ['of one that is gone', pod(paused('true')), undefined, resumed],
    ['that somebody paused, of one that is not', pod({ [HEALING_PAUSED]: 'mine' }), owner(), undefined],
    ['that somebody paused, of a paused one', pod({ [HEALING_PAUSED]: 'mine' }), owner('true'), undefined],
    ['that somebody keeps out of it', pod({ [HEALING_PAUSED]: 'false' }), owner('true'), undefined],
    ['that somebody resumed', pod({ [HEALING_PAUSED_FROM]: FROM }), owner('true'), undefined],
    ['that somebody resumed, of one that is resumed', pod({ [HEALING_PAUSED_FROM]: FROM }), owner(), resumed],
    [
      'that is paused for another workload',
      pod({ ...paused('true'), [HEALING_PAUSED_FROM]: 'x' }),
      owner('true'),
      paused('true'),
    ],
    ['that has ended', pod({}, { status: { phase: 'Failed' } }), owner('true'), undefined],
    [
      'that is being deleted',
      pod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      owner('true'),
      undefined,
    ],
  ] as const)('%s', (_, given, workload, wanted) => expect(planPodPause(given, workload)).toEqual(wanted));
});
