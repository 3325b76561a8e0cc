/** Reads what is used, through the ports. One thing that cannot be read is left out and never holds up the rest. */
import type { Pod, Volume } from '../../api/index.ts';
import type { ImageService, RuntimeService } from '../../cri/index.ts';
import { type Clock, errorMessage, type FileSystem, type Logger, type Now } from '../../lib/index.ts';
import { podLogDir } from '../pods/pod-paths.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import type { CgroupName, Cgroups, Machine, Meter } from '../ports.ts';
import type { DiskUsage, ProcessFigures } from '../figures.ts';
import type { PodDirectory, PodView, RuntimeContainer, VolumeManager } from '../types.ts';
import type { VolumeStats as DriverVolumeStats } from '../../csi/index.ts';
import type { ClaimMeasurement } from './claim-metrics.ts';
import type { CpuHistory } from './cpu-history.ts';
import type { DiskUsageCache } from './disk-usage-cache.ts';
import { PODS_PER_TURN } from './limits.ts';
import type {
  ContainerMeasurement,
  FileSystemSpace,
  Measurement,
  PodMeasurement,
  ProcessMeasurement,
  VolumeMeasurement,
} from './measurement.ts';
import type { RuntimeFigures, RuntimeFiguresCache } from './runtime-figures-cache.ts';

export interface MeasuringPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: Pick<FileSystem, 'statfs'>;
  readonly cgroups: Cgroups;
  readonly machine: Machine & Meter;
  readonly runtime: Pick<RuntimeService, 'containerStats'>;
  readonly images: Pick<ImageService, 'fsInfo'>;
}

export interface MeasuringOptions {
  readonly ports: MeasuringPorts;
  readonly places: { readonly nodeName: string; readonly rootDir: string; readonly podLogsDir: string };
  readonly directory: PodDirectory;
  readonly volumes: Pick<VolumeManager, 'fact' | 'driverStats'>;
}

/** The state that outlives one measurement. */
export interface MeasuringMemory {
  readonly cpu: CpuHistory;
  readonly disk: DiskUsageCache;
  readonly runtime: RuntimeFiguresCache;
}

/** The groups whose CPU time is counted: key in the history, and where to read it. */
export interface CpuSubject {
  readonly key: string;
  readonly group: CgroupName;
}

export const ALL_PODS: CgroupName = { path: ['kubepods'] };
export const MACHINE_KEY = 'machine';
export const ALL_PODS_KEY = 'kubepods';
export const podKey = (uid: string): string => `pod ${uid}`;
export const containerKey = (id: string): string => `container ${id}`;

/** Pods that something runs of. */
export function measuredPods(directory: PodDirectory): readonly PodView[] {
  return directory
    .pods()
    .filter(
      ({ observation }) =>
        observation !== undefined &&
        (observation.sandboxes.some(({ state }) => state === 'ready') || runningContainers(observation).length > 0),
    );
}

/** One for each name: the newer comes first. */
export function runningContainers({ containers }: NonNullable<PodView['observation']>): readonly RuntimeContainer[] {
  const running = containers.filter(({ state }) => state === 'running');
  return running.filter(({ name }, index) => running.findIndex((other) => other.name === name) === index);
}

function idsOf({ observation }: PodView): readonly string[] {
  return observation === undefined ? [] : runningContainers(observation).map(({ id }) => id);
}

/** With `disk`: also what lies on disks, networks and processes. */
export async function takeMeasurement(
  options: MeasuringOptions,
  memory: MeasuringMemory,
  disk: boolean,
): Promise<Measurement> {
  const { clock } = options.ports;
  const { nodeName } = options.places;
  const { directory } = options;
  const at = clock.now();
  const views = measuredPods(directory);
  const waiting = disk
    ? ([memory.runtime.figures(views.flatMap(idsOf)), memory.disk.usages(walkedPaths(options, views))] as const)
    : undefined;
  const node = await measureNode(options, memory, disk);
  const pods: PodMeasurement[] = [];
  const [runtime, usages] = (waiting && (await Promise.all(waiting))) ?? [undefined, undefined];
  for (const [index, view] of views.entries()) {
    if (index > 0 && index % PODS_PER_TURN === 0) await clock.sleep(0);
    pods.push(await measurePod(options, memory, view, disk ? { runtime, usages } : undefined));
  }
  const image = runtime?.image;
  const imageSpace = image && image.mountpoint !== '' ? await spaceOf(options, image.mountpoint) : undefined;
  return { at, nodeName, ...node, pods, ...(image && imageSpace && { imageFs: { ...imageSpace, ...image } }) };
}

