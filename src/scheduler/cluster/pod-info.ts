/** The facts of a pod that the scheduler uses, read once per version of the pod. Pure. */
import { type HostPort, hostPortsOf, type Pod, uidOf } from '../../api/index.ts';
import { objectKey } from '../../client/index.ts';
import { type AffinityTerms, affinityTermsOf } from './affinity-term.ts';
import { type Amounts, amountsOf, cpuOrStandIn, memoryOrStandIn } from './amounts.ts';

export interface PodInfo {
  readonly pod: Pod;
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly amounts: Amounts;
  /** Requests with upstream's stand-ins, so that pods without requests spread, too. */
  readonly scoredCpu: number;
  readonly scoredMemory: number;
  readonly hostPorts: readonly HostPort[];
  readonly terms: AffinityTerms;
  readonly hasAffinity: boolean;
  /** Names of the claims that its volumes are made of. */
  readonly claims: readonly string[];
  /** The pod is being deleted. */
  readonly ending: boolean;
}

const known = new WeakMap<Pod, PodInfo>();

export function podInfo(pod: Pod): PodInfo {
  const before = known.get(pod);
  if (before !== undefined) return before;
  const info = read(pod);
  known.set(pod, info);
  return info;
}

function read(pod: Pod): PodInfo {
  const amounts = amountsOf(pod);
  const { metadata = {}, spec } = pod;
  return {
    pod,
    key: objectKey(pod),
    uid: uidOf(pod),
    namespace: metadata.namespace ?? '',
    labels: metadata.labels ?? {},
    priority: spec?.priority ?? 0,
    amounts,
    scoredCpu: cpuOrStandIn(amounts),
    scoredMemory: memoryOrStandIn(amounts),
    hostPorts: hostPortsOf(pod),
    terms: affinityTermsOf(pod),
    hasAffinity: spec?.affinity?.podAffinity !== undefined || spec?.affinity?.podAntiAffinity !== undefined,
    claims: claimsOf(pod),
    ending: metadata.deletionTimestamp !== undefined,
  };
}

/** A generic ephemeral volume's claim is named after pod and volume. */
function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`${pod.metadata?.name ?? ''}-${name}`];
  });
}

export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
