/** The columns of HorizontalPodAutoscalers, in either of their forms (upstream: printHorizontalPodAutoscaler). */
import {
  autoscalerToV2,
  type HorizontalPodAutoscaler,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type MetricValueStatus,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

const UNKNOWN = '<unknown>';
/** Targets that one cell shows. */
const MAX_TARGETS = 2;

export const autoscalerTable: TableKind = {
  columns: [
    nameColumn,
    column('Reference', { description: 'The object whose number of pods is kept.' }),
    column('Targets', { description: 'What is measured, and what it should be.' }),
    column('MinPods', { description: 'The least number of pods.' }),
    column('MaxPods', { type: 'integer', description: 'The greatest number of pods.' }),
    column('Replicas', { type: 'integer', description: 'The number of pods when it was last looked at.' }),
    ageColumn,
  ],
  cells: (given, now) => {
    const object = secondForm(given);
    const { scaleTargetRef, minReplicas, maxReplicas = 0, metrics = [] } = object.spec ?? { scaleTargetRef: undefined };
    return [
      object.metadata?.name ?? '',
      `${scaleTargetRef?.kind}/${scaleTargetRef?.name}`,
      targetsText(metrics, object.status?.currentMetrics ?? []),
      minReplicas === undefined ? '<unset>' : String(minReplicas),
      maxReplicas,
      object.status?.currentReplicas ?? 0,
      since(object.metadata?.creationTimestamp, now),
    ];
  },
};

function secondForm(object: ApiObject): HorizontalPodAutoscaler {
  return object.apiVersion === 'autoscaling/v1' ? autoscalerToV2(object) : object;
}

function targetsText(metrics: readonly MetricSpec[], current: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const texts = metrics.slice(0, MAX_TARGETS).map((metric, position) => targetText(metric, current[position]));
  const more = metrics.length - texts.length;
  return more > 0 ? `${texts.join(', ')} + ${more} more...` : texts.join(', ');
}

function targetText(metric: MetricSpec, current: MetricStatus | undefined): string {
  const { resource, containerResource, pods, object, external } = metric;
  if (resource !== undefined) return `${resource.name}: ${pairText(resource.target, current?.resource?.current)}`;
  if (containerResource !== undefined)
    return `${containerResource.name}: ${pairText(containerResource.target, current?.containerResource?.current)}`;
  if (pods !== undefined) return pairText(pods.target, current?.pods?.current);
  if (object !== undefined) return pairText(object.target, current?.object?.current);
  if (external !== undefined) return pairText(external.target, current?.external?.current);
  return '<unknown type>';
}

function pairText(target: MetricTarget, current: MetricValueStatus | undefined): string {
  const { averageUtilization, averageValue, value } = target;
  if (averageValue !== undefined) return `${current?.averageValue ?? UNKNOWN}/${averageValue}`;
  if (averageUtilization === undefined) return `${current?.value ?? UNKNOWN}/${value ?? UNKNOWN}`;
  const used = current?.averageUtilization;
  return `${used === undefined ? UNKNOWN : `${used}%`}/${averageUtilization}%`;
}