async function measureNode(
  options: MeasuringOptions,
  { cpu }: MeasuringMemory,
  disk: boolean,
): Promise<Partial<Measurement>> {
  const { clock, machine, cgroups } = options.ports;
  const { rootDir } = options.places;
  const usage = await readable(options, 'machine', () => machine.usage());
  const machineRate = usage?.cpu && cpu.nanoCores(MACHINE_KEY, sample(clock.now(), usage.cpu.usageNanoseconds));
  const figures = await readable(options, 'kubepods', () => cgroups.figures(ALL_PODS));
  const podsRate = figures?.cpu && cpu.nanoCores(ALL_PODS_KEY, sample(clock.now(), figures.cpu.usageNanoseconds));
  const kubelet = measureProcess(clock.now(), 'kubelet', machine.process('kubelet'), cpu);
  const runtime = measureProcess(clock.now(), 'runtime', machine.process('runtime'), cpu);
  return {
    ...(usage && { machine: usage }),
    ...(machineRate !== undefined && { machineNanoCores: machineRate }),
    ...(figures && { allPods: { figures, ...(podsRate !== undefined && { nanoCores: podsRate }) } }),
    ...(kubelet && { kubelet }),
    ...(runtime && { runtime }),
    ...(disk && (await measureNodeFs(options, rootDir))),
  };
}

async function measureNodeFs(options: MeasuringOptions, rootDir: string): Promise<Partial<Measurement>> {
  const nodeFs = await spaceOf(options, rootDir);
  const facts = await readable(options, 'facts', () => options.ports.machine.facts());
  const pressure = await readable(options, 'pids', () => options.ports.machine.pressure());
  return {
    ...(nodeFs && { nodeFs }),
    ...(facts && pressure && { processes: { max: facts.maxPids, current: pressure.pids } }),
  };
}

function measureProcess(
  now: Now,
  key: string,
  figures: ProcessFigures | undefined,
  cpu: CpuHistory,
): ProcessMeasurement | undefined {
  if (figures === undefined) return undefined;
  const nanoCores = cpu.nanoCores(key, sample(now, figures.cpuNanoseconds), beginOf(now, figures.startedAt));
  return { figures, ...(nanoCores !== undefined && { nanoCores }) };
}

interface DiskFigures {
  readonly runtime: RuntimeFigures | undefined;
  readonly usages: ReadonlyMap<string, DiskUsage> | undefined;
}

async function measurePod(
  options: MeasuringOptions,
  memory: MeasuringMemory,
  view: PodView,
  disk: DiskFigures | undefined,
): Promise<PodMeasurement> {
  const { clock, cgroups } = options.ports;
  const { pod, observation } = view;
  const uid = pod.metadata?.uid ?? '';
  const cgroupPath = podCgroupPath(pod);
  const figures = await readable(options, uid, () => cgroups.figures({ path: cgroupPath }));
  const nanoCores =
    figures?.cpu && memory.cpu.nanoCores(podKey(uid), sample(clock.now(), figures.cpu.usageNanoseconds));
  const containers: ContainerMeasurement[] = [];
  for (const container of observation === undefined ? [] : runningContainers(observation)) {
    containers.push(await measureContainer(options, memory, { pod, cgroupPath, container, disk }));
  }
  const logs = disk?.usages?.get(podLogDir(options.places.podLogsDir, pod));
  return {
    uid,
    name: pod.metadata?.name ?? '',
    namespace: pod.metadata?.namespace ?? '',
    startedAt: observation?.sandboxes[0]?.createdAt ?? clock.now().wall,
    cgroupPath,
    ...(figures && { figures }),
    ...(nanoCores !== undefined && { nanoCores }),
    containers,
    ...(logs && { logs }),
    ...(disk && (await measureProcesses(options, pod, cgroupPath))),
    ...(disk && { volumes: await measureVolumes(options, pod, disk) }),
  };
}

