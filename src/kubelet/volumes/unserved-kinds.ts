/**
 * Kinds of volumes that pods and PersistentVolumes may name and that this node does not mount. Upstream accepts them as well, and
 * hands them to CSI drivers or has given them up. Pure.
 */
import { VolumeError } from './payload.ts';

/** Field → the CSI driver that serves it (upstream: csi-translation-lib, or the driver's own page). */
const DRIVERS: Readonly<Record<string, string>> = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  cephfs: 'cephfs.csi.ceph.com',
  cinder: 'cinder.csi.openstack.org',
  fc: 'fc.csi.k8s.io',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  iscsi: 'iscsi.csi.k8s.io',
  portworxVolume: 'pxd.portworx.com',
  quobyte: 'csi.quobyte.com',
  rbd: 'rbd.csi.ceph.com',
  scaleIO: 'csi-vxflexos.dellemc.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
};

/** Field → what to use instead: no driver took these over. */
const INSTEAD: Readonly<Record<string, string>> = {
  flexVolume: 'the CSI driver of its vendor',
  flocker: 'another kind of storage, as Kubernetes has none for it any more',
  gitRepo: 'an emptyDir that an init container fills with git clone',
  glusterfs: 'another kind of storage, as Kubernetes has none for it any more',
  photonPersistentDisk: 'another kind of storage, as Kubernetes has none for it any more',
  storageos: 'another kind of storage, as Kubernetes has none for it any more',
};

/** All kinds that are known and not served. */
export const UNSERVED: readonly string[] = [...Object.keys(DRIVERS), ...Object.keys(INSTEAD)].sort();

/** Why the source cannot be mounted, or `undefined` when it names no kind that is known. */
export function unservedProblem(source: Readonly<Record<string, unknown>>): VolumeError | undefined {
  const kind = UNSERVED.find((name) => source[name] !== undefined);
  if (kind === undefined) return undefined;
  return new VolumeError(`no volume plugin matched: this node mounts no ${kind} volumes; ${advice(kind)}`);
}

function advice(kind: string): string {
  const driver = DRIVERS[kind];
  if (driver !== undefined) return `its CSI driver ${driver} serves them as volumes of kind csi`;
  return `use ${INSTEAD[kind] ?? 'another kind'}`;
}

/** For a volume of a driver on a node that runs none. */
export function noDrivers(driver: string): VolumeError {
  return new VolumeError(
    `no volume plugin matched: the CSI driver ${driver} serves this volume, and this node runs no CSI drivers, for it has no folder for them (--kubelet-dir)`,
  );
}
