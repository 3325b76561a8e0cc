/** The taints that this controller owns on a node, from its conditions and its schedulability. Pure. */
import { findCondition, type Node, type Taint } from '../../api/index.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Condition → its status → the key of the taint that says so. */
const TAINT_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
};
const OWNED_NO_SCHEDULE = new Set([UNSCHEDULABLE, ...Object.values(TAINT_OF).flatMap((keys) => Object.values(keys))]);

/**
 * `keep`: no node gets a NoExecute taint that had none, and a node that is not Ready in another way gets the other taint.
 * `give`: its pods must go. `clear`: they may stay, whatever its state.
 */
export type NoExecute = 'keep' | 'give' | 'clear';

/** The node's taints as they should be; undefined when they are. `now`: RFC 3339, for `timeAdded`. */
export function planTaints(node: Node, noExecute: NoExecute, now: string): readonly Taint[] | undefined {
  const current = node.spec?.taints ?? [];
  const wanted = [...noScheduleTaints(node), ...noExecuteTaints(node, noExecute)];
  const kept = current.filter((taint) => !isOwned(taint) || wanted.some((each) => isSame(each, taint)));
  const added = wanted
    .filter((taint) => !current.some((each) => isSame(each, taint)))
    .map((taint) => ({ ...taint, timeAdded: now }));
  return added.length === 0 && kept.length === current.length ? undefined : [...kept, ...added];
}

/** Does it have the NoExecute taint that its state asks for? True for a state that asks for none. */
export function hasNoExecuteTaint(node: Node): boolean {
  const key = lostKey(node);
  return key === undefined || (node.spec?.taints ?? []).some((taint) => isSame(taint, { key, effect: 'NoExecute' }));
}

/** Whether it has a NoExecute taint of this controller. */
export function isTaintedAsLost(node: Node): boolean {
  return (node.spec?.taints ?? []).some(isLostTaint);
}

/** A taint that says that the node is lost, and that its pods must go. */
export function isLostTaint({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

function noScheduleTaints(node: Node): readonly Taint[] {
  const { conditions = [] } = node.status ?? {};
  const keys = conditions.flatMap(({ type, status }) => TAINT_OF[type]?.[status] ?? []);
  // A node that has said nothing yet keeps the taint that it was made with.
  const silent = findCondition(conditions, 'Ready') === undefined;
  const newborn =
    silent && (node.spec?.taints ?? []).some((taint) => isSame(taint, { key: NOT_READY, effect: 'NoSchedule' }));
  const all = [...keys, ...(newborn ? [NOT_READY] : []), ...(node.spec?.unschedulable === true ? [UNSCHEDULABLE] : [])];
  return all.map((key) => ({ key, effect: 'NoSchedule' }));
}

function noExecuteTaints(node: Node, noExecute: NoExecute): readonly Taint[] {
  const key = lostKey(node);
  if (key === undefined || noExecute === 'clear') return [];
  return noExecute === 'give' || isTaintedAsLost(node) ? [{ key, effect: 'NoExecute' }] : [];
}

/** The taint's key for a node that is not Ready; undefined for one that is, or that never said. */
function lostKey(node: Node): string | undefined {
  const status = findCondition(node.status?.conditions, 'Ready')?.status;
  return status === undefined ? undefined : TAINT_OF['Ready']?.[status];
}

function isOwned(taint: Taint): boolean {
  return isLostTaint(taint) || (taint.effect === 'NoSchedule' && OWNED_NO_SCHEDULE.has(taint.key));
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
