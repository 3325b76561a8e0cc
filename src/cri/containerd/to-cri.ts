/** From the port's plain data to CRI's messages. Pure; the way back is `from-cri.ts`. */
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type AuthConfigSchema,
  type ContainerConfigSchema,
  type LinuxContainerResourcesSchema,
  type LinuxContainerSecurityContextSchema,
  type LinuxSandboxSecurityContextSchema,
  MountPropagation,
  NamespaceMode as CriNamespaceMode,
  type PodSandboxConfigSchema,
  Protocol,
  SecurityProfile_ProfileType,
  type SecurityProfileSchema,
  Signal,
  SupplementalGroupsPolicy,
} from '../gen/runtime_pb.js';
import {
  type ContainerConfig,
  type ContainerSecurity,
  type LinuxResources,
  type RegistryAuth,
  RuntimeError,
  type SandboxConfig,
} from '../runtime.ts';

const NAMESPACE = {
  pod: CriNamespaceMode.POD,
  container: CriNamespaceMode.CONTAINER,
  node: CriNamespaceMode.NODE,
  target: CriNamespaceMode.TARGET,
} as const;

const PROPAGATION = {
  private: MountPropagation.PROPAGATION_PRIVATE,
  'host-to-container': MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
} as const;

/** CRI's PodSandboxConfig. It must be the same in RunPodSandbox and in every CreateContainer of the sandbox. */
export function sandboxToCri(config: SandboxConfig): MessageInitShape<typeof PodSandboxConfigSchema> {
  return {
    metadata: { ...config.metadata },
    hostname: config.hostname,
    logDirectory: config.logDirectory,
    ...(config.dns && {
      dnsConfig: {
        servers: [...config.dns.servers],
        searches: [...config.dns.searches],
        options: [...config.dns.options],
      },
    }),
    portMappings: config.portMappings.map((port) => ({ ...port, protocol: Protocol[port.protocol] })),
    labels: { ...config.labels },
    annotations: { ...config.annotations },
    linux: {
      cgroupParent: config.cgroupParent,
      securityContext: sandboxSecurityToCri(config),
      sysctls: { ...config.sysctls },
      ...(config.resources && { resources: resourcesToCri(config.resources) }),
      ...(config.overhead && { overhead: resourcesToCri(config.overhead) }),
    },
  };
}

function sandboxSecurityToCri(config: SandboxConfig): MessageInitShape<typeof LinuxSandboxSecurityContextSchema> {
  const { namespaces, security } = config;
  return {
    namespaceOptions: {
      network: NAMESPACE[namespaces.network],
      pid: NAMESPACE[namespaces.pid],
      ipc: NAMESPACE[namespaces.ipc],
    },
    seccomp: profileToCri(security?.seccomp),
    ...(security && {
      privileged: security.privileged,
      readonlyRootfs: security.readonlyRootfs,
      supplementalGroups: security.supplementalGroups.map(BigInt),
      supplementalGroupsPolicy: groupsPolicyToCri(security),
      ...identityToCri(security),
      ...(security.apparmor && { apparmor: profileToCri(security.apparmor) }),
    }),
  };
}

/** CRI's ContainerConfig. Throws `RuntimeError` InvalidArgument for a stop signal that CRI does not know. */
export function containerToCri(config: ContainerConfig): MessageInitShape<typeof ContainerConfigSchema> {
  return {
    metadata: { name: config.name, attempt: config.attempt },
    image: { image: config.image, userSpecifiedImage: config.userSpecifiedImage },
    command: [...config.command],
    args: [...config.args],
    workingDir: config.workingDir,
    envs: config.env.map(({ name, value }) => ({ key: name, value: new TextEncoder().encode(value) })),
    devices: (config.devices ?? []).map((device) => ({ ...device })),
    mounts: config.mounts.map(({ image, imageSubPath = '', ...mount }) => ({
      ...mount,
      recursiveReadOnly: mount.recursiveReadOnly ?? false,
      propagation: PROPAGATION[mount.propagation],
      ...(image !== undefined && { image: { image }, imageSubPath }),
    })),
    labels: { ...config.labels },
    annotations: { ...config.annotations },
    logPath: config.logPath,
    stdin: config.stdin,
    stdinOnce: config.stdinOnce,
    tty: config.tty,
    linux: { resources: resourcesToCri(config.resources), securityContext: securityToCri(config.security) },
    stopSignal: signalToCri(config.stopSignal),
  };
}

