/**
 * Gives running containers, and their pod's cgroup, their new CPU and memory. Growth starts with the pod's cgroup and
 * shrinking starts with the containers, so that no child ever has more than its parent.
 */
import type { Pod } from '../../api/index.ts';
import { type Allocation, allocatedPod } from '../plan/allocation.ts';
import type { PodAction } from '../plan/actions.ts';
import { findContainer } from '../plan/containers.ts';
import type { CgroupLimits } from '../ports.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { RUNTIME_REQUEST_TIMEOUT_MS } from './limits.ts';
import { containerResources, podCgroupLimits } from './resources.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';

type Resize = Extract<PodAction, { verb: 'resize' }>;

export async function resizePod(context: VerbContext, { pod }: Job, action: Resize): Promise<VerbResult> {
  const path = podCgroupPath(pod);
  const before = podCgroupLimits(allocatedPod(pod, { allocated: action.from }), context.config.podPidsLimit);
  const after = podCgroupLimits(allocatedPod(pod, { allocated: action.to }), context.config.podPidsLimit);
  try {
    const problem = await tooSmall(context, pod, action);
    if (problem !== undefined) return tell(context, pod, { ok: false, reason: 'ResizeError', message: problem });
    await context.ports.cgroups.ensure(path, largerOf(before, after));
    const { memoryBytes } = context.parts.node();
    for (const { name, containerId } of action.containers) {
      const container = findContainer(pod, name)?.container;
      if (container === undefined) continue;
      const resources = containerResources(pod, container, {
        memoryBytes,
        cgroupVersion: context.ports.cgroups.version,
      });
      const options = { timeoutMs: RUNTIME_REQUEST_TIMEOUT_MS };
      await context.ports.runtime.updateContainerResources(containerId, resources, options);
    }
    await context.ports.cgroups.ensure(path, after);
    return DONE;
  } catch (error) {
    return tell(context, pod, failed('ResizeError', error));
  }
}

function tell(context: VerbContext, pod: Pod, result: VerbResult): VerbResult {
  if (!result.ok) context.parts.events.pod(pod, 'Warning', 'ResizeError', `Pod resize error: ${result.message}`);
  return result;
}

/** A memory limit below what is used would kill, where the kernel takes it at all (upstream: validateMemoryResizeAction). */
async function tooSmall(context: VerbContext, pod: Pod, action: Resize): Promise<string | undefined> {
  for (const { name, containerId } of action.containers) {
    const limit = memoryLimit(context, pod, action.to, name);
    const old = memoryLimit(context, pod, action.from, name);
    if (limit === 0 || (old > 0 && limit >= old)) continue;
    const [stats] = await context.ports.runtime.containerStats({ id: containerId });
    const used = stats?.memoryUsageBytes ?? 0;
    if (used >= limit) {
      return `attempting to set the memory limit of container ${name} (${limit}) below its current usage (${used})`;
    }
  }
  return undefined;
}

/** Bytes; 0: no limit. */
function memoryLimit(context: VerbContext, pod: Pod, allocation: Allocation, name: string): number {
  const container = findContainer(allocatedPod(pod, { allocated: allocation }), name)?.container;
  const node = { memoryBytes: context.parts.node().memoryBytes, cgroupVersion: context.ports.cgroups.version };
  return container === undefined ? 0 : containerResources(pod, container, node).memoryLimitBytes;
}

/** Of each limit the one that allows more; a resource that either of them does not limit is not limited. */
function largerOf(a: CgroupLimits, b: CgroupLimits): CgroupLimits {
  const larger = (x: number | undefined, y: number | undefined) =>
    x === undefined || y === undefined ? undefined : Math.max(x, y);
  const cpuShares = Math.max(a.cpuShares ?? 0, b.cpuShares ?? 0);
  const cpuQuota = larger(a.cpuQuota, b.cpuQuota);
  const cpuPeriod = larger(a.cpuPeriod, b.cpuPeriod);
  const memoryLimitBytes = larger(a.memoryLimitBytes, b.memoryLimitBytes);
  return {
    cpuShares,
    ...(cpuQuota === undefined || cpuPeriod === undefined ? {} : { cpuQuota, cpuPeriod }),
    ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
    ...(b.pidsLimit === undefined ? {} : { pidsLimit: b.pidsLimit }),
  };
}
