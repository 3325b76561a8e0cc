/** All filters in upstream's order, prepared for one pod; the first that refuses a node gives the reason. */
import type { Cluster } from '../cluster/cluster.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import type { Filter, FilterName, Misfit, PreparedFilter } from './filter.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesFit } from './node-resources.ts';
import { podTopologySpread } from './pod-topology-spread.ts';
import { nodeUnschedulable, taintToleration } from './taints.ts';
import { nodeVolumeLimits } from './volume-limits.ts';
import { volumeZone } from './volume-zone.ts';
import { volumeBinding, volumeRestrictions } from './volumes.ts';

const FILTERS: readonly Filter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
];

/** Pods that are nominated to a node by preemption and wait for the end of their victims. */
export type NominatedPods = (nodeName: string) => Iterable<PodInfo>;

/** No node can fit, for a reason that lies in the pod. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly filter: FilterName;
  readonly message: string;
}

export function prepareFitting(pod: PodInfo, cluster: Cluster, nominated: NominatedPods): Fitting | Rejected {
  const filters: PreparedFilter[] = [];
  let nodeNames: ReadonlySet<string> | undefined;
  for (const filter of FILTERS) {
    const prepared = filter.prepare(pod, cluster);
    if (prepared === undefined) continue;
    if ('rejection' in prepared) return { kind: 'rejected', filter: filter.name, message: prepared.rejection };
    filters.push(prepared);
    nodeNames ??= prepared.nodeNames;
  }
  return new Fitting(pod, filters, nominated, nodeNames);
}

export class Fitting {
  readonly kind = 'fitting';
  readonly pod: PodInfo;
  /** The only nodes that can fit, when the pod names them. */
  readonly nodeNames: ReadonlySet<string> | undefined;
  readonly #filters: readonly PreparedFilter[];
  readonly #nominated: NominatedPods;

  constructor(
    pod: PodInfo,
    filters: readonly PreparedFilter[],
    nominated: NominatedPods,
    nodeNames: ReadonlySet<string> | undefined,
  ) {
    this.pod = pod;
    this.#filters = filters;
    this.#nominated = nominated;
    this.nodeNames = nodeNames;
  }

  /**
   * Whether the pod fits on the node. It must fit beside the nominated pods of the same or a higher priority, and also without
   * them, because they may go elsewhere. `undefined`: it fits.
   */
  check(info: NodeInfo): Misfit | undefined {
    const promised: PodInfo[] = [];
    for (const other of this.#nominated(info.name)) {
      if (other.priority >= this.pod.priority && other.uid !== this.pod.uid && !info.has(other.key))
        promised.push(other);
    }
    if (promised.length > 0) {
      for (const other of promised) this.put(info, other);
      const misfit = this.#checkAsIs(info);
      for (const other of promised) this.take(info, other);
      if (misfit !== undefined) return misfit;
    }
    return this.#checkAsIs(info);
  }

  /** Adds a pod to the node for a simulation; `take` must follow. */
  put(info: NodeInfo, other: PodInfo): void {
    info.addPod(other);
    for (const filter of this.#filters) filter.move?.(info, other, 1);
  }

  take(info: NodeInfo, other: PodInfo): void {
    info.removePod(other);
    for (const filter of this.#filters) filter.move?.(info, other, -1);
  }

  #checkAsIs(info: NodeInfo): Misfit | undefined {
    for (const filter of this.#filters) {
      const misfit = filter.check(info);
      if (misfit !== undefined) return misfit;
    }
    return undefined;
  }
}
