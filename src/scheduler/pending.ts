/** Decides whether a pod waits for this scheduler. Pure. */
import type { Pod } from '../api/index.ts';
import { hasEnded } from './cluster/pod-info.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';

/** Whether this scheduler must find a node for the pod, now or when its scheduling gates are gone. */
export function isOurs({ spec, metadata, status }: Pod): boolean {
  return (
    (spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    (spec?.nodeName ?? '') === '' &&
    metadata?.deletionTimestamp === undefined &&
    !hasEnded({ status: status ?? {} })
  );
}

export function isGated({ spec }: Pod): boolean {
  return (spec?.schedulingGates ?? []).length > 0;
}
