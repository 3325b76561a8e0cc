/** Creates and starts a pod's sandbox: namespaces, network, log folder. */
import type { PodAction } from '../plan/actions.ts';
import { makePodLogFolder, markLogFolder } from './container-logs.ts';
import { DONE, failed, type Job, type VerbContext, type VerbResult } from './context.ts';
import { type Dns, parseResolvConf, podDns } from './dns.ts';
import { kernelHostname } from './hostname.ts';
import { MAX_RESOLV_CONF_BYTES, SANDBOX_TIMEOUT_MS } from './limits.ts';
import { podLogDir } from '../pods/pod-paths.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import { sandboxConfig } from './sandbox-config.ts';
import type { Pod } from '../../api/index.ts';
import type { SandboxConfig } from '../../cri/index.ts';

export async function createSandbox(
  context: VerbContext,
  { pod }: Job,
  { attempt }: Extract<PodAction, { verb: 'create-sandbox' }>,
): Promise<VerbResult> {
  const begun = context.ports.clock.now().mono;
  try {
    const runtimeHandler = await context.parts.runtimeClasses.handlerOf(pod.spec?.runtimeClassName);
    const { config: plain, warnings } = await sandboxConfigOf(context, pod, attempt);
    const config = runtimeHandler === '' ? plain : { ...plain, runtimeHandler };
    for (const warning of warnings) context.parts.events.pod(pod, 'Warning', 'DNSConfigForming', warning);
    await makePodLogFolder(context, config.logDirectory);
    // Beside the sandbox, which takes longer.
    const marked = markLogFolder(context, config.logDirectory);
    await context.ports.runtime.runSandbox(config, { timeoutMs: SANDBOX_TIMEOUT_MS });
    await marked;
    context.metrics.startedPods.inc();
    context.metrics.runSandboxSeconds.observe((context.ports.clock.now().mono - begun) / 1000);
    return DONE;
  } catch (error) {
    const result = failed('CreatePodSandboxError', error);
    context.metrics.startedPodsErrors.inc();
    if (!result.ok) {
      const message = `Failed to create pod sandbox: ${result.message}`;
      context.parts.events.pod(pod, 'Warning', 'FailedCreatePodSandBox', message);
    }
    return result;
  }
}

/** The same for the sandbox and for each of its containers: the runtime wants to see it again. */
export async function podSandboxConfig(context: VerbContext, pod: Pod, attempt: number): Promise<SandboxConfig> {
  return (await sandboxConfigOf(context, pod, attempt)).config;
}

async function sandboxConfigOf(
  context: VerbContext,
  pod: Pod,
  attempt: number,
): Promise<{ readonly config: SandboxConfig; readonly warnings: readonly string[] }> {
  const { config } = context;
  const { dns, warnings } = podDns(pod, { ...config.dns, host: await nodeDns(context) });
  const sandbox = sandboxConfig({
    pod,
    attempt,
    instanceId: config.instanceId,
    logDirectory: podLogDir(config.podLogsDir, pod),
    cgroupParent: context.ports.cgroups.cgroupParent(podCgroupPath(pod)),
    hostname: pod.spec?.hostNetwork === true ? '' : kernelHostname(pod, config.dns.clusterDomain),
    dns,
    mapsPorts: config.mapsPorts,
  });
  return { config: sandbox, warnings };
}

/** `undefined`: the node is set to have none. A file that cannot be read is an empty one. */
async function nodeDns({ config, ports }: VerbContext): Promise<Dns | undefined> {
  const { resolvConf } = config.dns;
  if (resolvConf === '') return undefined;
  const bytes = await ports.fs.readFile(resolvConf, { maxBytes: MAX_RESOLV_CONF_BYTES }).catch(() => new Uint8Array());
  return parseResolvConf(new TextDecoder().decode(bytes));
}
