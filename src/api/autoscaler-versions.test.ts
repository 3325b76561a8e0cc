import { describe, expect, it } from 'vitest';
import { autoscalerToV1, autoscalerToV2 } from './autoscaler-versions.ts';
import type { AutoscalingHorizontalPodAutoscaler, HorizontalPodAutoscaler } from './types.gen.ts';

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const second: HorizontalPodAutoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations: { own: 'kept' } },
  spec: {
    scaleTargetRef,
    minReplicas: 2,
    maxReplicas: 5,
    metrics: [
      { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
    ],
    behavior: { scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
  },
  status: {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '1' } } },
    ],
    conditions: [{ type: 'AbleToScale', status: 'True' }],
  },
};

const first = (annotations: Record<string, string>, spec: object = {}): AutoscalingHorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a', annotations },
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
});

describe('autoscalers of two versions', () => {
  it('lose nothing on the way there and back', () => {
    const there = autoscalerToV1(second);
    expect(there.spec).toEqual({ scaleTargetRef, minReplicas: 2, maxReplicas: 5, targetCPUUtilizationPercentage: 60 });
    expect(there.status).toEqual({ currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 40 });
    expect(Object.keys(there.metadata?.annotations ?? {}).toSorted()).toEqual([
      'autoscaling.alpha.kubernetes.io/behavior',
      'autoscaling.alpha.kubernetes.io/conditions',
      'autoscaling.alpha.kubernetes.io/metrics',
      'own',
    ]);
    const back = autoscalerToV2(there);
    expect(back.spec).toEqual(second.spec);
    expect(back.metadata).toEqual(second.metadata);
    expect(back.status?.conditions).toMatchObject([{ type: 'AbleToScale', status: 'True' }]);
  });

  it('have the default target when none is given', () => {
    const cpu = (averageUtilization: number) => [
      { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } },
    ];
    expect(autoscalerToV2(first({})).spec?.metrics).toEqual(cpu(80));
    expect(autoscalerToV2(first({}, { targetCPUUtilizationPercentage: 5 })).spec?.metrics).toEqual(cpu(5));
  });

  it.each(['nonsense', '5', '{}', 'null', '[]'])('read an annotation of %s as none', (text) => {
    const { spec } = autoscalerToV2(first({ 'autoscaling.alpha.kubernetes.io/metrics': text }));
    expect(spec?.metrics).toHaveLength(1);
  });

  it.each(['[5]', '[{"type":5}]', '[{"resource":"cpu"}]'])('refuse an annotation of %s', (text) => {
    expect(() => autoscalerToV2(first({ 'autoscaling.alpha.kubernetes.io/metrics': text }))).toThrow(
      'cannot be handled',
    );
  });
});
