/** Validation of the kinds of CSI: drivers, nodes, capacities, attachments, classes of attributes (upstream: pkg/apis/storage/validation). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../field-error.ts';
import { checkDns1123Subdomain, checkLabelKey } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import type {
  CSIDriver,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  StorageTokenRequest,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeError,
} from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { byteLength, checkValue, equalJson, immutable, NOT_NEGATIVE, requireOneOf } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const MAX_DRIVER_NAME = 63;
const DRIVER_NAME = /^[a-zA-Z0-9](?:[-a-zA-Z0-9._]*[a-zA-Z0-9])?$/;
const MAX_NODE_ID = 192;
const MAX_ATTACHMENT_ENTRY = 256 * 1024;
const MAX_ERROR = 1024;
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;
const MIN_UPDATE_SECONDS = 10;
/** In the order in which upstream names them. */
const MODES: readonly string[] = ['Persistent', 'Ephemeral'];
const GROUP_POLICIES: readonly string[] = ['File', 'None', 'ReadWriteOnceWithFSType'];

export function validateCsiDriver(driver: CSIDriver): FieldError[] {
  const name = driver.metadata?.name ?? '';
  return [
    ...validateObjectMeta(driver.metadata, false, checkDns1123Subdomain),
    ...checkDriverName('name', name),
    ...validateDriverSpec(driver),
  ];
}

export function validateCsiDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  const { attachRequired, volumeLifecycleModes } = driver.spec;
  return [
    ...validateObjectMetaUpdate(driver.metadata, old.metadata),
    ...validateDriverSpec(driver),
    ...immutable('spec.attachRequired', attachRequired, old.spec.attachRequired),
    ...immutable('spec.volumeLifecycleModes', volumeLifecycleModes, old.spec.volumeLifecycleModes),
  ];
}

function checkDriverName(field: string, name: string): FieldError[] {
  if (name === '') return [required(field)];
  if (name.length > MAX_DRIVER_NAME) return [tooLong(field, MAX_DRIVER_NAME)];
  const text =
    "a CSI driver name consists of alphanumeric characters, '-', '_' or '.', and begins and ends with an alphanumeric character";
  return DRIVER_NAME.test(name) ? [] : [invalidValue(field, name, text)];
}

function validateDriverSpec({ spec }: CSIDriver): FieldError[] {
  const { attachRequired, podInfoOnMount, storageCapacity, fsGroupPolicy, tokenRequests = [] } = spec;
  const { volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = spec;
  const errors: FieldError[] = [];
  if (attachRequired === undefined) errors.push(required('spec.attachedRequired'));
  if (podInfoOnMount === undefined) errors.push(required('spec.podInfoOnMount'));
  if (storageCapacity === undefined) errors.push(required('spec.storageCapacity'));
  errors.push(...oneOfEvenEmpty('spec.fsGroupPolicy', fsGroupPolicy, GROUP_POLICIES));
  errors.push(...validateTokenRequests(tokenRequests));
  for (const mode of volumeLifecycleModes)
    if (!MODES.includes(mode)) errors.push(notSupported('spec.volumeLifecycleModes', mode, MODES));
  if (period !== undefined && period < MIN_UPDATE_SECONDS) {
    const text = `must be greater than or equal to ${MIN_UPDATE_SECONDS} seconds`;
    errors.push(invalidValue('spec.nodeAllocatableUpdatePeriodSeconds', period, text));
  }
  return errors;
}

/** An empty one is not supported, rather than missing. */
function oneOfEvenEmpty(field: string, value: string | undefined, supported: readonly string[]): FieldError[] {
  return value === '' ? [notSupported(field, value, supported)] : requireOneOf(field, value, supported);
}

function validateTokenRequests(requests: readonly StorageTokenRequest[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  requests.forEach(({ audience = '', expirationSeconds: seconds }: Partial<StorageTokenRequest>, position) => {
    const at = index('spec.tokenRequests', position);
    if (seen.has(audience)) errors.push(duplicate(child(at, 'audience'), audience));
    seen.add(audience);
    const field = child(at, 'expirationSeconds');
    if (seconds === undefined) return;
    if (seconds < MIN_TOKEN_SECONDS)
      errors.push(invalidValue(field, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > MAX_TOKEN_SECONDS)
      errors.push(invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds'));
  });
  return errors;
}

export function validateCsiNode(node: CSINode): FieldError[] {
  return [...validateObjectMeta(node.metadata, false, checkDns1123Subdomain), ...validateNodeDrivers(node)];
}

export function validateCsiNodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  const errors = [...validateObjectMetaUpdate(node.metadata, old.metadata), ...validateNodeDrivers(node)];
  (node.spec.drivers ?? []).forEach((driver, position) => {
    const before = old.spec.drivers?.find(({ name }) => name === driver.name);
    if (before === undefined) return;
    const { allocatable: _, ...rest } = driver;
    const { allocatable: __, ...restBefore } = before;
    if (!equalJson(rest, restBefore))
      errors.push(invalidValue(index('spec.drivers', position), driver, 'field is immutable'));
  });
  return errors;
}

function validateNodeDrivers({ spec }: CSINode): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.drivers ?? []).forEach((driver: Partial<CSINodeDriver>, position) => {
    const { name = '', nodeID = '', topologyKeys, allocatable } = driver;
    const at = index('spec.drivers', position);
    errors.push(...checkDriverName(child(at, 'name'), name));
    if (seen.has(name)) errors.push(duplicate(child(at, 'name'), name));
    seen.add(name);
    if (nodeID === '') errors.push(required(child(at, 'nodeID')));
    else if (byteLength(nodeID) > MAX_NODE_ID)
      errors.push(invalidValue(child(at, 'nodeID'), nodeID, `must be ${MAX_NODE_ID} characters or less`));
    (topologyKeys ?? []).forEach((key, nth) => {
      const field = child(at, 'topologyKeys');
      if (key === '') errors.push(required(field));
      else errors.push(...checkValue(field, key, checkLabelKey));
      if (topologyKeys?.indexOf(key) !== nth) errors.push(duplicate(field, key));
    });
    const { count } = allocatable ?? {};
    if (count !== undefined && count < 0)
      errors.push(invalidValue(child(at, 'allocatable.count'), count, NOT_NEGATIVE));
  });
  return errors;
}

export function validateCsiStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  const { metadata, nodeTopology, storageClassName, capacity: size, maximumVolumeSize } = capacity;
  const errors = [
    ...validateObjectMeta(metadata, true, checkDns1123Subdomain),
    ...(nodeTopology === undefined ? [] : validateLabelSelector(nodeTopology, 'nodeTopology')),
    ...checkValue('storageClassName', storageClassName ?? '', checkDns1123Subdomain),
  ];
  for (const [field, quantity] of Object.entries({ capacity: size, maximumVolumeSize })) {
    if (quantity !== undefined && parseQuantity(quantity).nano < 0n)
      errors.push(invalidValue(field, quantity, NOT_NEGATIVE));
  }
  return errors;
}

