/** Decides whether a machine may have a node's name. Pure. */
import type { Lease, Node } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';

/** Which data folder's agent a node object is of. */
export const INSTANCE_ANNOTATION = 'mendlet.dev/instance';

export interface Claimant {
  readonly nodeName: string;
  readonly instanceId: string;
  /** '' when the machine has none. */
  readonly machineId: string;
}

export type NameVerdict =
  | { readonly kind: 'free' }
  /** The node is ours, from an earlier start. */
  | { readonly kind: 'ours' }
  | { readonly kind: 'taken'; readonly message: string };

/** @param wall ms */
export function judgeName(
  me: Claimant,
  { node, lease }: { readonly node: Node | undefined; readonly lease: Lease | undefined },
  wall: number,
): NameVerdict {
  if (node === undefined) return { kind: 'free' };
  const { nodeName, instanceId, machineId } = me;
  if (node.metadata?.annotations?.[INSTANCE_ANNOTATION] === instanceId) return { kind: 'ours' };
  const itsMachine = node.status?.nodeInfo?.machineID ?? '';
  const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const where = address === undefined ? '' : ` at ${address}`;
  const remedy = `give another --node-name, or remove the node first: kubectl delete node ${nodeName}`;
  if (isAlive(lease, wall)) {
    return { kind: 'taken', message: `the name ${nodeName} is taken: its agent${where} is alive; ${remedy}` };
  }
  if (itsMachine !== '' && machineId !== '' && itsMachine !== machineId) {
    return { kind: 'taken', message: `the name ${nodeName} is taken by another machine${where}; ${remedy}` };
  }
  // Made beforehand, or by an earlier life of this machine.
  return { kind: 'ours' };
}

/** Renewed within its own duration; a clock that goes wrong by more makes a living agent look dead, and its machine counts. */
function isAlive(lease: Lease | undefined, wall: number): boolean {
  const renewed = parseTime(lease?.spec?.renewTime);
  const durationMs = (lease?.spec?.leaseDurationSeconds ?? 0) * 1000;
  return renewed !== undefined && Math.abs(wall - renewed) < durationMs;
}
