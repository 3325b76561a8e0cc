/** Who sees nobody must suspect himself: while not a single node is heard of, none is given up. */
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';
import { isEvicted } from './no-eviction-storm.ts';

export function noBlindEviction(fleet: Fleet): void {
  fleet.stored.nodes.onChange((key, node, before) => {
    if (node === undefined || !isEvicted(node) || (before !== undefined && isEvicted(before))) return;
    const reachable = fleet.nodes.some(({ isUp, link }) => isUp && !link.faults.partitioned);
    if (!reachable) throw new InvariantViolation('blind eviction', `${key} was given up while no node was heard of`);
  });
}
