/**
 * Which pod goes first when the node is short of something (upstream: eviction/helpers.go rankMemoryPressure,
 * rankDiskPressureFunc, rankPIDPressure). Pure.
 */
import { type Pod, podRequests, quantityValue } from '../../api/index.ts';
import type { PodStats } from '../stats/summary.ts';
import { conditionOf } from './pressure-step.ts';
import type { EvictionSignal } from './thresholds.ts';
import { isCriticalPod } from '../pods/critical-pod.ts';

export interface Candidate {
  readonly pod: Pod;
  /** Absent: nothing is known of what it uses. */
  readonly stats: PodStats | undefined;
}

/** First to be evicted first; critical pods left out. */
export function rankPods(signal: EvictionSignal, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates
    .filter(({ pod }) => !isCriticalPod(pod))
    .map((candidate) => ({ candidate, key: keyOf(signal, candidate) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ candidate }) => candidate);
}

/** Smaller first. */
function keyOf(signal: EvictionSignal, { pod, stats }: Candidate): readonly number[] {
  const priority = pod.spec?.priority ?? 0;
  const used = usageOf(signal, stats);
  if (conditionOf(signal) === 'pid') return [priority, -(used ?? 0)];
  const requested = requestOf(signal, pod);
  const excess = used === undefined ? Number.NEGATIVE_INFINITY : used - requested;
  // A pod that uses more than it requested comes first; a pod of unknown usage counts as one that may.
  const exceeds = used === undefined || excess > 0 ? 0 : 1;
  return [exceeds, priority, excess === Number.NEGATIVE_INFINITY ? 0 : -excess];
}

/** Bytes, inodes or processes; `undefined`: not known. */
export function usageOf(signal: EvictionSignal, stats: PodStats | undefined): number | undefined {
  switch (conditionOf(signal)) {
    case 'memory':
      return stats?.memory?.workingSetBytes;
    case 'pid':
      return stats?.process_stats?.process_count;
    case 'disk': {
      const storage = stats?.['ephemeral-storage'];
      return signal.endsWith('inodesFree') ? storage?.inodesUsed : storage?.usedBytes;
    }
  }
}

/** There are no requests for inodes or processes. */
export function requestOf(signal: EvictionSignal, pod: Pod): number {
  const requests = podRequests(pod.spec ?? { containers: [] });
  if (signal === 'memory.available') return amount(requests['memory']);
  if (conditionOf(signal) === 'disk' && !signal.endsWith('inodesFree')) return amount(requests['ephemeral-storage']);
  return 0;
}

function amount(quantity: string | number | undefined): number {
  return quantity === undefined ? 0 : quantityValue(quantity);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
