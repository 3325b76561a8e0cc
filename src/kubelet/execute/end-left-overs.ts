/**
 * Ends processes of containers that only seem to have exited. When a shim is killed (by hand, or for want of memory),
 * containerd reports exit code 255 and forgets the processes, which may run on. Nothing may run twice, so they end before the
 * next start in the pod.
 */
import type { Pod } from '../../api/index.ts';
import { POD_UID_LABEL } from '../plan/labels.ts';
import type { VerbContext } from './context.ts';
import { RUNTIME_REQUEST_TIMEOUT_MS } from './limits.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';

/** Rejects when the runtime does not answer, or something cannot be killed: then nothing may be started yet. */
export async function endLeftOvers({ ports }: VerbContext, pod: Pod): Promise<void> {
  const { runtime, cgroups, logger } = ports;
  const uid = pod.metadata?.uid ?? '';
  const filter = { labels: { [POD_UID_LABEL]: uid } };
  const containers = await runtime.listContainers(filter, { timeoutMs: RUNTIME_REQUEST_TIMEOUT_MS });
  const path = podCgroupPath(pod);
  for (const { id, state } of containers) {
    if (state !== 'exited') continue;
    const processes = await cgroups.processes({ path, containerId: id });
    if (processes.length === 0) continue;
    logger.warn('ending what runs on of a container that has ended for the runtime', {
      uid,
      id,
      processes: [...processes],
    });
    await cgroups.kill({ path, containerId: id });
  }
}
