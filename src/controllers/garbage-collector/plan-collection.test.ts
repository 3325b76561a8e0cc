import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../api/index.ts';
import { concernedBy } from './concerned-objects.ts';
import { type OwnerState, planCollection } from './plan-collection.ts';

function reference(uid: string, more: Partial<OwnerReference> = {}): OwnerReference {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid, ...more };
}

function object(uid: string, more: KubeObject['metadata'] = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: uid, uid, ...more } };
}

const GOING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const FOREGROUND = { ...GOING, finalizers: ['foregroundDeletion'] };

describe('planCollection', () => {
  it.each<{
    what: string;
    owners: readonly OwnerState[];
    finalizers?: string[];
    dependents?: KubeObject[];
    step: object;
  }>([
    { what: 'no owners', owners: [], step: { kind: 'keep' } },
    { what: 'a solid owner', owners: ['solid'], step: { kind: 'keep' } },
    { what: 'one solid, one absent', owners: ['solid', 'absent'], step: { kind: 'detach', uids: ['1'] } },
    {
      what: 'one solid, one absent, one waiting',
      owners: ['waiting', 'absent', 'solid'],
      step: { kind: 'detach', uids: ['1', '0'] },
    },
    {
      what: 'absent owners',
      owners: ['absent', 'absent'],
      step: { kind: 'delete', propagationPolicy: 'Background', unblock: false },
    },
    {
      what: 'an absent owner, and a finalizer that orphans',
      owners: ['absent'],
      finalizers: ['orphan'],
      step: { kind: 'delete', propagationPolicy: 'Orphan', unblock: false },
    },
    {
      what: 'an absent owner, and a finalizer for the foreground',
      owners: ['absent'],
      finalizers: ['foregroundDeletion'],
      step: { kind: 'delete', propagationPolicy: 'Foreground', unblock: false },
    },
    {
      what: 'a waiting owner, no dependents',
      owners: ['waiting'],
      step: { kind: 'delete', propagationPolicy: 'Background', unblock: false },
    },
    {
      what: 'a waiting owner, dependents',
      owners: ['waiting'],
      dependents: [object('d')],
      step: { kind: 'delete', propagationPolicy: 'Foreground', unblock: false },
    },
    {
      what: 'a circle',
      owners: ['waiting'],
      dependents: [object('d'), object('e', FOREGROUND)],
      step: { kind: 'delete', propagationPolicy: 'Foreground', unblock: true },
    },
  ])('$what', ({ owners, finalizers, dependents = [], step }) => {
    const verdicts = owners.map((state, position) => ({ reference: reference(String(position)), state }));
    expect(planCollection(object('x', finalizers && { finalizers }), verdicts, dependents)).toEqual(step);
  });
});

describe('concernedBy', () => {
  const owned = { ownerReferences: [reference('o')] };
  const nobody = { itself: false, owners: [], dependents: false };
  it.each([
    { what: 'a new one without owners', before: undefined, after: object('x'), concerned: nobody },
    {
      what: 'a new one with an owner',
      before: undefined,
      after: object('x', owned),
      concerned: { itself: true, owners: owned.ownerReferences, dependents: false },
    },
    {
      what: 'a label of one with an owner',
      before: object('x', owned),
      after: object('x', { ...owned, labels: { a: 'b' } }),
      concerned: nobody,
    },
    {
      what: 'an owner less',
      before: object('x', owned),
      after: object('x'),
      concerned: { itself: false, owners: owned.ownerReferences, dependents: false },
    },
    {
      what: 'a deletion in the foreground',
      before: object('x'),
      after: object('x', FOREGROUND),
      concerned: { itself: true, owners: [], dependents: true },
    },
    {
      what: 'a deletion that goes over to the foreground',
      before: object('x', { ...GOING, finalizers: ['orphan'] }),
      after: object('x', FOREGROUND),
      concerned: { itself: true, owners: [], dependents: true },
    },
    { what: 'a deletion', before: object('x'), after: object('x', GOING), concerned: nobody },
  ])('$what', ({ before, after, concerned }) => {
    const previous = before === undefined ? {} : { previous: before };
    expect(concernedBy({ type: 'apply', key: 'n/x', object: after, ...previous })).toEqual(concerned);
  });

  it('an end concerns owners and dependents', () => {
    expect(concernedBy({ type: 'delete', key: 'n/x', object: object('x', owned) })).toEqual({
      itself: false,
      owners: owned.ownerReferences,
      dependents: true,
    });
  });
});
