/** Validation of RuntimeClasses, PriorityClasses and PodTemplates (upstream `ValidateRuntimeClass` and its siblings). */
import { child, type FieldError, forbiddenField, invalidValue, key } from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import { parseQuantity } from '../quantity.ts';
import { SYSTEM_PRIORITY_CLASSES } from '../system-priorities.ts';
import type { PodTemplate, PriorityClass, RuntimeClass } from '../types.gen.ts';
import { checkValue, immutable, NOT_NEGATIVE, requireOneOf } from './messages.ts';
import { validateAnnotations, validateLabels, validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';
import { validateTolerations } from './tolerations.ts';

export function validateRuntimeClass(runtimeClass: Partial<RuntimeClass>): FieldError[] {
  const { handler = '', overhead, scheduling } = runtimeClass;
  const errors = [
    ...validateObjectMeta(runtimeClass.metadata, false, checkDns1123Subdomain),
    ...checkValue('handler', handler, checkDns1123Label),
  ];
  for (const [name, quantity] of Object.entries(overhead?.podFixed ?? {})) {
    const field = key('overhead.podFixed', name);
    if (!['cpu', 'memory', 'ephemeral-storage'].includes(name) && !name.includes('/') && !name.startsWith('hugepages-'))
      errors.push(invalidValue(field, name, 'must be a standard resource for containers'));
    if (parseQuantity(quantity).nano < 0n) errors.push(invalidValue(field, quantity, NOT_NEGATIVE));
  }
  if (scheduling === undefined) return errors;
  return [
    ...errors,
    ...validateLabels(scheduling.nodeSelector, 'scheduling.nodeSelector'),
    ...validateTolerations(scheduling.tolerations, 'scheduling.tolerations'),
  ];
}

export function validateRuntimeClassUpdate(runtimeClass: RuntimeClass, old: RuntimeClass): FieldError[] {
  return [
    ...validateObjectMetaUpdate(runtimeClass.metadata, old.metadata),
    ...immutable('handler', runtimeClass.handler, old.handler),
    ...validateRuntimeClass(runtimeClass).filter(({ field }) => !field.startsWith('metadata')),
  ];
}

/** Values above are the system's own (upstream: HighestUserDefinablePriority). */
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const POLICIES: readonly string[] = ['Never', 'PreemptLowerPriority'];

export function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const { metadata, value = 0, preemptionPolicy, globalDefault = false } = priorityClass;
  const name = metadata?.name ?? '';
  const errors = validateObjectMeta(metadata, false, checkDns1123Subdomain);
  if (name.startsWith('system-')) {
    const system = Object.hasOwn(SYSTEM_PRIORITY_CLASSES, name) ? SYSTEM_PRIORITY_CLASSES[name] : undefined;
    const text = "priority class names with 'system-' prefix are reserved for system use only. error: ";
    if (system === undefined)
      errors.push(forbiddenField('metadata.name', `${text}${name} is not a known system priority class`));
    else if (system !== value)
      errors.push(forbiddenField('metadata.name', `${text}value of ${name} PriorityClass must be ${system}`));
    else if (globalDefault)
      errors.push(forbiddenField('metadata.name', `${text}globalDefault of ${name} PriorityClass must be false`));
  } else if (value > HIGHEST_USER_PRIORITY) {
    const text = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    errors.push(forbiddenField('value', text));
  }
  return [...errors, ...requireOneOf('preemptionPolicy', preemptionPolicy, POLICIES)];
}

export function validatePriorityClassUpdate(priorityClass: PriorityClass, old: PriorityClass): FieldError[] {
  const errors = validateObjectMetaUpdate(priorityClass.metadata, old.metadata);
  if (priorityClass.value !== old.value) errors.push(forbiddenField('value', 'may not be changed in an update.'));
  return [...errors, ...immutable('preemptionPolicy', priorityClass.preemptionPolicy, old.preemptionPolicy)];
}

export function validatePodTemplate(podTemplate: PodTemplate): FieldError[] {
  const { template = {} } = podTemplate;
  const path = 'template';
  const errors = [
    ...validateObjectMeta(podTemplate.metadata, true, checkDns1123Subdomain),
    ...validateLabels(template.metadata?.labels, child(path, 'metadata.labels')),
    ...validateAnnotations(template.metadata?.annotations, child(path, 'metadata.annotations')),
    ...validatePodAnnotations(template.metadata?.annotations, template.spec, child(path, 'metadata.annotations')),
    ...validatePodSpec(template.spec ?? { containers: [] }, child(path, 'spec')),
  ];
  if ((template.spec?.ephemeralContainers?.length ?? 0) > 0)
    errors.push(
      forbiddenField(child(path, 'spec.ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
  return errors;
}

export function validatePodTemplateUpdate(podTemplate: PodTemplate, old: PodTemplate): FieldError[] {
  return [...validateObjectMetaUpdate(podTemplate.metadata, old.metadata), ...validatePodTemplate(podTemplate)];
}
