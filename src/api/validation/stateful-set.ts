/** Validation of StatefulSets (upstream ValidateStatefulSet, ValidateStatefulSetUpdate). */
import { child, type FieldError, forbiddenField, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Label } from '../names.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type { PodTemplateSpec, StatefulSet, StatefulSetSpec, StatefulSetStatus, Volume } from '../types.gen.ts';
import { validateAtMost100Percent, validateIntOrPercent } from './int-or-percent.ts';
import { checkValue, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateClaimSpec } from './persistent-volume-claim.ts';
import { validateAlwaysRunning, validatePodTemplateSpec, validateWorkloadSelector } from './pod-template.ts';

const NO_SPEC = {} as StatefulSetSpec;
const NO_TEMPLATE: PodTemplateSpec = {};

export function validateStatefulSet(set: StatefulSet): FieldError[] {
  const { metadata, spec = NO_SPEC } = set;
  const errors = [...validateObjectMeta(metadata, true, checkDns1123Label), ...validateSpec(spec)];
  if (spec.serviceName) errors.push(...checkValue('spec.serviceName', spec.serviceName, checkDns1123Label));
  return [...errors, ...validateTemplate(spec), ...validateClaimTemplates(spec)];
}

/** A template that was stored although it is wrong does not hold up other changes. */
export function validateStatefulSetUpdate(set: StatefulSet, old: StatefulSet): FieldError[] {
  const { metadata, spec = NO_SPEC } = set;
  const before = old.spec ?? NO_SPEC;
  const errors = [...validateObjectMetaUpdate(metadata, old.metadata), ...validateSpec(spec)];
  if (validateTemplate(before).length === 0) errors.push(...validateTemplate(spec));
  if (!semanticallyEqual('apps.v1.StatefulSetSpec', fixedOf(spec), fixedOf(before))) {
    const text =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    errors.push(forbiddenField('spec', text));
  }
  return errors;
}

/** The immutable fields. */
function fixedOf(spec: StatefulSetSpec): object {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _strategy,
    revisionHistoryLimit: _limit,
    persistentVolumeClaimRetentionPolicy: _retention,
    minReadySeconds: _seconds,
    ...fixed
  } = spec;
  return fixed;
}

function validateSpec(spec: StatefulSetSpec): FieldError[] {
  const { podManagementPolicy, persistentVolumeClaimRetentionPolicy: retention, ordinals } = spec;
  const policies = ['Delete', 'Retain'];
  const errors: FieldError[] = [];
  if (!podManagementPolicy) errors.push(required('spec.podManagementPolicy'));
  else if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel')
    errors.push(invalidValue('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  errors.push(...validateStrategy(spec));
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const value = retention?.[name] ?? 'Retain';
    if (!policies.includes(value))
      errors.push(notSupported(child('spec.persistentVolumeClaimRetentionPolicy', name), value, policies));
  }
  return [
    ...errors,
    ...notNegative('spec.replicas', spec.replicas),
    ...notNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...notNegative('spec.ordinals.start', ordinals?.start),
    ...validateWorkloadSelector(spec.selector, spec.template ?? NO_TEMPLATE, 'spec', {
      empty: 'empty selector is invalid for statefulset',
    }),
    ...validateAlwaysRunning(spec.template?.spec, 'spec.template.spec', 'StatefulSet'),
  ];
}

function validateStrategy({ updateStrategy = {} }: StatefulSetSpec): FieldError[] {
  const { type, rollingUpdate } = updateStrategy;
  const path = 'spec.updateStrategy';
  const field = child(path, 'rollingUpdate');
  if (!type) return [required(path)];
  if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return [];
    return [invalidValue(field, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  if (type !== 'RollingUpdate') return [invalidValue(path, updateStrategy, "must be 'RollingUpdate' or 'OnDelete'")];
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const unavailable = child(field, 'maxUnavailable');
  return [
    ...notNegative(child(field, 'partition'), partition),
    ...validateIntOrPercent(unavailable, maxUnavailable),
    ...validateAtMost100Percent(unavailable, maxUnavailable),
    ...(maxUnavailable === 0 || maxUnavailable === '0%'
      ? [invalidValue(unavailable, maxUnavailable, 'cannot be 0')]
      : []),
  ];
}

/** The claims become volumes of the pods, so mounts may name them. */
function validateTemplate(spec: StatefulSetSpec): FieldError[] {
  const template = spec.template ?? NO_TEMPLATE;
  const claimed = (spec.volumeClaimTemplates ?? []).map(
    ({ metadata }): Volume => ({
      name: metadata?.name ?? '',
      persistentVolumeClaim: { claimName: metadata?.name || 'claim' },
    }),
  );
  const names = new Set(claimed.map(({ name }) => name));
  const own = (template.spec?.volumes ?? []).filter(({ name }) => !names.has(name));
  if (template.spec === undefined || claimed.length === 0) return validatePodTemplateSpec(template, 'spec.template');
  const whole = { ...template, spec: { ...template.spec, volumes: [...own, ...claimed] } };
  return validatePodTemplateSpec(whole, 'spec.template');
}

function validateClaimTemplates(spec: StatefulSetSpec): FieldError[] {
  return (spec.volumeClaimTemplates ?? []).flatMap((claim, position) => {
    const path = index('spec.volumeClaimTemplates', position);
    const name = claim.metadata?.name ?? '';
    return [
      ...(name === '' ? [required(child(path, 'metadata.name'))] : []),
      ...validateClaimSpec(claim.spec, child(path, 'spec')),
    ];
  });
}

export function validateStatefulSetStatus(set: StatefulSet, old: StatefulSet): FieldError[] {
  const status: Partial<StatefulSetStatus> = set.status ?? {};
  const counts = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  const errors = [...counts, 'observedGeneration' as const, 'collisionCount' as const].flatMap((name) =>
    notNegative(child('status', name), status[name]),
  );
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of counts.slice(1)) {
    const value = status[name] ?? 0;
    if (value > replicas)
      errors.push(invalidValue(child('status', name), value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    const text = 'cannot be greater than status.readyReplicas';
    errors.push(invalidValue('status.availableReplicas', availableReplicas, text));
  }
  if ((status.collisionCount ?? 0) < (old.status?.collisionCount ?? 0))
    errors.push(invalidValue('status.collisionCount', status.collisionCount ?? 0, 'cannot be decremented'));
  return [...errors, ...validateObjectMetaUpdate(set.metadata, old.metadata)];
}
