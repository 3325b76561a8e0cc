/**
 * Decides whether a pod may run on this node as it is now: at once, never, or after other pods have ended or the node was
 * read again.
 */
import type { Pod } from '../api/index.ts';
import { type Admission, admitPod, REASONS_OF_NODE } from './admission/admit-pod.ts';
import type { NodeAllocatable } from './admission/resource-amounts.ts';
import type { PressureVerdict, NodeResources } from './types.ts';
import { isCriticalPod } from './pods/critical-pod.ts';
import type { NodeManager } from './node/node-manager.ts';
import type { Preempt } from './preemption.ts';

/** Longest wait for a fresh read of the node before a pod is refused by an old one. */
const NODE_READ_WAIT_MS = 10_000;

/** Longest wait for pods to end that were deleted by force: beyond every ordinary grace. */
const DEAD_WAIT_MS = 120_000;

export interface AdmissionContext {
  readonly node: Pick<NodeManager, 'node' | 'readAt' | 'refresh'>;
  readonly allocatable: NodeAllocatable;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly pressure: PressureVerdict;
  /** Mono ms when the pod was first asked about. */
  readonly since: number;
  readonly now: number;
  readonly neighbours: Neighbours;
}

/** How the other pods of the node stand, and how some are made to go. */
export interface Neighbours {
  /** Whether a pod should still run here. */
  readonly isWanted: (pod: Pod) => boolean;
  /** Whether a pod's end has been asked for. */
  readonly isEnding: (pod: Pod) => boolean;
  readonly preempt: Preempt;
}

export function forPods(resources: NodeResources, { maxPods }: { readonly maxPods: number }): NodeAllocatable {
  const { cpuCores, memoryBytes, ephemeralStorageBytes = 0 } = resources;
  const storage = ephemeralStorageBytes === 0 ? {} : { ephemeralStorageBytes };
  return { milliCpu: cpuCores * 1000, memoryBytes, ...storage, pods: maxPods };
}

/**
 * Judged beside the pods that already run here, and by the Node object as soon as it is known. `undefined`: not decided yet.
 * The pod may have been bound for a label that we have not seen yet (upstream reads the node again, too), or other pods make
 * room for it.
 */
export function admitHere(pod: Pod, others: readonly Pod[], given: AdmissionContext): Admission | undefined {
  const verdict = verdictBeside(pod, others, given);
  if (verdict.admitted) return verdict;
  if (!REASONS_OF_NODE.has(verdict.reason)) {
    return waitsForTheDead(pod, others, given) || othersMakeRoom(pod, others, given) ? undefined : verdict;
  }
  if (given.node.readAt() >= given.since || given.now - given.since >= NODE_READ_WAIT_MS) return verdict;
  given.node.refresh();
  return undefined;
}

function verdictBeside(pod: Pod, others: readonly Pod[], given: AdmissionContext): Admission {
  const { node, allocatable, pressure, allowedUnsafeSysctls } = given;
  return admitPod({ pod, others, node: node.node(), allocatable, pressure, allowedUnsafeSysctls });
}

/** Whether only pods that were deleted by force are in the pod's way: the scheduler no longer counted them, and they end soon. */
function waitsForTheDead(pod: Pod, others: readonly Pod[], given: AdmissionContext): boolean {
  if (given.now - given.since >= DEAD_WAIT_MS) return false;
  return verdictBeside(pod, others.filter(given.neighbours.isWanted), given).admitted;
}

/** A critical pod waits for those that it preempts, and for those that end anyway. */
function othersMakeRoom(pod: Pod, others: readonly Pod[], given: AdmissionContext): boolean {
  if (!isCriticalPod(pod)) return false;
  const { isEnding, preempt } = given.neighbours;
  const staying = others.filter((other) => !isEnding(other));
  const verdict = verdictBeside(pod, staying, given);
  if (verdict.admitted) return true;
  return verdict.shortages !== undefined && preempt(pod, staying, verdict.shortages);
}
