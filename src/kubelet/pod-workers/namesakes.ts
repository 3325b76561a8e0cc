/**
 * Special cases of static pods, which come from files. Their UID is made from their content, so the same pod may come again;
 * and of those with one name only one may run at a time (upstream: pod_workers.go, allowPodStart). Pure.
 */
import type { Pod } from '../../api/index.ts';
import type { PodObservation } from '../types.ts';
import type { Worker } from './worker.ts';
import { isStaticPod } from '../pods/static-pods.ts';

type Seen = Pick<PodObservation, 'uid' | 'name' | 'namespace' | 'sandboxes'>;
type Known = Pick<Worker, 'uid' | 'pod' | 'wanted' | 'lifecycle' | 'memory'>;

/**
 * The pod of the same name that must be gone before this static pod may start; `undefined`: none. `workers`: all, in the
 * order in which they came. `seen`: the pods in the runtime; after a restart of the agent there are more of them than
 * workers.
 */
export function namesakeInTheWay(
  worker: Known,
  workers: Iterable<Known>,
  seen: readonly Seen[] = [],
): string | undefined {
  if (worker.lifecycle.state !== 'waiting' || worker.memory.note.admitted || !isStaticPod(worker.pod)) return undefined;
  let isBefore = true;
  for (const other of workers) {
    if (other.uid === worker.uid) isBefore = false;
    else if (sameName(other.pod, worker.pod) && (isBefore || other.lifecycle.state !== 'waiting')) return other.uid;
  }
  const { name, namespace } = worker.pod.metadata ?? {};
  return seen.find((other) => {
    const isNamesake = other.uid !== worker.uid && other.name === name && other.namespace === namespace;
    return isNamesake && other.sandboxes.some(({ state }) => state === 'ready');
  })?.uid;
}

function sameName(a: Pod, b: Pod): boolean {
  return a.metadata?.name === b.metadata?.name && a.metadata?.namespace === b.metadata?.namespace;
}

/** It was taken out and came back unchanged: its end continues, and it starts again after that. */
export function endsBeforeItReturns({ pod, lifecycle }: Pick<Worker, 'pod' | 'lifecycle'>): boolean {
  return isStaticPod(pod) && 'request' in lifecycle && lifecycle.request.reason === 'Orphaned';
}
