/** Validation of LimitRanges and ResourceQuotas (upstream `ValidateLimitRange`, `ValidateResourceQuota`). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  key,
  notSupported,
  required,
} from '../field-error.ts';
import { checkDns1123Subdomain, checkLabelKey } from '../names.ts';
import { compareQuantities, parseQuantity } from '../quantity.ts';
import type { LimitRange, LimitRangeItem, Quantity, ResourceQuota, ResourceQuotaSpec } from '../types.gen.ts';
import { checkValue, immutable, NOT_NEGATIVE } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

type Quantities = Readonly<Record<string, Quantity>> | undefined;

const NANO = 1_000_000_000n;
const LIMIT_TYPES: readonly string[] = ['Container', 'PersistentVolumeClaim', 'Pod'];
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export function validateLimitRange(range: LimitRange): FieldError[] {
  const taken = new Set<string>();
  const errors = validateObjectMeta(range.metadata, true, checkDns1123Subdomain);
  (range.spec?.limits ?? []).forEach((item, position) => {
    const at = index('spec.limits', position);
    if (taken.has(item.type ?? '')) errors.push(duplicate(child(at, 'type'), item.type));
    taken.add(item.type ?? '');
    errors.push(...validateLimitItem(item, at));
  });
  return errors;
}

export function validateLimitRangeUpdate(range: LimitRange, old: LimitRange): FieldError[] {
  return [...validateObjectMetaUpdate(range.metadata, old.metadata), ...validateLimitRange(range)];
}

function validateLimitItem(item: Partial<LimitRangeItem>, path: string): FieldError[] {
  const { type = '' } = item;
  const errors: FieldError[] = [];
  if (!LIMIT_TYPES.includes(type) && !type.includes('/'))
    errors.push(notSupported(child(path, 'type'), type, LIMIT_TYPES));
  for (const list of LISTS) {
    for (const name of Object.keys(item[list] ?? {}))
      errors.push(...checkValue(key(child(path, list), name), name, checkLabelKey));
  }
  if (type === 'Pod') {
    for (const list of ['default', 'defaultRequest'] as const) {
      if (Object.keys(item[list] ?? {}).length > 0)
        errors.push(forbiddenField(child(path, list), "may not be specified when `type` is 'Pod'"));
    }
  }
  if (type === 'PersistentVolumeClaim' && item.min?.['storage'] === undefined && item.max?.['storage'] === undefined)
    errors.push(
      required(child(path, 'limits'), 'either minimum or maximum storage value is required, but neither was provided'),
    );
  const names = new Set(LISTS.flatMap((list) => Object.keys(item[list] ?? {})));
  return [...errors, ...[...names].flatMap((name) => validateOrder(item, name, path))];
}

/** min ≤ defaultRequest ≤ default ≤ max, as far as they are given. */
const ORDER: readonly (readonly [
  lower: (typeof LISTS)[number],
  lowerWord: string,
  upper: (typeof LISTS)[number],
  upperWord: string,
])[] = [
  ['min', 'min value', 'max', 'max value'],
  ['min', 'min value', 'defaultRequest', 'default request value'],
  ['defaultRequest', 'default request value', 'max', 'max value'],
  ['defaultRequest', 'default request value', 'default', 'default limit value'],
  ['min', 'min value', 'default', 'default value'],
  ['default', 'default value', 'max', 'max value'],
];

function validateOrder(item: Partial<LimitRangeItem>, name: string, path: string): FieldError[] {
  const errors = ORDER.flatMap(([lower, lowerWord, upper, upperWord]) => {
    const low = item[lower]?.[name];
    const high = item[upper]?.[name];
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return [];
    // The value at fault is the one in the middle where there is one.
    const list = lower === 'min' && upper !== 'max' ? upper : lower;
    const text = `${lowerWord} ${low} is greater than ${upperWord} ${high}`;
    return [invalidValue(key(child(path, list), name), item[list]?.[name], text)];
  });
  return [...errors, ...validateRatio(item, name, path)];
}

