/** The evidence about many objects at once: a namespace, the pods of a selector, or a whole cluster. */
import type { Namespace } from '../../api/index.ts';
import type { AutoscalerEvidence } from './autoscaler-evidence.ts';
import type { BudgetEvidence, ClaimSubjectEvidence, CronJobEvidence } from './object-evidence.ts';
import type { Pod } from './kinds.ts';
import type { PodEvidence } from './pod-evidence.ts';
import type { ServiceSubjectEvidence } from './service-evidence.ts';
import type { NodeSubjectEvidence, WorkloadEvidence } from './workload-evidence.ts';

export interface GroupEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly scope: GroupScope;
  readonly pods: readonly Pod[];
  readonly parts: GroupParts;
  readonly notLookedAt: readonly string[];
}

export type GroupScope =
  | { readonly kind: 'cluster' }
  | {
      readonly kind: 'namespace';
      readonly namespace: string;
      readonly object?: Namespace;
      /** Objects with finalizers, of the resources that keep it from going; absent: it does not go, or not asked for. */
      readonly remaining?: readonly RemainingObject[];
    }
  | { readonly kind: 'selector'; readonly namespace: string; readonly selector: string };

/** An object that its finalizers keep in a namespace that is to go. */
export interface RemainingObject {
  readonly kind: string;
  /** "configmaps", "widgets.acme.io" */
  readonly resource: string;
  readonly name: string;
  readonly finalizers: readonly string[];
}

export interface GroupParts {
  /** Workloads that no other workload owns, with their pods. */
  readonly workloads: readonly WorkloadEvidence[];
  /** Pods without such a workload. */
  readonly barePods: readonly PodEvidence[];
  readonly cronJobs: readonly CronJobEvidence[];
  readonly claims: readonly ClaimSubjectEvidence[];
  readonly budgets: readonly BudgetEvidence[];
  /** Those that scale none of these workloads. */
  readonly autoscalers: readonly AutoscalerEvidence[];
  /** Services with a selector or endpoints of their own, and the pods behind them; nobody was asked where these listen. */
  readonly services: readonly ServiceSubjectEvidence[];
  /** Only of a cluster. */
  readonly nodes: readonly NodeSubjectEvidence[];
}
