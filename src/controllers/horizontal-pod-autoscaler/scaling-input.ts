/** What the plan of an autoscaler is made of. */
import type { HorizontalPodAutoscaler, MetricSpec, Pod } from '../../api/index.ts';
import type { Samples } from './group-pods.ts';
import type { ScalingHistory } from './scaling-history.ts';

/** What the pods use of resources; the problem when that is not known. */
export type ResourceSamples =
  | {
      readonly ok: true;
      /** Of one container, or of the whole pod; a resource. */
      readonly samplesOf: (resource: string, container: string | undefined) => Samples;
    }
  | { readonly ok: false; readonly problem: string };

/** The values of a metric that others serve, in thousandths. */
export type Fetched =
  | {
      readonly ok: true;
      /** Of a metric of pods: by pod. */
      readonly samples: Samples;
      /** Of another one: in all. */
      readonly milli: number;
    }
  | { readonly ok: false; readonly problem: string };

export interface Measured {
  readonly resources: ResourceSamples;
  /** For each metric of the types Pods, Object and External. */
  readonly values: ReadonlyMap<MetricSpec, Fetched>;
}

/** Why the pods of the target cannot be counted, as the event and the condition name it. */
export interface SelectorProblem {
  readonly event: string;
  readonly condition: string;
  readonly problem: string;
  /** Of the condition. */
  readonly message: string;
}

export interface ScalingInput {
  readonly autoscaler: HorizontalPodAutoscaler;
  /** The target's spec.replicas. */
  readonly current: number;
  /** The target's status.replicas. */
  readonly seen: number;
  readonly pods: readonly Pod[];
  /** Absent: `pods` are those of the target, and of no other autoscaler. */
  readonly selectorProblem?: SelectorProblem;
  readonly measured: Measured;
  /** Undefined: the target is looked at for the first time. */
  readonly history: ScalingHistory | undefined;
  /** Wall ms. */
  readonly now: number;
}
