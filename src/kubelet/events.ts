/** The kubelet's events about pods, their containers and the node, sent through the client's recorder. */
import { PERSISTENT_VOLUME_CLAIMS, type Pod } from '../api/index.ts';
import { type EventRecorder, type KubeClient, referenceTo } from '../client/index.ts';
import { errorMessage, type Logger } from '../lib/index.ts';
import type { PodEvents } from './types.ts';
import type { ClaimEvent } from './volumes/health/served-volumes.ts';

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

export function createPodEvents(recorder: EventRecorder, nodeName: string): PodEvents {
  // Upstream's kubelet names its node by name in the UID's place, so that events are found before it is registered.
  const node = { kind: 'Node', apiVersion: 'v1', name: nodeName, uid: nodeName };
  return {
    pod: (pod, type, reason, message, fieldPath) => recorder.event(reference(pod, fieldPath), type, reason, message),
    node: (type, reason, message) => recorder.event(node, type, reason, message),
  };
}

/** Events of claims need their UID, which a pod does not name. */
export function createClaimEvents({
  client,
  recorder,
  logger,
}: {
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
}): ClaimEvent {
  return ({ namespace, name }, type, reason, message) => {
    client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name).then(
      ({ metadata }) => {
        const { uid, resourceVersion } = metadata ?? {};
        const claim = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
        recorder.event(claim, type, reason, message);
      },
      (error: unknown) =>
        logger.info('an event of a claim is not sent', { namespace, name, reason, error: errorMessage(error) }),
    );
  };
}

/** Items of a list carry no kind of their own. */
function reference(pod: Pod, fieldPath: string | undefined) {
  return { ...referenceTo(pod, fieldPath), kind: 'Pod', apiVersion: 'v1' };
}
