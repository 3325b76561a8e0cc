import { describe, expect, it } from 'vitest';
import type { HorizontalPodAutoscaler } from '../api/index.ts';
import { diagnoseAutoscaler } from './diagnose-autoscaler.ts';
import { diagnoseWorkload } from './diagnose-workload.ts';
import { ago, crashed, evidence, NOW, pod } from './evidence.fixtures.ts';
import type { WorkloadObject } from './evidence/kinds.ts';

interface Given {
  readonly seconds?: number;
  readonly spec?: object;
  readonly currentReplicas?: number;
}

function autoscaler(
  conditions: readonly (readonly [type: string, status: string, reason: string, message?: string])[],
  { seconds = 600, spec, currentReplicas = 1 }: Given = {},
): HorizontalPodAutoscaler {
  return {
    metadata: { name: 'search', namespace: 'shop', creationTimestamp: ago(seconds) },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'search' }, minReplicas: 1, maxReplicas: 4, ...spec },
    status: {
      currentReplicas,
      desiredReplicas: currentReplicas,
      conditions: conditions.map(([type, status, reason, message]) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime: ago(seconds - 15),
      })),
    },
  };
}

const deployment = (replicas = 1, readyReplicas = replicas): WorkloadObject => ({
  kind: 'Deployment',
  metadata: { name: 'search', namespace: 'shop', uid: 'd', creationTimestamp: ago(3600) },
  spec: { replicas, selector: {}, template: {} },
  status: { replicas, readyReplicas },
});

const noTarget = [
  'AbleToScale',
  'False',
  'FailedGetScale',
  'the HPA controller was unable to get the target\'s current scale: deployments.apps "search" not found',
] as const;
const able = ['AbleToScale', 'True', 'SucceededGetScale'] as const;
const noRequest = [
  able,
  [
    'ScalingActive',
    'False',
    'FailedGetResourceMetric',
    'the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in container search of Pod search-5999d449-z8ddm',
  ],
] as const;
const noMetrics = [
  able,
  [
    'ScalingActive',
    'False',
    'FailedGetResourceMetric',
    'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
  ],
] as const;

