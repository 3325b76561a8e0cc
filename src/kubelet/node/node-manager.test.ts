import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { CONTROLLER_MANAGED_ATTACH, LEASES, type Lease, NAMESPACES, type Node, NODES } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { RuntimeError } from '../../cri/index.ts';
import { type Connection, ConnectionError, parseTime, seededRandom, silentLogger } from '../../lib/index.ts';
import { NO_PRESSURE } from '../eviction/pressure-step.ts';
import type { PressureVerdict } from '../types.ts';
import type { MachineFacts, MachinePressure } from '../figures.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import { createNodeManager, type NodeManager, type NodeVolumes, type ReportedVolumes } from './node-manager.ts';

const GIB = 1024 ** 3;
const PLENTY = { bytes: 100 * GIB, freeBytes: 50 * GIB, inodes: 1000, freeInodes: 900 };

interface World {
  readonly api: InMemoryApi;
  readonly manager: NodeManager;
  readonly events: string[];
  readonly writes: string[];
  machine: MachineFacts;
  pressure: MachinePressure;
  verdict: PressureVerdict;
  errors: readonly string[];
  runtimeAway: boolean;
  cut: boolean;
  readonly stop: () => Promise<void>;
}

async function world(
  existing?: Partial<Node>,
  api?: InMemoryApi,
  settings?: Partial<KubeletSettings>,
  volumes?: NodeVolumes,
  volumesInUse?: ReportedVolumes,
): Promise<World> {
  const server = api ?? (await createInMemoryApi());
  if (api === undefined) {
    const { code } = await server.client
      .create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-node-lease' } })
      .then(
        () => ({ code: 0 }),
        (error: { code: number }) => error,
      );
    expect([0, 409]).toContain(code);
  }
  if (existing !== undefined) {
    const { status, ...node } = existing;
    const created = await server.client.create<Node>(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      ...node,
      metadata: { ...node.metadata, name: 'n' },
    });
    if (status !== undefined) await server.client.update<Node>(NODES, { ...created, status }, 'status');
  }
  const writes: string[] = [];
  const connection: Connection = {
    upgrade: (request) => server.connection.upgrade(request),
    request: async (request) => {
      if (result.cut) throw new ConnectionError('cut');
      if (request.method !== 'GET') writes.push(`${request.method} ${request.url.split('?')[0]}`);
      return server.connection.request(request);
    },
  };
  const controller = new AbortController();
  const events: string[] = [];
  const manager = createNodeManager(
    {
      clock: server.clock,
      random: seededRandom(1),
      logger: silentLogger,
      client: createKubeClient(connection, { clock: server.clock }),
      machine: { facts: async () => result.machine, pressure: async () => result.pressure },
      runtime: {
        version: async () => {
          if (result.runtimeAway) throw new RuntimeError('Unavailable', 'away');
          return { runtimeName: 'containerd', runtimeVersion: 'v2.1.9', apiVersion: 'v1' };
        },
      },
      images: {
        list: async () =>
          Array.from({ length: 60 }, (_, i) => ({
            id: `i${i}`,
            repoTags: [`t${i}`],
            repoDigests: [],
            sizeBytes: i,
            pinned: false,
          })),
      },
    },
    {
      nodeName: 'n',
      podCidr: '10.244.0.0/16',
      maxPods: 110,
      version: 'v1.36.4+mendlet.1',
      daemonPort: 10250,
      keepsFree: (signal, capacity) => (signal === 'memory.available' ? 100 * 1024 * 1024 : capacity * 0.1),
    },
    {
      events: { pod: () => {}, node: (type, reason, message) => events.push(`${type} ${reason} ${message}`) },
      health: { runtimeErrors: () => result.errors },
      pressure: () => result.verdict,
      ...(volumes && { volumes }),
      ...(volumesInUse && { volumesInUse }),
    },
    { ...DEFAULT_SETTINGS, ...settings },
  );
  const result: World = {
    api: server,
    manager,
    events,
    writes,
    machine: {
      machineId: 'm',
      systemUuid: 's',
      bootId: 'boot-2',
      kernelVersion: '6.1.0',
      osImage: 'Debian',
      architecture: 'amd64',
      cpuCores: 2,
      memoryBytes: 8 * GIB,
      hostname: 'host',
      addresses: ['192.0.2.1', '2001:db8::1'],
      maxPids: 1000,
      swap: false,
    },
    pressure: { memoryAvailableBytes: 4 * GIB, pids: 1, rootFs: PLENTY, imageFs: PLENTY },
    verdict: NO_PRESSURE,
    errors: [],
    runtimeAway: false,
    cut: false,
    stop: async () => {
      controller.abort();
      await running;
    },
  };
  const running = manager.run(controller.signal);
  return result;
}