async function measureProcesses(
  options: MeasuringOptions,
  pod: Pod,
  path: readonly string[],
): Promise<Pick<PodMeasurement, 'processes' | 'interfaces'>> {
  const { cgroups, machine } = options.ports;
  const pids = await readable(options, 'processes', () => cgroups.processes({ path }));
  const [pid] = pids ?? [];
  const isOwn = pod.spec?.hostNetwork !== true && pid !== undefined;
  const interfaces = isOwn ? await readable(options, 'network', () => machine.networkOf(pid)) : undefined;
  return { ...(pids && { processes: pids.length }), ...(interfaces && { interfaces }) };
}

async function measureContainer(
  options: MeasuringOptions,
  memory: MeasuringMemory,
  {
    pod,
    cgroupPath,
    container,
    disk,
  }: {
    readonly pod: Pod;
    readonly cgroupPath: readonly string[];
    readonly container: RuntimeContainer;
    readonly disk: DiskFigures | undefined;
  },
): Promise<ContainerMeasurement> {
  const { clock, cgroups } = options.ports;
  const { podLogsDir } = options.places;
  const { id, name, startedAt } = container;
  const figures = await readable(options, id, () => cgroups.figures({ path: cgroupPath, containerId: id }));
  const now = clock.now();
  const nanoCores =
    figures?.cpu &&
    memory.cpu.nanoCores(containerKey(id), sample(now, figures.cpu.usageNanoseconds), beginOf(now, startedAt));
  const writableLayer = disk?.runtime?.writableLayers.get(id);
  const logs = disk?.usages?.get(containerLogDir(podLogsDir, pod, name));
  return {
    name,
    id,
    image: container.image,
    startedAt,
    ...(figures && { figures }),
    ...(nanoCores !== undefined && { nanoCores }),
    ...(writableLayer && { writableLayer }),
    ...(logs && { logs }),
  };
}

async function measureVolumes(
  options: MeasuringOptions,
  pod: Pod,
  { usages }: DiskFigures,
): Promise<readonly VolumeMeasurement[]> {
  const found: VolumeMeasurement[] = [];
  for (const { volume, path } of volumesOf(options, pod)) {
    const pvcName = claimNameOf(pod, volume);
    const usage = usages?.get(path);
    const space = await spaceOf(options, path);
    if (usage === undefined && space === undefined) continue;
    found.push({
      name: volume.name,
      isEphemeral: isEphemeral(volume),
      ...(pvcName !== undefined && { pvcName }),
      ...(usage && { usage }),
      ...(space && { space }),
    });
  }
  return [...found, ...(await measureOfDrivers(options, pod))];
}

/** Volumes of CSI drivers: the driver says how full they are. Their files are not walked, since a driver may hang. */
async function measureOfDrivers({ volumes }: MeasuringOptions, pod: Pod): Promise<readonly VolumeMeasurement[]> {
  const stats = await volumes.driverStats(pod);
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const { name } = volume;
    const found = stats.get(name);
    const space = spaceByDriver(found);
    if (found?.bytes === undefined || space === undefined) return [];
    const pvcName = claimNameOf(pod, volume);
    const isAbnormal = found.condition?.isAbnormal;
    const usage = { bytes: found.bytes.used, inodes: found.inodes?.used ?? 0 };
    return [
      {
        name,
        isEphemeral: false,
        ...(pvcName !== undefined && { pvcName }),
        usage,
        space,
        ...(isAbnormal !== undefined && { isAbnormal }),
      },
    ];
  });
}

function spaceByDriver({ bytes, inodes }: DriverVolumeStats = {}): FileSystemSpace | undefined {
  return (
    bytes && {
      bytes: bytes.total,
      freeBytes: bytes.available,
      usedBytes: bytes.used,
      inodes: inodes?.total ?? 0,
      freeInodes: inodes?.available ?? 0,
    }
  );
}

