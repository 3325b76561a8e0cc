/**
 * Labels and annotations on sandboxes and containers: upstream's names (kubelet/types/labels.go, kuberuntime/labels.go), so
 * that other tools can read them, and our own. Pure.
 */
import type { RuntimeContainer } from '../types.ts';
import { parseBackOff } from './back-off.ts';
import type { BackOffState } from './pod-memory.ts';

export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';

export const CONTAINER_HASH = 'io.kubernetes.container.hash';
export const RESTART_COUNT = 'io.kubernetes.container.restartCount';
export const TERMINATION_MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
export const TERMINATION_MESSAGE_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
export const CONTAINER_PORTS = 'io.kubernetes.container.ports';
export const POD_TERMINATION_GRACE_PERIOD = 'io.kubernetes.pod.terminationGracePeriod';
export const POD_DELETION_GRACE_PERIOD = 'io.kubernetes.pod.deletionGracePeriod';
/** The resources with which the container was made (KEP-1287). */
export const RESOURCES = 'mendlet.dev/resources';
export const BACK_OFF = 'mendlet.dev/back-off';

/** How often the container had been restarted when it was created; CRI's attempt where the annotation is missing. */
export function restartCountOf(container: RuntimeContainer): number {
  const count = Number(container.annotations[RESTART_COUNT]);
  return Number.isInteger(count) && count >= 0 ? count : container.attempt;
}

export function backOffOf(container: RuntimeContainer): BackOffState | undefined {
  return parseBackOff(container.annotations[BACK_OFF]);
}

/** The pod's grace as it was when the container was created: all that is left of the spec of an orphan. */
export function graceOf(container: Pick<RuntimeContainer, 'annotations'>): number | undefined {
  const seconds = Number(container.annotations[POD_TERMINATION_GRACE_PERIOD]);
  return Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}
