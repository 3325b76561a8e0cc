/** Defaults of HorizontalPodAutoscalers (upstream: pkg/apis/autoscaling/v2/defaults.go). */
import type {
  AutoscalingHorizontalPodAutoscaler,
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  HPAScalingRules,
} from '../types.gen.ts';

/** Percent of the requested cpu that is aimed at when no metric is named. */
const DEFAULT_UTILIZATION = 80;
const PERIOD_SECONDS = 15;

const EVERYTHING: HPAScalingPolicy = { type: 'Percent', value: 100, periodSeconds: PERIOD_SECONDS };
const FOUR_PODS: HPAScalingPolicy = { type: 'Pods', value: 4, periodSeconds: PERIOD_SECONDS };

export function defaultHorizontalPodAutoscaler({ spec }: HorizontalPodAutoscaler): void {
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: 'Utilization', averageUtilization: DEFAULT_UTILIZATION };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = withDefaults(spec.behavior.scaleUp, [FOUR_PODS, EVERYTHING], 0);
  spec.behavior.scaleDown = withDefaults(spec.behavior.scaleDown, [EVERYTHING], undefined);
}

/** Rules that somebody wrote, with what they leave out; `window`: of stabilization, seconds (undefined: the controller's own). */
function withDefaults(
  given: HPAScalingRules = {},
  policies: readonly HPAScalingPolicy[],
  window: number | undefined,
): HPAScalingRules {
  return {
    ...(window === undefined ? {} : { stabilizationWindowSeconds: window }),
    selectPolicy: 'Max',
    policies: policies.map((policy) => ({ ...policy })),
    ...given,
  };
}

/** The first version says its cpu target in one field, and has an annotation for all else. */
export function defaultHorizontalPodAutoscalerV1({ spec }: AutoscalingHorizontalPodAutoscaler): void {
  if (spec !== undefined) spec.minReplicas ??= 1;
}