function validateRatio(item: Partial<LimitRangeItem>, name: string, path: string): FieldError[] {
  const ratio = item.maxLimitRequestRatio?.[name];
  if (ratio === undefined) return [];
  const field = key(child(path, 'maxLimitRequestRatio'), name);
  const errors = compareQuantities(ratio, '1') < 0 ? [invalidValue(field, ratio, `ratio ${ratio} is less than 1`)] : [];
  const min = item.min?.[name];
  const max = item.max?.[name];
  if (min === undefined || max === undefined || compareQuantities(min, '0') <= 0) return errors;
  const most = Number(parseQuantity(max).nano) / Number(parseQuantity(min).nano);
  if (Number(parseQuantity(ratio).nano) / Number(NANO) > most)
    errors.push(invalidValue(field, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`));
  return errors;
}

const SCOPES: readonly string[] = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
];
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const OPERATORS: readonly string[] = ['DoesNotExist', 'Exists', 'In', 'NotIn'];
/** Names without a domain that a quota may count. */
const COUNTED = new Set([
  'cpu',
  'memory',
  'storage',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]);
const FRACTIONAL = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
  'storage',
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
]);

export function validateResourceQuota(quota: ResourceQuota): FieldError[] {
  const { spec = {} } = quota;
  return [
    ...validateObjectMeta(quota.metadata, true, checkDns1123Subdomain),
    ...validateCounts(spec.hard, 'spec.hard'),
    ...validateScopes(spec),
  ];
}

export function validateResourceQuotaUpdate(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  return [
    ...validateObjectMetaUpdate(quota.metadata, old.metadata),
    ...validateResourceQuota(quota),
    ...immutable('spec.scopes', quota.spec?.scopes ?? [], old.spec?.scopes ?? []),
    ...immutable('spec.scopeSelector', quota.spec?.scopeSelector, old.spec?.scopeSelector),
  ];
}

export function validateResourceQuotaStatus(quota: ResourceQuota, old: ResourceQuota): FieldError[] {
  return [
    ...validateObjectMetaUpdate(quota.metadata, old.metadata),
    ...validateCounts(quota.status?.hard, 'status.hard'),
    ...validateCounts(quota.status?.used, 'status.used'),
  ];
}

function validateCounts(quantities: Quantities, path: string): FieldError[] {
  return Object.entries(quantities ?? {}).flatMap(([name, quantity]) => {
    const field = key(path, name);
    const errors = checkValue(field, name, checkLabelKey);
    const known = name.includes('/') || COUNTED.has(name) || /^(requests\.|limits\.)?hugepages-/.test(name);
    if (errors.length === 0 && !known) errors.push(invalidValue(field, name, 'must be a standard resource for quota'));
    const { nano } = parseQuantity(quantity);
    if (nano < 0n) errors.push(invalidValue(field, quantity, NOT_NEGATIVE));
    else if (!FRACTIONAL.has(name) && nano % NANO !== 0n)
      errors.push(invalidValue(field, quantity, 'must be an integer'));
    return errors;
  });
}

function validateScopes({ scopes = [], scopeSelector }: ResourceQuotaSpec): FieldError[] {
  const errors: FieldError[] = [];
  for (const scope of scopes)
    if (!SCOPES.includes(scope)) errors.push(invalidValue('spec.scopes', scopes, 'unsupported scope'));
  for (const [a, b] of OPPOSITES) {
    if (scopes.includes(a) && scopes.includes(b))
      errors.push(invalidValue('spec.scopes', scopes, 'conflicting scopes'));
  }
  (scopeSelector?.matchExpressions ?? []).forEach((term, position) => {
    const at = index('spec.scopeSelector.matchExpressions', position);
    if (!SCOPES.includes(term.scopeName))
      errors.push(invalidValue(child(at, 'scopeName'), term.scopeName, 'unsupported scope'));
    if (!OPERATORS.includes(term.operator)) {
      errors.push(invalidValue(child(at, 'operator'), term.operator, 'not a valid selector operator'));
      return;
    }
    const values = term.values?.length ?? 0;
    const wantsValues = term.operator === 'In' || term.operator === 'NotIn';
    if (wantsValues && values === 0)
      errors.push(
        required(
          child(at, 'values'),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
        ),
      );
    if (!wantsValues && values > 0)
      errors.push(
        invalidValue(
          child(at, 'values'),
          term.values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
    if (term.scopeName !== 'PriorityClass' && term.scopeName !== 'VolumeAttributesClass' && term.operator !== 'Exists')
      errors.push(
        invalidValue(
          child(at, 'operator'),
          term.operator,
          "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
  });
  return errors;
}
