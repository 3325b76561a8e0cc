/**
 * The paths that CSI drivers know, in upstream's layout. Pure: every part of a path is checked here first.
 *
 *   DIR/plugins_registry/*.sock                                          registration
 *   DIR/plugins/kubernetes.io/csi/DRIVER/HASH/globalmount                staging
 *   DIR/pods/UID/volumes/kubernetes.io~csi/NAME/mount                    publishing
 *   DIR/plugins/kubernetes.io/csi/volumeDevices/staging/NAME             staging of block devices
 *   DIR/plugins/kubernetes.io/csi/volumeDevices/publish/NAME/UID         publishing of block devices
 */
import type { PodUID } from '../types.ts';
import { MAX_DRIVER_NAME_LENGTH } from './limits.ts';

const DRIVER = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const UID = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,126}[A-Za-z0-9])?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

export function isDriverName(name: string): boolean {
  return name.length <= MAX_DRIVER_NAME_LENGTH && DRIVER.test(name) && !name.includes('..');
}

export function registryDir(kubeletDir: string): string {
  return `${kubeletDir}/plugins_registry`;
}

/** @param hash of the volume's handle. Throws for an invalid name of a driver */
export function stagingPath(kubeletDir: string, driver: string, hash: string): string {
  return `${pluginDir(kubeletDir)}/${checked(driver, isDriverName, 'name of a CSI driver')}/${hash}/globalmount`;
}

/** @param name of the PersistentVolume, or of the pod's volume. Throws for an invalid UID or name */
export function targetPath(kubeletDir: string, uid: PodUID, name: string): string {
  return `${podDir(kubeletDir, uid)}/volumes/kubernetes.io~csi/${checkedName(name)}/mount`;
}

/** The pod's folder below `kubeletDir`. Throws for an invalid UID. */
export function podDir(kubeletDir: string, uid: PodUID): string {
  return `${kubeletDir}/pods/${checked(uid, (text) => UID.test(text) && !text.includes('..'), 'pod UID')}`;
}

/** @param name of the PersistentVolume. Throws for an invalid one */
export function blockStagingPath(kubeletDir: string, name: string): string {
  return `${pluginDir(kubeletDir)}/volumeDevices/staging/${checkedName(name)}`;
}

/** @param name of the PersistentVolume. Throws for an invalid UID or name */
export function blockTargetPath(kubeletDir: string, uid: PodUID, name: string): string {
  podDir(kubeletDir, uid);
  return `${pluginDir(kubeletDir)}/volumeDevices/publish/${checkedName(name)}/${uid}`;
}

/** The folder of a path. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function pluginDir(kubeletDir: string): string {
  return `${kubeletDir}/plugins/kubernetes.io/csi`;
}

function checkedName(name: string): string {
  return checked(name, (text) => NAME.test(text) && !text.includes('..'), 'volume name');
}

function checked(text: string, isValid: (text: string) => boolean, what: string): string {
  if (!isValid(text)) throw new Error(`invalid ${what} ${JSON.stringify(text)}`);
  return text;
}
