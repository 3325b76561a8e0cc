/** Which pause a pod has of its workload: pods that are made later are paused like those that were there. Pure. */
import {
  controllerOf,
  HEALING_PAUSED,
  HEALING_PAUSED_FROM,
  isDeleting,
  type ObjectMeta,
  PAUSABLE_KINDS,
  pausedFrom,
  pauseText,
  type Pod,
} from '../../api/index.ts';
import { isPodTerminal } from '../pods/pod-state.ts';
import type { AnnotationChange } from './plan-pod-policy.ts';

/** The object whose pause holds for a pod. */
export interface PauseOwner {
  readonly kind: string;
  readonly name: string;
}

/** A ReplicaSet of a Deployment has the hash of its template at the end of its name. Undefined: no pause holds for its pods. */
export function pauseOwnerOf(pod: Pod): PauseOwner | undefined {
  const controller = controllerOf(pod);
  if (controller === undefined) return undefined;
  const { kind, name } = controller;
  const end = `-${pod.metadata?.labels?.['pod-template-hash'] ?? ''}`;
  if (kind === 'ReplicaSet' && end !== '-' && name.endsWith(end) && name !== end)
    return { kind: 'Deployment', name: name.slice(0, -end.length) };
  return PAUSABLE_KINDS.includes(kind) ? { kind, name } : undefined;
}

/**
 * What is to be changed of a pod; undefined: nothing, or it is not ours to change.
 *
 * @param owner the workload of the pod, if it exists
 */
export function planPodPause(
  pod: Pod,
  owner: (PauseOwner & { readonly metadata: ObjectMeta | undefined }) | undefined,
): AnnotationChange | undefined {
  if (isPodTerminal(pod) || isDeleting(pod)) return undefined;
  const { annotations = {} } = pod.metadata ?? {};
  const [text, from] = [annotations[HEALING_PAUSED], annotations[HEALING_PAUSED_FROM]];
  // A person's own word about this pod.
  if (from === undefined && text !== undefined) return undefined;
  const wanted = owner === undefined ? undefined : pauseText(owner);
  if (owner === undefined || wanted === undefined)
    return from === undefined ? undefined : { [HEALING_PAUSED]: null, [HEALING_PAUSED_FROM]: null };
  const origin = pausedFrom(owner.kind, owner.name);
  // A person resumed this one pod of a paused workload.
  if (from === origin && (text === undefined || text === 'false')) return undefined;
  return text === wanted && from === origin ? undefined : { [HEALING_PAUSED]: wanted, [HEALING_PAUSED_FROM]: origin };
}
