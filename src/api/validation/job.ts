/** Validation of jobs: new ones and changes (upstream: pkg/apis/batch/validation, pkg/registry/batch/job). */
import { isConditionTrue } from '../conditions.ts';
import { child, type FieldError, invalidValue, notSupported, required, tooLong } from '../field-error.ts';
import {
  isIndexedJob,
  JOB_CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  OLD_JOB_CONTROLLER_UID_LABEL,
  OLD_JOB_NAME_LABEL,
} from '../job-words.ts';
import { labelSelectorOf, matchesLabels, SelectorError } from '../label-selector.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type { Container, Job, JobSpec, LabelSelector, PodSpec, PodTemplateSpec } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { validatePodFailurePolicy, validateSuccessPolicy } from './job-policies.ts';
import { checkValue, immutable, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validatePodTemplateSpec } from './pod-template.ts';

const NO_SPEC: JobSpec = { template: {} };

const MAX_PARALLELISM_OF_INDEXED = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Above so many completions, limits for each index are kept only with the lower bounds below. */
export const MANY_COMPLETIONS = 100_000;
export const MAX_PARALLELISM_OF_MANY = 10_000;
const MAX_FAILED_INDEXES_OF_MANY = 10_000;
const MAX_MANAGED_BY_LENGTH = 63;

export function validateJob(job: Job): FieldError[] {
  const { metadata, spec = NO_SPEC } = job;
  return [
    ...validateObjectMeta(metadata, true, checkDns1123Subdomain),
    ...validateGeneratedSelector(job),
    ...validateSelectedSpec(spec, 'spec'),
    ...validateHostnames(metadata?.name ?? '', spec),
  ];
}

export function validateJobUpdate(job: Job, old: Job): FieldError[] {
  const { spec = NO_SPEC } = job;
  const { spec: oldSpec = NO_SPEC } = old;
  return [
    ...validateObjectMetaUpdate(job.metadata, old.metadata),
    ...validateGeneratedSelector(job),
    ...validateSelectedSpec(spec, 'spec'),
    ...validateHostnames(job.metadata?.name ?? '', spec),
    ...validateCompletions(spec, oldSpec),
    ...immutable('spec.selector', spec.selector, oldSpec.selector),
    ...validateTemplateUpdate(spec.template, old),
    ...(['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const).flatMap(
      (name) => immutable(child('spec', name), spec[name], oldSpec[name]),
    ),
  ];
}

/** The rules for its name and its pods' labels if the server itself makes the selector. */
function validateGeneratedSelector({ metadata, spec = NO_SPEC }: Job): FieldError[] {
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const { uid = '', name = '' } = metadata ?? {};
  const expected: Record<string, string> = {
    [OLD_JOB_CONTROLLER_UID_LABEL]: uid,
    [OLD_JOB_NAME_LABEL]: name,
    [JOB_CONTROLLER_UID_LABEL]: uid,
    [JOB_NAME_LABEL]: name,
  };
  const errors: FieldError[] = [];
  const path = 'spec.template.metadata.labels';
  const labels = spec.template.metadata?.labels ?? {};
  for (const [label, value] of Object.entries(expected)) {
    const found = Object.hasOwn(labels, label) ? labels[label] : undefined;
    if (found === undefined) errors.push(required(path, `must be '${value}'`));
    else if (found !== value) errors.push(invalidValue(path, labels, `must be '${value}'`));
  }
  if (!selects(spec.selector, expected))
    errors.push(invalidValue('spec.selector', spec.selector, '`selector` not auto-generated'));
  return errors;
}

/** A malformed selector is reported elsewhere. */
function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  try {
    return matchesLabels(labelSelectorOf(selector) ?? [], labels);
  } catch (error) {
    if (error instanceof SelectorError) return true;
    throw error;
  }
}

function validateSelectedSpec(spec: JobSpec, path: string): FieldError[] {
  const { selector, template } = spec;
  const errors = validateJobSpec(spec, path);
  if (selector === undefined) return [...errors, required(child(path, 'selector'))];
  errors.push(...validateLabelSelector(selector, child(path, 'selector')));
  const labels = template.metadata?.labels ?? {};
  if (!selects(selector, labels)) {
    const field = child(path, 'template.metadata.labels');
    errors.push(invalidValue(field, labels, '`selector` does not match template `labels`'));
  }
  return errors;
}

