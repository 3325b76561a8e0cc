/** Whether the rollout of a Deployment keeps its old pods until new ones are ready, and so what they hold. Pure. */
import { type Deployment, scaleIntOrPercent } from '../../../api/index.ts';
import type { Pod, WorkloadObject } from '../../evidence/kinds.ts';
import type { PodFacts } from './pod-facts.ts';

/** The default of a Deployment's maxUnavailable. */
const DEFAULT_MAX_UNAVAILABLE = '25%';
/** The label that tells the pods of one template from those of another. */
export const TEMPLATE_HASH = 'pod-template-hash';

export interface OverlapBound {
  readonly path: string;
  readonly value: string;
  readonly text: string;
}

/** Its maxUnavailable, where that lets no pod go before its successor is ready; undefined: an old pod may go first. */
export function overlapBound(workload: WorkloadObject | undefined): OverlapBound | undefined {
  if (workload?.kind !== 'Deployment') return undefined;
  const { replicas = 1, strategy } = (workload as Deployment).spec ?? {};
  const { type = 'RollingUpdate', rollingUpdate } = strategy ?? {};
  if (type !== 'RollingUpdate') return undefined;
  const { maxUnavailable = DEFAULT_MAX_UNAVAILABLE, maxSurge = DEFAULT_MAX_UNAVAILABLE } = rollingUpdate ?? {};
  // Of two zeros upstream makes one pod that may be unavailable.
  if (scaleIntOrPercent(maxUnavailable, replicas, 'down') > 0 || scaleIntOrPercent(maxSurge, replicas, 'up') === 0) {
    return undefined;
  }
  const isShare = typeof maxUnavailable === 'string' && maxUnavailable !== '0%';
  return {
    path: 'spec.strategy.rollingUpdate.maxUnavailable',
    value: String(maxUnavailable),
    text: `maxUnavailable ${maxUnavailable}${isShare ? ` (none of ${replicas})` : ''}`,
  };
}

/** ", and the rolling update of deployment/web keeps it until the new pod is ready, …"; empty: no older pod of the rollout is among them. */
export function keptText({ owner, pod, evidence }: PodFacts, holders: readonly Pod[]): string {
  if (overlapBound(owner) === undefined) return '';
  const siblings = new Set(evidence.siblings.map(({ metadata }) => metadata?.uid));
  const hash = pod.metadata?.labels?.[TEMPLATE_HASH];
  const older = holders.some(
    ({ metadata }) => siblings.has(metadata?.uid) && metadata?.labels?.[TEMPLATE_HASH] !== hash,
  );
  const name = `deployment/${owner?.metadata?.name ?? ''}`;
  return older
    ? `, and the rolling update of ${name} keeps the old pod until the new one is ready, which it cannot be (strategy: Recreate ends the old one first)`
    : '';
}
