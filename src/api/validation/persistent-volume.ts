/** Validation of PersistentVolumes and StorageClasses (upstream ValidatePersistentVolume, ValidateStorageClass). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  key,
  notSupported,
  required,
} from '../field-error.ts';
import { checkDns1123Subdomain, checkLabelKey } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type {
  PersistentVolume,
  PersistentVolumeSpec,
  StorageClass,
  TopologySelectorLabelRequirement,
  TopologySelectorTerm,
} from '../types.gen.ts';
import { validateAffinity } from './affinity.ts';
import { checkValue, equalJson, immutable, oneOf, requireValue } from './messages.ts';
import { nulErrors } from './no-nul.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateAccessModes, VOLUME_MODES } from './persistent-volume-claim.ts';
import { validateStorageSources } from './storage-sources.ts';
import { validateNfs } from './volume-sources.ts';

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
  if (!equalJson(sourceOf(withoutNewExpandSecret(volume.spec, old.spec)), sourceOf(old.spec))) {
    const text = 'spec.persistentvolumesource is immutable after creation';
    errors.push(forbiddenField('spec.persistentvolumesource', text));
  }
  errors.push(...immutable('spec.volumeMode', volume.spec?.volumeMode, old.spec?.volumeMode));
  if (old.spec?.nodeAffinity !== undefined)
    errors.push(...immutable('spec.nodeAffinity', volume.spec?.nodeAffinity, old.spec.nodeAffinity));
  if (old.spec?.volumeAttributesClassName !== undefined && volume.spec?.volumeAttributesClassName === undefined) {
    const text = 'update from non-nil value to nil is forbidden';
    errors.push(forbiddenField('spec.volumeAttributesClassName', text));
  }
  return errors;
}

/** The secret for expanding may be given to a volume of a CSI driver that has none. */
function withoutNewExpandSecret(
  spec: PersistentVolumeSpec = NO_SPEC,
  old: PersistentVolumeSpec = NO_SPEC,
): PersistentVolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...spec, csi };
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
  errors.push(...validateStorageSources(spec, 'spec'), ...validateMounted(spec));
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

/** Those that must name what they refer to; upstream forgets nodeStageSecretRef. */
const SECRETS_OF_CSI = [
  'controllerPublishSecretRef',
  'nodePublishSecretRef',
  'controllerExpandSecretRef',
  'nodeExpandSecretRef',
] as const;

/** The sources that our nodes can mount, and their required fields. */
function validateMounted({ nfs, csi, volumeAttributesClassName }: PersistentVolumeSpec): FieldError[] {
  const errors = nfs === undefined ? [] : validateNfs(nfs, 'spec.nfs');
  if (csi !== undefined) {
    errors.push(
      ...requireValue('spec.csi.driver', csi.driver),
      ...requireValue('spec.csi.volumeHandle', csi.volumeHandle),
    );
    for (const name of SECRETS_OF_CSI) {
      const secret = csi[name];
      if (secret === undefined) continue;
      const at = child('spec.csi', name);
      errors.push(...requireValue(child(at, 'name'), secret.name));
      errors.push(...requireValue(child(at, 'namespace'), secret.namespace));
    }
  }
  if (volumeAttributesClassName === undefined) return errors;
  const field = 'spec.volumeAttributesClassName';
  if (volumeAttributesClassName === '') errors.push(required(field, 'an empty string is disallowed'));
  else errors.push(...checkValue(field, volumeAttributesClassName, checkDns1123Subdomain));
  if (csi === undefined) errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'));
  return errors;
}

/** Upstream: ValidateTopologySelectorTerm; two terms that say the same are one too many. */
function validateTopologies(terms: readonly TopologySelectorTerm[] = []): FieldError[] {
  const errors: FieldError[] = [];
  const taken = new Set<string>();
  terms.forEach((term, position) => {
    const at = child(index('allowedTopologies', position), 'matchLabelExpressions');
    const expressions = term.matchLabelExpressions ?? [];
    if (expressions.length === 0) errors.push(duplicate(at, ''));
    const keys = new Set<string>();
    expressions.forEach(({ key: name = '', values = [] }: Partial<TopologySelectorLabelRequirement>, nth) => {
      const where = index(at, nth);
      if (values === null || values.length === 0) errors.push(required(child(where, 'values')));
      errors.push(...checkValue(child(where, 'key'), name, checkLabelKey));
      if (keys.has(name)) errors.push(duplicate(child(where, 'key'), name));
      keys.add(name);
    });
    const text = JSON.stringify(expressions);
    if (taken.has(text) && expressions.length > 0) errors.push(duplicate(at, ''));
    taken.add(text);
  });
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
    // An empty one is let through, as upstream does.
    ...(storageClass.reclaimPolicy ? oneOf('reclaimPolicy', storageClass.reclaimPolicy, ['Delete', 'Retain']) : []),
    ...validateTopologies(storageClass.allowedTopologies),
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
