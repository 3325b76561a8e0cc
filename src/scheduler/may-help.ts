import type { Node } from '../api/index.ts';
import type { Change } from '../client/index.ts';

/** Whether a change of a node may make room for a pod that fitted nowhere: not for every heartbeat. Pure. */
export function mayHelp(change: Change<Node>): boolean {
  if (change.type === 'delete') return false;
  if (change.previous === undefined) return true;
  return fitting(change.object) !== fitting(change.previous);
}

/** All of a node that filters look at. */
function fitting(node: Node): string {
  const { taints, unschedulable } = node.spec ?? {};
  return JSON.stringify([
    node.metadata?.labels,
    node.metadata?.deletionTimestamp,
    taints,
    unschedulable,
    node.status?.allocatable,
  ]);
}
