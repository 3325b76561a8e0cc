/** Validation of mounts against the pod's volumes (upstream `ValidateVolumeMounts`, `ValidateVolumeDevices`). */
import {
  child,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notFoundValue,
  required,
} from '../field-error.ts';
import type { Container, Volume, VolumeDevice, VolumeMount } from '../types.gen.ts';
import { oneOf, requireValue } from './messages.ts';

export function validateVolumeMounts(
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
  path: string,
): FieldError[] {
  const taken = new Set<string>();
  return (container.volumeMounts ?? []).flatMap((mount, position) => {
    const at = index(path, position);
    const errors: FieldError[] = [];
    if (!mount.name) errors.push(required(child(at, 'name')));
    else if (!volumes.has(mount.name)) errors.push(notFoundValue(child(at, 'name'), mount.name));
    errors.push(...requireValue(child(at, 'mountPath'), mount.mountPath));
    if (taken.has(mount.mountPath))
      errors.push(invalidValue(child(at, 'mountPath'), mount.mountPath, 'must be unique'));
    taken.add(mount.mountPath);
    return [
      ...errors,
      ...validateSubPath(mount, at),
      ...validatePropagation(mount, container, at),
      ...validateRecursive(mount, at),
    ];
  });
}

function validateSubPath(mount: VolumeMount, path: string): FieldError[] {
  const errors = mount.subPath ? localPathErrors(mount.subPath, child(path, 'subPath')) : [];
  if (!mount.subPathExpr) return errors;
  if (mount.subPath) {
    errors.push(
      invalidValue(child(path, 'subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
    );
  }
  return [...errors, ...localPathErrors(mount.subPathExpr, child(path, 'subPathExpr'))];
}

function validatePropagation(mount: VolumeMount, container: Container, path: string): FieldError[] {
  const field = child(path, 'mountPropagation');
  const errors = oneOf(field, mount.mountPropagation, ['Bidirectional', 'HostToContainer', 'None']);
  if (mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    errors.push(forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers'));
  }
  return errors;
}

function validateRecursive(mount: VolumeMount, path: string): FieldError[] {
  const mode = mount.recursiveReadOnly;
  if (mode === undefined) return [];
  const field = child(path, 'recursiveReadOnly');
  const errors = oneOf(field, mode, ['Disabled', 'Enabled', 'IfPossible']);
  if (mode !== 'Disabled' && mount.readOnly !== true)
    errors.push(forbiddenField(field, 'may only be specified when readOnly is true'));
  if (mode !== 'Disabled' && mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    errors.push(forbiddenField(field, 'may only be specified when mountPropagation is None or not specified'));
  }
  return errors;
}

export function validateVolumeDevices(
  devices: readonly VolumeDevice[] | undefined,
  volumes: ReadonlyMap<string, Volume>,
  path: string,
): FieldError[] {
  return (devices ?? []).flatMap((device, position) => {
    const at = index(path, position);
    const volume = volumes.get(device.name);
    const errors = requireValue(child(at, 'name'), device.name);
    if (device.name && volume === undefined) errors.push(notFoundValue(child(at, 'name'), device.name));
    if (volume !== undefined && volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      errors.push(
        invalidValue(
          child(at, 'name'),
          device.name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      );
    }
    return [...errors, ...requireValue(child(at, 'devicePath'), device.devicePath)];
  });
}

/** A path below the volume: relative, never upwards. */
export function localPathErrors(path: string, field: string): FieldError[] {
  if (path.startsWith('/')) return [invalidValue(field, path, 'must be a relative path')];
  return backstepErrors(path, field);
}

export function backstepErrors(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : [];
}
