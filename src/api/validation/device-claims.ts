/** Validation of ResourceClaims, their templates and their status (upstream: pkg/apis/resource/validation). */
import {
  child,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../field-error.ts';
import { isCidr } from '../ip-cidr.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceRequestAllocationResult,
  DeviceSubRequest,
  ExactDeviceRequest,
  NetworkDeviceData,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceResourceClaim,
} from '../types.gen.ts';
import { validateNodeSelector } from './affinity.ts';
import {
  itself,
  validateBinding,
  validateConfig,
  validateDeviceName,
  validateDeviceTolerations,
  validateDriver,
  validateFullName,
  validateItems,
  validatePoolName,
  validateRaw,
  validateSelectors,
  validateSet,
  validateShare,
} from './device-parts.ts';
import { byteLength, checkValue, equalJson, immutable, requireValue } from './messages.ts';
import { validateAnnotations, validateLabels, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_REQUESTS = 32;
const MAX_CONSTRAINTS = 32;
const MAX_CONFIGS = 32;
const MAX_RESULTS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_RESERVED = 256;
const MAX_CONDITIONS = 8;
const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const MAX_ADDRESSES = 16;
const MODES: readonly string[] = ['All', 'ExactCount'];
const SOURCES: readonly string[] = ['FromClaim', 'FromClass'];

export function validateResourceClaim(claim: ResourceResourceClaim): FieldError[] {
  return [...validateObjectMeta(claim.metadata, true, checkDns1123Subdomain), ...validateClaimSpec(claim.spec, 'spec')];
}

export function validateResourceClaimUpdate(claim: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  return [...validateObjectMetaUpdate(claim.metadata, old.metadata), ...immutable('spec', claim.spec, old.spec)];
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
  const devices = spec.devices ?? {};
  const at = child(path, 'devices');
  const names = namesOf(devices);
  return [
    ...validateSet(
      devices.requests,
      { max: MAX_REQUESTS, keyOf: ({ name }) => name },
      child(at, 'requests'),
      validateRequest,
    ),
    ...validateItems(devices.constraints, MAX_CONSTRAINTS, child(at, 'constraints'), (each, where) =>
      validateConstraint(each, names, where),
    ),
    ...validateItems(devices.config, MAX_CONFIGS, child(at, 'config'), ({ requests, opaque }, where) => [
      ...validateNames(requests, names, child(where, 'requests')),
      ...validateConfig(opaque, where),
    ]),
  ];
}

/** What may be named: requests, and their alternatives as "REQUEST/ALTERNATIVE". */
function namesOf({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((each) => `${name}/${each.name}`),
    ]),
  );
}

function validateNames(named: readonly string[] | undefined, known: ReadonlySet<string>, path: string): FieldError[] {
  return validateSet(named, { max: MAX_REQUESTS, keyOf: itself }, path, (name, where) =>
    validateName(name, known, where),
  );
}

function validateName(name: string | undefined, known: ReadonlySet<string>, path: string): FieldError[] {
  const text = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = (name ?? '').split('/');
  if (segments.length > 2) return [invalidValue(path, name, text)];
  const errors = segments.flatMap((segment) => requireValue(path, segment, checkDns1123Label));
  return known.has(name ?? '') ? errors : [...errors, invalidValue(path, name ?? '', text)];
}

function validateConstraint(constraint: DeviceConstraint, known: ReadonlySet<string>, path: string): FieldError[] {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  const errors = validateNames(requests, known, child(path, 'requests'));
  if (matchAttribute !== undefined)
    return [...errors, ...validateFullName(matchAttribute, child(path, 'matchAttribute'))];
  if (distinctAttribute !== undefined)
    return [...errors, ...validateFullName(distinctAttribute, child(path, 'distinctAttribute'))];
  const text = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(path, text)];
}

function validateRequest(request: Partial<DeviceRequest>, path: string): FieldError[] {
  const { name, exactly, firstAvailable = [] } = request;
  const errors = requireValue(child(path, 'name'), name, checkDns1123Label);
  const text = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly === undefined && firstAvailable.length === 0) return [...errors, required(path, text)];
  if (exactly === undefined) {
    const alternatives = { max: MAX_ALTERNATIVES, keyOf: (each: DeviceSubRequest) => each.name };
    return [
      ...errors,
      ...validateSet(firstAvailable, alternatives, child(path, 'firstAvailable'), validateAlternative),
    ];
  }
  if (firstAvailable.length > 0) return [...errors, invalidValue(path, null, `${text}, but multiple fields are set`)];
  return [...errors, ...validateExact(exactly, child(path, 'exactly'))];
}

function validateAlternative(request: Partial<DeviceSubRequest>, path: string): FieldError[] {
  return [...requireValue(child(path, 'name'), request.name, checkDns1123Label), ...validateExact(request, path)];
}

function validateExact(request: Partial<ExactDeviceRequest | DeviceSubRequest>, path: string): FieldError[] {
  const { deviceClassName, selectors, allocationMode, count = 0, tolerations } = request;
  const errors = [
    ...requireValue(child(path, 'deviceClassName'), deviceClassName, checkDns1123Subdomain),
    ...validateSelectors(selectors, child(path, 'selectors')),
  ];
  const at = child(path, 'count');
  if (allocationMode === 'All') {
    if (count !== 0) errors.push(invalidValue(at, count, "must not be specified when allocationMode is 'All'"));
  } else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalidValue(at, count, 'must be greater than zero'));
  } else {
    errors.push(notSupported(child(path, 'allocationMode'), allocationMode ?? '', MODES));
  }
  return [...errors, ...validateDeviceTolerations(tolerations, child(path, 'tolerations'))];
}