/** Volumes of claims alone, without a walk through their files: for metrics. */
export async function measureClaims(options: MeasuringOptions): Promise<readonly ClaimMeasurement[]> {
  const all = measuredPods(options.directory).map(({ pod }) => measureClaimsOf(options, pod));
  return (await Promise.all(all)).flat();
}

async function measureClaimsOf(options: MeasuringOptions, pod: Pod): Promise<readonly ClaimMeasurement[]> {
  const { namespace = '' } = pod.metadata ?? {};
  const claims = (pod.spec?.volumes ?? []).flatMap((volume) => {
    const claim = claimNameOf(pod, volume);
    return claim === undefined ? [] : [{ name: volume.name, claim }];
  });
  if (claims.length === 0) return [];
  const stats = await options.volumes.driverStats(pod);
  const places = new Map(volumesOf(options, pod).map(({ volume, path }) => [volume.name, path]));
  const found: ClaimMeasurement[] = [];
  for (const { name, claim } of claims) {
    const path = places.get(name);
    const ofDriver = stats.get(name);
    const space = path === undefined ? spaceByDriver(ofDriver) : await spaceOf(options, path);
    const isAbnormal = ofDriver?.condition?.isAbnormal;
    found.push({ namespace, claim, ...(space && { space }), ...(isAbnormal !== undefined && { isAbnormal }) });
  }
  return found;
}

/** Upstream: component-helpers/storage/ephemeral, VolumeClaimName, for claims that are made for their pod. */
function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  if (ephemeral !== undefined) return `${pod.metadata?.name ?? ''}-${name}`;
  return persistentVolumeClaim?.claimName;
}

/** Volumes whose files are the pod's own: mounted folders of the host are not its usage. */
function volumesOf(
  { volumes }: MeasuringOptions,
  pod: Pod,
): readonly { readonly volume: Volume; readonly path: string }[] {
  const fact = volumes.fact(pod.metadata?.uid ?? '');
  if (fact?.state !== 'ready') return [];
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const path = fact.paths[volume.name];
    if (path === undefined || volume.hostPath !== undefined || volume.image !== undefined) return [];
    return isOfDriver(path) ? [] : [{ volume, path }];
  });
}

/** Where CSI drivers publish. */
function isOfDriver(path: string): boolean {
  return path.includes('/kubernetes.io~csi/') || path.includes('/kubernetes.io/csi/volumeDevices/');
}

/** On the node's own disk, and gone with the pod (upstream: IsLocalEphemeralVolume); the others' files are in memory. */
function isEphemeral({ emptyDir, configMap }: Volume): boolean {
  return configMap !== undefined || (emptyDir !== undefined && (emptyDir.medium ?? '') === '');
}

function containerLogDir(podLogsDir: string, pod: Pod, container: string): string {
  return `${podLogDir(podLogsDir, pod)}/${container}`;
}

function walkedPaths(options: MeasuringOptions, views: readonly PodView[]): ReadonlySet<string> {
  const { podLogsDir } = options.places;
  return new Set(
    views.flatMap(({ pod, observation }) => [
      podLogDir(podLogsDir, pod),
      ...(observation === undefined ? [] : runningContainers(observation)).map(({ name }) =>
        containerLogDir(podLogsDir, pod, name),
      ),
      ...volumesOf(options, pod).map(({ path }) => path),
    ]),
  );
}

function sample({ mono }: Now, nanoseconds: number): { readonly at: number; readonly nanoseconds: number } {
  return { at: mono, nanoseconds };
}

/** A wall time as mono ms; `undefined` for one in the future. */
function beginOf(now: Now, startedAt: number): number | undefined {
  return startedAt > 0 && startedAt <= now.wall ? now.mono - (now.wall - startedAt) : undefined;
}

async function spaceOf(options: MeasuringOptions, path: string): Promise<FileSystemSpace | undefined> {
  return readable(options, path, () => options.ports.fs.statfs(path));
}

/** `undefined` for what cannot be read. */
async function readable<T>({ ports }: MeasuringOptions, what: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    ports.logger.debug('a figure cannot be read', { what, error: errorMessage(error) });
    return undefined;
  }
}
