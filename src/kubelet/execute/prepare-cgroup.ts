/** The pod's own cgroup, by QoS class. */
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { podCgroupLimits } from './resources.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';

export async function prepareCgroup(context: VerbContext, { pod }: Job): Promise<VerbResult> {
  try {
    await context.ports.cgroups.ensure(podCgroupPath(pod), podCgroupLimits(pod, context.config.podPidsLimit));
    return DONE;
  } catch (error) {
    const result = failed('FailedToCreatePodContainer', error);
    if (!result.ok) {
      const message = `unable to ensure pod container exists: ${result.message}`;
      context.parts.events.pod(pod, 'Warning', 'FailedCreatePodContainer', message);
    }
    return result;
  }
}
