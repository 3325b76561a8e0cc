/** The conditions of a node that does not report any more, in upstream's words. Pure. */
import { findCondition, type Node, type NodeCondition } from '../../api/index.ts';

/** The conditions that the kubelet owns; NetworkUnavailable belongs to another component. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export const NEVER_UPDATED = 'NodeStatusNeverUpdated';

/** The conditions to change; empty when all is said. `now`: RFC 3339. */
export function lostConditions(node: Node, now: string): readonly NodeCondition[] {
  return KUBELET_CONDITIONS.flatMap((type) => {
    const current = findCondition(node.status?.conditions, type);
    if (current?.status === 'Unknown') return [];
    if (current !== undefined) {
      return [
        {
          ...current,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        },
      ];
    }
    const heard = node.metadata?.creationTimestamp;
    return [
      {
        type,
        status: 'Unknown',
        reason: NEVER_UPDATED,
        message: 'Kubelet never posted node status.',
        ...(heard === undefined ? {} : { lastHeartbeatTime: heard }),
        lastTransitionTime: now,
      },
    ];
  });
}
