/**
 * Chooses the pods that a set with too many deletes first: those whose loss costs least. Pure. Upstream: ActivePodsWithRanks,
 * getPodsToDelete, and the logarithmic scale of LogarithmicScaleDown.
 */
import { type Container, type Pod, uidOf } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { isPodActive, isPodReady, readySince } from '../pods/pod-state.ts';

/** Annotation of a pod: the cost of its loss, a 32-bit integer; 0 when there is none. */
export const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * `count` of the pods, those to be deleted first.
 * @param pods active pods of the set
 * @param related all pods of the sets that have the same owner (its own among them)
 * @param now wall ms
 */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  now: number,
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const pod of related) {
    if (!isPodActive(pod)) continue;
    const node = pod.spec?.nodeName ?? '';
    perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => worthOf(pod, perNode, now))
    .toSorted(compareWorth)
    .slice(0, count)
    .map(({ pod }) => pod);
}

interface Worth {
  readonly pod: Pod;
  /** Compared one after another; the lower goes first. */
  readonly ranks: readonly number[];
  readonly ready: boolean;
  /** Wall ms; undefined: unknown. */
  readonly readyAt: number | undefined;
  readonly createdAt: number | undefined;
  /** Ages as powers of two: pods of about the same age count as equally old. */
  readonly readyAge: number;
  readonly age: number;
  readonly restarts: readonly number[];
}

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

function worthOf(pod: Pod, perNode: ReadonlyMap<string, number>, now: number): Worth {
  const { spec, status, metadata } = pod;
  const node = spec?.nodeName ?? '';
  const ready = isPodReady(pod);
  const readyAt = readySince(pod);
  const createdAt = parseTime(metadata?.creationTimestamp);
  return {
    pod,
    ranks: [
      node === '' ? 0 : 1,
      PHASES[status?.phase ?? ''] ?? 0,
      ready ? 1 : 0,
      deletionCost(pod),
      // On a node with many of them, one is missed least.
      -(perNode.get(node) ?? 0),
    ],
    ready,
    readyAt,
    createdAt,
    readyAge: powerOf(readyAt, now),
    age: powerOf(createdAt, now),
    restarts: [mostRestarts(pod, false), mostRestarts(pod, true)],
  };
}

function compareWorth(a: Worth, b: Worth): number {
  for (let at = 0; at < a.ranks.length; at += 1) {
    const difference = (a.ranks[at] ?? 0) - (b.ranks[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.ready && b.ready && a.readyAt !== b.readyAt) return a.readyAge - b.readyAge || compareUids(a, b);
  for (let at = 0; at < a.restarts.length; at += 1) {
    const difference = (b.restarts[at] ?? 0) - (a.restarts[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (a.createdAt !== b.createdAt) return a.age - b.age || compareUids(a, b);
  return compareUids(a, b);
}

/** As good as a coin, and the same each time. */
function compareUids(a: Worth, b: Worth): number {
  const [one, other] = [uidOf(a.pod), uidOf(b.pod)];
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Of the age in nanoseconds, as upstream's; a time that is unknown or not past counts as no age at all. */
function powerOf(time: number | undefined, now: number): number {
  if (time === undefined) return -2;
  const age = now - time;
  return age > 0 ? Math.floor(Math.log2(age * 1e6)) : -1;
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata?.annotations?.[POD_DELETION_COST] ?? '0';
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function mostRestarts({ spec, status }: Pod, ofSidecars: boolean): number {
  if (!ofSidecars) return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  if (sidecars.size === 0) return 0;
  const counts = (status?.initContainerStatuses ?? []).map(({ name, restartCount }) =>
    sidecars.has(name) ? restartCount : 0,
  );
  return Math.max(0, ...counts);
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
