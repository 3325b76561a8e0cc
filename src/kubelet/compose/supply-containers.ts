/** Builds the parts that supply a container before its start: configuration objects, environment, images, volumes. */
import { SERVICES } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { KubeletConfig } from '../configuration.ts';
import type { BlackBox } from '../deaths/black-box.ts';
import { configUsed } from '../deaths/config-used.ts';
import { type ConfigCache, createConfigCache } from '../env/config-cache.ts';
import { createEnvironmentResolver } from '../env/container-environment.ts';
import { createKnownServices } from '../env/known-services.ts';
import { createImageManager } from '../images/image-manager.ts';
import { CsiMetrics } from '../csi/csi-metrics.ts';
import { CsiVolumes } from '../csi/csi-volumes.ts';
import { Drivers } from '../csi/drivers.ts';
import { NoteStore } from '../csi/note-store.ts';
import { registryDir } from '../csi/paths.ts';
import { PluginWatcher } from '../csi/plugin-watcher.ts';
import { VolumesInUse } from '../csi/volumes-in-use.ts';
import type { EnvironmentResolver, ImageManager, PodUID, VolumeManager } from '../types.ts';
import { MAX_USAGE_ENTRIES } from '../local-volumes/limits.ts';
import type { VolumeOveruse } from '../eviction/volume-blame.ts';
import { fullDiskMessage, overuseBytes, type VolumeUsage } from '../local-volumes/full-disk.ts';
import { LocalVolumes } from '../local-volumes/local-volumes.ts';
import { VolumeWatch } from '../local-volumes/volume-watch.ts';
import { imageVolumeProblem } from '../volumes/image-volume.ts';
import { Mounter } from '../volumes/mounter.ts';
import { Publications } from '../volumes/publications.ts';
import { type CsiParts, createVolumeManager } from '../volumes/volume-manager.ts';
import { type Given, givenTo, type Ground, type Later } from './ground.ts';

export interface Supplies {
  readonly configCache: ConfigCache;
  readonly environment: EnvironmentResolver;
  readonly images: ImageManager;
  readonly volumes: VolumeManager;
  /** Absent: this node makes no volumes. */
  readonly local: LocalSupplies | undefined;
  /** Absent: this node runs no CSI drivers. */
  readonly csi: CsiSupplies | undefined;
}

/** What is there for CSI drivers. */
export interface CsiSupplies extends CsiParts {
  readonly watcher: PluginWatcher;
}

/** The volumes that this node makes. */
export interface LocalSupplies {
  readonly volumes: LocalVolumes;
  readonly watch: VolumeWatch;
  /** What volumes have beyond their claims, if they are on the disk of the pods' folders. */
  readonly overuse: (signal: AbortSignal) => Promise<VolumeOveruse | undefined>;
}

export function createSupplies(
  given: Omit<Given, 'runtime' | 'cgroups' | 'probeTransport' | 'streams'>,
  {
    nodeName,
    rootDir,
    apiServer,
    instanceId,
  }: Pick<KubeletConfig, 'nodeName' | 'rootDir' | 'apiServer' | 'instanceId'>,
  ground: Pick<Ground, 'desired' | 'informers' | 'events' | 'markDirty' | 'node' | 'later'>,
  { changes }: Pick<BlackBox, 'changes'>,
): Supplies {
  const { clock, random, logger, client, settings } = given;
  const { desired, informers, events, markDirty, node, later } = ground;
  const { volumesDir } = settings;
  const configCache = createConfigCache({
    clock,
    client,
    logger,
    random: random.split('config'),
    onVersion: (kind, namespace, name, change) => changes.object(kind, namespace, name, change),
  });
  later.config.is(configCache);
  desired.onArrival((pod) => {
    for (const { kind, name } of configUsed(pod)) configCache.forget(kind, pod.metadata?.namespace ?? '', name);
  });
  const services = createKnownServices(informers.lister(SERVICES), { clock, logger });
  const environment = createEnvironmentResolver({ config: configCache, events, apiServer, services });
  const images = createImageManager({
    clock,
    logger,
    images: given.images,
    config: configCache,
    events,
    markDirty,
    settings,
  });
  const publications = new Publications(given.fs, rootDir);
  const local =
    volumesDir === undefined
      ? undefined
      : createLocal(given, { rootDir, volumesDir, instanceId }, { events, later, publications });
  const csi = createCsi(given, { rootDir, nodeName }, { later, events });
  const place = {
    nodeName,
    rootDir,
    nodeResources: () => node.allocatable(),
    observation: (uid: PodUID) => later.pleg.it.observation(uid),
  };
  const volumes = createVolumeManager(givenTo('volumes', given), place, {
    config: configCache,
    events,
    markDirty,
    images,
    publications,
    ...(local && { localVolumes: local.volumes }),
    ...(csi && { csi }),
    imageVolumeProblem: (subPath) => imageVolumeProblem(node.known, subPath),
  });
  return { configCache, environment, images, volumes, local, csi };
}

