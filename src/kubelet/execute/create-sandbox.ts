/** Creates and starts a pod's sandbox: namespaces, network, log folder. */
import type { PodAction } from '../plan/actions.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { parseResolvConf, podDns } from './dns.ts';
import { SANDBOX_TIMEOUT_MS } from './limits.ts';
import { podLogDir } from './pod-paths.ts';
import { podCgroupPath } from './resources.ts';
import { sandboxConfig } from './sandbox-config.ts';
import type { Pod } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';

const RESOLV_CONF = '/etc/resolv.conf';

export async function createSandbox(
  context: VerbContext,
  { pod }: Job,
  { attempt }: Extract<PodAction, { verb: 'create-sandbox' }>,
): Promise<VerbResult> {
  const begun = context.clock.now().mono;
  try {
    const config = await podSandboxConfig(context, pod, attempt);
    await context.fs.mkdir(config.logDirectory);
    await context.runtime.runSandbox(config, { timeoutMs: SANDBOX_TIMEOUT_MS });
    context.metrics.startedPods.inc();
    context.metrics.runSandboxSeconds.observe((context.clock.now().mono - begun) / 1000);
    return DONE;
  } catch (error) {
    const result = failed('CreatePodSandboxError', error);
    context.metrics.startedPodsErrors.inc();
    if (!result.ok) {
      const message = `Failed to create pod sandbox: ${result.message}`;
      context.events.pod(pod, 'Warning', 'FailedCreatePodSandBox', message);
    }
    return result;
  }
}

/** The same for the sandbox and for each of its containers: the runtime wants to see it again. */
export async function podSandboxConfig(context: VerbContext, pod: Pod, attempt: number): Promise<SandboxConfig> {
  const { config } = context;
  const resolvConf = await context.fs.readFile(RESOLV_CONF, { maxBytes: 65_536 }).catch(() => new Uint8Array());
  return sandboxConfig({
    pod,
    attempt,
    instanceId: config.instanceId,
    logDirectory: podLogDir(config.podLogsDir, pod),
    cgroupParent: context.cgroups.cgroupParent(podCgroupPath(pod)),
    dns: podDns(pod, { ...config, host: parseResolvConf(new TextDecoder().decode(resolvConf)) }),
  });
}
