/** Writes into a pod's status why it has no node, and to which node it is nominated. */
import { findCondition, type Pod, PODS, setCondition } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import { formatTime } from '../lib/index.ts';

export interface SchedulingReport {
  /** Unschedulable, or SchedulerError. */
  readonly reason: string;
  readonly message: string;
  /** `null` clears an earlier nomination; undefined leaves it. */
  readonly nominatedNodeName?: string | null;
}

/** The strategic merge patch of the status; `undefined`: the status says so already. Pure. @param wall ms */
export function reportPatch(pod: Pod, report: SchedulingReport, wall: number): object | undefined {
  const { reason, message, nominatedNodeName } = report;
  const before = findCondition(pod.status?.conditions, 'PodScheduled');
  const known = before?.status === 'False' && before.reason === reason && before.message === message;
  const nominated = pod.status?.nominatedNodeName ?? '';
  const renominates = nominatedNodeName !== undefined && (nominatedNodeName ?? '') !== nominated;
  if (known && !renominates) return undefined;
  const generation = pod.metadata?.generation;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const conditions = setCondition(pod.status?.conditions, condition, formatTime(wall)).filter(
    ({ type }) => type === 'PodScheduled',
  );
  return {
    metadata: { uid: pod.metadata?.uid },
    status: { ...(known ? {} : { conditions }), ...(renominates ? { nominatedNodeName } : {}) },
  };
}

/** Clears the pod's nomination. */
export function forgetNomination(client: KubeClient, { metadata = {} }: Pod, signal: AbortSignal): Promise<Pod> {
  const patch = { metadata: { uid: metadata.uid }, status: { nominatedNodeName: null } };
  return client.patch(PODS, metadata.namespace, metadata.name ?? '', 'strategic', patch, 'status', signal);
}
