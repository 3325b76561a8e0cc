/**
 * Chooses the pods that must end so that a critical pod finds room (upstream: kubelet/preemption). Guaranteed pods are chosen
 * only for what all other pods together could not free, Burstable ones only for what BestEffort ones could not; of each class
 * as few and as small ones as a greedy choice finds. Pure.
 */
import { type Pod, qosClassOf } from '../../api/index.ts';
import { isCriticalPod } from '../pods/critical-pod.ts';
import type { Shortage } from './admit-pod.ts';
import { requestOf } from './resource-amounts.ts';

/** @returns `undefined`: not even all of them would make room. */
export function choosePreempted(
  pod: Pod,
  candidates: readonly Pod[],
  shortages: readonly Shortage[],
): readonly Pod[] | undefined {
  const yielding = candidates.filter((candidate) => yieldsTo(candidate, pod));
  if (without(shortages, yielding).length > 0) return undefined;
  const of = (qos: string) => yielding.filter(({ spec }) => qosClassOf(spec ?? { containers: [] }) === qos);
  const [bestEffort, burstable] = [of('BestEffort'), of('Burstable')];
  const guaranteed = greedy(of('Guaranteed'), without(shortages, [...bestEffort, ...burstable]));
  const middle = greedy(burstable, without(shortages, [...bestEffort, ...guaranteed]));
  const low = greedy(bestEffort, without(shortages, [...middle, ...guaranteed]));
  return [...low, ...middle, ...guaranteed];
}

/** Upstream: Preemptable. */
function yieldsTo(candidate: Pod, pod: Pod): boolean {
  if (isCriticalPod(pod) && !isCriticalPod(candidate)) return true;
  const [own, other] = [candidate.spec?.priority, pod.spec?.priority];
  return own !== undefined && other !== undefined && other > own;
}

/** The pod that leaves least to be found goes first, the smaller of two that leave the same. */
function greedy(pods: readonly Pod[], shortages: readonly Shortage[]): readonly Pod[] {
  const left = [...pods];
  const chosen: Pod[] = [];
  let missing = shortages;
  while (missing.length > 0 && left.length > 0) {
    const wanted = missing;
    left.sort((a, b) => remainder(wanted, a) - remainder(wanted, b) || compareSize(a, b));
    const [best, ...rest] = left.splice(0) as [Pod, ...Pod[]];
    left.push(...rest);
    chosen.push(best);
    missing = without(missing, [best]);
  }
  return chosen;
}

/** The resources still missing, each as a share of what is missing now. */
function remainder(shortages: readonly Shortage[], pod: Pod): number {
  return shortages.reduce((sum, { resource, missing }) => {
    const share = Math.max(0, missing - requestOf(pod, resource)) / missing;
    return sum + share * share;
  }, 0);
}

function compareSize(a: Pod, b: Pod): number {
  return requestOf(a, 'memory') - requestOf(b, 'memory') || requestOf(a, 'cpu') - requestOf(b, 'cpu');
}

function without(shortages: readonly Shortage[], gone: readonly Pod[]): readonly Shortage[] {
  return shortages.flatMap(({ resource, missing }) => {
    const left = gone.reduce((rest, pod) => rest - requestOf(pod, resource), missing);
    return left > 0 ? [{ resource, missing: left }] : [];
  });
}
