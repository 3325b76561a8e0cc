/** The kubelet's events about pods, their containers and the node, sent through the client's recorder. */
import type { KubeObject } from '../api/index.ts';
import { type EventRecorder, referenceTo } from '../client/index.ts';
import type { VolumeEvents } from './types.ts';

/**
 * Events of pods that heal beyond Kubernetes. A crash loop uses up an object's budget of events (25, then one per five
 * minutes), and these events must not be lost in its noise.
 */
export const HEALING_EVENTS: ReadonlySet<string> = new Set([
  'BackOffEnded',
  'HealingEscalated',
  'HealingReset',
  'HealingResumed',
  'HealingStopped',
  'InvalidHealingPolicy',
  'InvalidRestartRequest',
  'MoveUnanswered',
  'PodRestartFailed',
  'PodRestartNotNeeded',
  'PodRestarted',
  'PodRestarting',
  'RecoveryLimited',
  'VolumeConditionAbnormal',
  'VolumeHangs',
  'VolumeMountLost',
  'VolumeNotHealed',
  'VolumeReadOnly',
  'VolumeStale',
  'VolumeWorks',
]);

export function createPodEvents(recorder: EventRecorder, nodeName: string): VolumeEvents {
  // Upstream's kubelet names its node by name in the UID's place, so that events are found before it is registered.
  const node = { kind: 'Node', apiVersion: 'v1', name: nodeName, uid: nodeName };
  return {
    pod: (pod, type, reason, message, fieldPath) =>
      recorder.event(reference(pod, 'Pod', fieldPath), type, reason, message),
    claim: (claim, type, reason, message) =>
      recorder.event(reference(claim, 'PersistentVolumeClaim', undefined), type, reason, message),
    node: (type, reason, message) => recorder.event(node, type, reason, message),
  };
}

/** Items of a list carry no kind of their own. */
function reference(object: KubeObject, kind: string, fieldPath: string | undefined) {
  return { ...referenceTo(object, fieldPath), kind, apiVersion: 'v1' };
}
