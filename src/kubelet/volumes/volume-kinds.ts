/** The kinds of volumes, one row each. */
import type { Pod, Volume } from '../../api/index.ts';
import { type ClaimOptions, setUpClaim } from './claimed-volume.ts';
import { setUpContent } from './content-volume.ts';
import { setUpCsi } from './csi-volume.ts';
import { setUpEmptyDir } from './empty-dir.ts';
import { setUpHostPath } from './host-path.ts';
import { setUpImage } from './image-volume.ts';
import { setUpNfs } from './nfs.ts';
import { VolumeError } from './payload.ts';
import { noDrivers, unservedProblem } from './unserved-kinds.ts';
import type { SetUpVolume, VolumeKind, VolumeKindName, VolumeSetupOptions } from './volume-kind.ts';
import { pluginAt, volumeDir, type VolumePlugin } from './volume-paths.ts';

/** Gives each row the type of its own source. */
function row<N extends VolumeKindName>(kind: VolumeKind<N>): VolumeKind<N> {
  return kind;
}

/** @param inMemory its files must not reach the disk */
function content<N extends 'configMap' | 'secret' | 'downwardAPI' | 'projected'>(
  name: N,
  plugin: VolumePlugin,
  inMemory: boolean,
): VolumeKind<N> {
  return {
    name,
    plugin,
    folder: plugin,
    isContent: true,
    setUp: (options, wanted) => setUpContent(options, wanted, inMemory),
  };
}

const KINDS = [
  row({
    name: 'hostPath',
    plugin: 'host-path',
    isContent: false,
    isForeign: true,
    setUp: async ({ fs, mounter, claims: { csi } }, { source }) => {
      const path = await setUpHostPath(fs, source);
      // Drivers mount there, in their containers, what the node is to see.
      if (csi !== undefined && (path === csi.kubeletDir || path.startsWith(`${csi.kubeletDir}/`)))
        await mounter.ensureShared(csi.kubeletDir);
      return { path };
    },
  }),
  row({
    name: 'image',
    plugin: 'image',
    isContent: false,
    setUp: async ({ image }, { pod, volume, source }) => ({
      path: '',
      image: await setUpImage(image, pod, volume.name, source),
    }),
  }),
  row({
    name: 'emptyDir',
    plugin: 'empty-dir',
    folder: 'empty-dir',
    isContent: false,
    setUp: async ({ fs, mounter, content: { nodeResources } }, { pod, source, dir }) => {
      await setUpEmptyDir({ fs, mounter, nodeMemoryBytes: nodeResources().memoryBytes }, dir, pod, source);
      return { path: dir };
    },
  }),
  content('configMap', 'configmap', false),
  content('secret', 'secret', true),
  content('downwardAPI', 'downward-api', true),
  content('projected', 'projected', true),
  row({
    name: 'persistentVolumeClaim',
    plugin: 'local-volume',
    folder: 'local-volume',
    isContent: false,
    setUp: (options, { pod, volume, source, dir }) =>
      setUpClaim(
        forClaims(options),
        pod,
        { claimName: source.claimName, volumeName: volume.name, readOnly: source.readOnly === true },
        dir,
      ),
  }),
  row({
    name: 'ephemeral',
    plugin: 'local-volume',
    folder: 'local-volume',
    isContent: false,
    setUp: (options, { pod, volume, dir }) =>
      setUpClaim(
        forClaims(options),
        pod,
        { claimName: ephemeralClaim(pod, volume), volumeName: volume.name, isOwned: true },
        dir,
      ),
  }),
  row({
    name: 'nfs',
    plugin: 'nfs',
    folder: 'nfs',
    isContent: false,
    setUp: async (options, { source, dir }) => {
      await setUpNfs(options, { source, dir });
      return { path: dir };
    },
    tearDown: ({ mounter, dir }) => mounter.unmountRemote(dir),
  }),
  row({
    name: 'csi',
    plugin: 'csi',
    isContent: false,
    setUp: async ({ fs, claims: { csi } }, { pod, volume, source }) => {
      if (csi === undefined) throw noDrivers(source.driver);
      const wish = { pod, volumeName: volume.name, readOnly: source.readOnly === true };
      const { group, ...done } = await setUpCsi(csi, wish, source);
      const { path } = done;
      // The volume's own folder is the last that is given, so that it tells whether all was.
      if (group !== undefined && (await fs.stat(path, { isolated: true }))?.gid !== group)
        await fs.giveToGroup(path, group);
      return done;
    },
  }),
] as const;

/** `undefined`: of no kind that is mounted here. */
export function kindOf(volume: Volume): VolumeKind | undefined {
  return KINDS.find(({ name }) => volume[name] !== undefined);
}

/** The kind of a volume's folder below a pod's. */
export function kindAt(path: string): VolumeKind | undefined {
  const plugin = pluginAt(`${path}/`);
  return KINDS.find(({ folder }: { readonly folder?: string }) => folder !== undefined && folder === plugin);
}

/** Idempotent. Rejects with what upstream's FailedMount event quotes. */
export async function setUpVolume(options: VolumeSetupOptions, pod: Pod, volume: Volume): Promise<SetUpVolume> {
  const kind = kindOf(volume);
  if (kind === undefined) throw unservedProblem({ ...volume }) ?? new VolumeError('no volume plugin matched');
  const uid = pod.metadata?.uid ?? '';
  const dir = kind.folder === undefined ? '' : volumeDir(options.rootDir, uid, kind.folder, volume.name);
  const source = volume[kind.name] as NonNullable<Volume[VolumeKindName]>;
  return await kind.setUp(options, { pod, volume, source, dir });
}

/** Whether the volume's files are ours to write, also while the pod runs; containers only read them. */
export function isContentVolume(volume: Volume): boolean {
  return kindOf(volume)?.isContent === true;
}

/** Whether a ConfigMap or Secret that it is made of, or their keys, may be absent. */
function isOptionalVolume({ configMap, secret, projected }: Volume): boolean {
  const sources = projected?.sources?.flatMap((source) => [source.configMap, source.secret]) ?? [];
  return [configMap, secret, ...sources].some((source) => source?.optional === true);
}

/** The volumes of a pod whose files are ours to write, by their names. */
export function contentVolumes({ spec }: Pod): ReadonlyMap<string, { readonly isOptional: boolean }> {
  const all = (spec?.volumes ?? []).filter((volume) => isContentVolume(volume));
  return new Map(all.map((volume) => [volume.name, { isOptional: isOptionalVolume(volume) }]));
}

/** Upstream's name of the plugin, for metrics. */
export function pluginName(volume: Volume): string {
  const plugin = kindOf(volume)?.plugin;
  return plugin === undefined ? 'N/A' : `kubernetes.io/${plugin}`;
}

/** The same, of a volume that a CSI driver serves. */
export function csiPlugin(driver: string): string {
  return `kubernetes.io/csi:${driver}`;
}

/** The claim that the volume of a pod stands for; `undefined`: for none. */
export function claimOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.ephemeral !== undefined) return ephemeralClaim(pod, volume);
  return volume.persistentVolumeClaim?.claimName;
}

/** Upstream: component-helpers/storage/ephemeral, VolumeClaimName. */
function ephemeralClaim(pod: Pod, { name }: Volume): string {
  return `${pod.metadata?.name ?? ''}-${name}`;
}

function forClaims({ fs, mounter, rootDir, claims }: VolumeSetupOptions): ClaimOptions {
  return { fs, mounter, rootDir, ...claims };
}
