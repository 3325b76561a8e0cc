import { describe, expect, it } from 'vitest';
import { type Pod, REPLICA_SETS, type ReplicaSet } from '../../api/index.ts';
import { podFromTemplate } from './pod-from-template.ts';
import { availableInMs, isPodActive, isPodTerminating } from './pod-state.ts';
import { safeHash } from './safe-hash.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1, 0);

function pod(ready: string, lastTransitionTime?: string): Pod {
  const time = lastTransitionTime === undefined ? {} : { lastTransitionTime };
  return { metadata: {}, status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready, ...time }] } };
}

describe('availability', () => {
  it.each<[string, Pod, number, number | undefined]>([
    ['not ready', pod('False'), 0, undefined],
    ['ready, and that is enough', pod('True'), 0, 0],
    ['ready for 20 of 30 s', pod('True', '2026-01-01T00:00:40Z'), 30, 10_000],
    ['ready for long', pod('True', '2026-01-01T00:00:30Z'), 30, 0],
    ['ready in the future', pod('True', '2026-01-01T01:00:00Z'), 30, 30_000],
    ['ready since nobody knows when', pod('True'), 30, 30_000],
  ])('%s', (_, given, minReadySeconds, expected) => {
    expect(availableInMs(given, minReadySeconds, NOW)).toBe(expected);
  });
});

it('a pod counts until it ends or is deleted', () => {
  const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(isPodActive({ status: { phase: 'Pending' } })).toBe(true);
  expect(isPodActive({ status: { phase: 'Failed' } })).toBe(false);
  expect(isPodActive({ metadata: deleting, status: { phase: 'Running' } })).toBe(false);
  expect(isPodTerminating({ metadata: deleting, status: { phase: 'Running' } })).toBe(true);
  expect(isPodTerminating({ metadata: deleting, status: { phase: 'Succeeded' } })).toBe(false);
});

it('a pod is made of its template', () => {
  const owner: ReplicaSet = { metadata: { namespace: 'team', name: 'web', uid: 'u1' } };
  const template = {
    metadata: { labels: { app: 'web' }, finalizers: ['example.com/hold'] },
    spec: { containers: [{ name: 'c', image: 'busybox' }] },
  };
  expect(podFromTemplate(REPLICA_SETS, owner, template)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'team',
      generateName: 'web-',
      labels: { app: 'web' },
      annotations: {},
      finalizers: ['example.com/hold'],
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: 'u1',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: template.spec,
  });
});

describe('hash', () => {
  it('is the same whatever the order of fields, and another for another count of collisions', () => {
    expect(safeHash({ a: 1, b: { c: 2, d: undefined } })).toBe(safeHash({ b: { c: 2 }, a: 1 }));
    expect(safeHash({ a: 1 }, 1)).not.toBe(safeHash({ a: 1 }));
    expect(safeHash({ a: 1 })).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
  });
});
