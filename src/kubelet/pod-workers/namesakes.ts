/**
 * Pods of one name, of which only one may run at a time. Static pods come from files: their UID is made from their content, so
 * the same pod may come again (upstream: pod_workers.go, allowPodStart). A pod of the API has the name of another that was
 * deleted by force: the object of that one is gone, and its containers have not ended yet. Pure.
 */
import type { Pod } from '../../api/index.ts';
import type { PodObservation } from '../types.ts';
import type { Worker } from './worker.ts';
import { isStaticPod } from '../pods/static-pods.ts';

type Seen = Pick<PodObservation, 'uid' | 'name' | 'namespace' | 'sandboxes'>;
type Known = Pick<Worker, 'uid' | 'pod' | 'wanted' | 'lifecycle' | 'memory'>;

/**
 * The pod of the same name that must be gone before this pod may start; `undefined`: none. `workers`: all, in the order in
 * which they came. `seen`: the pods in the runtime; after a restart of the agent there are more of them than workers.
 */
export function namesakeInTheWay(
  worker: Known,
  workers: Iterable<Known>,
  seen: readonly Seen[] = [],
): string | undefined {
  if (!mayHaveNamesake(worker)) return undefined;
  const others = [...workers];
  const inTheWay = isStaticPod(worker.pod) ? staticNamesake(worker, others) : deletedNamesake(worker, others);
  if (inTheWay !== undefined) return inTheWay;
  const { name, namespace } = worker.pod.metadata ?? {};
  return seen.find((other) => {
    const isNamesake = other.uid !== worker.uid && other.name === name && other.namespace === namespace;
    const isKnown = !isStaticPod(worker.pod) && others.some(({ uid }) => uid === other.uid);
    return isNamesake && !isKnown && other.sandboxes.some(({ state }) => state === 'ready');
  })?.uid;
}

/** Only a pod that has not begun waits for another, and one that is to end does not. */
export function mayHaveNamesake({ lifecycle, memory, pod, wanted }: Known): boolean {
  return lifecycle.state === 'waiting' && !memory.note.admitted && (wanted || isStaticPod(pod));
}

function staticNamesake(worker: Known, others: readonly Known[]): string | undefined {
  let isBefore = true;
  for (const other of others) {
    if (other.uid === worker.uid) isBefore = false;
    else if (sameName(other.pod, worker.pod) && (isBefore || other.lifecycle.state !== 'waiting')) return other.uid;
  }
  return undefined;
}

/** The server has one object of a name, so the other one's is gone, even if its own pass has not found that out yet. */
function deletedNamesake(worker: Known, others: readonly Known[]): string | undefined {
  return others.find(
    ({ uid, pod, lifecycle }) =>
      uid !== worker.uid && sameName(pod, worker.pod) && !isStaticPod(pod) && !OVER.has(lifecycle.state),
  )?.uid;
}

/** States in which no container runs, and none will. */
const OVER: ReadonlySet<Known['lifecycle']['state']> = new Set(['terminated', 'finished']);

function sameName(a: Pod, b: Pod): boolean {
  return a.metadata?.name === b.metadata?.name && a.metadata?.namespace === b.metadata?.namespace;
}

/** It was taken out and came back unchanged: its end continues, and it starts again after that. */
export function endsBeforeItReturns({ pod, lifecycle }: Pick<Worker, 'pod' | 'lifecycle'>): boolean {
  return isStaticPod(pod) && 'request' in lifecycle && lifecycle.request.reason === 'Orphaned';
}
