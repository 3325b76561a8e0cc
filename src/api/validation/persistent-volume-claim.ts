/** Validation of PersistentVolumeClaims, by themselves and as templates (upstream ValidatePersistentVolumeClaim). */
import {
  child,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  key,
  notSupported,
  required,
} from '../field-error.ts';
import { checkDns1123Subdomain, checkLabelKey } from '../names.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { checkValue, NOT_NEGATIVE, oneOf } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];
/** In the order in which upstream names them. */
const RESIZE_STATES: readonly string[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
];
const NO_SPEC: PersistentVolumeClaimSpec = {};

export function validatePersistentVolumeClaim(claim: PersistentVolumeClaim): FieldError[] {
  return [...validateObjectMeta(claim.metadata, true, checkDns1123Subdomain), ...validateClaimSpec(claim.spec, 'spec')];
}

/** The modes of a claim or volume: at least one, and the one for a single pod alone. */
export function validateAccessModes(modes: readonly string[] | undefined, path: string): FieldError[] {
  if (modes === undefined || modes.length === 0) return [required(path, 'at least 1 access mode is required')];
  const errors = modes.flatMap((mode, position) =>
    ACCESS_MODES.includes(mode) ? [] : [notSupported(index(path, position), mode, ACCESS_MODES)],
  );
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    errors.push(forbiddenField(path, 'may not use ReadWriteOncePod with other access modes'));
  return errors;
}

export function validateClaimSpec(spec: PersistentVolumeClaimSpec = NO_SPEC, path: string): FieldError[] {
  const { resources } = spec;
  const storage = resources?.requests?.['storage'];
  const errors = [
    ...validateAccessModes(spec.accessModes, child(path, 'accessModes')),
    ...validateLabelSelector(spec.selector, child(path, 'selector')),
    ...oneOf(child(path, 'volumeMode'), spec.volumeMode, VOLUME_MODES),
  ];
  if (storage === undefined) errors.push(required(key(child(path, 'resources'), 'storage')));
  else if (parseQuantity(storage).nano <= 0n)
    errors.push(invalidValue(key(child(path, 'resources'), 'storage'), storage, 'must be greater than zero'));
  for (const field of ['storageClassName', 'volumeAttributesClassName'] as const) {
    const className = spec[field];
    if (className) errors.push(...checkValue(child(path, field), className, checkDns1123Subdomain));
  }
  return [...errors, ...validateDataSources(spec, path)];
}

