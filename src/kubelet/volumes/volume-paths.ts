/** The paths of a pod's volumes, in upstream's layout. Pure: every part of a path is checked here first. */
import type { PodUID } from '../types.ts';

const UID = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,126}[A-Za-z0-9])?$/;
const VOLUME_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export type VolumePlugin = 'empty-dir' | 'configmap' | 'secret' | 'downward-api' | 'projected' | 'local-volume' | 'nfs';

export function isPodUid(text: string): boolean {
  return UID.test(text) && !text.includes('..');
}

export function podsDir(rootDir: string): string {
  return `${rootDir}/pods`;
}

/** Throws for a UID that is not one: it would become a path. */
export function podDir(rootDir: string, uid: PodUID): string {
  if (!isPodUid(uid)) throw new Error(`invalid pod UID ${JSON.stringify(uid)}`);
  return `${podsDir(rootDir)}/${uid}`;
}

/** Name of the volume that a path below a pod's folder belongs to. */
export function volumeNameOf(path: string): string | undefined {
  return /\/(?:volumes\/kubernetes\.io~[a-z-]+|volume-subpaths)\/([^/]+)/.exec(path)?.[1];
}

/** The plugin in such a path. */
export function pluginAt(path: string): string | undefined {
  return /\/volumes\/kubernetes\.io~([a-z-]+)\//.exec(path)?.[1];
}

/** ROOT/pods/UID/volumes/kubernetes.io~PLUGIN/NAME. Throws for an invalid name. */
export function volumeDir(rootDir: string, uid: PodUID, plugin: VolumePlugin, name: string): string {
  if (!VOLUME_NAME.test(name)) throw new Error(`invalid volume name ${JSON.stringify(name)}`);
  return `${volumesDirOf(rootDir, uid, plugin)}/${name}`;
}

/** Where all volumes of one kind are. Throws for an invalid UID. */
export function volumesDirOf(rootDir: string, uid: PodUID, plugin: VolumePlugin): string {
  return `${podDir(rootDir, uid)}/volumes/kubernetes.io~${plugin}`;
}

/** The part of a volume that a container has mounted: only that folder or file, below this folder. */
export interface SubPathPlace {
  readonly volume: string;
  readonly container: string;
  /** Of the mount among the container's. */
  readonly index: number;
}

/** Where all such mounts of one volume are. Throws for an invalid name. */
export function subPathsDir(rootDir: string, uid: PodUID, volume: string): string {
  if (!VOLUME_NAME.test(volume)) throw new Error(`invalid volume name ${JSON.stringify(volume)}`);
  return `${podDir(rootDir, uid)}/volume-subpaths/${volume}`;
}

/** ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/INDEX; a file's with `-file` at its end. Throws for an invalid name. */
export function subPathPoint(
  rootDir: string,
  uid: PodUID,
  { volume, container, index }: SubPathPlace,
  file: boolean,
): string {
  for (const name of [volume, container])
    if (!VOLUME_NAME.test(name)) throw new Error(`invalid name ${JSON.stringify(name)}`);
  return `${podDir(rootDir, uid)}/volume-subpaths/${volume}/${container}/${index}${file ? '-file' : ''}`;
}