/** CRI's LinuxContainerResources; 0 means "as the runtime has it". */
export function resourcesToCri(resources: LinuxResources): MessageInitShape<typeof LinuxContainerResourcesSchema> {
  return {
    cpuPeriod: whole(resources.cpuPeriod),
    cpuQuota: whole(resources.cpuQuota),
    cpuShares: whole(resources.cpuShares),
    memoryLimitInBytes: whole(resources.memoryLimitBytes),
    oomScoreAdj: whole(resources.oomScoreAdj),
    unified: { ...resources.unified },
  };
}

/** CRI's AuthConfig; missing members are empty. */
export function authToCri(auth: RegistryAuth): MessageInitShape<typeof AuthConfigSchema> {
  return { ...auth };
}

function securityToCri(security: ContainerSecurity): MessageInitShape<typeof LinuxContainerSecurityContextSchema> {
  return {
    privileged: security.privileged,
    readonlyRootfs: security.readonlyRootfs,
    noNewPrivs: security.noNewPrivileges,
    supplementalGroups: security.supplementalGroups.map(BigInt),
    supplementalGroupsPolicy: groupsPolicyToCri(security),
    ...identityToCri(security),
    ...(security.runAsUsername !== undefined && { runAsUsername: security.runAsUsername }),
    capabilities: { addCapabilities: [...security.addCapabilities], dropCapabilities: [...security.dropCapabilities] },
    namespaceOptions: {
      network: NAMESPACE[security.network ?? 'pod'],
      pid: NAMESPACE[security.pid ?? 'container'],
      ipc: NAMESPACE[security.ipc ?? 'pod'],
      targetId: security.targetContainerId ?? '',
    },
    seccomp: profileToCri(security.seccomp),
    ...(security.apparmor && { apparmor: profileToCri(security.apparmor) }),
    maskedPaths: [...(security.maskedPaths ?? [])],
    readonlyPaths: [...(security.readonlyPaths ?? [])],
  };
}

function groupsPolicyToCri({ supplementalGroupsPolicy }: ContainerSecurity): SupplementalGroupsPolicy {
  return SupplementalGroupsPolicy[supplementalGroupsPolicy ?? 'Merge'];
}

function identityToCri(security: ContainerSecurity): {
  runAsUser?: { value: bigint };
  runAsGroup?: { value: bigint };
} {
  return {
    ...(security.runAsUser !== undefined && { runAsUser: { value: BigInt(security.runAsUser) } }),
    ...(security.runAsGroup !== undefined && { runAsGroup: { value: BigInt(security.runAsGroup) } }),
  };
}

/** No profile is Unconfined, as the kubelet says it when seccompDefault is off. */
function profileToCri(profile: ContainerSecurity['seccomp']): MessageInitShape<typeof SecurityProfileSchema> {
  if (profile === undefined) return { profileType: SecurityProfile_ProfileType.Unconfined };
  return { profileType: SecurityProfile_ProfileType[profile.type], localhostRef: profile.localhostRef ?? '' };
}

/** The API writes SIGRTMIN+3 and SIGRTMAX-3, CRI SIGRTMINPLUS3 and SIGRTMAXMINUS3. */
function signalToCri(name: string | undefined): Signal {
  if (name === undefined || name === '') return Signal.RUNTIME_DEFAULT;
  const key = name.replace('+', 'PLUS').replace('-', 'MINUS');
  const value = Object.entries(Signal).find(([known]) => known === key)?.[1];
  if (typeof value !== 'number' || !key.startsWith('SIG')) {
    throw new RuntimeError('InvalidArgument', `the container runtime knows no signal ${JSON.stringify(name)}`);
  }
  return value;
}

const whole = (value: number) => BigInt(Math.trunc(value));
