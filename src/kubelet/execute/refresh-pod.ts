/** Renews what a pod's containers share, for a restart of the whole pod: no container runs then, and the sandbox is stopped. */
import type { PodAction } from '../plan/actions.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { podCgroupPaths } from '../pods/pod-cgroup.ts';

/** Idempotent. The cgroup is made again by `prepare-cgroup`. */
export async function refreshPod(
  context: VerbContext,
  { pod }: Job,
  { emptyDirs, volumes }: Extract<PodAction, { verb: 'refresh-pod' }>,
): Promise<VerbResult> {
  try {
    await context.parts.volumes.refresh(pod, emptyDirs, volumes);
    const paths = podCgroupPaths(pod.metadata?.uid ?? '');
    await Promise.all(paths.map((path) => context.ports.cgroups.remove(path)));
    return DONE;
  } catch (error) {
    const result = failed('FailedRestartPod', error);
    if (!result.ok) {
      const message = `error restarting pod: ${result.message}`;
      context.parts.events.pod(pod, 'Warning', 'FailedRestartPod', message);
    }
    return result;
  }
}
