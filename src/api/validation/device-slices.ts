/** Validation of ResourceSlices (upstream: pkg/apis/resource/validation). */
import {
  child,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notFoundValue,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import { addQuantities, canonicalQuantity, compareQuantities, quantityValue } from '../quantity.ts';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  NodeAllocatableResourceMapping,
  NodeSelector,
  ResourceSlice,
  ResourceSliceSpec,
} from '../types.gen.ts';
import { validateNodeSelector } from './affinity.ts';
import {
  entryPath,
  MAX_COUNTER_NAME,
  MAX_QUALIFIED_NAME,
  validateBinding,
  validateDeviceName,
  validateDriver,
  validateItems,
  validatePoolName,
  validateQualifiedName,
  validateSet,
  validateTaint,
} from './device-parts.ts';
import { byteLength, checkValue, equalJson, immutable, requireValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_DEVICES = 128;
/** Where devices have taints, counters or lists as attributes. */
const MAX_LARGE_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;
const MAX_CONSUMPTIONS = 2;
const MAX_ATTRIBUTES = 32;
const MAX_ATTRIBUTE = 64;
const MAX_TAINTS = 16;
const MAX_VALID_VALUES = 10;
const LISTS = ['bools', 'ints', 'strings', 'versions'] as const;
const SEMVER =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

export function validateResourceSlice(slice: ResourceSlice): FieldError[] {
  return [...validateObjectMeta(slice.metadata, false, checkDns1123Subdomain), ...validateSpec(slice.spec)];
}

export function validateResourceSliceUpdate(slice: ResourceSlice, old: ResourceSlice): FieldError[] {
  return [...validateObjectMetaUpdate(slice.metadata, old.metadata), ...validateSpec(slice.spec, old.spec)];
}

function validateSpec(spec: Partial<ResourceSliceSpec>, old?: Partial<ResourceSliceSpec>): FieldError[] {
  const { driver, pool, nodeName, devices, sharedCounters, perDeviceNodeSelection = false } = spec;
  const errors = [...validateDriver(driver, 'spec.driver'), ...validatePool(pool)];
  if (old !== undefined) {
    errors.push(
      ...immutable('spec.pool.name', pool?.name, old.pool?.name),
      ...immutable('spec.driver', driver, old.driver),
      ...immutable('spec.nodeName', nodeName, old.nodeName),
    );
  }
  errors.push(...validatePlace(spec));
  if (sharedCounters !== undefined && devices !== undefined)
    errors.push(invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
  const before = new Map((old?.devices ?? []).map((device) => [device.name, device]));
  const max = (devices ?? []).some(isLarge) ? MAX_LARGE_DEVICES : MAX_DEVICES;
  return [
    ...errors,
    ...validateSet(devices, { max, keyOf: ({ name }) => name }, 'spec.devices', (device, where) =>
      validateDevice(device, { old: before.get(device.name), perDeviceNodeSelection }, where),
    ),
    ...validateSet(
      sharedCounters,
      { max: MAX_COUNTER_SETS, keyOf: ({ name }) => name },
      'spec.sharedCounters',
      validateCounterSet,
    ),
  ];
}

function isLarge({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean {
  const lists = Object.values(attributes).some((each) => LISTS.some((field) => each[field] !== undefined));
  return taints.length > 0 || consumesCounters.length > 0 || lists;
}

function validatePool(pool: Partial<ResourceSliceSpec['pool']> = {}): FieldError[] {
  const { name, generation = 0, resourceSliceCount = 0 } = pool;
  const errors = validatePoolName(name, 'spec.pool.name');
  if (resourceSliceCount <= 0)
    errors.push(invalidValue('spec.pool.resourceSliceCount', resourceSliceCount, 'must be greater than zero'));
  if (generation < 0)
    errors.push(invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero'));
  return errors;
}

/** Where the devices are: said in one way. */
function validatePlace(spec: Partial<ResourceSliceSpec>): FieldError[] {
  const { nodeSelector, perDeviceNodeSelection } = spec;
  const { errors, set } = waysOf(spec, 'spec', 'must be either unset or set to a non-empty string');
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  if (nodeSelector !== undefined && terms.length !== 1)
    errors.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term'));
  if (perDeviceNodeSelection === true) set.push('`perDeviceNodeSelection`');
  if (perDeviceNodeSelection === false)
    errors.push(invalidValue('spec.perDeviceNodeSelection', false, 'must be either unset or set to true'));
  const text = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) errors.push(required('spec', text));
  if (set.length > 1) errors.push(invalidValue('spec', `{${set.join(', ')}}`, `${text}, but multiple fields are set`));
  return errors;
}

interface Place {
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly allNodes?: boolean;
}

/** @returns the fields that say where it is, as upstream prints them */
function waysOf({ nodeName, nodeSelector, allNodes }: Place, path: string, empty: string) {
  const errors: FieldError[] = [];
  const set: string[] = [];
  const at = child(path, 'nodeName');
  if (nodeName === '') errors.push(invalidValue(at, nodeName, empty));
  else if (nodeName !== undefined) {
    set.push('`nodeName`');
    errors.push(...checkValue(at, nodeName, checkDns1123Subdomain));
  }
  if (nodeSelector !== undefined) {
    set.push('`nodeSelector`');
    errors.push(...validateNodeSelector(nodeSelector, child(path, 'nodeSelector')));
  }
  if (allNodes === true) set.push('`allNodes`');
  if (allNodes === false)
    errors.push(invalidValue(child(path, 'allNodes'), false, 'must be either unset or set to true'));
  return { errors, set };
}

interface Context {
  /** The device of this name before. */
  readonly old: Device | undefined;
  readonly perDeviceNodeSelection: boolean;
}

function validateDevice(device: Partial<Device>, { old, perDeviceNodeSelection }: Context, path: string): FieldError[] {
  const { attributes = {}, capacity = {}, taints, consumesCounters } = device;
  const errors = validateDeviceName(device.name, child(path, 'name'));
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > MAX_ATTRIBUTES) {
    const text = `the total number of attributes and capacities must not exceed ${MAX_ATTRIBUTES}`;
    errors.push(invalidValue(path, count, text));
  }
  const isShared = device.allowMultipleAllocations === true;
  errors.push(
    ...validateEntries(attributes, child(path, 'attributes'), validateAttribute),
    ...validateEntries(capacity, child(path, 'capacity'), (each, where, name) =>
      validateCapacity(each, { isShared, old: old?.capacity?.[name] }, where),
    ),
  );
  if (old === undefined || !equalJson(old.taints ?? [], taints ?? []))
    errors.push(...validateItems(taints, MAX_TAINTS, child(path, 'taints'), validateTaint));
  return [
    ...errors,
    ...validateSet(
      consumesCounters,
      { max: MAX_CONSUMPTIONS, keyOf: ({ counterSet }) => counterSet },
      child(path, 'consumesCounters'),
      validateConsumption,
    ),
    ...validateDevicePlace(device, perDeviceNodeSelection, path),
    ...validateBinding(device, path),
    ...validateMappings(device, child(path, 'nodeAllocatableResourceMappings')),
  ];
}

function validateEntries<T>(
  entries: Readonly<Record<string, T>>,
  path: string,
  validate: (entry: T, path: string, name: string) => FieldError[],
): FieldError[] {
  return Object.entries(entries).flatMap(([name, entry]) => [
    ...validateQualifiedName(name, path),
    ...validate(entry, entryPath(path, name, MAX_QUALIFIED_NAME), name),
  ]);
}

function validateDevicePlace(device: Partial<Device>, isPerDevice: boolean, path: string): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPerDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
    const only =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return [invalidValue(path, null, only)];
  }
  const { errors, set } = waysOf(device, path, 'must not be empty');
  const text =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (set.length === 0) errors.push(required(path, text));
  if (set.length > 1) errors.push(invalidValue(path, `{${set.join(', ')}}`, text));
  return errors;
}

function validateAttribute(attribute: DeviceAttribute, path: string): FieldError[] {
  const { string, version, strings, versions } = attribute;
  const errors: FieldError[] = [];
  if (string !== undefined) errors.push(...validateText(string, child(path, 'string')));
  if (version !== undefined) errors.push(...validateVersion(version, child(path, 'version')));
  for (const field of LISTS)
    if (attribute[field]?.length === 0)
      errors.push(invalidValue(child(path, field), [], 'must not be empty if specified'));
  strings?.forEach((each, at) => errors.push(...validateText(each, index(child(path, 'strings'), at))));
  versions?.forEach((each, at) => errors.push(...validateVersion(each, index(child(path, 'versions'), at))));
  const set = Object.values(attribute).filter((value) => value !== undefined).length;
  if (set !== 1) errors.push(invalidValue(path, set === 0 ? '' : attribute, 'exactly one value must be specified'));
  return errors;
}

function validateText(value: string, path: string): FieldError[] {
  return byteLength(value) > MAX_ATTRIBUTE ? [tooLong(path, MAX_ATTRIBUTE)] : [];
}

function validateVersion(value: string, path: string): FieldError[] {
  const text = 'must be a string compatible with semver.org spec 2.0.0';
  return [...(SEMVER.test(value) ? [] : [invalidValue(path, value, text)]), ...validateText(value, path)];
}

function validateCapacity(
  { value, requestPolicy }: DeviceCapacity,
  { isShared, old }: { readonly isShared: boolean; readonly old: DeviceCapacity | undefined },
  path: string,
): FieldError[] {
  if (requestPolicy === undefined) return [];
  const at = child(path, 'requestPolicy');
  if (!isShared) return [forbiddenField(at, 'allowMultipleAllocations must be true')];
  const { validValues = [], validRange } = requestPolicy;
  if (validValues.length > 0 && validRange !== undefined) {
    const text = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenField(at, text)];
  }
  if (validValues.length > 0) return validateValues(value, requestPolicy, at);
  if (validRange === undefined) return [];
  if (requestPolicy.default === undefined || requestPolicy.default === null)
    return [required(child(at, 'default'), 'required when validRange is defined')];
  if (equalJson(validRange, old?.requestPolicy?.validRange)) return [];
  return validateRange({ capacity: value, chosen: requestPolicy.default, range: validRange }, child(at, 'validRange'));
}

