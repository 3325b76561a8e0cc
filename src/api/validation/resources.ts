/** Validation of requests and limits (upstream `validateResourceRequirements`). */
import { child, type FieldError, forbiddenField, invalidValue, key, required } from '../field-error.ts';
import { checkLabelKey } from '../names.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import type { ResourceRequirements } from '../types.gen.ts';
import { checkValue, NOT_NEGATIVE } from './messages.ts';

const STANDARD = new Set(['cpu', 'memory', 'ephemeral-storage']);
const POD_LEVEL = new Set(['cpu', 'memory']);
const NANO = 1_000_000_000n;

export function validateResources(
  resources: ResourceRequirements | undefined,
  path: string,
  podLevel = false,
): FieldError[] {
  if (resources === undefined) return [];
  const { limits = {}, requests = {} } = resources;
  const errors = [
    ...validateQuantities(limits, podLevel, child(path, 'limits')),
    ...validateQuantities(requests, podLevel, child(path, 'requests')),
    ...Object.keys(requests).flatMap((name) => validateRequest(name, resources, path)),
  ];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const huge = names.some(isHugePages);
  if (huge && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  if (podLevel && resources.claims !== undefined)
    errors.push(forbiddenField(child(path, 'claims'), 'claims may not be set for Resources at pod-level'));
  return errors;
}

function validateQuantities(
  quantities: Readonly<Record<string, string>>,
  podLevel: boolean,
  path: string,
): FieldError[] {
  return Object.entries(quantities).flatMap(([name, quantity]) => {
    const at = key(path, name);
    return [...validateResourceName(name, podLevel, at), ...validateQuantity(name, quantity, at)];
  });
}

function validateResourceName(name: string, podLevel: boolean, path: string): FieldError[] {
  const errors = checkValue(path, name, checkLabelKey);
  if (errors.length > 0) return errors;
  if (podLevel) {
    const fits = POD_LEVEL.has(name) || isHugePages(name);
    return fits ? [] : [invalidValue(path, name, 'must be a standard resource type or fully qualified')];
  }
  if (name.includes('/') || STANDARD.has(name) || isHugePages(name)) return [];
  return [invalidValue(path, name, 'must be a standard resource for containers')];
}

function validateQuantity(name: string, quantity: string, path: string): FieldError[] {
  const { nano } = parseQuantity(quantity);
  if (nano < 0n) return [invalidValue(path, quantity, NOT_NEGATIVE)];
  if (STANDARD.has(name) || nano % NANO === 0n) return [];
  return [invalidValue(path, quantity, 'must be an integer')];
}

function validateRequest(name: string, resources: ResourceRequirements, path: string): FieldError[] {
  const request = resources.requests?.[name] ?? '0';
  const limit = resources.limits?.[name];
  const overcommit = STANDARD.has(name);
  if (limit === undefined) {
    return overcommit ? [] : [required(child(path, 'limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = compareQuantities(request, limit);
  if (order > 0)
    return [invalidValue(child(path, 'requests'), request, `must be less than or equal to ${name} limit of ${limit}`)];
  if (order < 0 && !overcommit)
    return [invalidValue(child(path, 'requests'), request, `must be equal to ${name} limit of ${limit}`)];
  return [];
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}
