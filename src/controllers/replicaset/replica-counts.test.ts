import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { countReplicas, type ReplicaFacts } from './replica-counts.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 1, 0);

function pod(ready?: string, labels: Record<string, string> = { app: 'web' }): Pod {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: ready }];
  return { metadata: { labels }, status: { conditions } };
}

const facts: ReplicaFacts = {
  before: {},
  generation: 2,
  desired: 3,
  minReadySeconds: 0,
  templateLabels: { app: 'web' },
  pods: { active: [], terminating: [] },
  failure: undefined,
  now: NOW,
};

it('nothing is there', () => {
  expect(countReplicas(facts)).toEqual({
    status: { replicas: 0, terminatingReplicas: 0, observedGeneration: 2 },
    nextAvailableInMs: undefined,
  });
  expect(countReplicas({ ...facts, pods: { active: [] } }).status).toEqual({ replicas: 0, observedGeneration: 2 });
});

it('counts, and says when to look again', () => {
  const active = [
    pod('2026-01-01T00:00:00Z'),
    pod('2026-01-01T00:00:50Z'),
    pod('2026-01-01T00:00:45Z', { app: 'other' }),
    pod(),
  ];
  expect(countReplicas({ ...facts, minReadySeconds: 30, pods: { active, terminating: [pod()] } })).toEqual({
    status: {
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 2,
    },
    nextAvailableInMs: 15_000,
  });
});

describe('ReplicaFailure', () => {
  const other = { type: 'Mine', status: 'True' };
  const failed = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'no quota',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  };

  it('comes, and leaves what somebody else wrote', () => {
    const { status } = countReplicas({ ...facts, before: { conditions: [other] }, failure: 'no quota' });
    expect(status.conditions).toEqual([other, failed]);
  });

  it('keeps its first message', () => {
    const { status } = countReplicas({ ...facts, before: { conditions: [failed] }, failure: 'no quota, again' });
    expect(status.conditions).toEqual([failed]);
  });

  it('tells what could not be deleted', () => {
    const { status } = countReplicas({
      ...facts,
      before: { conditions: [failed] },
      desired: 0,
      pods: { active: [pod()] },
      failure: 'no',
    });
    expect(status.conditions).toMatchObject([{ reason: 'FailedDelete', message: 'no' }]);
  });

  it('goes', () => {
    expect(countReplicas({ ...facts, before: { conditions: [failed, other] } }).status.conditions).toEqual([other]);
    expect(countReplicas({ ...facts, before: { conditions: [failed] } }).status.conditions).toBeUndefined();
  });
});