function validateValues(capacity: string, policy: CapacityRequestPolicy, path: string): FieldError[] {
  const { validValues = [], default: chosen } = policy;
  if (chosen === undefined || chosen === null)
    return [required(child(path, 'default'), 'required when validValues is defined')];
  const at = child(path, 'validValues');
  const errors = validValues.flatMap((value, position) => {
    const next = validValues[position + 1];
    if (next === undefined || compareQuantities(value, next) <= 0) return [];
    return [invalidValue(index(at, position + 1), canonicalQuantity(next), 'values must be sorted in ascending order')];
  });
  errors.push(
    ...validateSet(validValues, { max: MAX_VALID_VALUES, keyOf: canonicalQuantity }, at, (value, where) => {
      if (compareQuantities(value, capacity) <= 0) return [];
      const text = `option is larger than capacity value: ${canonicalQuantity(capacity)}`;
      return [invalidValue(where, canonicalQuantity(value), text)];
    }),
  );
  const isFound =
    validValues.length <= MAX_VALID_VALUES && validValues.some((value) => compareQuantities(value, chosen) === 0);
  if (!isFound)
    errors.push(
      invalidValue(at, canonicalQuantity(chosen), 'default value is not valid according to the requestPolicy'),
    );
  return errors;
}

interface RangeInput {
  readonly capacity: string;
  /** The default of the policy. */
  readonly chosen: string;
  readonly range: CapacityRequestPolicyRange;
}

