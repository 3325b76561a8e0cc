/** Changes of pods that wait at a scheduling gate (KEP-3838), beside those without one. */
import { describe, expect, it } from 'vitest';
import type { Affinity, NodeSelectorTerm, Pod } from '../types.gen.ts';
import { validatePodUpdate } from './pod.ts';

function pod(affinity: Affinity | undefined, gated = true): Pod {
  return {
    metadata: { name: 'p', namespace: 'n', resourceVersion: '1' },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      ...(affinity === undefined ? {} : { affinity }),
      ...(gated ? { schedulingGates: [{ name: 'example.com/wait' }] } : {}),
    },
  };
}

const on = (...keys: string[]): NodeSelectorTerm => ({
  matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })),
});
const required = (...nodeSelectorTerms: NodeSelectorTerm[]): Affinity => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});
const preferred = (weight: number): Affinity => ({
  nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference: on('a') }] },
});
const podAffinity: Affinity = {
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] },
};

describe('the node affinity of a pod at a gate', () => {
  const cases: readonly [string, Affinity | undefined, Affinity | undefined, boolean][] = [
    ['may come', undefined, required(on('a')), true],
    ['may go while it requires nothing', { nodeAffinity: {} }, undefined, true],
    ['may go from beside others', { ...podAffinity, nodeAffinity: {} }, podAffinity, true],
    ['may require more', required(on('a')), required(on('a', 'b')), true],
    ['may require something', { nodeAffinity: {} }, required(on('a')), true],
    ['may prefer anything', preferred(1), preferred(2), true],
    ['must not require less', required(on('a', 'b')), required(on('a')), false],
    ['must not require something else', required(on('a')), required(on('b')), false],
    ['must not get alternatives', required(on('a')), required(on('a'), on('b')), false],
    ['must not lose what it requires', required(on('a')), undefined, false],
    ['must be valid', undefined, required({ matchExpressions: [{ key: 'a', operator: 'Near' }] }), false],
    ['comes without other affinities', undefined, podAffinity, false],
    ['must leave other affinities alone', podAffinity, undefined, false],
  ];
  it.each(cases)('%s', (_, old, next, isAccepted) => {
    expect(validatePodUpdate(pod(next), pod(old)).length === 0).toBe(isAccepted);
  });

  it('of a pod without a gate stays', () => {
    expect(validatePodUpdate(pod(required(on('a')), false), pod(undefined, false))).not.toEqual([]);
  });
});
