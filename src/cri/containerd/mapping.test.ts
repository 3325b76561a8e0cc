import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  ContainerCreateSchema,
  TaskExitSchema,
  TaskOOMSchema,
  TaskStartSchema,
} from '../gen/containerd-event-types_pb.js';
import {
  ContainerConfigSchema,
  ContainerEventResponseSchema,
  ContainerEventType,
  ContainerSchema,
  ContainerState,
  ContainerStatusSchema,
  ImageSchema,
  MountPropagation,
  NamespaceMode,
  PodSandboxConfigSchema,
  PodSandboxState,
  PodSandboxStatusSchema,
  Protocol,
  SecurityProfile_ProfileType,
  Signal,
  StatusResponseSchema,
} from '../gen/runtime_pb.js';
import { type ContainerConfig, RuntimeError, type SandboxConfig } from '../runtime.ts';
import { eventFromContainerd } from './containerd-events.ts';
import {
  containerFromCri,
  containerStatusFromCri,
  eventFromCri,
  imageFromCri,
  runtimeStatusFromCri,
  sandboxStatusFromCri,
} from './from-cri.ts';
import { codeOfConnection, codeOfStatus, explained } from './grpc-errors.ts';
import { importedNames } from './imported-names.ts';
import { restartDelayMs } from './restart-delay.ts';
import { SandboxOfContainer } from './sandbox-of-container.ts';
import { containerToCri, sandboxToCri } from './to-cri.ts';

const security = {
  privileged: false,
  readonlyRootfs: true,
  noNewPrivileges: true,
  runAsUser: 0,
  runAsGroup: 7,
  supplementalGroups: [1, 2],
  addCapabilities: ['NET_ADMIN'],
  dropCapabilities: ['ALL'],
  seccomp: { type: 'Localhost', localhostRef: '/profiles/a.json' },
} as const;

const container: ContainerConfig = {
  name: 'web',
  attempt: 3,
  image: 'sha256:abc',
  userSpecifiedImage: 'nginx:1',
  command: ['a'],
  args: ['b', 'c'],
  workingDir: '/srv',
  env: [{ name: 'LANG', value: 'de_DE.ü' }],
  mounts: [{ containerPath: '/c', hostPath: '/h', readonly: true, propagation: 'host-to-container' }],
  labels: { l: '1' },
  annotations: { a: '2' },
  logPath: 'web/3.log',
  stdin: true,
  stdinOnce: false,
  tty: true,
  resources: {
    cpuPeriod: 100_000,
    cpuQuota: 20_000,
    cpuShares: 204.8,
    memoryLimitBytes: 2 ** 40,
    oomScoreAdj: -997,
    unified: { 'memory.oom.group': '1' },
  },
  security,
  stopSignal: 'SIGRTMIN+3',
};

const sandbox: SandboxConfig = {
  metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 2 },
  hostname: 'h',
  logDirectory: '/logs',
  dns: { servers: ['1.1.1.1'], searches: ['x'], options: ['ndots:5'] },
  portMappings: [{ protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIp: '' }],
  labels: {},
  annotations: {},
  cgroupParent: '/mendlet/kubepods',
  namespaces: { network: 'node', pid: 'pod', ipc: 'pod' },
  sysctls: { 'net.core.somaxconn': '5' },
};

