/** Validation of the volume sources: one function each (upstream `validateVolumeSource`). */
import { child, type FieldError, forbiddenField, index, invalidValue, required } from '../field-error.ts';
import { checkConfigMapKey, checkDns1123Subdomain } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type {
  DownwardAPIVolumeFile,
  KeyToPath,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '../types.gen.ts';
import { validateFieldRef, validateResourceFieldRef } from './env.ts';
import { oneOf, requireValue } from './messages.ts';
import { validateAnnotations, validateLabels } from './object-meta.ts';
import { validateClaimSpec } from './persistent-volume-claim.ts';
import { backstepErrors, localPathErrors } from './volume-mounts.ts';

type Source<K extends keyof Volume> = NonNullable<Volume[K]>;

const MAX_FILE_MODE = 0o777;
const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DOWNWARD_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

export function validateHostPath(source: Source<'hostPath'>, path: string): FieldError[] {
  if (!source.path) return [required(child(path, 'path'))];
  return [
    ...backstepErrors(source.path, child(path, 'path')),
    ...oneOf(child(path, 'type'), source.type, HOST_PATH_TYPES),
  ];
}

export function validateEmptyDir(source: Source<'emptyDir'>, path: string): FieldError[] {
  if (source.sizeLimit === undefined || parseQuantity(source.sizeLimit).nano >= 0n) return [];
  return [forbiddenField(child(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
}

export function validateSecretSource(source: Source<'secret'>, path: string): FieldError[] {
  return [...requireValue(child(path, 'secretName'), source.secretName), ...validateFiles(source, path)];
}

export function validateConfigMapSource(source: Source<'configMap'>, path: string): FieldError[] {
  return [...requireValue(child(path, 'name'), source.name), ...validateFiles(source, path)];
}

function validateFiles(
  source: { readonly defaultMode?: number; readonly items?: readonly KeyToPath[] },
  path: string,
): FieldError[] {
  return [
    ...validateMode(source.defaultMode, child(path, 'defaultMode')),
    ...validateItems(source.items, child(path, 'items')),
  ];
}

function validateItems(items: readonly KeyToPath[] | undefined, path: string): FieldError[] {
  return (items ?? []).flatMap((item, position) => {
    const at = index(path, position);
    const errors = requireValue(child(at, 'key'), item.key, checkConfigMapKey);
    return [
      ...errors,
      ...validateFilePath(item.path, child(at, 'path')),
      ...validateMode(item.mode, child(at, 'mode')),
    ];
  });
}

function validateMode(mode: number | undefined, path: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > MAX_FILE_MODE) ? [invalidValue(path, mode, FILE_MODE)] : [];
}

/** Names beginning with '..' are the kubelet's own (the atomic writer's links). */
function validateFilePath(path: string | undefined, field: string): FieldError[] {
  if (!path) return [required(field)];
  const errors = localPathErrors(path, field);
  if (path.startsWith('..') && !path.startsWith('../') && path !== '..')
    errors.push(invalidValue(field, path, "must not start with '..'"));
  return errors;
}

export function validateDownwardApi(source: Source<'downwardAPI'>, path: string): FieldError[] {
  return [
    ...validateMode(source.defaultMode, child(path, 'defaultMode')),
    ...validateDownwardFiles(source.items, child(path, 'items')),
  ];
}

function validateDownwardFiles(items: readonly DownwardAPIVolumeFile[] | undefined, path: string): FieldError[] {
  return (items ?? []).flatMap((item, position) => {
    const at = index(path, position);
    const errors = validateFilePath(item.path, child(at, 'path'));
    if (item.fieldRef !== undefined)
      errors.push(...validateFieldRef(item.fieldRef, DOWNWARD_FIELDS, child(at, 'fieldRef')));
    if (item.fieldRef !== undefined && item.resourceFieldRef !== undefined) {
      errors.push(invalidValue(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
    } else if (item.resourceFieldRef !== undefined) {
      errors.push(...validateResourceFieldRef(item.resourceFieldRef, true, child(at, 'resourceFieldRef')));
    } else if (item.fieldRef === undefined) {
      errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
    }
    return [...errors, ...validateMode(item.mode, child(at, 'mode'))];
  });
}

export function validateProjected(source: ProjectedVolumeSource, path: string): FieldError[] {
  const errors = validateMode(source.defaultMode, child(path, 'defaultMode'));
  const sources = (source.sources ?? []).flatMap((entry, position) =>
    validateProjection(entry, index(child(path, 'sources'), position)),
  );
  return [...errors, ...sources];
}

function validateProjection(source: VolumeProjection, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // One that names no source is empty, as upstream's is.
  const [, ...more] = Object.keys(source);
  for (const name of more) errors.push(forbiddenField(child(path, name), 'may not specify more than 1 volume type'));
  for (const name of ['secret', 'configMap'] as const) {
    const entry = source[name];
    if (entry === undefined) continue;
    errors.push(
      ...requireValue(child(path, name, 'name'), entry.name),
      ...validateItems(entry.items, child(path, name, 'items')),
    );
  }
  if (source.downwardAPI !== undefined)
    errors.push(...validateDownwardFiles(source.downwardAPI.items, child(path, 'downwardAPI', 'items')));
  const token = source.serviceAccountToken;
  if (token !== undefined) errors.push(...validateToken(token, child(path, 'serviceAccountToken')));
  return errors;
}

function validateToken(token: NonNullable<VolumeProjection['serviceAccountToken']>, path: string): FieldError[] {
  const errors = token.path ? localPathErrors(token.path, child(path, 'path')) : [required(child(path, 'path'))];
  const seconds = token.expirationSeconds ?? MIN_TOKEN_SECONDS;
  const field = child(path, 'expirationSeconds');
  if (seconds < MIN_TOKEN_SECONDS)
    errors.push(invalidValue(field, seconds, 'may not specify a duration less than 10 minutes'));
  if (seconds > MAX_TOKEN_SECONDS)
    errors.push(invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  return errors;
}

export function validateClaimSource(source: Source<'persistentVolumeClaim'>, path: string): FieldError[] {
  return requireValue(child(path, 'claimName'), source.claimName, checkDns1123Subdomain);
}

export function validateNfs(source: Source<'nfs'>, path: string): FieldError[] {
  const errors = [
    ...requireValue(child(path, 'server'), source.server),
    ...requireValue(child(path, 'path'), source.path),
  ];
  if (source.path && !source.path.startsWith('/'))
    errors.push(invalidValue(child(path, 'path'), source.path, 'must be an absolute path'));
  return errors;
}

/** A template may leave the reference to the controller that makes the pods. */
export function validateImageSource(source: Source<'image'>, path: string): FieldError[] {
  const isTemplate = path.includes('template.spec.');
  return [
    ...(isTemplate ? [] : requireValue(child(path, 'reference'), source.reference)),
    ...oneOf(child(path, 'pullPolicy'), source.pullPolicy, ['Always', 'IfNotPresent', 'Never']),
  ];
}

export function validateCsi(source: Source<'csi'>, path: string): FieldError[] {
  const { driver, nodePublishSecretRef: secret } = source;
  const errors = requireValue(child(path, 'driver'), driver);
  if (secret !== undefined) errors.push(...requireValue(child(path, 'nodePublishSecretRef', 'name'), secret.name));
  return errors;
}

/** Fields that a claim of the pod's own may not set: the rest of its metadata is made with it. */
const CLAIM_METADATA = ['annotations', 'labels'];

export function validateEphemeral(source: Source<'ephemeral'>, path: string): FieldError[] {
  const at = child(path, 'volumeClaimTemplate');
  const { volumeClaimTemplate: template } = source;
  if (template === undefined) return [required(at)];
  const { metadata = {} } = template;
  const foreign = Object.keys(metadata).filter((name) => !CLAIM_METADATA.includes(name));
  return [
    ...foreign.map((name) => forbiddenField(child(at, 'metadata', name), 'cannot be set')),
    ...validateLabels(metadata.labels, child(at, 'metadata', 'labels')),
    ...validateAnnotations(metadata.annotations, child(at, 'metadata', 'annotations')),
    ...validateClaimSpec(template.spec, child(at, 'spec')),
  ];
}
