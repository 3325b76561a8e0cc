import { describe, expect, it } from 'vitest';
import { labelSelectorOf, type Pod, PODS, REPLICA_SETS, type ReplicaSet } from '../../api/index.ts';
import { planClaims } from './plan-claims.ts';

const OWNER: ReplicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace: 'n', name: 'web', uid: 'u1' },
};
const SELECTOR = labelSelectorOf({ matchLabels: { app: 'web' } });

function pod(labels: Record<string, string>, controller?: string, deleting = false): Pod {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: controller ?? '', controller: true };
  return {
    metadata: {
      namespace: 'n',
      name: 'p',
      uid: 'p1',
      labels,
      ...(controller === undefined ? {} : { ownerReferences: [reference] }),
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
  };
}

describe('planClaims', () => {
  it.each([
    { what: 'its own that matches', pod: pod({ app: 'web' }, 'u1'), verdict: 'owned' },
    { what: 'its own that is going', pod: pod({ app: 'web' }, 'u1', true), verdict: 'owned' },
    { what: 'its own that matches no more', pod: pod({ app: 'other' }, 'u1'), verdict: 'released' },
    { what: "another's", pod: pod({ app: 'web' }, 'u2'), verdict: 'left' },
    { what: 'an orphan that matches', pod: pod({ app: 'web' }), verdict: 'adopted' },
    { what: 'an orphan that is going', pod: pod({ app: 'web' }, undefined, true), verdict: 'left' },
    { what: 'an orphan that does not match', pod: pod({ app: 'other' }), verdict: 'left' },
  ])('$what is $verdict', ({ pod: candidate, verdict }) => {
    const { owned, adoptions, releases } = planClaims(REPLICA_SETS, OWNER, SELECTOR, PODS, [candidate]);
    const found =
      owned.length > 0 ? 'owned' : adoptions.length > 0 ? 'adopted' : releases.length > 0 ? 'released' : 'left';
    expect(found).toBe(verdict);
  });

  it('an owner that is going takes and gives nothing', () => {
    const going = { ...OWNER, metadata: { ...OWNER.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const candidates = [pod({ app: 'web' }), pod({ app: 'other' }, 'u1')];
    expect(planClaims(REPLICA_SETS, going, SELECTOR, PODS, candidates)).toEqual({
      owned: [],
      adoptions: [],
      releases: [],
    });
  });
});