describe('an autoscaler', () => {
  it('never lacks the words of its own condition', () => {
    const { state, asWanted, findings } = about(autoscaler(noRequest, { seconds: 50 }));
    expect(findings).toEqual([]);
    expect(asWanted).toBe(false);
    expect(state).toBe(
      'deployment/search: 1 pod, of 1 to 4; ScalingActive is False (FailedGetResourceMetric): missing request for cpu in container search',
    );
  });

  const about = (given: HorizontalPodAutoscaler, more: object = { target: deployment() }) =>
    diagnoseAutoscaler({ now: NOW, autoscaler: given, notLookedAt: [], namespaceFlag: '', ...more });

  it.each<[string, HorizontalPodAutoscaler, object | undefined, readonly string[]]>([
    ['that scales', autoscaler([able, ['ScalingActive', 'True', 'ValidMetricFound']]), undefined, []],
    [
      'without a request to compare with',
      autoscaler(noRequest),
      undefined,
      [
        'warning autoscaler-inactive: HorizontalPodAutoscaler search cannot scale deployment/search: missing request for cpu in container search',
      ],
    ],
    [
      'without metrics',
      autoscaler(noMetrics),
      undefined,
      [
        'warning autoscaler-inactive: HorizontalPodAutoscaler search cannot scale deployment/search: no metrics returned from resource metrics API',
      ],
    ],
    ['without metrics while no pod is ready', autoscaler(noMetrics), { target: deployment(1, 0) }, []],
    ['that is young', autoscaler(noRequest, { seconds: 50 }), undefined, []],
    ['whose target is scaled to 0', autoscaler(noRequest), { target: deployment(0) }, []],
    ['that rests', autoscaler([able, ['ScalingActive', 'False', 'ScalingDisabled', 'zero']]), {}, []],
    [
      'that cannot reach its target',
      autoscaler([
        [
          'AbleToScale',
          'False',
          'FailedGetScale',
          "the HPA controller was unable to get the target's current scale: may not",
        ],
      ]),
      {},
      ['warning autoscaler-inactive: HorizontalPodAutoscaler search cannot scale deployment/search: may not'],
    ],
    [
      'without a target',
      autoscaler([['AbleToScale', 'False', 'FailedGetScale', 'x']]),
      { targetMissing: true },
      [
        'critical autoscaler-target-missing: HorizontalPodAutoscaler search scales nothing: there is no deployment/search',
      ],
    ],
    ['without a target yet', autoscaler([], { seconds: 5 }), { targetMissing: true }, []],
    [
      'without a target, as it says itself at once',
      autoscaler([noTarget], { seconds: 16 }),
      { targetMissing: true, similar: ['searcher'] },
      [
        'critical autoscaler-target-missing: HorizontalPodAutoscaler search scales nothing: there is no deployment/search; there is searcher',
      ],
    ],
    [
      'without a target that can be read here',
      autoscaler([noTarget], { seconds: 16 }),
      {},
      [
        'critical autoscaler-target-missing: HorizontalPodAutoscaler search scales nothing: there is no deployment/search',
      ],
    ],
    ['whose target has come since', autoscaler([noTarget], { seconds: 16 }), undefined, []],
    [
      'that names its target by a version that is gone',
      autoscaler([
        [
          'AbleToScale',
          'False',
          'FailedGetScale',
          'the HPA controller was unable to get the target\'s current scale: no matches for kind "Deployment" in group "extensions"',
        ],
      ]),
      undefined,
      [
        'warning autoscaler-inactive: HorizontalPodAutoscaler search cannot scale deployment/search: no matches for kind "Deployment" in group "extensions"',
      ],
    ],
    [
      'at its maximum',
      autoscaler(
        [able, ['ScalingActive', 'True', 'ValidMetricFound'], ['ScalingLimited', 'True', 'TooManyReplicas', 'x']],
        {
          currentReplicas: 4,
        },
      ),
      undefined,
      [
        'info autoscaler-at-maximum: HorizontalPodAutoscaler search holds deployment/search at its maximum of 4 pods, and would make more',
      ],
    ],
    ['at its minimum', autoscaler([able, ['ScalingLimited', 'True', 'TooFewReplicas', 'x']]), undefined, []],
  ])('%s', (_what, given, more, headlines) => {
    const { findings, state } = about(given, more);
    expect(findings.map(({ id, severity, says }) => `${severity} ${id}: ${says}`)).toEqual(headlines);
    expect(state).toMatch(/^deployment\/search: \d pods?, of 1 to 4(?:; |$)/);
  });

  it('says what makes it able', () => {
    expect(about(autoscaler(noRequest)).findings[0]?.try[0]).toBe(
      'kubectl set resources deployment/search -c search --requests=cpu=100m',
    );
  });
});

describe('a workload with an autoscaler', () => {
  const about = (replicas: number, pods: readonly ReturnType<typeof pod>[]) =>
    diagnoseWorkload({
      now: NOW,
      workload: deployment(replicas),
      events: [],
      pods,
      looked: pods.map((one) => evidence({ pod: one, owners: [deployment(replicas)] })),
      autoscalers: [autoscaler(noRequest)],
      notLookedAt: [],
      namespaceFlag: '',
    });
  const says =
    'HorizontalPodAutoscaler search cannot scale deployment/search: missing request for cpu in container search';

  it('that cannot scale', () => {
    expect(about(1, [pod()]).findings).toMatchObject([{ id: 'autoscaler-inactive', severity: 'warning', says }]);
  });

  it('is not said to have the cause of its pods, and hides nothing of them', () => {
    const { findings } = about(1, [pod({ status: crashed({ exitCode: 3 }) })]);
    expect(findings.map((finding) => finding.says)).toEqual(['container web ends with exit code 3', says]);
    expect(about(2, [pod()]).findings.map(({ id }) => id)).toEqual(['autoscaler-inactive', 'pods-missing']);
  });

  it('that is scaled to 0', () => {
    expect(about(0, []).findings).toEqual([]);
  });
});
