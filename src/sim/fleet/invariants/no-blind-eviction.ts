/**
 * Invariant: no node counts as lost after no node at all was heard of for longer than the grace period, because then the fault
 * is likely at the control plane.
 */
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';
import { isEvicted } from './no-eviction-storm.ts';

/** Upstream's node-monitor-grace-period with slack, as a node that was lost before the others may still be tainted. */
const GRACE_MS = 60_000;

export function noBlindEviction(fleet: Fleet): void {
  const { sim } = fleet;
  let blindSince: number | undefined;
  sim.check(() => {
    const sees = fleet.nodes.some(({ isUp, link }) => isUp && !link.faults.partitioned);
    blindSince = sees ? undefined : (blindSince ?? sim.mono);
  });
  fleet.stored.nodes.onChange((key, node, before) => {
    if (node === undefined || !isEvicted(node) || (before !== undefined && isEvicted(before))) return;
    if (blindSince === undefined || sim.mono - blindSince < GRACE_MS) return;
    throw new InvariantViolation('blind eviction', `${key} was given up while no node was heard of`);
  });
}
