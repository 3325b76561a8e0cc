/** Invariant: the NoExecute taints of a zone come at a bounded rate, so that nodes lose their pods one by one. */
import type { Node } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';

const WINDOW_MS = 100_000;
/** Taints within the window: 0.1 a second, and those that a new controller may set at once after a restart of the server. */
const MOST = 10 + 4;

export function noEvictionStorm({ sim, stored }: Fleet): void {
  /** Zone → mono ms of each node that was tainted lately. */
  const tainted = new Map<string, number[]>();
  stored.nodes.onChange((key, node, before) => {
    if (node === undefined || !isEvicted(node) || (before !== undefined && isEvicted(before))) return;
    const zone = node.metadata?.labels?.['topology.kubernetes.io/zone'] ?? '';
    const times = [...(tainted.get(zone) ?? []).filter((at) => at > sim.mono - WINDOW_MS), sim.mono];
    tainted.set(zone, times);
    if (times.length > MOST)
      throw new InvariantViolation('eviction storm', `${times.length} nodes of ${zone} within 100 s, ${key} the last`);
  });
}

export function isEvicted(node: Node): boolean {
  return (node.spec?.taints ?? []).some(
    ({ key, effect }) =>
      effect === 'NoExecute' && (key === 'node.kubernetes.io/unreachable' || key === 'node.kubernetes.io/not-ready'),
  );
}
