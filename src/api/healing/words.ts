/** The words of what mendlet does beyond Kubernetes: its group, annotations, conditions and event reasons. */
import { VOLUME_PROBLEM } from '../local-volume.ts';

export const MENDLET_GROUP = 'mendlet.dev';
export const MENDLET_VERSION = 'v1alpha1';

/** On a pod: one restart that is asked of its agent (`RestartRequest` as JSON). Written by the healing controller, or by hand. */
export const RESTART_REQUEST = 'mendlet.dev/restart-request';
/** On a pod: the policy it heals by (`HealingPolicySpec` as JSON or YAML). Written by hand, or by the healing controller. */
export const HEALING_POLICY = 'mendlet.dev/healing-policy';
/** Beside it, when it comes of an object: "NAME/UID/GENERATION". */
export const HEALING_POLICY_FROM = 'mendlet.dev/healing-policy-from';
/** On a pod, by its agent: the state of its healing (`HealingState` as JSON). */
export const HEALING_STATE = 'mendlet.dev/healing';
/** On a pod, by its author: its dependencies ("service/db, pod/cache-0, 10.0.0.7:5432"). */
export const DEPENDS_ON = 'mendlet.dev/depends-on';
/** On a pod, by the healing controller: a dependency that it waited for may be well again (`RecoverySignal` as JSON). */
export const RECOVERY = 'mendlet.dev/recovery';
/** On a pod, "true": its signal waits until its traffic can have gone elsewhere, also where mendlet does not route. */
export const SIGNAL_AFTER_TRAFFIC = 'mendlet.dev/signal-after-traffic';
/** On a pod, by the healing controller: the answer to its wish to leave the node (`MoveVerdict` as JSON). */
export const MOVE_VERDICT = 'mendlet.dev/move-verdict';
/** On a pod, or on one of `PAUSABLE_KINDS` for all its pods, by a person: healing is paused (`pauseOf`). */
export const HEALING_PAUSED = 'mendlet.dev/healing-paused';
/** Beside it on a pod, when it comes of the pod's workload: "KIND/NAME" (`pausedFrom`). */
export const HEALING_PAUSED_FROM = 'mendlet.dev/healing-paused-from';
/** Workloads whose pause holds for their pods, also for those that are made later. */
export const PAUSABLE_KINDS: readonly string[] = ['Deployment', 'StatefulSet', 'DaemonSet'];
/** On a pod, by a person: what waits in a back-off is tried now, once for each value (`tryNowOf`). */
export const TRY_NOW = 'mendlet.dev/try-now';
/** On a workload, and on the pods made from it: nodes where its pods died (`AvoidedNode[]` as JSON). */
export const AVOID_NODES = 'mendlet.dev/avoid-nodes';

/** A restart of all containers, or of the whole pod, is under way. */
export const RESTARTING_CONDITION = 'mendlet.dev/Restarting';
/** The pod has a healing policy; True during an episode of it, with the rung as reason. */
export const HEALING_CONDITION = 'mendlet.dev/Healing';
/** The ladder has ended: nothing more is tried until somebody restarts the pod. */
export const HEALING_STOPPED_CONDITION = 'mendlet.dev/HealingStopped';
/** A person has paused the healing of the pod: nothing of it is restarted until it is resumed. */
export const HEALING_PAUSED_CONDITION = 'mendlet.dev/HealingPaused';
/** The pod should go on on another node; the healing controller answers. */
export const MOVE_REQUESTED_CONDITION = 'mendlet.dev/MoveRequested';
/** All condition types that the agent writes for healing. */
export const HEALING_CONDITIONS: readonly string[] = [
  RESTARTING_CONDITION,
  HEALING_CONDITION,
  HEALING_STOPPED_CONDITION,
  HEALING_PAUSED_CONDITION,
  MOVE_REQUESTED_CONDITION,
  VOLUME_PROBLEM,
];

/** `state.waiting.reason` of a container that the ladder has stopped starting. */
export const HEALING_STOPPED_REASON = 'HealingStopped';
/** `state.waiting.reason` of a container that has ended for a restart of the whole pod. */
export const RESTARTING_POD_REASON = 'RestartingPod';
/** `state.waiting.reason` of a container that has ended while the healing of its pod is paused. */
export const HEALING_PAUSED_REASON = 'HealingPaused';
