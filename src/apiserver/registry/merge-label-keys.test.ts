import { describe, expect, it } from 'vitest';
import { withMergedLabelKeys } from './merge-label-keys.ts';

describe('withMergedLabelKeys', () => {
  const metadata = { labels: { app: 'web', hash: 'h1' } };
  const containers = [{ name: 'c' }];
  const labelSelector = { matchLabels: { app: 'web' } };

  it('adds what the pod has to the selectors of all terms', () => {
    const term = { labelSelector, topologyKey: 'z', matchLabelKeys: ['hash', 'none'], mismatchLabelKeys: ['app'] };
    const matchExpressions = [
      { key: 'hash', operator: 'In', values: ['h1'] },
      { key: 'app', operator: 'NotIn', values: ['web'] },
    ];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] };
    const merged = { ...term, labelSelector: { ...labelSelector, matchExpressions } };
    expect(
      withMergedLabelKeys({
        metadata,
        spec: { containers, affinity: { podAffinity: required, podAntiAffinity: preferred } },
      }),
    ).toEqual({
      containers,
      affinity: {
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [merged] },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: merged }],
        },
      },
    });
  });

  it('adds to spread constraints, and leaves alone what asks for nothing', () => {
    const base = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' };
    const constraints = [
      { ...base, labelSelector, matchLabelKeys: ['hash'] },
      { ...base, labelSelector },
      { ...base, matchLabelKeys: ['hash'] },
    ];
    expect(withMergedLabelKeys({ metadata, spec: { containers, topologySpreadConstraints: constraints } })).toEqual({
      containers,
      topologySpreadConstraints: [
        {
          ...base,
          labelSelector: { ...labelSelector, matchExpressions: [{ key: 'hash', operator: 'In', values: ['h1'] }] },
          matchLabelKeys: ['hash'],
        },
        { ...base, labelSelector },
        { ...base, matchLabelKeys: ['hash'] },
      ],
    });
  });
});