function validateRange({ capacity, chosen, range }: RangeInput, path: string): FieldError[] {
  const { min, max, step } = range;
  if (min === undefined) return [required(child(path, 'min'), 'required when validRange is defined')];
  const errors: FieldError[] = [];
  const check = (
    field: string,
    value: string,
    limit: readonly [text: string, than: string],
    isWrong: boolean,
  ): void => {
    if (!isWrong) return;
    const text = `${limit[0]}: ${canonicalQuantity(limit[1])}`;
    errors.push(invalidValue(child(path, field), canonicalQuantity(value), text));
  };
  check('min', min, ['min is larger than capacity value', capacity], compareQuantities(min, capacity) > 0);
  check('min', chosen, ['default is less than min', min], compareQuantities(chosen, min) < 0);
  if (max !== undefined) {
    check('max', min, ['min is larger than max', max], compareQuantities(min, max) > 0);
    check('max', max, ['max is larger than capacity value', capacity], compareQuantities(max, capacity) > 0);
    check('max', chosen, ['default is more than max', max], compareQuantities(chosen, max) > 0);
  }
  if (step === undefined) return errors;
  const at = child(path, 'step');
  if (compareQuantities(step, '0') <= 0)
    return [...errors, invalidValue(at, canonicalQuantity(step), 'must be greater than zero')];
  const first = addQuantities(min, step);
  check(
    'step',
    step,
    [`one step ${canonicalQuantity(first)} is larger than capacity value`, capacity],
    compareQuantities(first, capacity) > 0,
  );
  for (const value of max === undefined ? [chosen] : [chosen, max]) {
    const rest = (quantityValue(value) - quantityValue(min)) % quantityValue(step);
    const text = `value is not a multiple of a given step (${canonicalQuantity(step)}) from (${canonicalQuantity(min)})`;
    if (rest !== 0) errors.push(invalidValue(at, canonicalQuantity(value), text));
  }
  return errors;
}

