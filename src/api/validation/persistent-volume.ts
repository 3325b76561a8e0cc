/** Validation of PersistentVolumes and StorageClasses (upstream ValidatePersistentVolume, ValidateStorageClass). */
import { child, type FieldError, forbiddenField, invalidValue, key, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type { PersistentVolume, PersistentVolumeSpec, StorageClass } from '../types.gen.ts';
import { validateAffinity } from './affinity.ts';
import { checkValue, equalJson, immutable, oneOf, requireValue } from './messages.ts';
import { nulErrors } from './no-nul.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateAccessModes, VOLUME_MODES } from './persistent-volume-claim.ts';

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const NO_SPEC: PersistentVolumeSpec = {};

/** Fields of the spec that are no volume source. */
const SETTINGS: ReadonlySet<string> = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

export function validatePersistentVolume(volume: PersistentVolume): FieldError[] {
  return [
    ...validateObjectMeta(volume.metadata, false, checkDns1123Subdomain),
    ...nulErrors(volume.spec, 'spec'),
    ...validateSpec(volume.spec),
  ];
}

export function validatePersistentVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const errors = [...validateObjectMetaUpdate(volume.metadata, old.metadata), ...validateSpec(volume.spec)];
  if (!equalJson(sourceOf(volume.spec), sourceOf(old.spec))) {
    const text = 'spec.persistentvolumesource is immutable after creation';
    errors.push(forbiddenField('spec.persistentvolumesource', text));
  }
  errors.push(...immutable('spec.volumeMode', volume.spec?.volumeMode, old.spec?.volumeMode));
  if (old.spec?.nodeAffinity !== undefined)
    errors.push(...immutable('spec.nodeAffinity', volume.spec?.nodeAffinity, old.spec.nodeAffinity));
  return errors;
}

export function validatePersistentVolumeStatus(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  return validateObjectMetaUpdate(volume.metadata, old.metadata);
}

function sourceOf(spec: PersistentVolumeSpec = NO_SPEC): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec).filter(([name, value]) => !SETTINGS.has(name) && value !== undefined));
}

function validateSpec(spec: PersistentVolumeSpec = NO_SPEC): FieldError[] {
  const { capacity = {}, storageClassName, hostPath, local, nodeAffinity } = spec;
  const errors = validateAccessModes(spec.accessModes, 'spec.accessModes');
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required('spec.capacity'));
  else if (names.length > 1 || names[0] !== 'storage')
    errors.push(notSupported('spec.capacity', capacity, ['storage']));
  for (const [name, quantity] of Object.entries(capacity)) {
    if (parseQuantity(quantity).nano <= 0n)
      errors.push(invalidValue(key('spec.capacity', name), quantity, 'must be greater than zero'));
  }
  errors.push(
    ...oneOf('spec.persistentVolumeReclaimPolicy', spec.persistentVolumeReclaimPolicy, RECLAIM_POLICIES),
    ...oneOf('spec.volumeMode', spec.volumeMode, VOLUME_MODES),
  );
  if (storageClassName) errors.push(...checkValue('spec.storageClassName', storageClassName, checkDns1123Subdomain));
  const [first, ...more] = Object.keys(sourceOf(spec));
  if (first === undefined) errors.push(required('spec', 'must specify a volume type'));
  errors.push(...more.map((name) => forbiddenField(child('spec', name), 'may not specify more than 1 volume type')));
  if (hostPath !== undefined) errors.push(...validatePath('spec.hostPath.path', hostPath.path));
  if (local !== undefined) {
    errors.push(...validatePath('spec.local.path', local.path));
    if (nodeAffinity?.required === undefined)
      errors.push(required('spec.nodeAffinity', 'Local volume requires node affinity'));
  }
  if (nodeAffinity !== undefined) {
    if (nodeAffinity.required === undefined)
      errors.push(required('spec.nodeAffinity.required', 'must specify required node constraints'));
    else errors.push(...validateNodes(nodeAffinity.required));
  }
  return errors;
}

function validatePath(field: string, path: string | undefined): FieldError[] {
  const errors = requireValue(field, path);
  if (path?.split('/').includes('..') === true) errors.push(invalidValue(field, path, "must not contain '..'"));
  return errors;
}

/** A node selector, as in a pod's affinity. */
function validateNodes(
  required: NonNullable<NonNullable<PersistentVolumeSpec['nodeAffinity']>['required']>,
): FieldError[] {
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const there = 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
  return validateAffinity(affinity, 'affinity').map((error) => ({
    ...error,
    field: error.field.replace(there, 'spec.nodeAffinity.required'),
  }));
}

export function validateStorageClass(storageClass: StorageClass): FieldError[] {
  return [
    ...validateObjectMeta(storageClass.metadata, false, checkDns1123Subdomain),
    ...requireValue('provisioner', storageClass.provisioner),
    ...oneOf('reclaimPolicy', storageClass.reclaimPolicy, ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', storageClass.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']),
  ];
}

export function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): FieldError[] {
  const errors = validateObjectMetaUpdate(storageClass.metadata, old.metadata);
  for (const name of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
    if (!equalJson(storageClass[name], old[name]))
      errors.push(forbiddenField(name, `updates to ${name} are forbidden.`));
  }
  return [...errors, ...immutable('volumeBindingMode', storageClass.volumeBindingMode, old.volumeBindingMode)];
}