/** Pods of an indexed job are called by the job's name and their index, also as hosts. */
function validateHostnames(name: string, spec: JobSpec): FieldError[] {
  const { completions = 0 } = spec;
  if (!isIndexedJob(spec) || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  if (checkDns1123Label(longest).length === 0) return [];
  return [invalidValue('metadata.name', name, `will not able to create pod with invalid DNS label: ${longest}`)];
}

/** A spec without its selector: that of a job, or in the template of a cron job. */
export function validateJobSpec(spec: JobSpec, path: string): FieldError[] {
  const at = (name: string): string => child(path, name);
  const numbers = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  const errors = numbers.flatMap((name) => notNegative(at(name), spec[name]));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.push(required(at('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  errors.push(...validateManagedBy(spec.managedBy, at('managedBy')), ...validateMode(spec, path));
  if (spec.podFailurePolicy !== undefined)
    errors.push(...validatePodFailurePolicy(spec, spec.podFailurePolicy, at('podFailurePolicy')));
  if (spec.successPolicy !== undefined) {
    if (isIndexedJob(spec)) errors.push(...validateSuccessPolicy(spec, spec.successPolicy, at('successPolicy')));
    else errors.push(invalidValue(at('successPolicy'), spec.successPolicy, 'requires indexed completion mode'));
  }
  return [
    ...errors,
    ...validateReplacement(spec, at('podReplacementPolicy')),
    ...validatePodTemplateSpec(spec.template, at('template')),
    ...validateRestartPolicy(spec, at('template.spec.restartPolicy')),
  ];
}

function validateManagedBy(managedBy: string | undefined, path: string): FieldError[] {
  if (managedBy === undefined) return [];
  const errors: FieldError[] = [];
  const slash = managedBy.indexOf('/');
  const [domain, rest] = slash === -1 ? [managedBy, ''] : [managedBy.slice(0, slash), managedBy.slice(slash + 1)];
  if (managedBy === '') errors.push(required(path));
  else if (slash === -1 || domain === '' || rest === '')
    errors.push(invalidValue(path, managedBy, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  else {
    errors.push(...checkDns1123Subdomain(domain).map((message) => invalidValue(path, domain, message)));
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest))
      errors.push(
        invalidValue(path, rest, `Invalid path (regex used for validation is '^[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+$')`),
      );
  }
  if (managedBy.length > MAX_MANAGED_BY_LENGTH) errors.push(tooLong(path, MAX_MANAGED_BY_LENGTH));
  return errors;
}

function validateMode(spec: JobSpec, path: string): FieldError[] {
  const { completionMode = 'NonIndexed' } = spec;
  const at = (name: string): string => child(path, name);
  if (completionMode === 'Indexed') return validateIndexed(spec, path);
  const errors: FieldError[] = [];
  if (completionMode !== 'NonIndexed')
    return [notSupported(at('completionMode'), completionMode, ['NonIndexed', 'Indexed'])];
  for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
    if (spec[name] !== undefined) errors.push(invalidValue(at(name), spec[name], 'requires indexed completion mode'));
  }
  return errors;
}

function validateIndexed(spec: JobSpec, path: string): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes = 0, backoffLimitPerIndex } = spec;
  const at = (name: string): string => child(path, name);
  const errors: FieldError[] = [];
  const most = (name: 'parallelism' | 'maxFailedIndexes', maximum: number, when: string): void => {
    if ((spec[name] ?? 0) > maximum)
      errors.push(invalidValue(at(name), spec[name], `must be less than or equal to ${maximum}${when}`));
  };
  if (completions === undefined) errors.push(required(at('completions'), 'when completion mode is Indexed'));
  most('parallelism', MAX_PARALLELISM_OF_INDEXED, ' when completion mode is Indexed');
  if (completions !== undefined && maxFailedIndexes > completions)
    errors.push(invalidValue(at('maxFailedIndexes'), maxFailedIndexes, 'must be less than or equal to completions'));
  most('maxFailedIndexes', MAX_FAILED_INDEXES, '');
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  if (spec.maxFailedIndexes === undefined)
    errors.push(required(at('maxFailedIndexes'), `must be specified when completions is above ${MANY_COMPLETIONS}`));
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (parallelism > 0) most('parallelism', MAX_PARALLELISM_OF_MANY, when);
  most('maxFailedIndexes', MAX_FAILED_INDEXES_OF_MANY, when);
  return errors;
}

function validateReplacement({ podReplacementPolicy, podFailurePolicy }: JobSpec, path: string): FieldError[] {
  if (podReplacementPolicy === undefined) return [];
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return supported.includes(podReplacementPolicy) ? [] : [notSupported(path, podReplacementPolicy, supported)];
}

function validateRestartPolicy({ template, podFailurePolicy }: JobSpec, path: string): FieldError[] {
  const { restartPolicy = '' } = template.spec ?? { containers: [] };
  if (restartPolicy === '' || restartPolicy === 'Always') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    return [notSupported(path, restartPolicy, ['OnFailure', 'Never'])];
  if (podFailurePolicy === undefined || restartPolicy === 'Never') return [];
  return [invalidValue(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** An indexed job grows and shrinks by its parallelism: the two stay equal. */
function validateCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  const path = 'spec.completions';
  if (!isIndexedJob(spec)) return immutable(path, spec.completions, old.completions);
  if (spec.completions === undefined || spec.completions === old.completions) return [];
  if (spec.completions === spec.parallelism) return [];
  return [invalidValue(path, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** While no pod runs, others (queues) may still decide where the pods go and what they get. */
function validateTemplateUpdate(template: PodTemplateSpec, old: Job): FieldError[] {
  const { template: oldTemplate } = old.spec ?? NO_SPEC;
  const allowed = isAtRest(old) ? withAllowedChanges(oldTemplate, template) : oldTemplate;
  return semanticallyEqual('core.v1.PodTemplateSpec', template, allowed)
    ? []
    : immutable('spec.template', template, allowed);
}

function isAtRest({ spec, status }: Job): boolean {
  if (spec?.suspend !== true) return false;
  const { startTime, active = 0, conditions } = status ?? {};
  return startTime === undefined || (isConditionTrue(conditions, 'Suspended') && active === 0);
}

/** The old template with those of the new one's values that may change: any difference left is forbidden. */
function withAllowedChanges(old: PodTemplateSpec, next: PodTemplateSpec): PodTemplateSpec {
  const oldSpec: PodSpec = old.spec ?? { containers: [] };
  const nextSpec: PodSpec = next.spec ?? { containers: [] };
  const { nodeSelector, tolerations, schedulingGates } = nextSpec;
  const spec = {
    ...oldSpec,
    nodeSelector,
    tolerations,
    schedulingGates,
    affinity: allowedAffinity(oldSpec, nextSpec),
    containers: withResources(oldSpec.containers, nextSpec.containers ?? []),
    initContainers: withResources(oldSpec.initContainers, nextSpec.initContainers),
  };
  return { ...old, metadata: next.metadata, spec } as PodTemplateSpec;
}

/** Node affinity alone is free; an affinity with nothing else in it may come and go as a whole. */
function allowedAffinity({ affinity: old }: PodSpec, { affinity: next }: PodSpec): PodSpec['affinity'] | undefined {
  const { nodeAffinity: _, ...others } = old ?? {};
  if (next === undefined) return Object.keys(others).length === 0 ? undefined : others;
  return { ...others, ...(next.nodeAffinity === undefined ? {} : { nodeAffinity: next.nodeAffinity }) };
}

function withResources(
  old: readonly Container[] | undefined,
  next: readonly Container[] | undefined,
): readonly Container[] | undefined {
  if (old?.length !== next?.length) return old;
  return old?.map((container, position) => {
    const own = next?.[position];
    if (own?.name !== container.name) return container;
    const { resources: _, ...kept } = container;
    return own.resources === undefined ? kept : { ...kept, resources: own.resources };
  });
}

/** The checks of a name that its pods carry on as hosts; not an error but a warning. */
export function jobNameWarnings(name: string): string[] {
  const problems = checkValue('metadata.name', name, checkDns1123Label).length === 0 ? [] : checkDns1123Label(name);
  if (problems.length === 0) return [];
  const text =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${text}: [${problems.join(' ')}]`];
}

/** Numbers with which an indexed job may outgrow its own status. */
export function jobSpecWarnings(spec: JobSpec): string[] {
  const { completions = 0, parallelism = 0 } = spec;
  if (!isIndexedJob(spec) || completions <= MANY_COMPLETIONS || parallelism <= MAX_PARALLELISM_OF_MANY) return [];
  return [
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
  ];
}
