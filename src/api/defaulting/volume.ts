/** Defaults of volumes (upstream `SetDefaults_Volume` and those of each source). They fill a draft in place. */
import type { DownwardAPIVolumeFile, PersistentVolumeSpec, Volume, VolumeProjection } from '../types.gen.ts';
import { defaultPullPolicy } from './image-name.ts';

const FILE_MODE = 0o644;
const TOKEN_EXPIRATION_SECONDS = 3600;

export function defaultVolume(volume: Volume): void {
  // A volume without a source is an emptyDir.
  if (Object.keys(volume).every((name) => name === 'name')) volume.emptyDir = {};
  if (volume.secret !== undefined) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  if (volume.image !== undefined) volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? '');
  defaultSource(volume);
  if (volume.ephemeral?.volumeClaimTemplate !== undefined)
    (volume.ephemeral.volumeClaimTemplate.spec ??= {}).volumeMode ??= 'Filesystem';
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    defaultFieldRefs(volume.downwardAPI.items);
  }
  if (volume.projected !== undefined) {
    volume.projected.defaultMode ??= FILE_MODE;
    volume.projected.sources?.forEach(defaultProjection);
  }
}

/** Sources that volumes of pods and persistent ones have in common. */
export function defaultSource({ iscsi, rbd, azureDisk, scaleIO }: Volume | PersistentVolumeSpec): void {
  if (iscsi !== undefined) iscsi.iscsiInterface ||= 'default';
  if (rbd !== undefined) {
    rbd.pool ||= 'rbd';
    rbd.user ||= 'admin';
    rbd.keyring ||= '/etc/ceph/keyring';
  }
  if (azureDisk !== undefined) {
    azureDisk.cachingMode ??= 'ReadWrite';
    azureDisk.kind ??= 'Shared';
    azureDisk.fsType ??= 'ext4';
    azureDisk.readOnly ??= false;
  }
  if (scaleIO !== undefined) {
    scaleIO.storageMode ||= 'ThinProvisioned';
    scaleIO.fsType ||= 'xfs';
  }
}

function defaultProjection(source: VolumeProjection): void {
  // Behind gates that are closed.
  delete source.clusterTrustBundle;
  delete source.podCertificate;
  if (source.serviceAccountToken !== undefined)
    source.serviceAccountToken.expirationSeconds ??= TOKEN_EXPIRATION_SECONDS;
  defaultFieldRefs(source.downwardAPI?.items);
}

function defaultFieldRefs(items: readonly DownwardAPIVolumeFile[] | undefined): void {
  for (const item of items ?? []) {
    if (item.fieldRef !== undefined) item.fieldRef.apiVersion ||= 'v1';
  }
}