const node = (w: World): Promise<Node> => w.api.client.get<Node>(NODES, undefined, 'n');
const lease = (w: World): Promise<Lease> => w.api.client.get<Lease>(LEASES, 'kube-node-lease', 'n');
const statusWrites = (w: World): number => w.writes.filter((line) => line.endsWith('/status')).length;

async function condition(w: World, type: string): Promise<string> {
  const found = (await node(w)).status?.conditions?.find((each) => each.type === type);
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

const ready = (w: World): Promise<void> =>
  until(
    async () =>
      (await node(w).catch(() => undefined))?.status?.conditions?.some((each) => each.type === 'Ready') === true,
    'ready',
  );

it('gives pods what others advertise in its capacity, until they take it back', async () => {
  const w = await world();
  await ready(w);
  const advertise = (value: string | null) =>
    w.api.client.patch(
      NODES,
      undefined,
      'n',
      'merge',
      { status: { capacity: { 'example.com/foo': value } } },
      'status',
    );
  await advertise('5');
  await w.api.clock.advance(11_000);
  expect((await node(w)).status?.allocatable).toMatchObject({ 'example.com/foo': '5', cpu: '2' });
  await advertise(null);
  await w.api.clock.advance(11_000);
  expect((await node(w)).status?.allocatable).not.toHaveProperty(['example.com/foo']);
});

describe('registration', () => {
  it('creates the node with what upstream’s has', async () => {
    const w = await world();
    await ready(w);
    const { metadata, spec, status } = await node(w);
    expect(metadata?.labels).toMatchObject({
      'kubernetes.io/hostname': 'n',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
    });
    expect([spec?.podCIDR, spec?.podCIDRs]).toEqual(['10.244.0.0/16', ['10.244.0.0/16']]);
    expect(status?.capacity).toMatchObject({ cpu: '2', pods: '110' });
    expect(status?.allocatable?.['memory']).toBe('8092Mi');
    expect(status?.addresses).toEqual([
      { type: 'InternalIP', address: '192.0.2.1' },
      { type: 'InternalIP', address: '2001:db8::1' },
      { type: 'Hostname', address: 'host' },
    ]);
    expect(status?.nodeInfo).toMatchObject({
      kubeletVersion: 'v1.36.4+mendlet.1',
      containerRuntimeVersion: 'containerd://2.1.9',
      bootID: 'boot-2',
    });
    expect(status?.daemonEndpoints?.kubeletEndpoint?.Port).toBe(10250);
    expect([status?.images?.length, status?.images?.[0]?.names]).toEqual([50, ['t59']]);
    expect(await condition(w, 'Ready')).toBe('True KubeletReady kubelet is posting ready status');
    expect(w.events).toEqual([
      'Normal Starting Starting kubelet.',
      'Normal NodeHasSufficientMemory Node n status is now: NodeHasSufficientMemory',
      'Normal NodeHasNoDiskPressure Node n status is now: NodeHasNoDiskPressure',
      'Normal NodeHasSufficientPID Node n status is now: NodeHasSufficientPID',
      'Normal NodeReady Node n status is now: NodeReady',
    ]);
    await w.stop();
  });

  it('adopts a node, keeps what others gave it, and tells of a reboot', async () => {
    const foreign = { type: 'NetworkUnavailable', status: 'False' };
    const w = await world({
      metadata: { labels: { mine: 'yes' } },
      spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], podCIDR: '10.9.0.0/24', podCIDRs: ['10.9.0.0/24'] },
      status: { conditions: [foreign], nodeInfo: { bootID: 'boot-1' } as never },
    });
    await ready(w);
    const { metadata, spec, status } = await node(w);
    expect(metadata?.labels).toMatchObject({ mine: 'yes', 'kubernetes.io/os': 'linux' });
    expect([spec?.podCIDR, spec?.taints?.[0]?.key]).toEqual(['10.9.0.0/24', 'k']);
    expect(status?.conditions).toContainEqual(expect.objectContaining(foreign));
    expect(w.events).toContain('Warning Rebooted Node n has been rebooted, boot id: boot-2');
    await w.stop();
  });

  it('registers when the server comes, and again when the node was deleted', async () => {
    const api = await createInMemoryApi();
    const w = await world(undefined, api);
    w.cut = true;
    await w.api.clock.advance(5000);
    w.cut = false;
    await w.api.clock.advance(8000);
    await ready(w);
    await w.api.client.delete(NODES, undefined, 'n');
    await w.api.clock.advance(11_000);
    expect((await node(w)).status?.conditions?.length).toBe(4);
    await w.stop();
  });
});

