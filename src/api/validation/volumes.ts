/** Validation of a pod's volumes: names, and exactly one source each (upstream `ValidateVolumes`). */
import { child, duplicate, type FieldError, forbiddenField, index, required } from '../field-error.ts';
import { checkDns1123Label } from '../names.ts';
import type { Volume } from '../types.gen.ts';
import { requireValue } from './messages.ts';
import { validateStorageSources } from './storage-sources.ts';
import {
  validateClaimSource,
  validateConfigMapSource,
  validateCsi,
  validateEphemeral,
  validateDownwardApi,
  validateEmptyDir,
  validateHostPath,
  validateImageSource,
  validateNfs,
  validateProjected,
  validateSecretSource,
} from './volume-sources.ts';

export function validateVolumes(volumes: readonly Volume[] | undefined, path: string): FieldError[] {
  const taken = new Set<string>();
  return (volumes ?? []).flatMap((volume, position) => {
    const at = index(path, position);
    const errors = [...validateSource(volume, at), ...requireValue(child(at, 'name'), volume.name, checkDns1123Label)];
    if (volume.name && taken.has(volume.name)) errors.push(duplicate(child(at, 'name'), volume.name));
    taken.add(volume.name);
    return errors;
  });
}

function validateSource(volume: Volume, path: string): FieldError[] {
  const [first, ...more] = Object.keys(volume).filter((name) => name !== 'name');
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...validateKnownSource(volume, path),
    ...validateStorageSources(volume, path),
    ...more.map((name) => forbiddenField(child(path, name), 'may not specify more than 1 volume type')),
  ];
}

function validateKnownSource(volume: Volume, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = <K extends keyof Volume>(
    name: K,
    validate: (source: NonNullable<Volume[K]>, at: string) => FieldError[],
  ) => {
    const source = volume[name];
    if (source !== undefined && source !== null) errors.push(...validate(source, child(path, name)));
  };
  check('hostPath', validateHostPath);
  check('emptyDir', validateEmptyDir);
  check('secret', validateSecretSource);
  check('configMap', validateConfigMapSource);
  check('downwardAPI', validateDownwardApi);
  check('projected', validateProjected);
  check('persistentVolumeClaim', validateClaimSource);
  check('nfs', validateNfs);
  check('image', validateImageSource);
  check('csi', validateCsi);
  check('ephemeral', validateEphemeral);
  return errors;
}
