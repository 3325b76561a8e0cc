/**
 * Creates and starts one container, then runs its postStart hook. Each way to fail has upstream's reason: an invalid
 * configuration, a container that the runtime would not create, one that it would not start (kuberuntime_container.go
 * startContainer).
 */
import type { Container, EphemeralContainer, Pod } from '../../api/index.ts';
import type { ContainerConfig, Mount } from '../../cri/index.ts';
import type { PodAction } from '../plan/actions.ts';
import { CONTAINER_TYPES, fieldPath, findContainer } from '../plan/containers.ts';
import { containerConfig, DEFAULT_TERMINATION_MESSAGE_PATH } from './container-config.ts';
import { linkContainerLog, makeContainerLogFolder } from './container-logs.ts';
import { type ExecutePorts, type Job, failed, type VerbContext, type VerbResult } from './context.ts';
import { podSandboxConfig } from './create-sandbox.ts';
import { endLeftOvers } from './end-left-overs.ts';
import { etcHosts, hostNetworkEtcHosts } from './etc-hosts.ts';
import { runHook } from './hooks.ts';
import { MAX_HOSTS_FILE_BYTES, POST_START_TIMEOUT_MS, RUNTIME_REQUEST_TIMEOUT_MS } from './limits.ts';
import { contentVolumes } from '../volumes/volume-kinds.ts';
import { containerDevices, containerMounts, type MountsResult } from './mounts.ts';
import { podDir, terminationMessagePath } from '../pods/pod-paths.ts';
import { nonRootProblem } from './security.ts';

type Start = Extract<PodAction, { verb: 'start-container' }>;
type Prepared =
  | { readonly ok: true; readonly config: ContainerConfig }
  | { readonly ok: false; readonly message: string };

const CALLED_OFF: VerbResult = { ok: false, reason: 'Terminating', message: 'the pod is ending', cancelled: true };

export async function startContainer(context: VerbContext, job: Job, action: Start): Promise<VerbResult> {
  const { pod } = job;
  const podContainer = findContainer(pod, action.container);
  if (podContainer === undefined)
    return { ok: false, reason: 'CreateContainerConfigError', message: 'no such container' };
  const path = fieldPath(podContainer);
  const type = CONTAINER_TYPES[podContainer.kind];
  const fail = (result: VerbResult): VerbResult => {
    if (result.ok || result.cancelled === true) return result;
    context.metrics.startedContainersErrors.inc({ container_type: type, code: result.reason });
    context.parts.events.pod(pod, 'Warning', 'Failed', `Error: ${result.message}`, path);
    return result;
  };

  // Side by side: the way to the first call to the runtime is the way of a restart.
  const [prepared, sandbox, leftOvers] = await Promise.all([
    prepare(context, pod, podContainer.container, action).catch((error: unknown) => ({
      ok: false as const,
      message: failureText(error),
    })),
    podSandboxConfig(context, pod, 0),
    action.attempt === 0
      ? undefined
      : endLeftOvers(context, pod).catch((error: unknown) => failed('RunContainerError', error)),
  ]);
  if (leftOvers !== undefined) return fail(leftOvers);
  if (!prepared.ok) return fail({ ...prepared, reason: 'CreateContainerConfigError' });
  if (job.cancelled) return CALLED_OFF;
  const options = { timeoutMs: RUNTIME_REQUEST_TIMEOUT_MS };
  let id: string;
  try {
    id = await context.ports.runtime.createContainer(action.sandboxId, prepared.config, sandbox, options);
  } catch (error) {
    return fail(failed('CreateContainerError', error));
  }
  context.parts.events.pod(pod, 'Normal', 'Created', 'Container created', path);
  // Made while its note was being written, and not run before it is.
  await job.noted;
  if (job.cancelled) return CALLED_OFF;
  try {
    await context.ports.runtime.startContainer(id, options);
  } catch (error) {
    return fail(failed('RunContainerError', error));
  }
  context.metrics.startedContainers.inc({ container_type: type });
  if (action.endedAt !== undefined) {
    const ms = context.ports.clock.now().mono - action.endedAt;
    context.metrics.recoverySeconds.observe(Math.max(0, ms) / 1000);
  }
  context.parts.events.pod(pod, 'Normal', 'Started', 'Container started', path);
  const linked = linkContainerLog(context, pod, { name: action.container, id, attempt: action.attempt });
  await linked;
  return await postStart(context, job, podContainer.container, { id, podIp: hookAddress(context, pod, action), path });
}