it('tells when it is cordoned and uncordoned, and once to a new kubelet', async () => {
  const w = await world({ spec: { unschedulable: true } });
  await ready(w);
  const told = (): string[] => w.events.filter((event) => event.includes('Schedulable'));
  expect(told()).toEqual(['Normal NodeNotSchedulable Node n status is now: NodeNotSchedulable']);
  await w.api.client.patch(NODES, undefined, 'n', 'merge', { spec: { unschedulable: null } });
  await w.api.clock.advance(30_000);
  expect(told().slice(1)).toEqual(['Normal NodeSchedulable Node n status is now: NodeSchedulable']);
  await w.stop();
});

describe('status', () => {
  it('is written when it changes, else every five minutes', async () => {
    const w = await world();
    await ready(w);
    await w.api.clock.advance(280_000);
    expect(statusWrites(w)).toBe(1);
    await w.api.clock.advance(30_000);
    expect(statusWrites(w)).toBe(2);
    w.errors = ['container runtime is down', 'PLEG is not healthy: x'];
    w.manager.refresh();
    await until(() => statusWrites(w) === 3, 'written at once');
    expect(await condition(w, 'Ready')).toBe(
      'False KubeletNotReady [container runtime is down, PLEG is not healthy: x]',
    );
    expect(w.events.at(-1)).toBe('Normal NodeNotReady Node n status is now: NodeNotReady');
    await w.stop();
  });

  it('contradicts a controller that took it for dead', async () => {
    const w = await world();
    await ready(w);
    const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' };
    await w.api.client.patch(NODES, undefined, 'n', 'strategic', { status: { conditions: [unknown] } }, 'status');
    await w.api.clock.advance(10_000);
    expect(await condition(w, 'Ready')).toBe('True KubeletReady kubelet is posting ready status');
    await w.stop();
  });

  it('shows pressure, and its end, at once', async () => {
    const w = await world();
    await ready(w);
    w.verdict = { memory: true, disk: true, pid: true };
    w.manager.refresh();
    await w.api.clock.advance(100);
    expect(await condition(w, 'MemoryPressure')).toBe(
      'True KubeletHasInsufficientMemory kubelet has insufficient memory available',
    );
    expect(await condition(w, 'DiskPressure')).toBe('True KubeletHasDiskPressure kubelet has disk pressure');
    expect(await condition(w, 'PIDPressure')).toBe(
      'True KubeletHasInsufficientPID kubelet has insufficient PID available',
    );
    w.verdict = NO_PRESSURE;
    w.manager.refresh();
    await w.api.clock.advance(100);
    expect(await condition(w, 'MemoryPressure')).toBe(
      'False KubeletHasSufficientMemory kubelet has sufficient memory available',
    );
    expect(await condition(w, 'DiskPressure')).toBe('False KubeletHasNoDiskPressure kubelet has no disk pressure');
    expect(await condition(w, 'PIDPressure')).toBe(
      'False KubeletHasSufficientPID kubelet has sufficient PID available',
    );
    await w.stop();
  });

  it('keeps what the runtime said before it went away, and survives a conflict', async () => {
    const w = await world();
    await ready(w);
    w.runtimeAway = true;
    await w.api.client.patch(NODES, undefined, 'n', 'merge', { metadata: { labels: { other: 'writer' } } });
    w.errors = ['container runtime is down'];
    await w.api.clock.advance(10_000);
    const { metadata, status } = await node(w);
    expect(status?.nodeInfo?.containerRuntimeVersion).toBe('containerd://2.1.9');
    expect(metadata?.labels?.['other']).toBe('writer');
    expect(await condition(w, 'Ready')).toBe('False KubeletNotReady container runtime is down');
    await w.stop();
  });
});