export function validateResourceClaimStatus(claim: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  const { allocation, reservedFor, devices } = claim.status ?? {};
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceId));
  return [
    ...validateObjectMetaUpdate(claim.metadata, old.metadata),
    ...validateSet(
      reservedFor,
      { max: MAX_RESERVED, keyOf: ({ uid }) => uid },
      'status.reservedFor',
      ({ resource, name, uid }, where) =>
        Object.entries({ resource, name, uid }).flatMap(([field, value]) =>
          value ? [] : [required(child(where, field))],
        ),
    ),
    ...validateSet(devices, { max: Infinity, keyOf: deviceId }, 'status.devices', (device, where) =>
      validateDeviceStatus(device, allocated, where),
    ),
    ...validateReserved(claim, old),
    ...validateAllocation(claim, old),
  ];
}

function validateReserved({ status, metadata }: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  const reserved = status?.reservedFor ?? [];
  const at = 'status.reservedFor';
  if (reserved.length === 0) return [];
  if (status?.allocation === undefined) return [forbiddenField(at, 'may not be specified when `allocated` is not set')];
  const before = old.status?.reservedFor ?? [];
  const hasNew = reserved.some((each) => !before.some((other) => equalJson(each, other)));
  if (metadata?.deletionTimestamp === undefined || !hasNew) return [];
  const text = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbiddenField(at, text)];
}

/** One that is there never changes, and is not looked at again. */
function validateAllocation({ status, spec }: ResourceResourceClaim, old: ResourceResourceClaim): FieldError[] {
  const { allocation } = status ?? {};
  const at = 'status.allocation';
  if (allocation === undefined) return [];
  if (old.status?.allocation !== undefined) return immutable(at, allocation, old.status.allocation);
  const names = namesOf(spec?.devices ?? {});
  const { devices = {}, nodeSelector }: AllocationResult = allocation;
  return [
    ...validateItems(devices.results, MAX_RESULTS, child(at, 'devices', 'results'), (result, where) =>
      validateResult(result, names, where),
    ),
    ...validateItems(devices.config, 2 * MAX_CONFIGS, child(at, 'devices', 'config'), (config, where) =>
      validateAllocatedConfig(config, names, where),
    ),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, child(at, 'nodeSelector'))),
  ];
}

function validateResult(
  result: Partial<DeviceRequestAllocationResult>,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  return [
    ...validateName(result.request, names, child(path, 'request')),
    ...validateDriver(result.driver, child(path, 'driver')),
    ...validatePoolName(result.pool, child(path, 'pool')),
    ...validateDeviceName(result.device, child(path, 'device')),
    ...validateBinding(result, path),
    ...validateDeviceTolerations(result.tolerations, child(path, 'tolerations')),
    ...validateShare(result.shareID, child(path, 'shareID')),
  ];
}

function validateAllocatedConfig(
  { source, requests, opaque }: Partial<DeviceAllocationConfiguration>,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const at = child(path, 'source');
  const errors = !source ? [required(at)] : SOURCES.includes(source) ? [] : [notSupported(at, source, SOURCES)];
  return [...errors, ...validateNames(requests, names, child(path, 'requests')), ...validateConfig(opaque, path)];
}

/** As upstream prints it. */
function deviceId({ driver, pool, device, shareID }: Partial<AllocatedDeviceStatus>): string {
  return `${driver}/${pool}/${device}${shareID === undefined ? '' : `/${shareID}`}`;
}

function validateDeviceStatus(
  device: Partial<AllocatedDeviceStatus>,
  allocated: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const errors = [
    ...validateDriver(device.driver, child(path, 'driver')),
    ...validatePoolName(device.pool, child(path, 'pool')),
    ...validateDeviceName(device.device, child(path, 'device')),
    ...validateShare(device.shareID, child(path, 'shareID')),
  ];
  const id = deviceId(device);
  if (!allocated.has(id)) errors.push(invalidValue(path, id, 'must be an allocated device in the claim'));
  errors.push(...validateItems(device.conditions, MAX_CONDITIONS, child(path, 'conditions'), () => []));
  if (device.data !== undefined && device.data !== null) errors.push(...validateRaw(device.data, child(path, 'data')));
  return [...errors, ...validateNetwork(device.networkData, child(path, 'networkData'))];
}

function validateNetwork(data: NetworkDeviceData | undefined, path: string): FieldError[] {
  if (data === undefined) return [];
  const { interfaceName = '', hardwareAddress = '', ips } = data;
  const bounded = (field: string, text: string, max: number): FieldError[] =>
    byteLength(text) > max ? [tooLong(child(path, field), max)] : [];
  const text = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';
  return [
    ...bounded('interfaceName', interfaceName, MAX_INTERFACE_NAME),
    ...bounded('hardwareAddress', hardwareAddress, MAX_HARDWARE_ADDRESS),
    ...validateSet(ips, { max: MAX_ADDRESSES, keyOf: itself }, child(path, 'ips'), (address, where) =>
      checkValue(where, address, (each) => (isCidr(each) ? [] : [text])),
    ),
  ];
}