/** Upstream: validateDataSource, validateDataSourceRef. In a claim both are given or mirrored, and agree. */
function validateDataSources(spec: PersistentVolumeClaimSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['dataSource', 'dataSourceRef'] as const) {
    const source = spec[field];
    if (source === undefined) continue;
    const at = child(path, field);
    const { apiGroup, kind, name } = source;
    if (name === '') errors.push(required(child(at, 'name')));
    if (kind === '') errors.push(required(child(at, 'kind')));
    if (!apiGroup && kind !== 'PersistentVolumeClaim')
      errors.push(invalidValue(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
    else if (apiGroup) errors.push(...checkValue(child(at, 'apiGroup'), apiGroup, checkDns1123Subdomain));
  }
  const { dataSource, dataSourceRef } = spec;
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  if (dataSourceRef.namespace)
    return [...errors, invalidValue(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  const isSame = (['apiGroup', 'kind', 'name'] as const).every(
    (name) => (dataSource[name] ?? null) === (dataSourceRef[name] ?? null),
  );
  if (!isSame) errors.push(invalidValue(path, {}, 'must match dataSourceRef'));
  return errors;
}

/**
 * A bound claim may ask for more room, for less than it asked for but more than it has (after an expansion that failed), and for
 * another class of attributes. One that is not bound may be given its volume, and its class when it has none. */
export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const errors = [...validateObjectMetaUpdate(claim.metadata, old.metadata), ...validateClaimSpec(claim.spec, 'spec')];
  const bound = old.status?.phase === 'Bound';
  const before = old.spec ?? NO_SPEC;
  const free = new Set<string>(bound ? ['volumeAttributesClassName'] : []);
  if (!before.volumeName) {
    free.add('volumeName');
    if (before.storageClassName === undefined) free.add('storageClassName');
  }
  const fixedOf = (spec: PersistentVolumeClaimSpec = NO_SPEC): object => {
    const { resources = {} } = spec;
    const { storage: _, ...requests } = resources.requests ?? {};
    const fixed = bound ? { ...spec, resources: { ...resources, requests } } : spec;
    return Object.fromEntries(Object.entries(fixed).filter(([name]) => !free.has(name)));
  };
  if (!semanticallyEqual('core.v1.PersistentVolumeClaimSpec', fixedOf(claim.spec), fixedOf(before))) {
    const text =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField('spec', text));
  }
  return [...errors, ...checkShrinking(claim, old), ...checkAttributesClass(claim, old)];
}

function checkShrinking(claim: PersistentVolumeClaim, { spec, status }: PersistentVolumeClaim): FieldError[] {
  const asked = storageOf(claim.spec?.resources?.requests);
  const isLess = compareQuantities(asked, storageOf(spec?.resources?.requests)) < 0;
  if (!isLess || compareQuantities(asked, storageOf(status?.capacity)) > 0) return [];
  return [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

function storageOf(amounts: Readonly<Record<string, string>> | undefined): string {
  return amounts?.['storage'] ?? '0';
}

/** Once the volume has attributes by a class, it cannot be without one. */
function checkAttributesClass({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const name = spec?.volumeAttributesClassName;
  if (name === old.spec?.volumeAttributesClassName || name) return [];
  if (old.status?.currentVolumeAttributesClassName === undefined) return [];
  const what = name === undefined ? 'nil' : 'empty string';
  const text = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbiddenField('spec.volumeAttributesClassName', text)];
}

export function validatePersistentVolumeClaimStatus(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const { accessModes, capacity = {} } = claim.status ?? {};
  const errors = validateObjectMetaUpdate(claim.metadata, old.metadata);
  for (const [name, quantity] of Object.entries(capacity)) {
    if (parseQuantity(quantity).nano < 0n)
      errors.push(invalidValue(key('status.capacity', name), quantity, 'must be greater than or equal to 0'));
  }
  (accessModes ?? []).forEach((mode, position) => {
    if (!ACCESS_MODES.includes(mode))
      errors.push(notSupported(index('status.accessModes', position), mode, ACCESS_MODES));
  });
  return [...errors, ...validateAllocated(claim)];
}

/** What an expansion has asked for, and how far it is. */
function validateAllocated({ status }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, state] of Object.entries(status?.allocatedResourceStatuses ?? {})) {
    const field = 'status.allocatedResourceStatuses';
    errors.push(...checkResource(name, field));
    // Upstream names the resource as the bad value.
    if (!RESIZE_STATES.includes(state)) errors.push(notSupported(field, name, RESIZE_STATES));
  }
  for (const [name, quantity] of Object.entries(status?.allocatedResources ?? {})) {
    const wrong = checkResource(name, 'status.allocatedResources');
    errors.push(...wrong);
    if (wrong.length === 0 && parseQuantity(quantity).nano < 0n)
      errors.push(invalidValue(key('status.allocatedResources', name), quantity, NOT_NEGATIVE));
  }
  return errors;
}

/** Kubernetes' own resources of a claim are `storage` alone; others have a domain (upstream: validatePersistentVolumeClaimResourceKey). */
function checkResource(name: string, field: string): FieldError[] {
  const errors = checkValue(field, name, checkLabelKey);
  if (errors.length > 0) return errors;
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  return isNative && name !== 'storage' ? [notSupported(field, name, ['storage'])] : [];
}
