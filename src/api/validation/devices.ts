/**
 * Validation of the kinds of dynamic resource allocation (upstream: pkg/apis/resource/validation). Expressions are checked for their
 * length; whoever allocates devices compiles them.
 */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import type {
  Device,
  DeviceClaim,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceResourceClaim,
  ResourceSlice,
} from '../types.gen.ts';
import { byteLength, checkValue, immutable, oneOf, requireValue } from './messages.ts';
import { validateAnnotations, validateLabels, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_DRIVER_NAME = 63;
const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;
const MAX_SELECTORS = 32;
const MAX_CONFIGS = 32;
const MAX_DEVICES = 128;
const MAX_ALTERNATIVES = 8;
const MAX_RESERVED = 256;
const MAX_EXPRESSION = 10 * 1024;
const MAX_POOL_NAME = 253;
const MODES: readonly string[] = ['All', 'ExactCount'];

export function validateDeviceClass(deviceClass: DeviceClass): FieldError[] {
  return [...validateObjectMeta(deviceClass.metadata, false, checkDns1123Subdomain), ...validateClassSpec(deviceClass)];
}

export function validateDeviceClassUpdate(deviceClass: DeviceClass, old: DeviceClass): FieldError[] {
  return [...validateObjectMetaUpdate(deviceClass.metadata, old.metadata), ...validateClassSpec(deviceClass)];
}

function validateClassSpec({ spec }: DeviceClass): FieldError[] {
  const { selectors, config = [] } = spec;
  const errors = validateSelectors(selectors, 'spec.selectors');
  if (config.length > MAX_CONFIGS) errors.push(tooMany('spec.config', config.length, MAX_CONFIGS));
  config.forEach(({ opaque }, position) => errors.push(...validateConfig(opaque, index('spec.config', position))));
  return errors;
}

function validateSelectors(selectors: readonly DeviceSelector[] = [], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (selectors.length > MAX_SELECTORS) errors.push(tooMany(path, selectors.length, MAX_SELECTORS));
  selectors.forEach(({ cel }, position) => {
    const at = child(index(path, position), 'cel');
    const expression = child(at, 'expression');
    if (cel === undefined) errors.push(required(at));
    else if (!cel.expression) errors.push(required(expression));
    else if (byteLength(cel.expression) > MAX_EXPRESSION) errors.push(tooLong(expression, MAX_EXPRESSION));
  });
  return errors;
}

function validateConfig(opaque: OpaqueDeviceConfiguration | undefined, path: string): FieldError[] {
  const at = child(path, 'opaque');
  if (opaque === undefined) return [required(at)];
  const { driver, parameters }: Partial<OpaqueDeviceConfiguration> = opaque;
  const errors = validateDriver(driver, child(at, 'driver'));
  const where = child(at, 'parameters');
  if (parameters === undefined || parameters === null) errors.push(required(where));
  else if (typeof parameters !== 'object' || Array.isArray(parameters))
    errors.push(invalidValue(where, '<value omitted>', 'must be a valid JSON object'));
  return errors;
}

function validateDriver(driver: string | undefined, path: string): FieldError[] {
  if ((driver?.length ?? 0) > MAX_DRIVER_NAME) return [tooLong(path, MAX_DRIVER_NAME)];
  return requireValue(path, driver, checkDns1123Subdomain);
}

export function validateResourceClaim(claim: ResourceResourceClaim): FieldError[] {
  return [...validateObjectMeta(claim.metadata, true, checkDns1123Subdomain), ...validateClaimSpec(claim.spec, 'spec')];
}

export function validateResourceClaimUpdate(claim: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  return [...validateObjectMetaUpdate(claim.metadata, old.metadata), ...immutable('spec', claim.spec, old.spec)];
}

export function validateResourceClaimStatus(claim: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  const { allocation, reservedFor = [] } = claim.status ?? {};
  const errors = validateObjectMetaUpdate(claim.metadata, old.metadata);
  const at = 'status.reservedFor';
  if (reservedFor.length > MAX_RESERVED) errors.push(tooMany(at, reservedFor.length, MAX_RESERVED));
  const seen = new Set<string>();
  reservedFor.forEach(({ resource, name, uid }, position) => {
    const where = index(at, position);
    if (!resource) errors.push(required(child(where, 'resource')));
    if (!name) errors.push(required(child(where, 'name')));
    if (!uid) errors.push(required(child(where, 'uid')));
    else if (seen.has(uid)) errors.push(duplicate(child(where, 'uid'), uid));
    seen.add(uid);
  });
  if (reservedFor.length > 0 && allocation === undefined)
    errors.push(forbiddenField(at, 'may not be specified when `allocated` is not set'));
  if (old.status?.allocation !== undefined && allocation !== undefined)
    errors.push(...immutable('status.allocation', allocation, old.status.allocation));
  return errors;
}

export function validateResourceClaimTemplate(template: ResourceClaimTemplate): FieldError[] {
  const { metadata, spec } = template.spec;
  return [
    ...validateObjectMeta(template.metadata, true, checkDns1123Subdomain),
    ...validateLabels(metadata?.labels, 'spec.metadata.labels'),
    ...validateAnnotations(metadata?.annotations, 'spec.metadata.annotations'),
    ...validateClaimSpec(spec, 'spec.spec'),
  ];
}

export function validateResourceClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
): FieldError[] {
  return [...validateObjectMetaUpdate(template.metadata, old.metadata), ...immutable('spec', template.spec, old.spec)];
}

