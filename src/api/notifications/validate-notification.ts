/** Validates notifications: what their schema and its rules in CEL cannot say, and all of it where no server of ours checked. Pure. */
import { checkCaBundle } from '../custom-resources/ca-bundle.ts';
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
import { durationMs, formatDurationMs } from '../healing/duration.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { validateLabelSelector } from '../validation/affinity.ts';
import { checkValue, oneOf, requireOneOf, requireValue } from '../validation/messages.ts';
import {
  MAX_CA_BUNDLE_LENGTH,
  MAX_CLUSTER_NAME_LENGTH,
  MAX_DAMPING_MS,
  MAX_GROUP_WAIT_MS,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
  MAX_NOTIFICATION_HEADERS,
  MAX_NOTIFICATION_URL_LENGTH,
  MAX_PATIENCE_MS,
  MAX_REPEAT_MS,
  MIN_PATIENCE_MS,
  MIN_REPEAT_MS,
} from './limits.ts';
import {
  type ClusterNotification,
  type ClusterNotificationSpec,
  NOTIFICATION_TARGET_TYPES,
  NOTIFICATION_TRIGGERS,
  type NotificationHeader,
  type NotificationSecretRef,
  type NotificationTarget,
} from './types.ts';

/** @param clusterWide a ClusterNotification */
export function validateNotification({ spec }: ClusterNotification, clusterWide: boolean): readonly FieldError[] {
  return spec === undefined ? [required('spec')] : validateNotificationSpec(spec, clusterWide);
}

function validateNotificationSpec(spec: ClusterNotificationSpec, clusterWide: boolean): readonly FieldError[] {
  const { triggers, cluster = '' } = spec;
  return [
    ...validateLabelSelector(spec.selector, 'spec.selector'),
    ...(clusterWide ? validateLabelSelector(spec.namespaceSelector, 'spec.namespaceSelector') : []),
    ...(triggers?.length === 0 ? [required('spec.triggers', 'at least one; leave the field out for all')] : []),
    ...(triggers ?? [])
      .slice(0, 32)
      .flatMap((each, at) => oneOf(index('spec.triggers', at), each, NOTIFICATION_TRIGGERS)),
    ...(cluster.length > MAX_CLUSTER_NAME_LENGTH ? [tooLong('spec.cluster', MAX_CLUSTER_NAME_LENGTH)] : []),
    ...(isPlain(cluster)
      ? []
      : [invalidValue('spec.cluster', cluster, 'must be letters, digits, blanks, and any of . _ : / -')]),
    ...duration('spec.patience', spec.patience, MIN_PATIENCE_MS, MAX_PATIENCE_MS),
    ...duration('spec.groupWait', spec.groupWait, 0, MAX_GROUP_WAIT_MS),
    ...duration('spec.repeatAfter', spec.repeatAfter, MIN_REPEAT_MS, MAX_REPEAT_MS),
    ...duration('spec.damping', spec.damping, 0, MAX_DAMPING_MS),
    ...(spec.target === undefined ? [required('spec.target')] : validateTarget(spec.target, clusterWide)),
  ];
}

function validateTarget(target: NotificationTarget, clusterWide: boolean): readonly FieldError[] {
  const path = 'spec.target';
  const { type, url, urlFrom, headers = [], caBundle = '' } = target;
  const both = url !== undefined && urlFrom !== undefined;
  const at = child(path, 'headers');
  return [
    ...requireOneOf(child(path, 'type'), type, NOTIFICATION_TARGET_TYPES),
    ...(both ? [forbiddenField(child(path, 'urlFrom'), 'only without url')] : []),
    ...(url === undefined && urlFrom === undefined ? [required(child(path, 'url'), 'or urlFrom')] : []),
    ...(url === undefined ? [] : problemsOfUrl(url).map((problem) => invalidValue(child(path, 'url'), url, problem))),
    ...(urlFrom === undefined
      ? []
      : validateRef(urlFrom.secretKeyRef, child(path, 'urlFrom.secretKeyRef'), clusterWide)),
    ...(headers.length > MAX_NOTIFICATION_HEADERS ? [tooMany(at, headers.length, MAX_NOTIFICATION_HEADERS)] : []),
    ...headers
      .slice(0, MAX_NOTIFICATION_HEADERS)
      .flatMap((header, position) => [
        ...validateHeader(header, index(at, position), clusterWide),
        ...repeatedHeader(headers, position, at),
      ]),
    ...(caBundle === '' ? [] : validateAuthorities(caBundle, child(path, 'caBundle'))),
  ];
}

