/** What the kinds of dynamic resource allocation have in common: names, selectors, configurations, taints (upstream: pkg/apis/resource/validation). */
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalidValue,
  key as keyPath,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey, checkLabelValue } from '../names.ts';
import type { DeviceSelector, DeviceTaint, DeviceToleration, OpaqueDeviceConfiguration } from '../types.gen.ts';
import { byteLength, checkValue } from './messages.ts';

const MAX_DRIVER_NAME = 63;
const MAX_ID = 32;
const MAX_SELECTORS = 32;
const MAX_EXPRESSION = 10 * 1024;
const MAX_POOL_NAME = 253;
const MAX_BINDING_CONDITIONS = 4;
/** Of parameters of a driver, and of what it says of a device. */
const MAX_RAW = 10 * 1024;
/** A key that is longer is cut in the middle when a path names it. */
export const MAX_QUALIFIED_NAME = MAX_DRIVER_NAME + 1 + MAX_ID;
export const MAX_COUNTER_NAME = 63;
const EFFECTS: readonly string[] = ['NoExecute', 'NoSchedule', 'None'];
const OPERATORS: readonly string[] = ['Equal', 'Exists'];
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const IDENTIFIER_TEXT =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A list of at most so many items, each of which is valid. A longer one is not looked at. */
export function validateItems<T>(
  items: readonly T[] | null | undefined,
  max: number,
  path: string,
  validate: (item: T, path: string) => FieldError[],
): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(path, list.length, max)];
  return list.flatMap((item, position) => validate(item, index(path, position)));
}

/** The same, of which no two have the same key. */
export function validateSet<T>(
  items: readonly T[] | null | undefined,
  { max, keyOf }: { readonly max: number; readonly keyOf: (item: T) => string },
  path: string,
  validate: (item: T, path: string) => FieldError[],
): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(path, list.length, max)];
  const errors = validateItems(list, max, path, validate);
  const seen = new Set<string>();
  list.forEach((item, position) => {
    const key = keyOf(item);
    if (seen.has(key)) errors.push(duplicate(index(path, position), key));
    seen.add(key);
  });
  return errors;
}

export const itself = (item: string): string => item;

/** The path of an entry; of a long key it shows both ends. */
export function entryPath(path: string, name: string, max: number): string {
  if (name.length <= max) return keyPath(path, name);
  const rest = max - '...'.length;
  return keyPath(path, `${name.slice(0, Math.ceil(rest / 2))}...${name.slice(name.length - Math.floor(rest / 2))}`);
}

export function validateDriver(driver: string | undefined, path: string): FieldError[] {
  if (!driver) return [required(path)];
  const errors = driver.length > MAX_DRIVER_NAME ? [tooLong(path, MAX_DRIVER_NAME)] : [];
  const messages = checkDns1123Subdomain(driver.toLowerCase());
  return [...errors, ...messages.map((message) => invalidValue(path, driver, message))];
}

export function validatePoolName(name: string | undefined, path: string): FieldError[] {
  if (!name) return [required(path)];
  const errors = name.length > MAX_POOL_NAME ? [tooLong(path, MAX_POOL_NAME)] : [];
  for (const part of name.split('/')) errors.push(...checkValue(path, part, checkDns1123Subdomain));
  return errors;
}

export function validateDeviceName(name: string | undefined, path: string): FieldError[] {
  return checkValue(path, name ?? '', checkDns1123Label);
}

/** Of one share of a device that several claims may have. */
export function validateShare(uid: string | undefined, path: string): FieldError[] {
  if (uid === undefined || UUID.test(uid)) return [];
  const text = UUID.test(uid.toLowerCase())
    ? 'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters'
    : `error validating uid: ${uid.length === 36 ? 'invalid UUID format' : `invalid UUID length: ${uid.length}`}`;
  return [invalidValue(path, uid, text)];
}

/** A name with or without a domain. */
export function validateQualifiedName(name: string, path: string): FieldError[] {
  const parts = name.split('/');
  const [first = '', second = ''] = parts;
  if (parts.length === 1) return validateIdentifier(first, path);
  if (parts.length > 2) return [];
  return [
    ...(first === '' ? [invalidValue(path, '', 'the domain must not be empty')] : validateDriver(first, path)),
    ...(second === '' ? [invalidValue(path, '', 'the name must not be empty')] : validateIdentifier(second, path)),
  ];
}

