/**
 * The probe results from before this agent started: the last status that the server acknowledged. A restart of the agent must
 * not turn running pods unready (KEP-4781). Pure.
 */
import type { Pod } from '../../api/index.ts';
import type { ProbeResult } from '../types.ts';
import type { ProbeKind } from './probe-step.ts';

/** `undefined`: nothing is known of this very container. */
export function carriedResult(
  pod: Pod,
  containerName: string,
  containerId: string,
  kind: ProbeKind,
): ProbeResult | undefined {
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const status = statuses.find(({ name }) => name === containerName);
  if (status === undefined || !(status.containerID ?? '').endsWith(`//${containerId}`)) return undefined;
  if (kind === 'readiness') return status.ready ? 'success' : undefined;
  if (kind === 'startup') return status.started === true ? 'success' : undefined;
  return undefined;
}
