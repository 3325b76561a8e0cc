/** The registrations of HorizontalPodAutoscalers: stored in the second form, served in both. */
import {
  autoscalerToV1,
  autoscalerToV2,
  HORIZONTAL_POD_AUTOSCALERS,
  HORIZONTAL_POD_AUTOSCALERS_V1,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration, ServedForm, Strategy } from '../registry/registration.ts';
import { autoscalerTable } from '../tables/autoscaling.ts';

const firstForm: ServedForm = {
  fromStored: (object) => autoscalerToV1(object) as ApiObject,
  toStored: (object) => autoscalerToV2(object) as ApiObject,
};

const strategy: Strategy = {
  prepareForCreate: (object) => ({ ...object, status: { desiredReplicas: 0, currentReplicas: 0 } }),
};

const KEY_PREFIX = '/registry/horizontalpodautoscalers/';

export const AUTOSCALING_REGISTRATIONS: readonly Registration[] = [
  { row: HORIZONTAL_POD_AUTOSCALERS, keyPrefix: KEY_PREFIX, table: autoscalerTable, strategy },
  { row: HORIZONTAL_POD_AUTOSCALERS_V1, keyPrefix: KEY_PREFIX, table: autoscalerTable, strategy, form: firstForm },
];
