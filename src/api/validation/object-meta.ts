/** Validation of `metadata`, for every kind (apimachinery `api/validation/objectmeta.go`). */
import {
  child,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../field-error.ts';
import { checkDns1123Label, checkLabelKey, checkLabelValue, forPrefix, type NameCheck } from '../names.ts';
import { parseApiVersion } from '../resource.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../types.gen.ts';
import { byteLength, checkValue, immutable, NOT_NEGATIVE } from './messages.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;
const MAX_MANAGER_LENGTH = 128;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const NO_META: ObjectMeta = {};

/** A new object's metadata, with its name already generated. */
export function validateObjectMeta(
  meta: ObjectMeta = NO_META,
  namespaced: boolean,
  nameCheck: NameCheck,
  path = 'metadata',
): FieldError[] {
  const errors: FieldError[] = [];
  if (meta.generateName)
    errors.push(...checkValue(child(path, 'generateName'), meta.generateName, forPrefix(nameCheck)));
  if (meta.name) errors.push(...checkValue(child(path, 'name'), meta.name, nameCheck));
  else errors.push(required(child(path, 'name'), 'name or generateName is required'));
  errors.push(...validateNamespace(meta.namespace, namespaced, child(path, 'namespace')));
  if ((meta.generation ?? 0) < 0) errors.push(invalidValue(child(path, 'generation'), meta.generation, NOT_NEGATIVE));
  errors.push(...validateParts(meta, path));
  errors.push(...validateFinalizers(meta.finalizers, child(path, 'finalizers')));
  errors.push(...validateKubeFinalizers(meta.finalizers, child(path, 'finalizers')));
  return errors;
}

/** The changes of metadata that an update may make. */
export function validateObjectMetaUpdate(
  meta: ObjectMeta = NO_META,
  old: ObjectMeta = NO_META,
  path = 'metadata',
): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined)
    errors.push(...validateNoNewFinalizers(meta, old, child(path, 'finalizers')));
  if (!meta.resourceVersion) {
    errors.push(
      invalidValue(child(path, 'resourceVersion'), meta.resourceVersion ?? '', 'must be specified for an update'),
    );
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue(child(path, 'generation'), meta.generation ?? 0, 'must not be decremented'));
  }
  const fixed = [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const;
  for (const name of fixed) errors.push(...immutable(child(path, name), meta[name], old[name]));
  errors.push(...validateParts(meta, path));
  errors.push(...validateKubeFinalizers(meta.finalizers, child(path, 'finalizers'), old.finalizers));
  return errors;
}

function validateParts(meta: ObjectMeta, path: string): FieldError[] {
  return [
    ...validateLabels(meta.labels, child(path, 'labels')),
    ...validateAnnotations(meta.annotations, child(path, 'annotations')),
    ...validateOwnerReferences(meta.ownerReferences, child(path, 'ownerReferences')),
    ...validateManagedFields(meta.managedFields, child(path, 'managedFields')),
  ];
}

function validateNamespace(namespace: string | undefined, namespaced: boolean, path: string): FieldError[] {
  if (!namespaced) return namespace ? [forbiddenField(path, 'not allowed on this type')] : [];
  return namespace ? checkValue(path, namespace, checkDns1123Label) : [required(path)];
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([name, value]) => [
    ...checkValue(path, name, checkLabelKey),
    ...checkValue(path, value, checkLabelValue),
  ]);
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations ?? {})) {
    errors.push(...checkLabelKey(name.toLowerCase()).map((message) => invalidValue(path, name, message)));
    bytes += byteLength(name) + byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(path, MAX_ANNOTATION_BYTES));
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: string): FieldError[] {
  const errors = (references ?? []).flatMap((reference) => validateOwnerReference(reference, path));
  const controllers = (references ?? [])
    .filter((reference) => reference.controller === true)
    .map(({ kind, name }) => `${kind}/${name}`);
  // Reported once, for the first two: each message repeats all references.
  const [one, other] = controllers;
  if (other !== undefined) {
    const text = `Only one reference can have Controller set to true. Found "true" in references for ${one} and ${other}`;
    errors.push(invalidValue(path, references, text));
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (parseApiVersion(reference.apiVersion ?? '').version === '') {
    errors.push(invalidValue(child(path, 'apiVersion'), reference.apiVersion ?? '', 'version must not be empty'));
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (!reference[name]) errors.push(invalidValue(child(path, name), '', 'must not be empty'));
  }
  if (reference.apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(invalidValue(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: string): FieldError[] {
  const errors = (finalizers ?? []).flatMap((name) => checkValue(path, name, checkLabelKey));
  if (finalizers?.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  return errors;
}

/**
 * Built-in kinds require finalizers with the domain of the program that removes them (upstream: validateKubeFinalizerName). A
 * finalizer that was stored before this check existed may stay.
 */
function validateKubeFinalizers(
  finalizers: readonly string[] | undefined,
  path: string,
  old: readonly string[] = [],
): FieldError[] {
  const text = 'name is neither a standard finalizer name nor is it fully qualified';
  return (finalizers ?? []).flatMap((name, position) =>
    name.includes('/') || STANDARD_FINALIZERS.has(name) || old.includes(name)
      ? []
      : [invalidValue(index(path, position), name, text)],
  );
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, path: string): FieldError[] {
  const added = (meta.finalizers ?? []).filter((name) => !old.finalizers?.includes(name)).toSorted();
  if (added.length === 0) return [];
  const list = `[]string{${added.map((name) => JSON.stringify(name)).join(', ')}}`;
  return [
    forbiddenField(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`),
  ];
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[] | undefined, path: string): FieldError[] {
  return (entries ?? []).flatMap((entry, position) => {
    const at = index(path, position);
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(invalidValue(child(at, 'operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    }
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(child(at, 'fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    }
    if (byteLength(entry.manager ?? '') > MAX_MANAGER_LENGTH)
      errors.push(tooLong(child(at, 'manager'), MAX_MANAGER_LENGTH));
    return errors;
  });
}

/** Query options of a write (`fieldManager`, `dryRun`, `fieldValidation`), for the server to check before anything else. */
export function validateWriteOptions(options: {
  readonly fieldManager?: string;
  readonly dryRun?: readonly string[];
  readonly fieldValidation?: string;
}): FieldError[] {
  const errors: FieldError[] = [];
  const { fieldManager = '' } = options;
  if (byteLength(fieldManager) > MAX_MANAGER_LENGTH) errors.push(tooLong('fieldManager', MAX_MANAGER_LENGTH));
  // As Go has it: letters, marks, numbers, punctuation, symbols, and of all blanks the space alone.
  if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(fieldManager))
    errors.push(invalidValue('fieldManager', fieldManager, 'should only contain printable characters'));
  if (options.dryRun?.some((value) => value !== 'All')) errors.push(notSupported('dryRun', options.dryRun, ['All']));
  const modes = ['', 'Ignore', 'Strict', 'Warn'];
  if (!modes.includes(options.fieldValidation ?? ''))
    errors.push(notSupported('fieldValidation', options.fieldValidation, modes));
  return errors;
}
