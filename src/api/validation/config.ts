/** Validation of ConfigMaps and Secrets: keys, size, types, immutability (upstream `ValidateConfigMap`, `ValidateSecret`). */
import { type FieldError, forbiddenField, invalidValue, key, required, tooLong } from '../field-error.ts';
import { checkConfigMapKey, checkDns1123Subdomain } from '../names.ts';
import type { ConfigMap, Secret } from '../types.gen.ts';
import { byteLength, checkValue, equalJson, immutable } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/** Bytes of all values together. */
export const MAX_DATA_BYTES = 1024 * 1024;
const FIXED = 'field is immutable when `immutable` is set';

export function validateConfigMap(configMap: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = configMap;
  const errors = validateObjectMeta(configMap.metadata, true, checkDns1123Subdomain);
  let bytes = 0;
  for (const [name, value] of Object.entries(data)) {
    errors.push(...checkKey('data', name));
    if (Object.hasOwn(binaryData, name))
      errors.push(invalidValue(key('data', name), name, 'duplicate of key present in binaryData'));
    bytes += byteLength(value);
  }
  for (const [name, value] of Object.entries(binaryData)) {
    errors.push(...checkKey('binaryData', name));
    bytes += decodedLength(value);
  }
  if (bytes > MAX_DATA_BYTES) errors.push(tooLong('[]', MAX_DATA_BYTES));
  return errors;
}

function checkKey(path: string, name: string): FieldError[] {
  return checkValue(key(path, name), name, checkConfigMapKey);
}

function decodedLength(base64: string): number {
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
}

export function validateConfigMapUpdate(configMap: ConfigMap, old: ConfigMap): FieldError[] {
  const errors = validateObjectMetaUpdate(configMap.metadata, old.metadata);
  if (old.immutable === true) errors.push(...validateFixed(configMap, old, ['data', 'binaryData']));
  return [...errors, ...validateConfigMap(configMap)];
}

function validateFixed<T extends { immutable?: boolean }>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  const errors = object.immutable === true ? [] : [forbiddenField('immutable', FIXED)];
  for (const name of fields)
    if (!equalJson(object[name] ?? {}, old[name] ?? {})) errors.push(forbiddenField(name, FIXED));
  return errors;
}

/** The keys that a secret of a well-known type must have. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};
const JSON_KEYS = new Set(['.dockercfg', '.dockerconfigjson']);

export function validateSecret(secret: Secret): FieldError[] {
  const { data = {}, type = '' } = secret;
  const errors = validateObjectMeta(secret.metadata, true, checkDns1123Subdomain);
  let bytes = 0;
  for (const [name, value] of Object.entries(data)) {
    errors.push(...checkKey('data', name));
    bytes += decodedLength(value);
  }
  if (bytes > MAX_DATA_BYTES) errors.push(tooLong('data', MAX_DATA_BYTES));
  if (type === 'kubernetes.io/service-account-token') {
    const name = 'kubernetes.io/service-account.name';
    if (!secret.metadata?.annotations?.[name]) errors.push(required(key('metadata.annotations', name)));
  }
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    errors.push(required(key('data', 'username')), required(key('data', 'password')));
  }
  for (const name of (Object.hasOwn(REQUIRED_KEYS, type) ? REQUIRED_KEYS[type] : undefined) ?? []) {
    const value = data[name];
    if (value === undefined) errors.push(required(key('data', name)));
    else if (JSON_KEYS.has(name)) errors.push(...validateJson(value, key('data', name)));
  }
  return errors;
}

function validateJson(base64: string, path: string): FieldError[] {
  try {
    JSON.parse(Buffer.from(base64, 'base64').toString('utf8'));
    return [];
  } catch {
    // The parser's message would quote the secret.
    return [invalidValue(path, '<secret contents redacted>', 'must be valid JSON')];
  }
}

export function validateSecretUpdate(secret: Secret, old: Secret): FieldError[] {
  const errors = [
    ...validateObjectMetaUpdate(secret.metadata, old.metadata),
    ...immutable('type', secret.type, old.type),
  ];
  if (old.immutable === true) errors.push(...validateFixed(secret, old, ['data']));
  return [...errors, ...validateSecret(secret)];
}
