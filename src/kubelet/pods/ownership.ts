/** Recognises our sandboxes: other sandboxes on the socket are never looked at or touched. */
import type { StringMap } from '../../cri/index.ts';

/** On every sandbox that mendlet makes; the value names the instance. */
export const INSTANCE_LABEL = 'mendlet.dev/instance';
/** Upstream's label (pkg/kubelet/types): the runtime filters by it. */
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';

export function isOurs(labels: StringMap, instanceId: string): boolean {
  return labels[INSTANCE_LABEL] === instanceId;
}