export function validateCsiStorageCapacityUpdate(capacity: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  return [
    ...validateObjectMetaUpdate(capacity.metadata, old.metadata),
    ...validateCsiStorageCapacity(capacity).filter(({ field }) => !field.startsWith('metadata')),
    ...immutable('nodeTopology', capacity.nodeTopology, old.nodeTopology),
    ...immutable('storageClassName', capacity.storageClassName, old.storageClassName),
  ];
}

export function validateVolumeAttachment(attachment: VolumeAttachment): FieldError[] {
  return [
    ...validateObjectMeta(attachment.metadata, false, checkDns1123Subdomain),
    ...checkDriverName('spec.attacher', attachment.spec.attacher ?? ''),
    ...validateAttachment(attachment),
  ];
}

export function validateVolumeAttachmentUpdate(attachment: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  return [
    ...validateObjectMetaUpdate(attachment.metadata, old.metadata),
    ...validateAttachment(attachment),
    ...immutable('spec', attachment.spec, old.spec),
  ];
}

function validateAttachment({ spec, status }: VolumeAttachment): FieldError[] {
  const { attacher, source, nodeName } = spec;
  const errors: FieldError[] = [];
  if (attacher === '') errors.push(required('spec.attacher'));
  const { persistentVolumeName, inlineVolumeSpec } = source ?? {};
  if (persistentVolumeName === undefined && inlineVolumeSpec === undefined)
    errors.push(required('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'));
  if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined)
    errors.push(forbiddenField('spec.source', 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'));
  if (persistentVolumeName === '')
    errors.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'));
  if (nodeName === '') errors.push(required('spec.nodeName'));
  else errors.push(...checkValue('spec.nodeName', nodeName, checkDns1123Subdomain));
  if (status === undefined) return errors;
  const size = Object.entries(status.attachmentMetadata ?? {}).reduce(
    (sum, [name, value]) => sum + byteLength(name) + byteLength(value),
    0,
  );
  if (size > MAX_ATTACHMENT_ENTRY) errors.push(tooLong('status.attachmentMetadata', MAX_ATTACHMENT_ENTRY));
  return [
    ...errors,
    ...validateVolumeError(status.attachError, 'status.attachError'),
    ...validateVolumeError(status.detachError, 'status.detachError'),
  ];
}

function validateVolumeError(error: VolumeError | undefined, path: string): FieldError[] {
  return byteLength(error?.message ?? '') > MAX_ERROR ? [tooLong(child(path, 'message'), MAX_ERROR)] : [];
}

export function validateVolumeAttributesClass(attributes: VolumeAttributesClass): FieldError[] {
  const { metadata, driverName, parameters = {} } = attributes;
  const errors = [
    ...validateObjectMeta(metadata, false, checkDns1123Subdomain),
    ...(driverName === '' ? [required('driverName')] : checkDriverName('driverName', driverName)),
  ];
  const entries = Object.entries(parameters);
  if (entries.length === 0) errors.push(required('parameters', 'must contain at least one key/value pair'));
  if (entries.length > MAX_PARAMETERS) errors.push(tooLong('parameters', MAX_PARAMETERS));
  if (Object.hasOwn(parameters, '')) errors.push(invalidValue('parameters', '', 'field can not be empty.'));
  const size = entries.reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  if (size > MAX_PARAMETER_BYTES) errors.push(tooLong('parameters', MAX_PARAMETER_BYTES));
  return errors;
}

export function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(attributes.metadata, old.metadata),
    ...immutable('driverName', attributes.driverName, old.driverName),
    ...immutable('parameters', attributes.parameters, old.parameters),
  ];
}
