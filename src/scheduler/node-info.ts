/** What the scheduler knows of a node: what it has, and what its pods take of it. Pure. */
import {
  type HostPort,
  hostPortsOf,
  type Node,
  type Pod,
  podRequests,
  quantityMilliValue,
  quantityValue,
} from '../api/index.ts';

/** cpu in thousandths, everything else in whole units. */
export type Amounts = Readonly<Record<string, number>>;

export interface NodeInfo {
  readonly node: Node;
  readonly allocatable: Amounts;
  readonly requested: Amounts;
  /** Like `requested`, with upstream's stand-in for pods that ask for nothing, so that they too spread. */
  readonly requestedNonZero: Amounts;
  readonly podCount: number;
  readonly hostPorts: readonly HostPort[];
}

/** What upstream counts for a container without requests when it scores (never when it filters). */
const STAND_IN: Amounts = { cpu: 100, memory: 200 * 1024 * 1024 };

const requestsOf = new WeakMap<Pod, Amounts>();

/** What the pod asks for; kept with the pod, which never changes. */
export function podAmounts(pod: Pod): Amounts {
  const known = requestsOf.get(pod);
  if (known !== undefined) return known;
  const amounts = toAmounts(podRequests(pod.spec ?? { containers: [] }));
  requestsOf.set(pod, amounts);
  return amounts;
}

export function nonZeroAmounts(amounts: Amounts): Amounts {
  return {
    ...amounts,
    cpu: amounts['cpu'] || (STAND_IN['cpu'] ?? 0),
    memory: amounts['memory'] || (STAND_IN['memory'] ?? 0),
  };
}

export function toAmounts(quantities: Readonly<Record<string, string>>): Amounts {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    amounts[name] = name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
  }
  return amounts;
}

/** `pods`: those on the node that have not ended, assumed ones included. */
export function nodeInfo(node: Node, pods: readonly Pod[]): NodeInfo {
  const requested: Record<string, number> = {};
  const requestedNonZero: Record<string, number> = {};
  const hostPorts: HostPort[] = [];
  for (const pod of pods) {
    const amounts = podAmounts(pod);
    addTo(requested, amounts);
    addTo(requestedNonZero, nonZeroAmounts(amounts));
    hostPorts.push(...hostPortsOf(pod));
  }
  const allocatable = toAmounts(node.status?.allocatable ?? {});
  return { node, allocatable, requested, requestedNonZero, podCount: pods.length, hostPorts };
}

function addTo(sum: Record<string, number>, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount;
}