describe('to CRI', () => {
  it('a container', () => {
    const found = create(ContainerConfigSchema, containerToCri(container));
    expect(toBinary(ContainerConfigSchema, found).length).toBeGreaterThan(100);
    expect(found).toMatchObject({
      metadata: { name: 'web', attempt: 3 },
      image: { image: 'sha256:abc', userSpecifiedImage: 'nginx:1' },
      envs: [{ key: 'LANG', value: new TextEncoder().encode('de_DE.ü') }],
      mounts: [
        {
          containerPath: '/c',
          hostPath: '/h',
          readonly: true,
          propagation: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
        },
      ],
      stopSignal: Signal.SIGRTMINPLUS3,
    });
    expect(found.linux?.resources).toMatchObject({
      cpuShares: 204n,
      memoryLimitInBytes: 2n ** 40n,
      oomScoreAdj: -997n,
      unified: { 'memory.oom.group': '1' },
    });
    expect(found.linux?.securityContext).toMatchObject({
      runAsUser: { value: 0n },
      runAsGroup: { value: 7n },
      supplementalGroups: [1n, 2n],
      namespaceOptions: { network: NamespaceMode.POD, pid: NamespaceMode.CONTAINER, ipc: NamespaceMode.POD },
      seccomp: { profileType: SecurityProfile_ProfileType.Localhost, localhostRef: '/profiles/a.json' },
    });
  });

  it('no user is not root', () => {
    const { runAsUser: _user, runAsGroup: _group, ...rest } = security;
    const { linux } = create(ContainerConfigSchema, containerToCri({ ...container, security: rest }));
    expect(linux?.securityContext?.runAsUser).toBeUndefined();
  });

  it('an ephemeral container shares its target', () => {
    const shared = { ...security, pid: 'target', targetContainerId: 't1' } as const;
    const { linux } = create(ContainerConfigSchema, containerToCri({ ...container, security: shared }));
    expect(linux?.securityContext?.namespaceOptions).toMatchObject({ pid: NamespaceMode.TARGET, targetId: 't1' });
  });

  it.each([
    ['', Signal.RUNTIME_DEFAULT],
    ['SIGUSR1', Signal.SIGUSR1],
    ['SIGRTMAX-2', Signal.SIGRTMAXMINUS2],
  ])('signal %j', (stopSignal, signal) => {
    expect(containerToCri({ ...container, stopSignal }).stopSignal).toBe(signal);
  });

  it.each(['TERM', 'RUNTIME_DEFAULT', '23', 'toString'])('refuses signal %s', (stopSignal) => {
    expect(() => containerToCri({ ...container, stopSignal })).toThrow(RuntimeError);
  });

  it('a sandbox', () => {
    expect(create(PodSandboxConfigSchema, sandboxToCri(sandbox))).toMatchObject({
      metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 2 },
      dnsConfig: { servers: ['1.1.1.1'] },
      portMappings: [{ protocol: Protocol.UDP, containerPort: 53, hostPort: 5353 }],
      linux: {
        cgroupParent: '/mendlet/kubepods',
        sysctls: { 'net.core.somaxconn': '5' },
        securityContext: { namespaceOptions: { network: NamespaceMode.NODE, pid: NamespaceMode.POD } },
      },
    });
  });
});

describe('from CRI', () => {
  it('a container status, times in ms', () => {
    const status = create(ContainerStatusSchema, {
      id: 'c',
      metadata: { name: 'web', attempt: 1 },
      state: ContainerState.CONTAINER_EXITED,
      createdAt: 1_700_000_000_123_456_789n,
      exitCode: 137,
      reason: 'OOMKilled',
      image: { image: 'i' },
    });
    expect(containerStatusFromCri(status, 's')).toMatchObject({
      id: 'c',
      sandboxId: 's',
      name: 'web',
      attempt: 1,
      state: 'exited',
      createdAt: 1_700_000_000_123,
      startedAt: 0,
      exitCode: 137,
      reason: 'OOMKilled',
      image: 'i',
    });
  });

  it('a state of the future is unknown', () => {
    expect(containerFromCri(fromBinary(ContainerSchema, Uint8Array.of(0x30, 9))).state).toBe('unknown');
  });

  it('a sandbox’s addresses, the primary first', () => {
    const status = create(PodSandboxStatusSchema, {
      state: PodSandboxState.SANDBOX_READY,
      network: { ip: '10.0.0.2', additionalIps: [{ ip: 'fd00::2' }] },
    });
    expect(sandboxStatusFromCri(status)).toMatchObject({
      ips: ['10.0.0.2', 'fd00::2'],
      state: 'ready',
      hostNetwork: false,
    });
    expect(
      sandboxStatusFromCri(
        create(PodSandboxStatusSchema, { linux: { namespaces: { options: { network: NamespaceMode.NODE } } } }),
      ),
    ).toMatchObject({ ips: [], hostNetwork: true });
  });

  it('an image with root as its user says so', () => {
    expect(imageFromCri(create(ImageSchema, { id: 'x', size: 5n, uid: { value: 0n } }))).toMatchObject({
      sizeBytes: 5,
      uid: 0,
    });
    expect(imageFromCri(create(ImageSchema, { username: 'www' }))).toMatchObject({ username: 'www' });
    expect(imageFromCri(create(ImageSchema, {}))).not.toHaveProperty('uid');
  });

  it('the runtime’s conditions', () => {
    const network = { type: 'NetworkReady', status: false, reason: 'NetworkPluginNotReady', message: 'no conf' };
    const found = runtimeStatusFromCri(create(StatusResponseSchema, { status: { conditions: [network] } }));
    expect(found).toEqual({
      runtimeReady: false,
      runtimeMessage: 'the runtime does not report RuntimeReady',
      networkReady: false,
      networkMessage: 'NetworkPluginNotReady: no conf',
      features: { supplementalGroupsPolicy: false, handlers: [] },
    });
  });

  it('an event with its pod', () => {
    const event = create(ContainerEventResponseSchema, {
      containerId: 'c',
      containerEventType: ContainerEventType.CONTAINER_STOPPED_EVENT,
      podSandboxStatus: { metadata: { uid: 'u' } },
    });
    expect(eventFromCri(event)).toEqual({ kind: 'stopped', id: 'c', podUid: 'u' });
  });
});

