/** What pods use, as metrics.k8s.io says. Pure. */
import { durationMs, type KubeObject, nameOf, type Resource, quantityMilliValue } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { Sample, Samples } from './group-pods.ts';

/** Objects of metrics.k8s.io/v1beta1. */
export interface PodMetrics extends KubeObject {
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly {
    readonly name?: string;
    readonly usage?: Readonly<Record<string, string>>;
  }[];
}

export const POD_METRICS: Resource<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  resource: 'pods',
  kind: 'PodMetrics',
  namespaced: true,
};

/** What each pod uses of a resource, all its containers or one of them. Pods of which that is not known are not here. */
export function samplesOf(metrics: readonly PodMetrics[], resource: string, container: string | undefined): Samples {
  return new Map(
    metrics.flatMap((each) => {
      const sample = sampleOf(each, resource, container);
      return sample === undefined ? [] : [[nameOf(each), sample] as const];
    }),
  );
}

function sampleOf(
  { timestamp, window = '', containers = [] }: PodMetrics,
  resource: string,
  container: string | undefined,
): Sample | undefined {
  const looked = containers.filter(({ name }) => container === undefined || name === container);
  const used = looked.map(({ usage }) => usage?.[resource]);
  if (used.length === 0 || used.some((amount) => amount === undefined)) return undefined;
  const milli = used.reduce((sum, amount) => sum + quantityMilliValue(amount ?? '0'), 0);
  return { milli, at: parseTime(timestamp) ?? 0, windowMs: durationMs(window) ?? 0 };
}