function validateCounterSet({ name, counters = {} }: Partial<CounterSet>, path: string): FieldError[] {
  return [
    ...requireValue(child(path, 'name'), name, checkDns1123Label),
    ...validateCounters(counters, child(path, 'counters')),
  ];
}

function validateConsumption(
  { counterSet, counters = {} }: Partial<DeviceCounterConsumption>,
  path: string,
): FieldError[] {
  return [
    ...requireValue(child(path, 'counterSet'), counterSet, checkDns1123Label),
    ...validateCounters(counters, child(path, 'counters')),
  ];
}

function validateCounters(counters: object, path: string): FieldError[] {
  const names = Object.keys(counters);
  if (names.length === 0) return [required(path)];
  if (names.length > MAX_COUNTERS) return [tooMany(path, names.length, MAX_COUNTERS)];
  return names.flatMap((name) =>
    name.length > MAX_COUNTER_NAME || checkDns1123Label(name).length > 0
      ? checkValue(path, name, checkDns1123Label)
      : [],
  );
}

/** What of the node's own resources the device takes. */
function validateMappings(device: Partial<Device>, path: string): FieldError[] {
  const { nodeAllocatableResourceMappings: mappings = {}, capacity = {} } = device;
  return Object.entries(mappings).flatMap(([name, mapping]) =>
    validateMapping(mapping, Object.keys(capacity), { name, path: entryPath(path, name, MAX_QUALIFIED_NAME) }),
  );
}

function validateMapping(
  { allocationMultiplier, capacityKey }: NodeAllocatableResourceMapping,
  capacities: readonly string[],
  { name, path }: { readonly name: string; readonly path: string },
): FieldError[] {
  const errors = isNative(name) ? [] : [invalidValue(path, name, 'must be a node allocatable resource name')];
  if (allocationMultiplier === undefined && capacityKey === undefined)
    return [...errors, invalidValue(path, '', 'at least one of allocationMultiplier or capacityKey must be set')];
  if (allocationMultiplier !== undefined && compareQuantities(allocationMultiplier, '0') <= 0) {
    const value = canonicalQuantity(allocationMultiplier);
    errors.push(invalidValue(child(path, 'allocationMultiplier'), value, 'must be positive'));
  }
  const at = child(path, 'capacityKey');
  if (capacityKey === '') errors.push(invalidValue(at, '', 'capacityKey must not be an empty string'));
  else if (capacityKey !== undefined && !capacities.includes(capacityKey)) errors.push(notFoundValue(at, capacityKey));
  return errors;
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}
