/** Validation of DeviceClasses (upstream: pkg/apis/resource/validation). */
import { type FieldError, invalidValue } from '../field-error.ts';
import { checkDns1123Subdomain, checkLabelKey } from '../names.ts';
import type { DeviceClass } from '../types.gen.ts';
import { validateConfig, validateItems, validateSelectors } from './device-parts.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_CONFIGS = 32;

export function validateDeviceClass(deviceClass: DeviceClass): FieldError[] {
  return [...validateObjectMeta(deviceClass.metadata, false, checkDns1123Subdomain), ...validateSpec(deviceClass)];
}

export function validateDeviceClassUpdate(deviceClass: DeviceClass, old: DeviceClass): FieldError[] {
  return [...validateObjectMetaUpdate(deviceClass.metadata, old.metadata), ...validateSpec(deviceClass)];
}

function validateSpec({ spec }: DeviceClass): FieldError[] {
  const { selectors, config, extendedResourceName: name } = spec;
  const errors = [
    ...validateSelectors(selectors, 'spec.selectors'),
    ...validateItems(config, MAX_CONFIGS, 'spec.config', ({ opaque }, where) => validateConfig(opaque, where)),
  ];
  if (name !== undefined && !isExtended(name))
    errors.push(invalidValue('spec.extendedResourceName', name, 'must be a valid extended resource name'));
  return errors;
}

/** A resource that is not Kubernetes' own, and whose name in a quota is valid, too. */
function isExtended(name: string): boolean {
  if (!name.includes('/') || name.includes('kubernetes.io/') || name.startsWith('requests.')) return false;
  return checkLabelKey(`requests.${name}`).length === 0;
}