function validateAuthorities(caBundle: string, path: string): readonly FieldError[] {
  if (caBundle.length > MAX_CA_BUNDLE_LENGTH) return [tooLong(path, MAX_CA_BUNDLE_LENGTH)];
  const problem = checkCaBundle(caBundle);
  return problem === undefined ? [] : [invalidValue(path, '<bytes>', problem)];
}

/** What is wrong with the address of a target; it may come of a Secret, so the texts do not quote it. */
export function problemsOfUrl(text: string): readonly string[] {
  if (text.length > MAX_NOTIFICATION_URL_LENGTH) return [`must not be longer than ${MAX_NOTIFICATION_URL_LENGTH}`];
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/?#]/i.test(text))
    return ['must begin with https:// or http://, and name a host'];
  if (/[^!-~\u00a1-\uffff]/.test(text)) return ['must not have blanks or control characters'];
  if (url.username !== '' || url.password !== '')
    return ['must not have user or password: headers with valueFrom are for that'];
  return url.hash === '' ? [] : ['must not have a fragment'];
}

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** Those of the connection and of the body, which are the sender's. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'accept-encoding',
]);

function validateHeader(header: NotificationHeader, path: string, clusterWide: boolean): readonly FieldError[] {
  const { name = '', value, valueFrom } = header;
  const at = child(path, 'name');
  const isOwn = OWN_HEADERS.has(name.toLowerCase());
  return [
    ...requireValue(at, name),
    ...(name.length > MAX_HEADER_NAME_LENGTH ? [tooLong(at, MAX_HEADER_NAME_LENGTH)] : []),
    ...(name !== '' && !HEADER_NAME.test(name) ? [invalidValue(at, name, 'must be the name of an HTTP header')] : []),
    ...(isOwn ? [invalidValue(at, name, 'is set by the sender')] : []),
    ...(value !== undefined && valueFrom !== undefined
      ? [forbiddenField(child(path, 'valueFrom'), 'only without value')]
      : []),
    ...(value === undefined && valueFrom === undefined ? [required(child(path, 'value'), 'or valueFrom')] : []),
    ...(value === undefined
      ? []
      : problemsOfHeader(value).map((problem) => invalidValue(child(path, 'value'), value, problem))),
    ...(valueFrom === undefined
      ? []
      : validateRef(valueFrom.secretKeyRef, child(path, 'valueFrom.secretKeyRef'), clusterWide)),
  ];
}

/** Names of headers are the same in capitals. */
function repeatedHeader(headers: readonly NotificationHeader[], position: number, at: string): readonly FieldError[] {
  const { name = '' } = headers[position] ?? {};
  const first = headers.findIndex((each) => each.name?.toLowerCase() === name.toLowerCase());
  return name === '' || first === position ? [] : [duplicate(child(index(at, position), 'name'), name)];
}

/** What is wrong with the value of a header; it may come of a Secret, so the texts do not quote it. */
export function problemsOfHeader(value: string): readonly string[] {
  if (value.length > MAX_HEADER_VALUE_LENGTH) return [`must not be longer than ${MAX_HEADER_VALUE_LENGTH}`];
  return /^[\t\u0020-\u007e]*$/.test(value) ? [] : ['must be one line of printable ASCII characters'];
}

const KEY = /^[-._a-zA-Z0-9]{1,253}$/;

function validateRef(
  ref: NotificationSecretRef | undefined,
  path: string,
  clusterWide: boolean,
): readonly FieldError[] {
  if (ref === undefined) return [required(path)];
  const { name, key, namespace } = ref;
  const at = child(path, 'namespace');
  return [
    ...(name === undefined ? [] : checkValue(child(path, 'name'), name, checkDns1123Subdomain)),
    ...requireValue(child(path, 'key'), key),
    ...(key !== undefined && key !== '' && !KEY.test(key)
      ? [invalidValue(child(path, 'key'), key, 'must be a key of a Secret')]
      : []),
    ...(clusterWide
      ? requireValue(at, namespace, checkDns1123Subdomain)
      : namespace === undefined
        ? []
        : [forbiddenField(at, 'a Notification reads Secrets of its own namespace')]),
  ];
}

function duration(path: string, text: string | undefined, min: number, max: number): readonly FieldError[] {
  if (text === undefined) return [];
  const ms = durationMs(text);
  if (ms !== undefined && ms >= min && ms <= max) return [];
  return [invalidValue(path, text, `must be between ${formatDurationMs(min)} and ${formatDurationMs(max)}`)];
}

function isPlain(text: string): boolean {
  return /^[\p{L}\p{N} ._:/-]*$/u.test(text);
}
