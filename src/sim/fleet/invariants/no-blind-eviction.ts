/** Who sees nobody must suspect himself: once not a single node was heard of for longer than the grace, none is given up. */
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';
import { isEvicted } from './no-eviction-storm.ts';

/** Upstream's node-monitor-grace-period and a moment: a node that was lost before the others may still be given up. */
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
