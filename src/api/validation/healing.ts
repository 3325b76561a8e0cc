/** Validation of our own kinds: restarts of pods, and policies of healing. */
import { child, type FieldError, invalidValue, required, tooLong } from '../field-error.ts';
import { readHealingPolicy } from '../healing/healing-policy.ts';
import { MAX_RESTART_ID_LENGTH } from '../healing/limits.ts';
import type { HealingPolicy, PodRestart, PodRestartPhase, PodRestartSpec } from '../healing/types.ts';
import { validateRestartFields } from '../healing/validate-restart.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { byteLength, immutable, notNegative, oneOf, requireValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const PHASES: readonly PodRestartPhase[] = ['Pending', 'Running', 'Succeeded', 'Failed'];
/** All of the spec but how long the object is kept. */
const FIXED: readonly (keyof PodRestartSpec)[] = [
  'podName',
  'podUID',
  'scope',
  'container',
  'notBefore',
  'reason',
  'gracePeriodSeconds',
  'force',
  'emptyDirs',
  'requestedBy',
];

export function validatePodRestart({ metadata, spec = {} }: PodRestart): FieldError[] {
  return [
    ...validateObjectMeta(metadata, true, checkDns1123Subdomain),
    ...requireValue('spec.podName', spec.podName, checkDns1123Subdomain),
    ...(byteLength(spec.podUID ?? '') > MAX_RESTART_ID_LENGTH ? [tooLong('spec.podUID', MAX_RESTART_ID_LENGTH)] : []),
    ...validateRestartFields(spec, 'spec'),
    ...notNegative('spec.ttlSecondsAfterFinished', spec.ttlSecondsAfterFinished),
  ];
}

export function validatePodRestartUpdate(restart: PodRestart, old: PodRestart): FieldError[] {
  return [
    ...validateObjectMetaUpdate(restart.metadata, old.metadata),
    ...FIXED.flatMap((field) => immutable(child('spec', field), restart.spec?.[field], old.spec?.[field])),
    ...notNegative('spec.ttlSecondsAfterFinished', restart.spec?.ttlSecondsAfterFinished),
  ];
}

export function validatePodRestartStatus(restart: PodRestart, old: PodRestart): FieldError[] {
  const { phase } = restart.status ?? {};
  const before = old.status?.phase;
  const isOver = before === 'Succeeded' || before === 'Failed';
  return [
    ...validateObjectMetaUpdate(restart.metadata, old.metadata),
    ...oneOf('status.phase', phase, PHASES),
    ...(isOver && phase !== before ? [invalidValue('status.phase', phase ?? '', `is over: it stays ${before}`)] : []),
  ];
}

export function validateHealingPolicy({ metadata, spec }: HealingPolicy): FieldError[] {
  return [...validateObjectMeta(metadata, true, checkDns1123Subdomain), ...validateSpec(spec)];
}

export function validateHealingPolicyUpdate(policy: HealingPolicy, old: HealingPolicy): FieldError[] {
  return [...validateObjectMetaUpdate(policy.metadata, old.metadata), ...validateSpec(policy.spec)];
}

export function validateHealingPolicyStatus(policy: HealingPolicy, old: HealingPolicy): FieldError[] {
  return [
    ...validateObjectMetaUpdate(policy.metadata, old.metadata),
    ...notNegative('status.pods', policy.status?.pods),
  ];
}

function validateSpec(spec: HealingPolicy['spec'] = {}): FieldError[] {
  const read = readHealingPolicy(spec, 'spec');
  const selector = 'spec.selector';
  return [
    ...(spec.selector === undefined ? [required(selector, 'an empty one, {}, means all pods of the namespace')] : []),
    ...(read.ok ? [] : read.errors),
  ];
}
