/** Which pods wait for us. Pure. */
import type { Pod } from '../api/index.ts';
import { hasEnded } from './cluster/pod-info.ts';
import { SCHEDULER_NAME } from './scheduler-name.ts';

/** True for a pod that we must find a node for, now or when its gates are gone. */
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
