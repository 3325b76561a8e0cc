/** Gathers the evidence about a HorizontalPodAutoscaler: what it scales. */
import { HORIZONTAL_POD_AUTOSCALERS, type HorizontalPodAutoscaler } from '../../api/index.ts';
import type { AutoscalerEvidence, WorkloadObject } from '../../diagnosis/index.ts';
import { nearNames } from '../../lib/index.ts';
import { type Asker, found } from './ask.ts';
import { MAX_LISTED } from './limits.ts';
import { WORKLOADS } from './owners.ts';
import type { WhyWorkload } from './target.ts';

/** Kinds of workloads that can be scaled. */
const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController']);

export async function gatherAutoscaler(
  asker: Asker,
  autoscaler: HorizontalPodAutoscaler,
  namespaceFlag: string,
): Promise<AutoscalerEvidence> {
  const { namespace } = autoscaler.metadata ?? {};
  const { kind = '', name = '' } = autoscaler.spec?.scaleTargetRef ?? {};
  const resource = SCALABLE.has(kind) ? WORKLOADS[kind as WhyWorkload] : undefined;
  const what = `${kind.toLowerCase()}/${name}`;
  const answer = resource === undefined ? undefined : await asker.get(what, resource, namespace, name);
  const target = answer === undefined ? undefined : found(answer);
  const isMissing = resource !== undefined && answer?.kind === 'missing';
  const others = isMissing
    ? await asker.list(`${resource.resource} in namespace ${namespace}`, resource, { namespace, limit: MAX_LISTED })
    : [];
  const similar = nearNames(
    name,
    others.flatMap(({ metadata }) => metadata?.name ?? []),
  );
  return {
    now: asker.now,
    autoscaler,
    ...(target && { target }),
    ...(isMissing && { targetMissing: true, similar }),
    notLookedAt: asker.notLookedAt,
    namespaceFlag,
  };
}

/** The autoscalers that scale a workload. */
export async function autoscalersOf(
  asker: Asker,
  workload: WorkloadObject,
): Promise<readonly HorizontalPodAutoscaler[]> {
  if (!SCALABLE.has(workload.kind ?? '')) return [];
  const { namespace = 'default' } = workload.metadata ?? {};
  const what = `horizontalpodautoscalers in namespace ${namespace}`;
  const all = await asker.list(what, HORIZONTAL_POD_AUTOSCALERS, { namespace, limit: MAX_LISTED });
  return all.filter((one) => isOfWorkload(one, workload));
}

export function isOfWorkload({ metadata, spec }: HorizontalPodAutoscaler, workload: WorkloadObject): boolean {
  const { kind, name } = spec?.scaleTargetRef ?? {};
  const { namespace, name: own } = workload.metadata ?? {};
  return kind === workload.kind && name === own && metadata?.namespace === namespace;
}