function validateClaimSpec(spec: ResourceClaimSpec = {}, path: string): FieldError[] {
  return validateDeviceClaim(spec.devices ?? {}, child(path, 'devices'));
}

function validateDeviceClaim(devices: DeviceClaim, path: string): FieldError[] {
  const { constraints = [], config = [] } = devices;
  const requests = devices.requests ?? [];
  const errors: FieldError[] = [];
  const at = child(path, 'requests');
  if (requests.length > MAX_REQUESTS) errors.push(tooMany(at, requests.length, MAX_REQUESTS));
  const names = new Set<string>();
  requests.forEach((request, position) => {
    const where = index(at, position);
    if (names.has(request.name)) errors.push(duplicate(child(where, 'name'), request.name));
    names.add(request.name);
    for (const each of request.firstAvailable ?? []) names.add(`${request.name}/${each.name}`);
    errors.push(...validateRequest(request, where));
  });
  const constraintsAt = child(path, 'constraints');
  if (constraints.length > MAX_CONSTRAINTS) errors.push(tooMany(constraintsAt, constraints.length, MAX_CONSTRAINTS));
  constraints.forEach(({ requests: named = [], matchAttribute, distinctAttribute }, position) => {
    const where = index(constraintsAt, position);
    errors.push(...validateNames(named, names, child(where, 'requests')));
    if (matchAttribute === undefined && distinctAttribute === undefined)
      errors.push(required(child(where, 'matchAttribute')));
  });
  const configAt = child(path, 'config');
  if (config.length > MAX_CONFIGS) errors.push(tooMany(configAt, config.length, MAX_CONFIGS));
  config.forEach(({ requests: named = [], opaque }, position) => {
    const where = index(configAt, position);
    errors.push(...validateNames(named, names, child(where, 'requests')), ...validateConfig(opaque, where));
  });
  return errors;
}

function validateNames(named: readonly string[], known: ReadonlySet<string>, path: string): FieldError[] {
  const text = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return named.flatMap((name, position) => (known.has(name) ? [] : [invalidValue(index(path, position), name, text)]));
}

