/**
 * Volumes of storage systems, in pods and as persistent volumes: their required fields (upstream `validateVolumeSource`, by
 * source). No node of ours mounts them except through CSI; they are checked because manifests are for other clusters, too.
 */
import { child, type FieldError, invalidValue, notSupported, required } from '../field-error.ts';
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  PersistentVolumeSpec,
  QuobyteVolumeSource,
  Volume,
} from '../types.gen.ts';
import { oneOf } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The required fields, in upstream's order. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  gcePersistentDisk: ['pdName'],
  awsElasticBlockStore: ['volumeID'],
  gitRepo: ['repository'],
  iscsi: ['targetPortal', 'iqn'],
  glusterfs: ['endpoints', 'path'],
  rbd: ['monitors', 'image'],
  flexVolume: ['driver'],
  cinder: ['volumeID'],
  cephfs: ['monitors'],
  azureFile: ['secretName', 'shareName'],
  vsphereVolume: ['volumePath'],
  azureDisk: ['diskName', 'diskURI'],
  photonPersistentDisk: ['pdID'],
  portworxVolume: ['volumeID'],
  scaleIO: ['gateway', 'system', 'volumeName'],
  storageos: ['volumeName'],
};

/** Upstream's errors call it by its old name. */
const NAMES_IN_ERRORS: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** Sources whose secret must have a name. */
const WITH_NAMED_SECRET: ReadonlySet<string> = new Set(['cinder', 'storageos']);

/** A logical unit's number. */
const MAX_LUN = 255;

export function validateStorageSources(source: Volume | PersistentVolumeSpec, path: string): FieldError[] {
  return Object.entries(source).flatMap(([name, value]: [string, unknown]) => {
    if (!isFields(value)) return [];
    const at = child(path, NAMES_IN_ERRORS[name] ?? name);
    const needed = (Object.hasOwn(NEEDED, name) ? NEEDED[name] : undefined) ?? [];
    const errors = needed.filter((field) => isEmpty(value[field])).map((field) => required(child(at, field)));
    return [...errors, ...validateSecret(name, value, at), ...validateDetails(name, value, at)];
  });
}

function validateSecret(name: string, { secretRef }: Fields, path: string): FieldError[] {
  if (!WITH_NAMED_SECRET.has(name) || !isFields(secretRef) || !isEmpty(secretRef['name'])) return [];
  return [required(child(path, 'secretRef', 'name'))];
}

function validateDetails(name: string, value: Fields, path: string): FieldError[] {
  switch (name) {
    case 'iscsi':
      return validateIscsi(value, path);
    case 'fc':
      return validateFibreChannel(value, path);
    case 'flocker':
      return validateFlocker(value, path);
    case 'quobyte':
      return validateQuobyte(value, path);
    case 'azureDisk':
      return validateAzureDisk(value, path);
    default:
      return [];
  }
}

const ISCSI_NAME = 'must be valid format starting with iqn, eui, or naa';

function validateIscsi(source: Partial<ISCSIVolumeSource>, path: string): FieldError[] {
  const { iqn, lun = 0, initiatorName, secretRef } = source;
  const errors: FieldError[] = [];
  if (iqn && !isIscsiName(iqn)) errors.push(invalidValue(child(path, 'iqn'), iqn, ISCSI_NAME));
  errors.push(...validateLun(lun, child(path, 'lun')));
  if ((source.chapAuthDiscovery || source.chapAuthSession) && secretRef === undefined)
    errors.push(required(child(path, 'secretRef')));
  if (initiatorName !== undefined && !isIscsiName(initiatorName))
    errors.push(invalidValue(child(path, 'initiatorname'), initiatorName, ISCSI_NAME));
  return errors;
}

function isIscsiName(name: string): boolean {
  return /^(iqn\.\d{4}-\d{2}\.[A-Za-z0-9.]+(:.+)?|eui\.[0-9A-Fa-f]+|naa\.[0-9A-Fa-f]+)/.test(name);
}

function validateLun(lun: number, path: string): FieldError[] {
  return lun < 0 || lun > MAX_LUN ? [invalidValue(path, lun, `must be between 0 and ${MAX_LUN}, inclusive`)] : [];
}

function validateFibreChannel({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, path: string): FieldError[] {
  const at = child(path, 'targetWWNs');
  if (targetWWNs.length === 0 && wwids.length === 0)
    return [required(at, 'must specify either targetWWNs or wwids, but not both')];
  if (targetWWNs.length > 0 && wwids.length > 0)
    return [invalidValue(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')];
  if (targetWWNs.length === 0) return [];
  if (lun === undefined) return [required(child(path, 'lun'), 'lun is required if targetWWNs is specified')];
  return validateLun(lun, child(path, 'lun'));
}

function validateFlocker({ datasetName, datasetUUID }: FlockerVolumeSource, path: string): FieldError[] {
  if (!datasetName && !datasetUUID) return [required(path, 'one of datasetName and datasetUUID is required')];
  const errors: FieldError[] = [];
  if (datasetName && datasetUUID)
    errors.push(invalidValue(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName?.includes('/'))
    errors.push(invalidValue(child(path, 'datasetName'), datasetName, "must not contain '/'"));
  return errors;
}

function validateQuobyte({ registry, volume }: Partial<QuobyteVolumeSource>, path: string): FieldError[] {
  const at = child(path, 'registry');
  const text = 'must be a host:port pair or multiple pairs separated by commas';
  const errors: FieldError[] = [];
  if (!registry) errors.push(required(at, text));
  else if (!registry.split(',').every((pair) => /^\[?[^\]]+\]?:[^:]+$/.test(pair)))
    errors.push(invalidValue(at, registry, text));
  if (!volume) errors.push(required(child(path, 'volume')));
  return errors;
}

const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';

function validateAzureDisk(source: Partial<AzureDiskVolumeSource>, path: string): FieldError[] {
  const { diskURI = '', cachingMode, kind } = source;
  const errors = [
    ...oneOf(child(path, 'cachingMode'), cachingMode, ['None', 'ReadOnly', 'ReadWrite']),
    ...oneOf(child(path, 'kind'), kind, ['Dedicated', 'Managed', 'Shared']),
  ];
  const at = child(path, 'diskURI');
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions'))
    errors.push(notSupported(at, diskURI, [MANAGED_URI]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://')) errors.push(notSupported(at, diskURI, [BLOB_URI]));
  return errors;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
