/**
 * Decides whether a pod may leave its node, and which nodes its successors will avoid. Pure. A move is remembered on the
 * pod's owner, as the node to avoid. Pods that were on that node before it was known leave it for free. A pod that was
 * created later and came there counts again, so that moving has an end wherever schedulers send pods.
 */
import {
  type AvoidedNode,
  HEALING_POLICY,
  isConditionTrue,
  isDeleting,
  MAX_AVOIDED_NODES,
  MAX_POLICY_BYTES,
  MOVE_REQUESTED_CONDITION,
  nameOf,
  parseHealingState,
  HEALING_STATE,
  type Pod,
  readHealingPolicy,
  type ResolvedRung,
} from '../../api/index.ts';
import { formatTime, parseDocument, parseTime } from '../../lib/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import { DEFAULT_AVOIDANCE_MS } from './limits.ts';
import { otherNodes, type OtherNodesView } from './other-nodes.ts';

export interface MoveWish {
  /** The answer names it again. */
  readonly id: string;
  readonly cause: string;
}

export interface MoveView extends Omit<OtherNodesView, 'avoided'> {
  readonly wish: MoveWish;
  /** The owners' records, newest first, without expired ones; for a pod whose name stays only its own. */
  readonly remembered: readonly AvoidedNode[];
  /** Wall ms. */
  readonly now: number;
}

export type MovePlan =
  /** `entry`: the record to add on the owners. */
  | { readonly kind: 'move'; readonly entry?: AvoidedNode }
  /** There is room, but others are on their way to it. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'stop'; readonly message: string };

/** Undefined: it has none, or no eviction could grant it any more. */
export function moveWishOf(pod: Pod): MoveWish | undefined {
  if (isDeleting(pod) || isPodTerminal(pod) || !pod.spec?.nodeName) return undefined;
  if (!isConditionTrue(pod.status?.conditions, MOVE_REQUESTED_CONDITION)) return undefined;
  return parseHealingState(pod.metadata?.annotations?.[HEALING_STATE])?.move;
}

export function planMove(view: MoveView): MovePlan {
  const { pod, wish, remembered, now } = view;
  const rung = nodeRungOf(pod);
  if (rung === undefined) return { kind: 'stop', message: 'its healing policy has no rung "node"' };
  const here = pod.spec?.nodeName ?? '';
  const isKnown = remembered.some((entry) => entry.node === here && tellsOf(entry, pod));
  const moves = remembered.filter(({ at }) => at !== undefined).length;
  const allowed = Math.min(rung.attempts, MAX_AVOIDED_NODES);
  if (!isKnown && moves >= allowed)
    return { kind: 'stop', message: `it was moved ${moves} of ${allowed} times already` };
  const others = otherNodes({ ...view, avoided: new Set(remembered.map(({ node }) => node)) });
  if (others.kind === 'none') return { kind: 'stop', message: others.message };
  if (others.kind === 'crowded') return { kind: 'wait' };
  if (isKnown) return { kind: 'move' };
  const until = formatTime(now + (rung.windowMs ?? DEFAULT_AVOIDANCE_MS));
  return { kind: 'move', entry: { node: here, until, at: formatTime(now), pod: nameOf(pod), cause: wish.cause } };
}

/** Whether this record is about this very pod, or about a neighbour of its time: the pod is older than it. */
function tellsOf({ at, pod: name }: AvoidedNode, pod: Pod): boolean {
  const moved = parseTime(at);
  const created = parseTime(pod.metadata?.creationTimestamp) ?? 0;
  if (moved === undefined) return false;
  // Times are whole seconds: a successor may be made in the second of the move.
  return moved > created || (name === nameOf(pod) && moved === created);
}

function nodeRungOf({ metadata }: Pod): ResolvedRung | undefined {
  const text = metadata?.annotations?.[HEALING_POLICY];
  if (text === undefined || text.length > MAX_POLICY_BYTES) return undefined;
  let value: unknown;
  try {
    value = parseDocument({ text, line: 1 });
  } catch {
    return undefined;
  }
  const reading = readHealingPolicy(value);
  return reading.ok ? reading.policy.rungs.find(({ scope }) => scope === 'node') : undefined;
}
