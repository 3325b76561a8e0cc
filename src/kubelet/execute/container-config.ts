/** A container as the runtime takes it (upstream: kuberuntime_container.go generateContainerConfig). Pure. */
import type { Container, Pod } from '../../api/index.ts';
import type { ContainerConfig, ContainerSecurity, Device, Mount, StringMap } from '../../cri/index.ts';
import { INSTANCE_LABEL } from '../pods/ownership.ts';
import { formatBackOff } from '../plan/back-off.ts';
import { containerHash } from '../plan/container-hash.ts';
import {
  BACK_OFF,
  CONTAINER_HASH,
  CONTAINER_NAME_LABEL,
  CONTAINER_PORTS,
  POD_DELETION_GRACE_PERIOD,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_TERMINATION_GRACE_PERIOD,
  POD_UID_LABEL,
  RESOURCES,
  RESTART_COUNT,
  TERMINATION_MESSAGE_PATH,
  TERMINATION_MESSAGE_POLICY,
} from '../plan/labels.ts';
import type { BackOffState } from '../plan/pod-memory.ts';
import { containerLogPath } from '../pods/pod-paths.ts';
import { containerResources, type NodeMemory } from './resources.ts';
import { containerSecurity, type SeccompSettings, type ImageUser } from './security.ts';

export const DEFAULT_TERMINATION_MESSAGE_PATH = '/dev/termination-log';

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly start: ContainerStart;
  readonly program: ContainerProgram;
  readonly node: ContainerNode;
}

/** What was decided of this start. */
export interface ContainerStart {
  readonly attempt: number;
  readonly imageId: string;
  readonly imageUser?: ImageUser | undefined;
  readonly backOff?: BackOffState | undefined;
  /** The container whose processes an ephemeral container sees. */
  readonly targetContainerId?: string | undefined;
}

/** What the container's process finds. */
export interface ContainerProgram {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly mounts: readonly Mount[];
  readonly devices?: readonly Device[];
}

/** What the node adds. */
export interface ContainerNode {
  readonly instanceId: string;
  readonly memory: NodeMemory;
  readonly seccomp: SeccompSettings;
}

export function containerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, start, program, node } = input;
  const { attempt } = start;
  return {
    name: container.name,
    attempt,
    image: start.imageId,
    userSpecifiedImage: container.image ?? '',
    command: program.command,
    args: program.args,
    workingDir: container.workingDir ?? '',
    env: program.env,
    mounts: program.mounts,
    ...(program.devices !== undefined && program.devices.length > 0 && { devices: program.devices }),
    labels: containerLabels(pod, container, node.instanceId),
    annotations: containerAnnotations(pod, container, start),
    logPath: containerLogPath(container.name, attempt),
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    resources: containerResources(pod, container, node.memory),
    security: targeted(containerSecurity(pod, container, start.imageUser, node.seccomp), start.targetContainerId),
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal }),
  };
}

/** In a pod with a shared process namespace there is no target to choose. */
function targeted(security: ContainerSecurity, targetContainerId: string | undefined): ContainerSecurity {
  if (targetContainerId === undefined || security.pid !== 'container') return security;
  return { ...security, pid: 'target', targetContainerId };
}

function containerLabels(pod: Pod, container: Container, instanceId: string): StringMap {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return {
    [POD_NAME_LABEL]: name,
    [POD_NAMESPACE_LABEL]: namespace,
    [POD_UID_LABEL]: uid,
    [CONTAINER_NAME_LABEL]: container.name,
    [INSTANCE_LABEL]: instanceId,
  };
}

/** Labels and annotations with what the next decision about this container needs. */
function containerAnnotations(pod: Pod, container: Container, { attempt, backOff }: ContainerStart): StringMap {
  const grace = pod.spec?.terminationGracePeriodSeconds;
  const deletionGrace = pod.metadata?.deletionGracePeriodSeconds;
  return {
    [CONTAINER_HASH]: containerHash(container),
    [RESTART_COUNT]: String(attempt),
    ...(container.resources === undefined ? {} : { [RESOURCES]: JSON.stringify(container.resources) }),
    [TERMINATION_MESSAGE_PATH]: container.terminationMessagePath ?? DEFAULT_TERMINATION_MESSAGE_PATH,
    [TERMINATION_MESSAGE_POLICY]: container.terminationMessagePolicy ?? 'File',
    ...(grace === undefined ? {} : { [POD_TERMINATION_GRACE_PERIOD]: String(grace) }),
    ...(deletionGrace === undefined ? {} : { [POD_DELETION_GRACE_PERIOD]: String(deletionGrace) }),
    ...((container.ports ?? []).length === 0 ? {} : { [CONTAINER_PORTS]: JSON.stringify(container.ports) }),
    ...(backOff === undefined ? {} : { [BACK_OFF]: formatBackOff(backOff) }),
  };
}
