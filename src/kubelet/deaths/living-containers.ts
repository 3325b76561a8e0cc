/** The containers that run, with the limits that are watched. Pure. */
import type { Pod } from '../../api/index.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import { restartCountOf } from '../plan/labels.ts';
import type { CgroupName } from '../ports.ts';
import type { PodView } from '../types.ts';
import { cpuLimitOf, memoryLimitOf } from './resource-limits.ts';

export interface LivingContainer {
  readonly pod: Pod;
  readonly name: string;
  readonly id: string;
  /** Wall ms. */
  readonly startedAt: number;
  readonly restartCount: number;
  readonly logPath: string;
  /** Memory limit of the container, or else of its pod. Absent: neither has one. */
  readonly limitBytes: number | undefined;
  /** CPU, likewise. */
  readonly limitMillicores: number | undefined;
}

export function livingOf({ pod, observation }: PodView): readonly LivingContainer[] {
  return (observation?.containers ?? []).flatMap((container) => {
    if (container.state !== 'running') return [];
    const { name, id, startedAt, logPath } = container;
    return [
      {
        pod,
        name,
        id,
        startedAt,
        logPath,
        restartCount: restartCountOf(container),
        limitBytes: memoryLimitOf(pod, name),
        limitMillicores: cpuLimitOf(pod, name),
      },
    ];
  });
}

/** The cgroup in which the kernel counts. */
export function groupOf({ pod, id }: LivingContainer): CgroupName {
  return { path: podCgroupPath(pod), containerId: id };
}