describe('volumes that the node makes', () => {
  const SPACE = 'mendlet.dev/volume-space';
  const annotation = async ({ api }: World): Promise<string | undefined> =>
    (await api.client.get<Node>(NODES, undefined, 'n')).metadata?.annotations?.[SPACE];

  it('are told in an annotation and a condition, as soon as they are known', async () => {
    let bytes: number | undefined;
    let isBroken = false;
    const w = await world({ metadata: { annotations: { other: 'stays' } } }, undefined, undefined, {
      space: () => (bytes === undefined ? undefined : { capacityBytes: bytes }),
      disk: () =>
        bytes === undefined
          ? undefined
          : { hasProblem: isBroken, reason: isBroken ? 'VolumeDiskFailing' : 'VolumeDiskWorks', message: 'm' },
    });
    await ready(w);
    expect([await annotation(w), await condition(w, 'VolumeDiskProblem')]).toEqual([
      undefined,
      'undefined undefined undefined',
    ]);
    bytes = 100;
    w.manager.refresh();
    await until(async () => (await annotation(w)) === '{"capacityBytes":100}', 'the space is told');
    await until(async () => (await condition(w, 'VolumeDiskProblem')) === 'False VolumeDiskWorks m', 'it is well');
    isBroken = true;
    bytes = 0;
    w.manager.refresh();
    await until(async () => (await condition(w, 'VolumeDiskProblem')) === 'True VolumeDiskFailing m', 'it is broken');
    expect(await annotation(w)).toBe('{"capacityBytes":0}');
    expect(w.events.at(-1)).toBe('Normal VolumeDiskFailing Node n status is now: VolumeDiskFailing');
    expect((await w.api.client.get<Node>(NODES, undefined, 'n')).metadata?.annotations).toMatchObject({
      other: 'stays',
    });
    await w.stop();
  });

  it('are said no more by an agent that makes none', async () => {
    const conditions = [{ type: 'VolumeDiskProblem', status: 'True', reason: 'VolumeDiskFailing' }];
    const annotations = { [SPACE]: '{"capacityBytes":100}', other: 'stays' };
    const w = await world({ metadata: { annotations }, status: { conditions } });
    await ready(w);
    expect(await condition(w, 'VolumeDiskProblem')).toBe('undefined undefined undefined');
    expect((await w.api.client.get<Node>(NODES, undefined, 'n')).metadata?.annotations).toEqual({
      other: 'stays',
      [CONTROLLER_MANAGED_ATTACH]: 'true',
    });
    await w.stop();
  });
});

describe('volumes in use', () => {
  const used = async (w: World): Promise<readonly string[]> => (await node(w)).status?.volumesInUse ?? [];

  it('are told before anybody counts on it, and again when somebody takes them off', async () => {
    let wanted: readonly string[] = [];
    const told: (readonly string[])[] = [];
    const w = await world({ status: { volumesInUse: ['old'] } }, undefined, undefined, undefined, {
      toReport: async () => wanted,
      reported: (names) => told.push(names),
    });
    await ready(w);
    expect((await node(w)).metadata?.annotations?.[CONTROLLER_MANAGED_ATTACH]).toBe('true');
    await until(async () => (await used(w)).length === 0, 'the old list goes');
    expect(told[0]).toEqual([]);
    wanted = ['v'];
    w.manager.refresh();
    await until(async () => (await used(w)).join() === 'v', 'the volume is told');
    await until(() => told.at(-1)?.join() === 'v', 'the agent knows it');
    await w.api.client.patch(NODES, undefined, 'n', 'merge', { status: { volumesInUse: null } }, 'status');
    await w.api.clock.advance(10_000);
    expect(await used(w)).toEqual(['v']);
    const before = told.length;
    w.cut = true;
    wanted = ['v', 'w'];
    w.manager.refresh();
    await w.api.clock.advance(30_000);
    expect(told).toHaveLength(before);
    await w.stop();
  });

  it('stay on record where the agent runs no drivers any more', async () => {
    const w = await world({ status: { volumesInUse: ['old'] } });
    await ready(w);
    expect(await used(w)).toEqual(['old']);
    await w.stop();
  });
});

