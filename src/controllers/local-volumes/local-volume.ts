/** What the volume of a claim is like when a node makes a folder for it, and which claims can have one. Pure. */
import {
  isConditionTrue,
  LOCAL_PROVISIONER,
  LOCAL_VOLUME_FINALIZER,
  nameOf,
  namespaceOf,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PROVISIONED_BY,
  quantityValue,
  type StorageClass,
  uidOf,
} from '../../api/index.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export function localVolumeName(claim: PersistentVolumeClaim): string {
  return `pvc-${uidOf(claim)}`;
}

export function askedBytes(claim: PersistentVolumeClaim): number {
  return quantityValue(claim.spec?.resources?.requests?.['storage'] ?? '0');
}

/** Why a folder cannot be what the claim or its class asks for; undefined: it can. */
export function whyNoFolder({ spec }: PersistentVolumeClaim, storageClass: StorageClass): string | undefined {
  const shared = (spec?.accessModes ?? []).find((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');
  if (shared !== undefined)
    return `access mode ${shared} is not supported: the volume is a folder of one node. Ask for ReadWriteOnce or ReadWriteOncePod`;
  if (spec?.volumeMode === 'Block') return 'block volumes are not supported: the volume is a folder';
  if (spec?.selector !== undefined && spec.selector !== null) return 'claim.spec.selector is not supported';
  if (spec?.dataSource !== undefined || spec?.dataSourceRef !== undefined)
    return 'claim.spec.dataSource is not supported: the volume begins empty';
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer')
    return 'volumeBindingMode must be WaitForFirstConsumer: the folder is made on the node of the first pod';
  if ((storageClass.mountOptions ?? []).length > 0) return 'mountOptions are not supported: the volume is a folder';
  const [parameter] = Object.keys(storageClass.parameters ?? {});
  return parameter === undefined ? undefined : `unknown parameter "${parameter}"`;
}

/** @param path of the folder on the node */
export function localVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node,
  path: string,
): PersistentVolume {
  const { accessModes = [], resources } = claim.spec ?? {};
  const values = [node.metadata?.labels?.[HOSTNAME] ?? nameOf(node)];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: localVolumeName(claim),
      annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER },
      finalizers: [LOCAL_VOLUME_FINALIZER],
    },
    spec: {
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      accessModes: [...accessModes],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: nameOf(storageClass),
      volumeMode: 'Filesystem',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: namespaceOf(claim),
        name: nameOf(claim),
        uid: uidOf(claim),
      },
      local: { path },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] }] },
      },
    },
  };
}

/** The UID of the claim for which the folder was made, which its name holds. */
export function handleOf(volume: PersistentVolume): string {
  return nameOf(volume).replace(/^pvc-/, '');
}

/** Whether the node is heard, so that a question to it is worth while. */
export function isHeard({ status }: Node): boolean {
  return isConditionTrue(status?.conditions, 'Ready');
}
