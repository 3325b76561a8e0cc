/** Validation of FlowSchemas and PriorityLevelConfigurations (upstream: pkg/apis/flowcontrol/validation). */
import {
  child,
  duplicate,
  type FieldError,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '../field-error.ts';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../mandatory-flow-control.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkRange } from '../names.ts';
import type {
  ExemptPriorityLevelConfiguration,
  FlowSchema,
  LimitedPriorityLevelConfiguration,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  QueuingConfiguration,
  ResourcePolicyRule,
} from '../types.gen.ts';
import { checkValue, equalJson, requireValue } from './messages.ts';
import { validateObjectMeta } from './object-meta.ts';

type FlowSubject = PolicyRulesWithSubjects['subjects'][number];

const MAX_PRECEDENCE = 10_000;
const MAX_QUEUES = 10_000_000;
/** The bits of a hash by which hands are dealt. */
const MAX_HASH_BITS = 60;
/** A schema that must exist, and that alone has the first precedence. */
const EXEMPT = 'exempt';
const VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];
const DISTINGUISHERS: readonly string[] = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS: readonly string[] = ['Group', 'ServiceAccount', 'User'];

export function validateFlowSchema(schema: FlowSchema): FieldError[] {
  const { spec, metadata } = schema;
  const {
    matchingPrecedence: precedence = 0,
    distinguisherMethod,
    priorityLevelConfiguration,
    rules = [],
  } = spec ?? {};
  const errors = validateObjectMeta(metadata, false, checkDns1123Subdomain);
  const at = 'spec.matchingPrecedence';
  if (precedence <= 0) errors.push(invalidValue(at, precedence, 'must be a positive value'));
  if (precedence > MAX_PRECEDENCE)
    errors.push(invalidValue(at, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  if (precedence === 1 && metadata?.name !== EXEMPT)
    errors.push(invalidValue(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  if (distinguisherMethod !== undefined && !DISTINGUISHERS.includes(distinguisherMethod.type))
    errors.push(notSupported('spec.distinguisherMethod.type', distinguisherMethod, DISTINGUISHERS));
  const level = 'spec.priorityLevelConfiguration.name';
  if (!priorityLevelConfiguration?.name) errors.push(required(level, 'must reference a priority level'));
  else errors.push(...checkValue(level, priorityLevelConfiguration.name, checkDns1123Subdomain));
  rules.forEach((rule, position) => errors.push(...validateRule(rule, index('spec.rules', position))));
  return [...errors, ...checkFixedSchema(schema), ...validateConditions(schema.status?.conditions)];
}

function checkFixedSchema({ metadata: { name = '' } = {}, spec }: FlowSchema): FieldError[] {
  const fixed = MANDATORY_FLOW_SCHEMAS.get(name);
  if (fixed === undefined || equalJson(spec, fixed)) return [];
  return [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)];
}

/** What is exempt may be weighed anew, and nothing else of it may change. */
function checkFixedLevel({ metadata: { name = '' } = {}, spec }: PriorityLevelConfiguration): FieldError[] {
  const fixed = MANDATORY_PRIORITY_LEVELS.get(name);
  if (fixed === undefined) return [];
  if (name !== EXEMPT)
    return equalJson(spec, fixed) ? [] : [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)];
  if (spec?.type === fixed.type && spec.limited === undefined) return [];
  return [invalidValue('spec', spec, `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`)];
}

function validateConditions(conditions: readonly { readonly type?: string }[] = []): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  conditions.forEach(({ type = '' }, position) => {
    const at = child(index('status.conditions', position), 'type');
    if (seen.has(type)) errors.push(duplicate(at, type));
    seen.add(type);
    if (type === '') errors.push(required(at, 'must not be empty'));
  });
  return errors;
}

export function validateFlowSchemaStatus(schema: FlowSchema): FieldError[] {
  return validateConditions(schema.status?.conditions);
}

export function validatePriorityLevelStatus(level: PriorityLevelConfiguration): FieldError[] {
  return validateConditions(level.status?.conditions);
}

function validateRule(rule: Partial<PolicyRulesWithSubjects>, path: string): FieldError[] {
  const { subjects = [], resourceRules = [], nonResourceRules = [] } = rule;
  const errors: FieldError[] = [];
  const at = child(path, 'subjects');
  if (subjects.length === 0) errors.push(required(at, 'subjects must contain at least one value'));
  subjects.forEach((subject, position) => errors.push(...validateSubject(subject, index(at, position))));
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  resourceRules.forEach((each, position) =>
    errors.push(...validateResourceRule(each, index(child(path, 'resourceRules'), position))),
  );
  nonResourceRules.forEach((each, position) =>
    errors.push(...validateNonResourceRule(each, index(child(path, 'nonResourceRules'), position))),
  );
  return errors;
}

function validateSubject(subject: Partial<FlowSubject>, path: string): FieldError[] {
  const { kind = '' } = subject;
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(child(path, 'kind'), kind, SUBJECT_KINDS)];
  const fields = [
    ['ServiceAccount', 'serviceAccount'],
    ['User', 'user'],
    ['Group', 'group'],
  ] as const;
  const errors: FieldError[] = [];
  for (const [name, field] of fields) {
    const at = child(path, field);
    const value = subject[field];
    if (name !== kind) {
      const text = `${field} is forbidden when subject kind is not '${name}'`;
      if (value !== undefined) errors.push(forbiddenField(at, text));
    } else if (value === undefined) {
      errors.push(required(at, `${field} is required when subject kind is '${name}'`));
    } else {
      errors.push(...validateNamed(field, subject, at));
    }
  }
  return errors;
}

