/** The kubelet's events, told through the client's recorder: about pods, their containers, and the node. */
import type { Pod } from '../api/index.ts';
import { type EventRecorder, referenceTo } from '../client/index.ts';
import type { PodEvents } from './types.ts';

export function createPodEvents(recorder: EventRecorder, nodeName: string): PodEvents {
  // Upstream's kubelet names its node by name in the UID's place, so that events are found before it is registered.
  const node = { kind: 'Node', apiVersion: 'v1', name: nodeName, uid: nodeName };
  return {
    pod: (pod, type, reason, message, fieldPath) => recorder.event(reference(pod, fieldPath), type, reason, message),
    node: (type, reason, message) => recorder.event(node, type, reason, message),
  };
}

/** Items of a list carry no kind of their own. */
function reference(pod: Pod, fieldPath: string | undefined) {
  return { ...referenceTo(pod, fieldPath), kind: 'Pod', apiVersion: 'v1' };
}
