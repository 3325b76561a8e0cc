/** The interface of a filter. Pure. */
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

/** Upstream's plugin names. */
export type FilterName =
  | 'NodeUnschedulable'
  | 'NodeName'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'NodeVolumeLimits'
  | 'VolumeBinding'
  | 'VolumeZone'
  | 'PodTopologySpread'
  | 'InterPodAffinity';

/** Why a node does not fit, in upstream's words. */
export interface Misfit {
  readonly filter: FilterName;
  readonly reasons: readonly string[];
  /** Whether fewer pods on the node could help. */
  readonly resolvable: boolean;
}

/** A filter prepared for one pod: work that does not depend on the node has been done. */
export interface PreparedFilter {
  /** `undefined`: it fits. */
  check(info: NodeInfo): Misfit | undefined;
  /** Another pod is added to the node (1) or removed from it (-1) in a simulation, e.g. of preemption. */
  move?(info: NodeInfo, other: PodInfo, delta: 1 | -1): void;
  /** Only nodes with these names can fit. */
  readonly nodeNames?: ReadonlySet<string>;
}

/** No node can fit, and why. */
export interface Rejection {
  readonly rejection: string;
}

export interface Filter {
  readonly name: FilterName;
  /** `undefined`: the filter does not concern this pod. */
  prepare(pod: PodInfo, cluster: Cluster): PreparedFilter | Rejection | undefined;
}

export function unresolvable(filter: FilterName, reason: string): Misfit {
  return { filter, reasons: [reason], resolvable: false };
}

export function resolvable(filter: FilterName, reason: string): Misfit {
  return { filter, reasons: [reason], resolvable: true };
}