describe('lease', () => {
  it('belongs to the node and is renewed every ten seconds', async () => {
    const w = await world();
    await ready(w);
    await until(async () => (await lease(w).catch(() => undefined)) !== undefined, 'the lease');
    const first = await lease(w);
    expect(first.spec).toMatchObject({ holderIdentity: 'n', leaseDurationSeconds: 40 });
    expect(first.metadata?.ownerReferences).toMatchObject([
      { kind: 'Node', name: 'n', uid: (await node(w)).metadata?.uid },
    ]);
    for (let round = 0; round < 10; round++) {
      await w.api.clock.advance(10_000);
      const age = w.api.clock.now().wall - (parseTime((await lease(w)).spec?.renewTime) ?? 0);
      expect(age).toBeLessThan(11_000);
    }
    await w.stop();
  });

  it('is renewed soon after the server is back, and made again when it was deleted', async () => {
    const w = await world();
    await ready(w);
    await w.api.clock.advance(10_000);
    w.cut = true;
    await w.api.clock.advance(60_000);
    w.cut = false;
    await w.api.clock.advance(7000);
    expect(w.api.clock.now().wall - (parseTime((await lease(w)).spec?.renewTime) ?? 0)).toBeLessThan(7001);
    await w.api.client.delete(LEASES, 'kube-node-lease', 'n');
    await w.api.clock.advance(11_000);
    expect((await lease(w)).spec?.holderIdentity).toBe('n');
    await w.stop();
  });

  it('of three seconds is renewed in time, also after a partition, and a verdict of then is taken back at once', async () => {
    const w = await world(undefined, undefined, { nodeLeaseDurationSeconds: 3 });
    await ready(w);
    const age = async (): Promise<number> =>
      w.api.clock.now().wall - (parseTime((await lease(w)).spec?.renewTime) ?? 0);
    await w.api.clock.advance(60_000);
    expect(await age()).toBeLessThan(800);
    w.cut = true;
    await w.api.clock.advance(60_000);
    const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' };
    await w.api.client.patch(NODES, undefined, 'n', 'strategic', { status: { conditions: [unknown] } }, 'status');
    w.cut = false;
    await w.api.clock.advance(760);
    expect(await age()).toBeLessThan(800);
    await until(async () => (await condition(w, 'Ready')).startsWith('True'), 'Ready again');
    await w.stop();
  });

  it('lasts as long as it is set to, and is renewed after a quarter of that', async () => {
    const w = await world(undefined, undefined, { nodeLeaseDurationSeconds: 8 });
    await ready(w);
    expect((await lease(w)).spec?.leaseDurationSeconds).toBe(8);
    await w.api.clock.advance(10_000);
    expect(w.api.clock.now().wall - (parseTime((await lease(w)).spec?.renewTime) ?? 0)).toBeLessThan(2200);
    await w.stop();
  });
});

describe('the period of the report', () => {
  it.each<[Partial<KubeletSettings>, number]>([
    [{}, 300_000],
    [{ nodeStatusReportFrequencyMs: 60_000 }, 60_000],
    [{ nodeStatusUpdateFrequencyMs: 20_000, nodeStatusReportFrequencyMs: 100_000 }, 100_000],
  ])('%j', async (settings, periodMs) => {
    const w = await world(undefined, undefined, settings);
    await ready(w);
    await w.api.clock.advance(periodMs - 1_000);
    expect(statusWrites(w)).toBe(1);
    await w.api.clock.advance((settings.nodeStatusUpdateFrequencyMs ?? 10_000) + 1_000);
    expect(statusWrites(w)).toBe(2);
    await w.stop();
  });
});

describe('the period of the status', () => {
  it.each([
    [{}, 10_000],
    [{ nodeStatusUpdateFrequencyMs: 2000 }, 2000],
  ])('%j', async (settings, periodMs) => {
    const w = await world(undefined, undefined, settings);
    await ready(w);
    await w.api.clock.advance(60_000);
    const before = await node(w);
    w.machine = { ...w.machine, kernelVersion: '6.2.0' };
    await w.api.clock.advance(periodMs + 100);
    expect(before.status?.nodeInfo?.kernelVersion).toBe('6.1.0');
    expect((await node(w)).status?.nodeInfo?.kernelVersion).toBe('6.2.0');
    await w.stop();
  });
});
