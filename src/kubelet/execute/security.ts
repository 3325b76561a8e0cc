/** Security contexts as the runtime takes them (upstream: kuberuntime/security_context.go, pkg/securitycontext). Pure. */
import type { Container, Pod, PodSecurityContext, SeccompProfile } from '../../api/index.ts';
import type { ContainerSecurity } from '../../cri/index.ts';
import { formatPod } from '../plan/containers.ts';

const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export interface ImageUser {
  readonly uid?: number;
  readonly username?: string;
}

/** The node's seccomp settings. */
export interface SeccompSettings {
  /** Without a wish a container gets the runtime's profile rather than none (upstream: seccompDefault). */
  readonly seccompDefault: boolean;
  /** The folder that `localhostProfile` is a path in. */
  readonly seccompProfileRoot: string;
}

/** The container's context over the pod's; the image's user where neither names one. */
export function containerSecurity(
  pod: Pod,
  container: Container,
  imageUser: ImageUser | undefined,
  seccomp: SeccompSettings,
): ContainerSecurity {
  const own = container.securityContext ?? {};
  const shared = pod.spec?.securityContext ?? {};
  const privileged = own.privileged === true;
  const runAsUser = own.runAsUser ?? shared.runAsUser ?? imageUser?.uid;
  const runAsGroup = own.runAsGroup ?? shared.runAsGroup;
  const masks = !privileged && own.procMount !== 'Unmasked';
  const groups = [...(shared.fsGroup === undefined ? [] : [shared.fsGroup]), ...(shared.supplementalGroups ?? [])];
  return {
    privileged,
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    ...(runAsUser === undefined ? {} : { runAsUser }),
    ...(runAsUser === undefined && imageUser?.username !== undefined ? { runAsUsername: imageUser.username } : {}),
    ...(runAsGroup === undefined ? {} : { runAsGroup }),
    supplementalGroups: groups,
    ...groupsPolicy(shared),
    addCapabilities: own.capabilities?.add ?? [],
    dropCapabilities: own.capabilities?.drop ?? [],
    seccomp: privileged ? { type: 'Unconfined' } : profile(own.seccompProfile ?? shared.seccompProfile, seccomp),
    ...apparmor(own.appArmorProfile ?? shared.appArmorProfile),
    maskedPaths: masks ? MASKED_PATHS : [],
    readonlyPaths: masks ? READONLY_PATHS : [],
    network: pod.spec?.hostNetwork === true ? 'node' : 'pod',
    pid: pod.spec?.hostPID === true ? 'node' : pod.spec?.shareProcessNamespace === true ? 'pod' : 'container',
    ipc: pod.spec?.hostIPC === true ? 'node' : 'pod',
  };
}

/** The sandbox's own, which only holds namespaces. */
export function sandboxSecurity(pod: Pod): ContainerSecurity {
  const shared = pod.spec?.securityContext ?? {};
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return {
    privileged: all.some(({ securityContext }) => securityContext?.privileged === true),
    readonlyRootfs: false,
    noNewPrivileges: false,
    ...(shared.runAsUser === undefined ? {} : { runAsUser: shared.runAsUser }),
    ...(shared.runAsGroup === undefined || shared.runAsUser === undefined ? {} : { runAsGroup: shared.runAsGroup }),
    supplementalGroups: [
      ...(shared.fsGroup === undefined ? [] : [shared.fsGroup]),
      ...(shared.supplementalGroups ?? []),
    ],
    ...groupsPolicy(shared),
    addCapabilities: [],
    dropCapabilities: [],
    seccomp: { type: 'RuntimeDefault' },
    ...apparmor(shared.appArmorProfile),
    maskedPaths: [],
    readonlyPaths: [],
  };
}

/** Strict: the groups of the image's /etc/group do not count (KEP-3619). */
function groupsPolicy(shared: PodSecurityContext): Pick<ContainerSecurity, 'supplementalGroupsPolicy'> {
  return shared.supplementalGroupsPolicy === 'Strict' ? { supplementalGroupsPolicy: 'Strict' } : {};
}

function profile(
  wish: SeccompProfile | undefined,
  { seccompDefault, seccompProfileRoot }: SeccompSettings,
): NonNullable<ContainerSecurity['seccomp']> {
  if (wish === undefined) return { type: seccompDefault ? 'RuntimeDefault' : 'Unconfined' };
  if (wish.type === 'Localhost') {
    return { type: 'Localhost', localhostRef: `${seccompProfileRoot}/${wish.localhostProfile ?? ''}` };
  }
  return { type: wish.type === 'RuntimeDefault' ? 'RuntimeDefault' : 'Unconfined' };
}

function apparmor(
  wish: { readonly type: string; readonly localhostProfile?: string } | undefined,
): Pick<ContainerSecurity, 'apparmor'> {
  if (wish === undefined) return {};
  if (wish.type === 'Localhost') return { apparmor: { type: 'Localhost', localhostRef: wish.localhostProfile ?? '' } };
  return { apparmor: { type: wish.type === 'Unconfined' ? 'Unconfined' : 'RuntimeDefault' } };
}

/** Why `runAsNonRoot` forbids this start, in upstream's words; `undefined` when it does not (verifyRunAsNonRoot). */
export function nonRootProblem(pod: Pod, container: Container, imageUser: ImageUser | undefined): string | undefined {
  const own = container.securityContext ?? {};
  const shared = pod.spec?.securityContext ?? {};
  if ((own.runAsNonRoot ?? shared.runAsNonRoot) !== true) return undefined;
  const runAsUser = own.runAsUser ?? shared.runAsUser;
  const where = `(pod: "${formatPod(pod)}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    return runAsUser === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined;
  }
  if (imageUser?.uid !== undefined) {
    return imageUser.uid === 0 ? `container has runAsNonRoot and image will run as root ${where}` : undefined;
  }
  if (imageUser?.username === undefined || imageUser.username === '') {
    return `container has runAsNonRoot and image will run as root ${where}`;
  }
  const user = imageUser.username;
  return `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root ${where}`;
}