function validateRequest(request: Partial<DeviceRequest>, path: string): FieldError[] {
  const { name, exactly, firstAvailable = [] } = request;
  const errors = requireValue(child(path, 'name'), name, checkDns1123Label);
  if (exactly === undefined && firstAvailable.length === 0)
    return [...errors, required(path, 'exactly one of `exactly` or `firstAvailable` is required')];
  if (exactly !== undefined && firstAvailable.length > 0)
    return [
      ...errors,
      invalidValue(path, '', 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set'),
    ];
  if (exactly !== undefined) return [...errors, ...validateExact(exactly, child(path, 'exactly'))];
  const at = child(path, 'firstAvailable');
  if (firstAvailable.length > MAX_ALTERNATIVES) errors.push(tooMany(at, firstAvailable.length, MAX_ALTERNATIVES));
  const names = new Set<string>();
  firstAvailable.forEach((each, position) => {
    const where = index(at, position);
    errors.push(...requireValue(child(where, 'name'), each.name, checkDns1123Label), ...validateExact(each, where));
    if (names.has(each.name)) errors.push(duplicate(child(where, 'name'), each.name));
    names.add(each.name);
  });
  return errors;
}

function validateExact(request: Partial<ExactDeviceRequest | DeviceSubRequest>, path: string): FieldError[] {
  const { deviceClassName, selectors, allocationMode, count } = request;
  const errors = [
    ...requireValue(child(path, 'deviceClassName'), deviceClassName, checkDns1123Subdomain),
    ...validateSelectors(selectors, child(path, 'selectors')),
    ...oneOf(child(path, 'allocationMode'), allocationMode, MODES),
  ];
  const at = child(path, 'count');
  if (allocationMode === 'All' && count !== undefined && count !== 0)
    errors.push(invalidValue(at, count, "must not be specified when allocationMode is 'All'"));
  if (allocationMode === 'ExactCount' && (count ?? 0) <= 0)
    errors.push(invalidValue(at, count ?? 0, 'must be greater than zero'));
  return errors;
}

export function validateResourceSlice(slice: ResourceSlice): FieldError[] {
  return [...validateObjectMeta(slice.metadata, false, checkDns1123Subdomain), ...validateSliceSpec(slice)];
}

export function validateResourceSliceUpdate(slice: ResourceSlice, old: ResourceSlice): FieldError[] {
  return [
    ...validateObjectMetaUpdate(slice.metadata, old.metadata),
    ...validateSliceSpec(slice),
    ...immutable('spec.nodeName', slice.spec.nodeName, old.spec.nodeName),
    ...immutable('spec.driver', slice.spec.driver, old.spec.driver),
    ...immutable('spec.pool.name', slice.spec.pool?.name, old.spec.pool?.name),
  ];
}

function validateSliceSpec({ spec }: ResourceSlice): FieldError[] {
  const { driver, pool, nodeName, nodeSelector, allNodes, perDeviceNodeSelection, devices = [] } = spec;
  const errors = [...validateDriver(driver, 'spec.driver'), ...validatePool(pool)];
  const ways = [nodeName, nodeSelector, allNodes, perDeviceNodeSelection].filter(
    (way) => way !== undefined && way !== false,
  );
  const text = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (ways.length === 0) errors.push(required('spec', text));
  if (ways.length > 1) errors.push(invalidValue('spec', '', `${text}, but multiple fields are set`));
  if (nodeName !== undefined) errors.push(...checkValue('spec.nodeName', nodeName, checkDns1123Subdomain));
  if (devices.length > MAX_DEVICES) errors.push(tooMany('spec.devices', devices.length, MAX_DEVICES));
  const names = new Set<string>();
  devices.forEach(({ name }: Partial<Device>, position) => {
    const at = child(index('spec.devices', position), 'name');
    errors.push(...requireValue(at, name, checkDns1123Label));
    if (name !== undefined && names.has(name)) errors.push(duplicate(at, name));
    names.add(name ?? '');
  });
  return errors;
}

function validatePool(pool: Partial<ResourceSlice['spec']['pool']> = {}): FieldError[] {
  const { name = '', generation = 0, resourceSliceCount = 0 } = pool;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required('spec.pool.name'));
  else if (name.length > MAX_POOL_NAME) errors.push(tooLong('spec.pool.name', MAX_POOL_NAME));
  else for (const part of name.split('/')) errors.push(...checkValue('spec.pool.name', part, checkDns1123Subdomain));
  if (resourceSliceCount <= 0)
    errors.push(invalidValue('spec.pool.resourceSliceCount', resourceSliceCount, 'must be greater than zero'));
  if (generation < 0)
    errors.push(invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero'));
  return errors;
}
