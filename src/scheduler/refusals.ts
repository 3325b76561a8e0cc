/** Says which nodes would refuse a pod that is about to be replaced, by the same filters as a scheduling decision. Pure. */
import type { Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../api/index.ts';
import type { Cluster } from './cluster/cluster.ts';
import { NO_DRIVERS } from './cluster/driver-facts.ts';
import { NodeInfo } from './cluster/node-info.ts';
import { hasEnded, type PodInfo, podInfo } from './cluster/pod-info.ts';
import { NOTHING_PROMISED } from './cluster/volume-promises.ts';
import { prepareFitting } from './filter/fitting.ts';
import { MAX_FORESEEN_PODS } from './limits.ts';
import { isGated } from './pending.ts';

/** The objects that filters look at. */
export interface Surroundings {
  readonly nodes: readonly Node[];
  /** A pod without a node counts on the first node that fits it. */
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
}

const NOBODY_PROMISED = (): readonly PodInfo[] => [];

/**
 * Name of each node that would refuse the pod → the reasons, in the words of `FailedScheduling`. Pods that it could preempt do
 * not count.
 *
 * @param pod has no node, and is not one of `around.pods`
 */
export function refusals(pod: Pod, around: Surroundings): ReadonlyMap<string, readonly string[]> {
  const info = podInfo(pod);
  const cluster = clusterOf(around, (other) => stays(other, info));
  const pending = around.pods.filter(
    (other) => !hasEnded(other) && !isGated(other) && (other.spec?.nodeName ?? '') === '',
  );
  for (const other of pending.slice(0, MAX_FORESEEN_PODS)) place(podInfo(other), cluster);
  const fitting = prepareFitting(info, cluster, NOBODY_PROMISED);
  const refused = new Map<string, readonly string[]>();
  for (const node of cluster.nodes) {
    const reasons = fitting.kind === 'rejected' ? [fitting.message] : fitting.check(node)?.reasons;
    if (reasons !== undefined) refused.set(node.name, reasons);
  }
  return refused;
}

function stays(other: PodInfo, { pod, priority }: PodInfo): boolean {
  return other.priority >= priority || pod.spec?.preemptionPolicy === 'Never';
}

function place(pod: PodInfo, cluster: Cluster): void {
  const fitting = prepareFitting(pod, cluster, NOBODY_PROMISED);
  if (fitting.kind === 'rejected') return;
  cluster.nodes.find((node) => fitting.check(node) === undefined)?.addPod(pod);
}

function clusterOf(
  { nodes, pods, namespaces, claims, volumes }: Surroundings,
  isCounted: (pod: PodInfo) => boolean,
): Cluster {
  const infos = new Map(nodes.map((node) => [node.metadata?.name ?? '', NodeInfo.of(node)]));
  for (const pod of pods) {
    if (hasEnded(pod)) continue;
    const info = podInfo(pod);
    if (isCounted(info)) infos.get(pod.spec?.nodeName ?? '')?.addPod(info);
  }
  return {
    nodes: [...infos.values()],
    node: (name) => infos.get(name),
    namespaceLabels: (name) => namespaces.find(({ metadata }) => metadata?.name === name)?.metadata?.labels,
    claim: (namespace, name) =>
      claims.find(({ metadata }) => metadata?.namespace === namespace && metadata.name === name),
    claims: () => claims,
    volume: (name) => volumes.find(({ metadata }) => metadata?.name === name),
    volumes: () => volumes,
    promised: NOTHING_PROMISED,
    // Only scores, preemption and unbound claims need these; the claims of a pod that ran are bound.
    storageClass: () => undefined,
    drivers: NO_DRIVERS,
    spreadSelector: () => undefined,
    budgets: () => [],
    imageSpread: () => 0,
  };
}