function createCsi(
  given: Pick<Given, 'clock' | 'logger' | 'client' | 'fs' | 'process' | 'plugins' | 'settings' | 'metrics'>,
  { rootDir, nodeName }: Pick<KubeletConfig, 'rootDir' | 'nodeName'>,
  { later, events }: { readonly later: Pick<Later, 'nodeManager'>; readonly events: Ground['events'] },
): CsiSupplies | undefined {
  const { plugins, fs, logger } = given;
  const { kubeletDir } = given.settings;
  if (plugins === undefined || kubeletDir === undefined) return undefined;
  const hash = (text: string): string => plugins.hash(text);
  const drivers = new Drivers();
  const notes = new NoteStore(fs, rootDir, hash);
  const volumes = new CsiVolumes({ fs, logger, mounts: new Mounter(given) }, drivers, notes);
  const inUse = new VolumesInUse(logger, notes, () => later.nodeManager.it.refresh());
  const metrics = new CsiMetrics(given.metrics, given.clock);
  const watcher = new PluginWatcher(
    { ...given, plugins, metrics, events },
    { dir: registryDir(kubeletDir), nodeName },
    drivers,
  );
  return { kubeletDir, hash, drivers, volumes, inUse, watcher };
}

function createLocal(
  given: Pick<Given, 'clock' | 'random' | 'logger' | 'fs' | 'process' | 'machine'>,
  { volumesDir: dir, ...place }: Pick<KubeletConfig, 'rootDir' | 'instanceId'> & { readonly volumesDir: string },
  { events, later, publications }: Pick<Ground, 'events' | 'later'> & { readonly publications: Publications },
): LocalSupplies {
  const { machine, logger } = given;
  const mounter = new Mounter(given);
  const volumes = new LocalVolumes(
    given,
    { dir, ...place, lifeId: given.random.split('local volumes').uuid() },
    {
      keepsFree: (bytes) => later.care.it.keepsFree('nodefs.available', bytes),
      mountedUnder: (path) => mounter.mountedUnder(path),
      whileUnpublished: (name, path, work) => publications.whileUnpublished(name, path, work),
    },
  );
  const usages = async (names: readonly string[], signal: AbortSignal): Promise<readonly VolumeUsage[]> => {
    const claims = await publications.claims();
    const found: VolumeUsage[] = [];
    for (const name of names) {
      const claim = claims.get(name);
      const usage = await machine.diskUsage(volumes.pathOf(name), { maxEntries: MAX_USAGE_ENTRIES, signal });
      const capacityBytes = volumes.capacityOf(name);
      found.push({ name, capacityBytes, usedBytes: usage?.bytes ?? 0, ...(claim !== undefined && { claim }) });
    }
    return found;
  };
  const tellLost = async (name: string): Promise<void> => {
    const uids = new Set(await publications.holders(name));
    const message = `volume ${name} is lost: its folder ${volumes.pathOf(name)} is not there any more`;
    for (const { pod } of later.workers.it.pods()) {
      if (uids.has(pod.metadata?.uid ?? '')) events.pod(pod, 'Warning', 'VolumeLost', message);
    }
    logger.error('a volume is lost', { name, path: volumes.pathOf(name) });
  };
  const onLost = (names: readonly string[]): void => {
    for (const name of names) {
      void tellLost(name).catch((error: unknown) =>
        logger.error('who has a lost volume is not known', { name, error: errorMessage(error) }),
      );
    }
  };
  const onChange = (): void => later.nodeManager.it.refresh();
  const overuse = async (signal: AbortSignal): Promise<VolumeOveruse | undefined> => {
    if (!(await mounter.isSameMount(dir, place.rootDir))) return undefined;
    const names = (await volumes.list()).items.filter(({ state }) => state === 'ready').map(({ name }) => name);
    const found = await usages(names, signal);
    return { bytes: overuseBytes(found), message: fullDiskMessage(dir, found) };
  };
  return { volumes, overuse, watch: new VolumeWatch(given, { volumes, events, usages, onLost, onChange }) };
}
