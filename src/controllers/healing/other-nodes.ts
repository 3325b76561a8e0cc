/**
 * Decides whether another node would take a pod, so that no pod is evicted in vain: first by the node's own obstacles, then
 * by the scheduler's filters. Pure.
 */
import {
  countedReasons,
  isConditionTrue,
  isDeleting,
  type Namespace,
  type Node,
  nameOf,
  nodeSelectorMatches,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Taint,
  toleratesTaint,
  uidOf,
} from '../../api/index.ts';

const UNSCHEDULABLE: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** The inputs of a scheduler; of claims and volumes only those of the pod. */
export interface Surroundings {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly volumes: readonly PersistentVolume[];
}

/** Name of each node that would not take the pod → why: the scheduler's answer, which it gives itself when the pod is made. */
export type Refusals = (pod: Pod, around: Surroundings) => ReadonlyMap<string, readonly string[]>;

export interface OtherNodesView {
  readonly pod: Pod;
  /** Names of nodes where it died. */
  readonly avoided: ReadonlySet<string>;
  readonly around: Surroundings;
  /** UIDs of pods that are being deleted, whose successors may not exist yet. */
  readonly leaving: ReadonlySet<string>;
  /** Absent: that there is room is taken for granted. */
  readonly refusals?: Refusals;
}

export type OtherNodes =
  | { readonly kind: 'some' }
  /** When others have come to rest there may be room. */
  | { readonly kind: 'crowded' }
  | { readonly kind: 'none'; readonly message: string };

export function otherNodes({ pod, avoided, around, leaving, refusals }: OtherNodesView): OtherNodes {
  const others = around.nodes.filter((node) => nameOf(node) !== pod.spec?.nodeName);
  if (others.length === 0) return { kind: 'none', message: 'there is no other node' };
  const obstacles = others.map((node) => obstacleOf(pod, node, avoided));
  const open = others.filter((_, position) => obstacles[position] === undefined);
  if (open.length > 0 && refusals === undefined) return { kind: 'some' };
  const own = obstacles.filter((obstacle) => obstacle !== undefined);
  const refused =
    open.length === 0 ? undefined : refusals?.(successorOf(pod), { ...around, pods: settled(pod, around) });
  const reasons = open.flatMap((node) => refused?.get(nameOf(node)) ?? []);
  if (open.every((node) => refused?.has(nameOf(node)) === true)) {
    return { kind: 'none', message: `no other node takes it: ${countedReasons([...own, ...reasons])}` };
  }
  // Any other pod that looks for a node is assumed to go where this one could.
  const nodes = [...open, ...around.nodes.filter((node) => !open.includes(node))];
  const now = refusals?.(successorOf(pod), { ...around, nodes, pods: moving(pod, around, leaving) });
  return { kind: open.every((node) => now?.has(nameOf(node)) === true) ? 'crowded' : 'some' };
}

/** As its maker will make it again: the volumes that live and die with it are new, too. */
function successorOf({ metadata, spec }: Pod): Pod {
  const { uid: _uid, ...kept } = metadata ?? {};
  const { nodeName: _nodeName, ...rest } = spec ?? { containers: [] };
  const volumes = (rest.volumes ?? []).filter(({ ephemeral }) => ephemeral === undefined);
  return { metadata: kept, spec: { ...rest, volumes } };
}

/** Pods that are where they are, and stay. */
function settled(pod: Pod, { pods }: Surroundings): readonly Pod[] {
  return pods.filter((each) => uidOf(each) !== uidOf(pod) && !isDeleting(each) && (each.spec?.nodeName ?? '') !== '');
}

/** All pods, those that leave also as the ones that follow them. */
function moving(pod: Pod, { pods }: Surroundings, leaving: ReadonlySet<string>): readonly Pod[] {
  const others = pods.filter((each) => uidOf(each) !== uidOf(pod));
  return [...others, ...others.filter((each) => leaving.has(uidOf(each))).map(successorOf)];
}

function obstacleOf(pod: Pod, node: Node, avoided: ReadonlySet<string>): string | undefined {
  if (avoided.has(nameOf(node))) return 'to be avoided, since it died there, too';
  if (!isConditionTrue(node.status?.conditions, 'Ready')) return 'not ready';
  if (node.spec?.unschedulable === true && !toleratesTaint(pod, UNSCHEDULABLE)) return 'cordoned';
  const hard = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
  if (hard.some((taint) => taint.key !== UNSCHEDULABLE.key && !toleratesTaint(pod, taint)))
    return 'with a taint that it does not tolerate';
  return nodeSelectorMatches(pod, node) ? undefined : 'not matching its node selector or affinity';
}
