/**
 * Marks containers of an ended pod whose end was not observed as lost, unless their turn never came because an init container
 * before them failed (upstream: status manager, TerminatePod). Pure.
 */
import type { ContainerStateTerminated, ContainerStatus } from '../../api/index.ts';
import { LOST_EXIT_CODE } from './absorb-observation.ts';

export interface PodContainerStatuses {
  readonly initStatuses: ContainerStatus[];
  readonly statuses: ContainerStatus[];
}

/** `initialized`: the init containers were done once. */
export function markLost({ initStatuses, statuses }: PodContainerStatuses, initialized: boolean): PodContainerStatuses {
  const lastStarted = initStatuses.findLastIndex(hasStarted);
  const reached = initialized || initStatuses.length === 0 || statuses.some(hasStarted);
  return {
    initStatuses: initStatuses.map((status, index) => (index <= lastStarted ? endedOrLost(status) : status)),
    statuses: reached ? statuses.map(endedOrLost) : statuses,
  };
}

function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined;
}

function endedOrLost(status: ContainerStatus): ContainerStatus {
  return status.state?.terminated === undefined ? { ...status, state: { terminated: lost() } } : status;
}

function lost(): ContainerStateTerminated {
  return {
    exitCode: LOST_EXIT_CODE,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
  };
}
