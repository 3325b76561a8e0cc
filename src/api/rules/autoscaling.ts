/** The rules of HorizontalPodAutoscalers. Those of the first version are the second's, on its form of the object. */
import type { AutoscalingHorizontalPodAutoscaler, HorizontalPodAutoscaler, MetricSpec } from '../types.gen.ts';
import { autoscalerToV2 } from '../autoscaler-versions.ts';
import { defaultHorizontalPodAutoscaler, defaultHorizontalPodAutoscalerV1 } from '../defaulting/autoscaling.ts';
import { kindRules } from '../kind-rules.ts';
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatus,
  validateHorizontalPodAutoscalerUpdate,
} from '../validation/autoscaling.ts';

export const HORIZONTAL_POD_AUTOSCALER_RULES = kindRules<HorizontalPodAutoscaler>({
  create: validateHorizontalPodAutoscaler,
  update: validateHorizontalPodAutoscalerUpdate,
  parts: { status: validateHorizontalPodAutoscalerStatus },
  setDefaults: defaultHorizontalPodAutoscaler,
  warnings: ({ spec }) => metricWarnings(spec?.metrics ?? []),
});

/** Nothing serves custom and external metrics, unless an adapter is installed; its API could not be asked for either. */
function metricWarnings(metrics: readonly MetricSpec[]): readonly string[] {
  return metrics.flatMap(({ type }, position) =>
    type === 'Resource' || type === 'ContainerResource'
      ? []
      : [
          `spec.metrics[${position}]: mendlet has no metrics of type ${type}: this one is stored, and counts as missing`,
        ],
  );
}

export const HORIZONTAL_POD_AUTOSCALER_V1_RULES = kindRules<AutoscalingHorizontalPodAutoscaler>({
  create: (scaler) => validateHorizontalPodAutoscaler(autoscalerToV2(scaler)),
  update: (scaler, old) => validateHorizontalPodAutoscalerUpdate(autoscalerToV2(scaler), autoscalerToV2(old)),
  parts: {
    status: (scaler, old) => validateHorizontalPodAutoscalerStatus(autoscalerToV2(scaler), autoscalerToV2(old)),
  },
  setDefaults: defaultHorizontalPodAutoscalerV1,
  warnings: (scaler) => metricWarnings(autoscalerToV2(scaler).spec?.metrics ?? []),
});
