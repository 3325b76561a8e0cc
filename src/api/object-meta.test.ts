import { describe, expect, it } from 'vitest';
import { findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.ts';
import { controllerReference, generateName, isControlledBy, namespacedName } from './object-meta.ts';
import type { PodCondition } from './types.gen.ts';
import { PODS, RESOURCES, findKind, findResource } from './resources.ts';

describe('object meta', () => {
  it('names and owns', () => {
    const owner = { metadata: { name: 'a', namespace: 'n', uid: 'u' } };
    const reference = controllerReference(PODS, owner);
    expect(reference).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'a',
      uid: 'u',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(isControlledBy({ metadata: { ownerReferences: [reference] } }, owner)).toBe(true);
    expect(isControlledBy({}, {})).toBe(false);
    expect(namespacedName(owner)).toBe('n/a');
    expect(namespacedName({ metadata: { name: 'a' } })).toBe('a');
  });

  it('shortens a prefix so that the name still fits', () => {
    expect(generateName('web-', (length) => 'x'.repeat(length))).toBe('web-xxxxx');
    expect(generateName('a'.repeat(100), () => 'bcdfg')).toBe(`${'a'.repeat(58)}bcdfg`);
  });
});

describe('conditions', () => {
  const ready: PodCondition = { type: 'Ready', status: 'True', reason: 'a', lastTransitionTime: 't1' };

  it('keeps the time while the status stays', () => {
    const next = setCondition([ready], { ...ready, reason: 'b', lastTransitionTime: undefined }, 't2');
    expect(next).toEqual([{ ...ready, reason: 'b' }]);
    expect(
      setCondition([ready], { ...ready, status: 'False', lastTransitionTime: undefined }, 't2')[0]?.lastTransitionTime,
    ).toBe('t2');
  });

  it('adds, finds and removes', () => {
    const list = setCondition([ready], { type: 'X', status: 'False' }, 't2');
    expect(list.map((condition) => condition.type)).toEqual(['Ready', 'X']);
    expect(isConditionTrue(list, 'Ready')).toBe(true);
    expect(isConditionTrue(undefined, 'Ready')).toBe(false);
    expect(findCondition(removeCondition(list, 'Ready'), 'Ready')).toBeUndefined();
  });
});

describe('resources', () => {
  it('are found by path and by kind', () => {
    expect(findResource('', 'v1', 'pods')).toBe(PODS);
    expect(findKind('events.k8s.io', 'v1', 'Event')?.group).toBe('events.k8s.io');
    expect(findResource('', 'v2', 'pods')).toBeUndefined();
  });

  it('have no two rows alike', () => {
    const paths = RESOURCES.map(({ group, version, resource }) => `${group}/${version}/${resource}`);
    expect(new Set(paths).size).toBe(paths.length);
  });
});