describe('containerd’s events', () => {
  it.each([
    [
      '/tasks/exit',
      toBinary(TaskExitSchema, create(TaskExitSchema, { containerId: 'c', id: 'c', exitStatus: 1 })),
      { kind: 'stopped', id: 'c' },
    ],
    ['/tasks/exit', toBinary(TaskExitSchema, create(TaskExitSchema, { containerId: 'c', id: 'exec-1' })), undefined],
    [
      '/tasks/start',
      toBinary(TaskStartSchema, create(TaskStartSchema, { containerId: 'c' })),
      { kind: 'started', id: 'c' },
    ],
    ['/tasks/oom', toBinary(TaskOOMSchema, create(TaskOOMSchema, { containerId: 'c' })), { kind: 'oom', id: 'c' }],
    [
      '/containers/create',
      toBinary(ContainerCreateSchema, create(ContainerCreateSchema, { id: 'c' })),
      { kind: 'created', id: 'c' },
    ],
    ['/mendlet/subscribed', new Uint8Array(), undefined],
  ] as const)('%s', (topic, value, event) => {
    expect(eventFromContainerd(topic, value)).toEqual(event);
  });
});

describe('errors', () => {
  it.each([
    [5, 'x', 'NotFound'],
    [2, 'failed to reserve container name "a": name "a" is reserved for "b"', 'AlreadyExists'],
    [9, 'failed to reserve sandbox name "a"; check if another request is in progress', 'AlreadyExists'],
    [9, 'something else', 'FailedPrecondition'],
    [2, 'container is in CONTAINER_EXITED state', 'FailedPrecondition'],
    [2, 'ttrpc: closed: unknown', 'Unavailable'],
    [2, 'whatever', 'Unknown'],
    [99, 'whatever', 'Unknown'],
    [14, 'x', 'Unavailable'],
    [12, 'x', 'Unimplemented'],
  ] as const)('status %i "%s" is %s', (number, text, code) => {
    expect(codeOfStatus(number, text)).toBe(code);
  });

  it.each([
    ['ENOENT', 'Unavailable'],
    ['ECONNREFUSED', 'Unavailable'],
    ['EACCES', 'PermissionDenied'],
    ['ERR_HTTP2_SESSION_ERROR', 'Unavailable'],
  ] as const)('connection %s is %s', (system, code) => {
    expect(codeOfConnection(system)).toBe(code);
  });
});

it('the one trouble that nobody understands is explained', () => {
  expect(explained("runc create failed: can't get final child's PID from pipe: EOF")).toContain(
    'restrict_oom_score_adj',
  );
  expect(explained('not found')).toBe('not found');
});

it('containerd is started again at once, then ever later', () => {
  expect([0, 1, 2, 3, 50].map(restartDelayMs)).toEqual([0, 250, 500, 1000, 30_000]);
});

it('ctr names what it imported', () => {
  const output =
    'unpacking docker.io/library/a:1 (sha256:12)...done\nunpacking b.io/b:2 (sha256:34)...done\nImporting elapsed: 1 s\n';
  expect(importedNames(output)).toEqual(['docker.io/library/a:1', 'b.io/b:2']);
});

it('the note of sandboxes is bounded', () => {
  const note = new SandboxOfContainer();
  for (let index = 0; index < 5000; index++) note.learn(`c${index}`, `s${index}`);
  expect(note.of('c0')).toBeUndefined();
  expect(note.of('c4999')).toBe('s4999');
  note.forget('c4999');
  expect(note.of('c4999')).toBeUndefined();
});
