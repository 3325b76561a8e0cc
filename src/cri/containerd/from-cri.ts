/** From CRI's messages to the port's plain data. Pure; the way there is `to-cri.ts`. Times: CRI's nanoseconds become wall ms. */
import {
  type Container as CriContainer,
  ContainerEventType,
  type ContainerEventResponse,
  ContainerState as CriContainerState,
  type ContainerStats as CriContainerStats,
  type ContainerStatus as CriContainerStatus,
  type Image as CriImage,
  type LinuxContainerResources,
  type LinuxContainerUser,
  NamespaceMode,
  type PodSandbox,
  type PodSandboxMetadata,
  PodSandboxState,
  type PodSandboxStatus,
  Signal,
  type StatusResponse,
} from '../gen/runtime_pb.js';
import type {
  ActualResources,
  Container,
  ContainerState,
  ContainerStats,
  ContainerStatus,
  Image,
  RuntimeEvent,
  RuntimeStatus,
  Sandbox,
  SandboxMetadata,
  SandboxStatus,
} from '../runtime.ts';

const ms = (nanoseconds: bigint) => Number(nanoseconds / 1_000_000n);

const CONTAINER_STATE: Readonly<Record<CriContainerState, ContainerState>> = {
  [CriContainerState.CONTAINER_CREATED]: 'created',
  [CriContainerState.CONTAINER_RUNNING]: 'running',
  [CriContainerState.CONTAINER_EXITED]: 'exited',
  [CriContainerState.CONTAINER_UNKNOWN]: 'unknown',
};

const EVENT_KIND: Readonly<Record<ContainerEventType, RuntimeEvent['kind']>> = {
  [ContainerEventType.CONTAINER_CREATED_EVENT]: 'created',
  [ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
  [ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
  [ContainerEventType.CONTAINER_DELETED_EVENT]: 'deleted',
};

function metadata(from: PodSandboxMetadata | undefined): SandboxMetadata {
  return {
    name: from?.name ?? '',
    namespace: from?.namespace ?? '',
    uid: from?.uid ?? '',
    attempt: from?.attempt ?? 0,
  };
}

export function sandboxFromCri(from: PodSandbox | PodSandboxStatus): Sandbox {
  return {
    id: from.id,
    metadata: metadata(from.metadata),
    state: from.state === PodSandboxState.SANDBOX_READY ? 'ready' : 'notready',
    createdAt: ms(from.createdAt),
    labels: from.labels,
    annotations: from.annotations,
  };
}

export function sandboxStatusFromCri(from: PodSandboxStatus): SandboxStatus {
  const { ip = '', additionalIps = [] } = from.network ?? {};
  return {
    ...sandboxFromCri(from),
    ips: [ip, ...additionalIps.map((more) => more.ip)].filter((one) => one !== ''),
    hostNetwork: from.linux?.namespaces?.options?.network === NamespaceMode.NODE,
  };
}

export function containerFromCri(from: CriContainer): Container {
  return {
    id: from.id,
    sandboxId: from.podSandboxId,
    name: from.metadata?.name ?? '',
    attempt: from.metadata?.attempt ?? 0,
    state: CONTAINER_STATE[from.state] ?? 'unknown',
    createdAt: ms(from.createdAt),
    image: from.image?.image ?? '',
    imageRef: from.imageRef,
    labels: from.labels,
    annotations: from.annotations,
  };
}

/** CRI's ContainerStatus lacks the sandbox's id: `sandboxId` comes from the list, or is empty. */
export function containerStatusFromCri(from: CriContainerStatus, sandboxId = ''): ContainerStatus {
  return {
    id: from.id,
    sandboxId,
    name: from.metadata?.name ?? '',
    attempt: from.metadata?.attempt ?? 0,
    state: CONTAINER_STATE[from.state] ?? 'unknown',
    createdAt: ms(from.createdAt),
    startedAt: ms(from.startedAt),
    finishedAt: ms(from.finishedAt),
    exitCode: from.exitCode,
    reason: from.reason,
    message: from.message,
    image: from.image?.image ?? '',
    imageRef: from.imageRef,
    labels: from.labels,
    annotations: from.annotations,
    logPath: from.logPath,
    ...(from.resources?.linux && { resources: resourcesFromCri(from.resources.linux) }),
    ...(from.user?.linux && { user: userFromCri(from.user.linux) }),
    ...(from.stopSignal !== Signal.RUNTIME_DEFAULT && { stopSignal: Signal[from.stopSignal] }),
  };
}

function resourcesFromCri(from: LinuxContainerResources): ActualResources {
  return {
    cpuPeriod: Number(from.cpuPeriod),
    cpuQuota: Number(from.cpuQuota),
    cpuShares: Number(from.cpuShares),
    memoryLimitBytes: Number(from.memoryLimitInBytes),
  };
}

function userFromCri({ uid, gid, supplementalGroups }: LinuxContainerUser): NonNullable<ContainerStatus['user']> {
  return { uid: Number(uid), gid: Number(gid), supplementalGroups: supplementalGroups.map(Number) };
}

export function statsFromCri(from: CriContainerStats): ContainerStats {
  const { cpu, memory, writableLayer } = from;
  return {
    id: from.attributes?.id ?? '',
    ...(cpu?.usageCoreNanoSeconds && { cpuUsageNanoseconds: Number(cpu.usageCoreNanoSeconds.value) }),
    ...(memory?.workingSetBytes && { memoryWorkingSetBytes: Number(memory.workingSetBytes.value) }),
    ...(memory?.usageBytes && { memoryUsageBytes: Number(memory.usageBytes.value) }),
    ...(writableLayer?.usedBytes && { rootfsUsedBytes: Number(writableLayer.usedBytes.value) }),
    ...(writableLayer?.inodesUsed && { rootfsInodesUsed: Number(writableLayer.inodesUsed.value) }),
    at: ms(cpu?.timestamp ?? memory?.timestamp ?? 0n),
  };
}

export function imageFromCri(from: CriImage): Image {
  return {
    id: from.id,
    repoTags: from.repoTags,
    repoDigests: from.repoDigests,
    sizeBytes: Number(from.size),
    pinned: from.pinned,
    ...(from.uid && { uid: Number(from.uid.value) }),
    ...(from.username !== '' && { username: from.username }),
  };
}

/** CRI names two conditions; a missing one is not met. */
export function runtimeStatusFromCri(from: StatusResponse): RuntimeStatus {
  const condition = (type: string) => from.status?.conditions.find((one) => one.type === type);
  const words = (type: string) => {
    const found = condition(type);
    if (found === undefined) return `the runtime does not report ${type}`;
    return [found.reason, found.message].filter((text) => text !== '').join(': ');
  };
  return {
    runtimeReady: condition('RuntimeReady')?.status ?? false,
    runtimeMessage: words('RuntimeReady'),
    networkReady: condition('NetworkReady')?.status ?? false,
    networkMessage: words('NetworkReady'),
    features: {
      supplementalGroupsPolicy: from.features?.supplementalGroupsPolicy ?? false,
      handlers: from.runtimeHandlers.map(({ name, features }) => ({
        name,
        recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
        userNamespaces: features?.userNamespaces ?? false,
      })),
    },
  };
}

export function eventFromCri(from: ContainerEventResponse): RuntimeEvent {
  const podUid = from.podSandboxStatus?.metadata?.uid;
  return {
    kind: EVENT_KIND[from.containerEventType] ?? 'started',
    id: from.containerId,
    ...(podUid && { podUid }),
  };
}