function validateNamed(field: string, { serviceAccount, user, group }: Partial<FlowSubject>, at: string): FieldError[] {
  if (field !== 'serviceAccount') return requireValue(child(at, 'name'), (user ?? group)?.name);
  const { name = '', namespace = '' }: { name?: string; namespace?: string } = serviceAccount ?? {};
  const errors = requireValue(child(at, 'name'), name, name === '*' ? undefined : checkDns1123Subdomain);
  const place = child(at, 'namespace');
  if (namespace === '') return [...errors, required(place, 'must specify namespace for service account')];
  return [...errors, ...checkValue(place, namespace, checkDns1123Label)];
}

/** A list with "*" has nothing else. */
function validateWildcard(values: readonly string[], path: string, others: string): FieldError[] {
  if (!values.includes('*') || values.length === 1) return [];
  return [invalidValue(path, values, `if '*' is present, must not specify other ${others}`)];
}

function validateVerbs(verbs: readonly string[] = [], path: string): FieldError[] {
  if (verbs.length === 0) return [required(path, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return validateWildcard(verbs, path, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(path, verbs, VERBS)];
}

function validateResourceRule(rule: Partial<ResourcePolicyRule>, path: string): FieldError[] {
  const { verbs, apiGroups = [], resources = [], clusterScope = false } = rule;
  const namespaces = rule.namespaces ?? [];
  const errors = validateVerbs(verbs, child(path, 'verbs'));
  const groupsAt = child(path, 'apiGroups');
  if (apiGroups.length === 0) errors.push(required(groupsAt, 'resource rules must supply at least one api group'));
  errors.push(...validateWildcard(apiGroups, groupsAt, 'api groups'));
  const resourcesAt = child(path, 'resources');
  if (resources.length === 0) errors.push(required(resourcesAt, 'resource rules must supply at least one resource'));
  errors.push(...validateWildcard(resources, resourcesAt, 'resources'));
  const at = child(path, 'namespaces');
  if (namespaces.length === 0 && !clusterScope)
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'));
  if (namespaces.includes('*')) return [...errors, ...validateWildcard(namespaces, at, 'namespaces')];
  const text = "each member of this list must be '*' or a DNS-1123 label; ";
  return [
    ...errors,
    ...namespaces.flatMap((name, position) =>
      checkDns1123Label(name).map((message) => invalidValue(index(at, position), name, `${text}${message}`)),
    ),
  ];
}

function validateNonResourceRule(rule: Partial<NonResourcePolicyRule>, path: string): FieldError[] {
  const { verbs, nonResourceURLs = [] } = rule;
  const errors = validateVerbs(verbs, child(path, 'verbs'));
  const at = child(path, 'nonResourceURLs');
  if (nonResourceURLs.length === 0) return [...errors, required(at, 'nonResourceURLs must contain at least one value')];
  if (nonResourceURLs.includes('*')) return [...errors, ...validateWildcard(nonResourceURLs, at, 'non-resource URLs')];
  nonResourceURLs.forEach((url, position) => errors.push(...validateUrl(url, index(at, position))));
  return errors;
}

function validateUrl(url: string, path: string): FieldError[] {
  if (url === '') return [invalidValue(path, url, 'must not be empty')];
  if (url === '/') return [];
  if (!url.startsWith('/')) return [invalidValue(path, url, 'must start with slash')];
  if (url.includes(' ')) return [invalidValue(path, url, 'must not contain white-space')];
  if (url.includes('//')) return [invalidValue(path, url, 'must not contain double slash')];
  const star = url.indexOf('*');
  const isLast = star === -1 || (star === url.length - 1 && url.endsWith('/*'));
  return isLast ? [] : [invalidValue(path, url, 'wildcard can only do suffix matching')];
}

export function validatePriorityLevel(level: PriorityLevelConfiguration): FieldError[] {
  const { metadata, spec } = level;
  const errors = [...validateObjectMeta(metadata, false, checkDns1123Subdomain), ...checkFixedLevel(level)];
  const type = spec?.type ?? '';
  const isExempt = metadata?.name === EXEMPT;
  if (isExempt !== (type === 'Exempt') && (isExempt || type === 'Exempt')) {
    const text = "type must be 'Exempt' if and only if name is 'exempt'";
    errors.push(invalidValue('spec.type', type, text));
  }
  const { limited, exempt } = spec ?? {};
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(forbiddenField('spec.limited', 'must be nil if the type is not Limited'));
    return [...errors, ...validateExempt(exempt)];
  }
  if (type !== 'Limited') return [...errors, notSupported('spec.type', type, ['Exempt', 'Limited'])];
  if (exempt !== undefined) errors.push(forbiddenField('spec.exempt', 'must be nil if the type is Limited'));
  if (limited === undefined) return [...errors, required('spec.limited', 'must not be empty when type is Limited')];
  return [...errors, ...validateLimited(limited)];
}

function validateExempt(exempt: ExemptPriorityLevelConfiguration = {}): FieldError[] {
  const { nominalConcurrencyShares: shares, lendablePercent } = exempt;
  const errors: FieldError[] = [];
  if (shares !== undefined && shares < 0)
    errors.push(invalidValue('spec.exempt.nominalConcurrencyShares', shares, 'must be a non-negative integer'));
  return [...errors, ...validatePercent(lendablePercent, 'spec.exempt.lendablePercent')];
}

function validatePercent(value: number | undefined, path: string): FieldError[] {
  if (value === undefined) return [];
  return checkRange(value, 0, 100).map(() => invalidValue(path, value, 'must be between 0 and 100, inclusive'));
}

function validateLimited(limited: LimitedPriorityLevelConfiguration): FieldError[] {
  const { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent: borrowing } = limited;
  const shares = nominalConcurrencyShares ?? 0;
  const errors: FieldError[] = [];
  if (shares < 0)
    errors.push(invalidValue('spec.limited.nominalConcurrencyShares', shares, 'must be a non-negative integer'));
  const type = limitResponse?.type ?? '';
  const at = 'spec.limited.limitResponse';
  if (type === 'Reject') {
    if (limitResponse?.queuing !== undefined)
      errors.push(forbiddenField(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'));
  } else if (type === 'Queue') {
    if (limitResponse?.queuing === undefined)
      errors.push(required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'));
    else errors.push(...validateQueuing(limitResponse.queuing, `${at}.queuing`));
  } else {
    errors.push(notSupported(`${at}.type`, type, ['Queue', 'Reject']));
  }
  errors.push(...validatePercent(lendablePercent, 'spec.limited.lendablePercent'));
  if (borrowing !== undefined && borrowing < 0)
    errors.push(
      invalidValue('spec.limited.borrowingLimitPercent', borrowing, 'if specified, must be a non-negative integer'),
    );
  return errors;
}

function validateQueuing(queuing: QueuingConfiguration, path: string): FieldError[] {
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0)
    errors.push(invalidValue(child(path, 'queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(invalidValue(child(path, 'queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES)
    errors.push(invalidValue(child(path, 'queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  const at = child(path, 'handSize');
  if (handSize <= 0) errors.push(invalidValue(at, handSize, 'must be positive'));
  else if (handSize > queues) errors.push(invalidValue(at, handSize, `should not be greater than queues (${queues})`));
  else if (entropyBits(queues, handSize) > MAX_HASH_BITS) {
    const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
    errors.push(invalidValue(at, handSize, text));
  }
  return errors;
}

/** Bits that it takes to deal a hand from a deck. */
function entropyBits(deck: number, hand: number): number {
  let sum = 0;
  for (let dealt = 0; dealt < hand; dealt++) sum += Math.log2(deck - dealt);
  return Math.ceil(sum);
}