export function validateFullName(name: string, path: string): FieldError[] {
  const errors = validateQualifiedName(name, path);
  if (!name.includes('/'))
    errors.push(invalidValue(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
  return errors;
}

function validateIdentifier(id: string, path: string): FieldError[] {
  return [
    ...(id.length > MAX_ID ? [tooLong(path, MAX_ID)] : []),
    ...(IDENTIFIER.test(id) ? [] : [invalidValue(path, id, IDENTIFIER_TEXT)]),
  ];
}

/** Expressions are checked for their length; whoever allocates devices compiles them. */
export function validateSelectors(selectors: readonly DeviceSelector[] | undefined, path: string): FieldError[] {
  return validateItems(selectors, MAX_SELECTORS, path, ({ cel }, where) => {
    const at = child(where, 'cel');
    if (cel === undefined) return [required(at)];
    const expression = child(at, 'expression');
    if (!cel.expression) return [required(expression)];
    return byteLength(cel.expression) > MAX_EXPRESSION ? [tooLong(expression, MAX_EXPRESSION)] : [];
  });
}

export function validateConfig(opaque: OpaqueDeviceConfiguration | undefined, path: string): FieldError[] {
  const at = child(path, 'opaque');
  if (opaque === undefined) return [required(at)];
  const { driver, parameters }: Partial<OpaqueDeviceConfiguration> = opaque;
  return [...validateDriver(driver, child(at, 'driver')), ...validateRaw(parameters, child(at, 'parameters'))];
}

/** An object of a driver's own. */
export function validateRaw(value: unknown, path: string): FieldError[] {
  if (value === undefined || value === null) return [required(path)];
  if (byteLength(JSON.stringify(value)) > MAX_RAW) return [tooLong(path, MAX_RAW)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [invalidValue(path, '<value omitted>', 'must be a valid JSON object')];
}

export function validateTaint({ key, value, effect }: Partial<DeviceTaint>, path: string): FieldError[] {
  const errors = checkValue(child(path, 'key'), key ?? '', checkLabelKey);
  if (value) errors.push(...checkValue(child(path, 'value'), value, checkLabelValue));
  const at = child(path, 'effect');
  if (!effect) errors.push(required(at));
  else if (!EFFECTS.includes(effect)) errors.push(notSupported(at, effect, EFFECTS));
  return errors;
}

export function validateDeviceTolerations(
  tolerations: readonly DeviceToleration[] | undefined,
  path: string,
): FieldError[] {
  return (tolerations ?? []).flatMap((toleration, position) => validateToleration(toleration, index(path, position)));
}

function validateToleration({ key, operator, value = '', effect }: DeviceToleration, path: string): FieldError[] {
  const errors = key ? checkValue(child(path, 'key'), key, checkLabelKey) : [];
  const [atOperator, atValue] = [child(path, 'operator'), child(path, 'value')];
  if (!operator) errors.push(required(atOperator));
  else if (operator === 'Equal') errors.push(...checkValue(atValue, value, checkLabelValue));
  else if (operator !== 'Exists') errors.push(notSupported(atOperator, operator, OPERATORS));
  else if (value !== '') errors.push(invalidValue(atValue, value, 'must be empty for operator `Exists`'));
  if (effect && !EFFECTS.includes(effect)) errors.push(notSupported(child(path, 'effect'), effect, EFFECTS));
  return errors;
}

interface Binding {
  readonly bindingConditions?: readonly string[] | undefined;
  readonly bindingFailureConditions?: readonly string[] | undefined;
}

/** Conditions under which a device counts as attached to its node, or as failed. */
export function validateBinding(
  { bindingConditions: ready = [], bindingFailureConditions: failed = [] }: Binding,
  path: string,
): FieldError[] {
  const [readyAt, failedAt] = [child(path, 'bindingConditions'), child(path, 'bindingFailureConditions')];
  const name = (text: string, where: string): FieldError[] => checkValue(where, text, checkLabelKey);
  const errors = [
    ...validateItems(ready, MAX_BINDING_CONDITIONS, readyAt, name),
    ...validateItems(failed, MAX_BINDING_CONDITIONS, failedAt, name),
    ...duplicates(ready, readyAt),
    ...duplicates(failed, failedAt),
  ];
  failed.forEach((text, position) => {
    if (ready.includes(text))
      errors.push(
        invalidValue(
          index(failedAt, position),
          text,
          'bindingFailureConditions must not overlap with bindingConditions',
        ),
      );
  });
  if (ready.length === 0 && failed.length > 0)
    errors.push(invalidValue(readyAt, ready, 'bindingConditions are required to use bindingFailureConditions'));
  if (failed.length === 0 && ready.length > 0)
    errors.push(invalidValue(failedAt, failed, 'bindingFailureConditions are required to use bindingConditions'));
  return errors;
}

function duplicates(items: readonly string[], path: string): FieldError[] {
  return items.flatMap((item, position) =>
    items.indexOf(item) < position ? [duplicate(index(path, position), item)] : [],
  );
}