/** Everything before the first call to the runtime; rejects with file errors. */
async function prepare(context: VerbContext, pod: Pod, container: Container, action: Start): Promise<Prepared> {
  const problem = nonRootProblem(pod, container, action.imageUser);
  if (problem !== undefined) return { ok: false, message: problem };
  const { targetContainerName = '' } = container as EphemeralContainer;
  if (targetContainerName !== '' && action.targetContainerId === undefined) {
    return { ok: false, message: `unable to find target container ${targetContainerName}` };
  }
  const node = context.parts.node();
  const hostNetwork = pod.spec?.hostNetwork === true;
  const podIps = hostNetwork ? node.hostIps : action.podIps;
  const uid = pod.metadata?.uid ?? '';
  const message = terminationMessagePath(context.config.rootDir, uid, container.name, action.attempt);
  const hosts = `${podDir(context.config.rootDir, uid)}/etc-hosts`;
  const [environment] = await Promise.all([
    context.parts.environment.resolve({
      pod,
      container,
      podIps,
      hostIps: node.hostIps,
      nodeName: context.config.nodeName,
      nodeAllocatable: node.allocatable,
    }),
    writeMessageFile(context, message),
    writeHosts(context, hosts, pod, podIps),
    makeContainerLogFolder(context, pod, container.name, action.attempt),
  ]);
  if (!environment.ok) return environment;
  const volumes = context.parts.volumes.fact(uid);
  const paths = volumes?.state === 'ready' ? volumes.paths : {};
  const readOnlyVolumes = new Set(
    (pod.spec?.volumes ?? [])
      .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.readOnly === true)
      .map(({ name }) => name),
  );
  const mounts = containerMounts({
    container,
    volumes: paths,
    images: (volumes?.state === 'ready' && volumes.images) || {},
    contentVolumes: contentVolumes(pod),
    readOnlyVolumes,
    expand: (text) => environment.expand(text),
    terminationMessage: {
      hostPath: message,
      containerPath: container.terminationMessagePath ?? DEFAULT_TERMINATION_MESSAGE_PATH,
    },
    etcHosts: hosts,
  });
  if (!mounts.ok) return mounts;
  const pinned = await pinSubPaths(context, uid, mounts);
  const config = containerConfig({
    pod,
    container,
    start: action,
    program: {
      ...environment,
      mounts: pinned,
      devices: containerDevices(container, paths, (name) => readOnlyVolumes.has(name)),
    },
    node: {
      instanceId: context.config.instanceId,
      memory: { memoryBytes: node.memoryBytes, cgroupVersion: context.ports.cgroups.version },
      seccomp: {
        seccompDefault: context.config.seccompDefault,
        seccompProfileRoot: `${context.config.rootDir}/seccomp`,
      },
    },
  });
  return { ok: true, config };
}

/** One after the other: two mounts of a container may need the same folders. */
async function pinSubPaths(
  { parts }: VerbContext,
  uid: string,
  { mounts, subPaths }: Extract<MountsResult, { ok: true }>,
): Promise<readonly Mount[]> {
  const pinned: Mount[] = [];
  for (const [index, mount] of mounts.entries()) {
    const wish = subPaths.get(index);
    pinned.push(wish === undefined ? mount : { ...mount, hostPath: await parts.volumes.pinSubPath(uid, wish) });
  }
  return pinned;
}

/** A start tried again begins with an empty message. Any user of the container may write it. */
async function writeMessageFile({ ports: { fs } }: VerbContext, path: string): Promise<void> {
  await fs.mkdir(path.slice(0, path.lastIndexOf('/')));
  await fs.writeFile(path, '', { mode: 0o666 });
  await fs.chmod(path, 0o666);
}

/** The node's own hosts file; empty when it has none. */
async function nodeHosts(fs: ExecutePorts['fs']): Promise<string> {
  const bytes = await fs.readFile('/etc/hosts', { maxBytes: MAX_HOSTS_FILE_BYTES }).catch(() => new Uint8Array());
  return new TextDecoder().decode(bytes);
}

/** Written in place: a running container has this very file mounted. */
async function writeHosts(
  { ports: { fs }, config }: VerbContext,
  path: string,
  pod: Pod,
  ips: readonly string[],
): Promise<void> {
  await fs.mkdir(path.slice(0, path.lastIndexOf('/')));
  const onHost = pod.spec?.hostNetwork === true;
  const text = onHost ? hostNetworkEtcHosts(pod, await nodeHosts(fs)) : etcHosts(pod, ips, config.dns.clusterDomain);
  await fs.writeFile(path, text, { mode: 0o644 });
}

/** The address at which an httpGet hook finds the pod. */
function hookAddress(context: VerbContext, pod: Pod, { podIps }: Start): string {
  return (pod.spec?.hostNetwork === true ? context.parts.node().hostIps[0] : podIps[0]) ?? '';
}

/**
 * A failed hook kills its container (upstream: PostStartHookError). Upstream's event does not say why, because the output may hold
 * secrets; these are masked here.
 */
async function postStart(
  context: VerbContext,
  job: Job,
  container: Container,
  started: { readonly id: string; readonly podIp: string; readonly path: string },
): Promise<VerbResult> {
  const hook = container.lifecycle?.postStart;
  if (hook === undefined) return { ok: true, containerId: started.id };
  const { id: containerId, podIp } = started;
  const target = { pod: job.pod, containerId, podIp, container, timeoutMs: POST_START_TIMEOUT_MS, signal: job.signal };
  const problem = await runHook(context, hook, target);
  if (problem === undefined || job.cancelled) return { ok: true, containerId };
  context.parts.events.pod(job.pod, 'Warning', 'FailedPostStartHook', `PostStartHook failed: ${problem}`, started.path);
  return { ok: false, reason: 'PostStartHookError', message: problem, killContainerId: containerId };
}

function failureText(error: unknown): string {
  const result = failed('', error);
  return result.ok ? '' : result.message;
}
