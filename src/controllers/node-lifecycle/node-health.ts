/**
 * Records when a node was last heard of: when its lease or its status CHANGED as we saw it, on our own monotonic clock.
 * Clocks of other machines are never compared with ours. Pure.
 */
import { findCondition, type Lease, type Node } from '../../api/index.ts';
import { NEVER_UPDATED } from './lost-conditions.ts';
import type { NodeLifecycleSettings } from './settings.ts';

export interface NodeHealth {
  readonly uid: string;
  /** The kubelet's last word in the node's status, as written; '' for none. */
  readonly status: string;
  /** The last renewal of its lease, as written; '' for none. */
  readonly lease: string;
  /** Mono ms when one of the two was new to us. */
  readonly heardAt: number;
}

/** A node that was not known, or is another of the same name, counts as heard of now. */
export function hearNode(health: NodeHealth | undefined, node: Node, mono: number): NodeHealth {
  const uid = node.metadata?.uid ?? '';
  const status = statusWord(node);
  if (health === undefined || health.uid !== uid) return { uid, status, lease: health?.lease ?? '', heardAt: mono };
  return health.status === status ? health : { ...health, status, heardAt: mono };
}

export function hearLease(health: NodeHealth, lease: Lease, mono: number): NodeHealth {
  const word = leaseWord(lease);
  return health.lease === word ? health : { ...health, lease: word, heardAt: mono };
}

export function leaseWord(lease: Lease): string {
  return lease.spec?.renewTime ?? '';
}

/** Our own verdict is no word of the kubelet: its heartbeat time stays as it was. */
function statusWord(node: Node): string {
  const ready = findCondition(node.status?.conditions, 'Ready');
  return ready === undefined || ready.reason === NEVER_UPDATED ? '' : `at ${ready.lastHeartbeatTime ?? ''}`;
}

/** A node that has never reported has longer. */
export function graceOf(node: Node, settings: NodeLifecycleSettings): number {
  const ready = findCondition(node.status?.conditions, 'Ready');
  return ready === undefined ? settings.nodeStartupGracePeriodMs : settings.nodeMonitorGracePeriodMs;
}
