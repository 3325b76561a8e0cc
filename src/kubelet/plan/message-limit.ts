/** All termination messages of a pod share 12 KiB evenly (upstream: status manager, normalizeStatus). Pure. */
import type { ContainerState, ContainerStatus, Pod } from '../../api/index.ts';
import { MAX_POD_TERMINATION_MESSAGE_BYTES } from './limits.ts';

/** Bytes for each container of the pod. */
export function messageLimit(pod: Pod): number {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const count = containers.length + initContainers.length + ephemeralContainers.length;
  return Math.floor(MAX_POD_TERMINATION_MESSAGE_BYTES / Math.max(1, count));
}

/** The status with messages of at most `limit` bytes; the same object when none is longer. */
export function limitMessages(status: ContainerStatus, limit: number): ContainerStatus {
  const state = limited(status.state, limit);
  const lastState = limited(status.lastState, limit);
  if (state === status.state && lastState === status.lastState) return status;
  return { ...status, ...(state === undefined ? {} : { state }), ...(lastState === undefined ? {} : { lastState }) };
}

function limited(state: ContainerState | undefined, limit: number): ContainerState | undefined {
  const { terminated } = state ?? {};
  if (terminated?.message === undefined || terminated.message.length * 3 <= limit) return state;
  const bytes = new TextEncoder().encode(terminated.message);
  if (bytes.length <= limit) return state;
  // No half character at the end.
  const message = new TextDecoder().decode(bytes.subarray(0, limit), { stream: true });
  return { ...state, terminated: { ...terminated, message } };
}
