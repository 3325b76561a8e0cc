/** Stops sandboxes and removes dead containers and sandboxes. Each verb is idempotent: an object that is gone already is fine. */
import { RuntimeError } from '../../cri/index.ts';
import type { PodAction } from '../plan/actions.ts';
import { removeContainerLog } from './container-logs.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { podLogDir } from '../pods/pod-paths.ts';
import { podCgroupPaths } from '../pods/pod-cgroup.ts';

type Of<V extends PodAction['verb']> = Extract<PodAction, { verb: V }>;

async function unlessMissing(reason: string, run: () => Promise<void>): Promise<VerbResult> {
  try {
    await run();
    return DONE;
  } catch (error) {
    return error instanceof RuntimeError && error.code === 'NotFound' ? DONE : failed(reason, error);
  }
}

export async function stopSandbox(context: VerbContext, action: Of<'stop-sandbox'>): Promise<VerbResult> {
  return await unlessMissing('KillPodSandboxError', () => context.ports.runtime.stopSandbox(action.sandboxId));
}

export async function removeSandbox(context: VerbContext, action: Of<'remove-sandbox'>): Promise<VerbResult> {
  return await unlessMissing('RemoveSandboxError', () => context.ports.runtime.removeSandbox(action.sandboxId));
}

/**
 * The log is removed, too, as upstream does. A container that seemed never to have run may run by now: a start that an
 * earlier agent sent can arrive late, and the removal would be a kill without grace period.
 */
export async function removeContainer(
  context: VerbContext,
  job: Job,
  action: Of<'remove-container'>,
): Promise<VerbResult> {
  return await unlessMissing('RemoveContainerError', async () => {
    const status = await context.ports.runtime.containerStatus(action.containerId);
    if (status?.state === 'running') throw new RuntimeError('FailedPrecondition', 'the container runs');
    await context.parts.blackBox?.logsRead(job.pod.metadata?.uid ?? '');
    // Its files first, as upstream: once the runtime has forgotten it, the next start may make files of the same names.
    await removeContainerLog(context, job.pod, { id: action.containerId, logPath: action.logPath });
    await context.ports.runtime.removeContainer(action.containerId);
  });
}

/** Volumes and cgroup are given back; the trouble of one keeps the other from nothing. */
export async function reclaimPod(context: VerbContext, { pod }: Job): Promise<VerbResult> {
  const [volumes, cgroup] = await Promise.all([
    // The volume manager reports its problems itself.
    context.parts.volumes.tearDown(pod.metadata?.uid ?? '', pod).then(done, (error) => failed('FailedUnMount', error)),
    removeCgroup(context, pod).then(done, (error) => failed('FailedKillPod', error)),
  ]);
  if (!cgroup.ok) context.parts.events.pod(pod, 'Warning', 'FailedKillPod', `error killing pod: ${cgroup.message}`);
  return cgroup.ok ? volumes : cgroup;
}

function done(): VerbResult {
  return DONE;
}

/** Wherever it is: an orphan's class is lost with its spec. */
async function removeCgroup({ ports }: VerbContext, { metadata }: Job['pod']): Promise<void> {
  await Promise.all(podCgroupPaths(metadata?.uid ?? '').map((path) => ports.cgroups.remove(path)));
}

export async function removePodLogs(context: VerbContext, { pod }: Job): Promise<VerbResult> {
  try {
    await context.parts.blackBox?.logsRead(pod.metadata?.uid ?? '');
    await context.ports.fs.remove(podLogDir(context.config.podLogsDir, pod));
    return DONE;
  } catch (error) {
    return failed('RemovePodLogsError', error);
  }
}
