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
import { checkDns1123Subdomain } from '../names.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { checkValue, oneOf } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];
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
  const { storageClassName, resources } = spec;
  const storage = resources?.requests?.['storage'];
  const errors = [
    ...validateAccessModes(spec.accessModes, child(path, 'accessModes')),
    ...validateLabelSelector(spec.selector, child(path, 'selector')),
    ...oneOf(child(path, 'volumeMode'), spec.volumeMode, VOLUME_MODES),
  ];
  if (storage === undefined) errors.push(required(key(child(path, 'resources'), 'storage')));
  else if (parseQuantity(storage).nano <= 0n)
    errors.push(invalidValue(key(child(path, 'resources'), 'storage'), storage, 'must be greater than zero'));
  if (storageClassName)
    errors.push(...checkValue(child(path, 'storageClassName'), storageClassName, checkDns1123Subdomain));
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
  if (dataSource === undefined || dataSourceRef === undefined || dataSourceRef.namespace) return errors;
  const isSame = (['apiGroup', 'kind', 'name'] as const).every(
    (name) => (dataSource[name] ?? null) === (dataSourceRef[name] ?? null),
  );
  if (!isSame) errors.push(invalidValue(path, {}, 'must match dataSourceRef'));
  return errors;
}

/** A bound claim may ask for more room; one that is not bound may be given its volume, and its class when it has none. */
export function validatePersistentVolumeClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): FieldError[] {
  const errors = [...validateObjectMetaUpdate(claim.metadata, old.metadata), ...validateClaimSpec(claim.spec, 'spec')];
  const bound = old.status?.phase === 'Bound';
  const before = old.spec ?? NO_SPEC;
  const free = new Set<string>(bound ? ['resources', 'volumeAttributesClassName'] : []);
  if (!before.volumeName) {
    free.add('volumeName');
    if (before.storageClassName === undefined) free.add('storageClassName');
  }
  const fixedOf = (spec: PersistentVolumeClaimSpec = NO_SPEC): object =>
    Object.fromEntries(Object.entries(spec).filter(([name]) => !free.has(name)));
  if (!semanticallyEqual('core.v1.PersistentVolumeClaimSpec', fixedOf(claim.spec), fixedOf(before))) {
    const text =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField('spec', text));
  }
  const asked = claim.spec?.resources?.requests?.['storage'];
  const capacity = old.status?.capacity?.['storage'];
  if (asked !== undefined && capacity !== undefined && bound && asked !== before.resources?.requests?.['storage'])
    if (compareQuantities(asked, capacity) < 0)
      errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  return errors;
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
  return errors;
}
