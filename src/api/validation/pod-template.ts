/** Validation of the pod template in a workload (upstream ValidatePodTemplateSpec and ValidatePodTemplateSpecForRC). */
import { child, type FieldError, forbiddenField, invalidValue, notSupported, required } from '../field-error.ts';
import { labelSelectorOf, matchesLabels } from '../label-selector.ts';
import type { LabelSelector, PodSpec, PodTemplateSpec } from '../types.gen.ts';
import { validateLabelSelector } from './affinity.ts';
import { validateAnnotations, validateLabels } from './object-meta.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';

const NO_SPEC: PodSpec = { containers: [] };

/** Metadata and spec of a template. */
export function validatePodTemplateSpec(template: PodTemplateSpec, path: string): FieldError[] {
  const { metadata, spec = NO_SPEC } = template;
  const errors = [
    ...validateLabels(metadata?.labels, child(path, 'labels')),
    ...validateAnnotations(metadata?.annotations, child(path, 'annotations')),
    ...validatePodAnnotations(metadata?.annotations, spec, child(path, 'annotations')),
    ...validatePodSpec(spec, child(path, 'spec')),
  ];
  if ((spec.ephemeralContainers?.length ?? 0) > 0)
    errors.push(
      forbiddenField(child(path, 'spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
  return errors;
}

/**
 * Pods that are replaced when they end are meant to run for ever: nothing else would let a controller come to rest.
 * @param kind of the workload, for the message
 */
export function validateAlwaysRunning(spec: PodSpec = NO_SPEC, path: string, kind: string): FieldError[] {
  const { restartPolicy, activeDeadlineSeconds } = spec;
  const field = child(path, 'activeDeadlineSeconds');
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported(child(path, 'restartPolicy'), restartPolicy ?? '', ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbiddenField(field, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

export interface SelectorMessages {
  /** Why an empty selector is refused: "empty selector is invalid for daemonset". */
  readonly empty: string;
}

/** The selector of a workload: there, well-formed, not empty, and matching the template's labels. */
export function validateWorkloadSelector(
  selector: LabelSelector | null | undefined,
  template: PodTemplateSpec,
  path: string,
  { empty }: SelectorMessages,
): FieldError[] {
  const field = child(path, 'selector');
  if (!selector) return [required(field)];
  const errors = validateLabelSelector(selector, field);
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) errors.push(invalidValue(field, selector, empty));
  if (errors.length > 0) return errors;
  const labels = template.metadata?.labels;
  if (matchesLabels(labelSelectorOf(selector) ?? [], labels)) return [];
  const text = '`selector` does not match template `labels`';
  return [invalidValue(child(path, 'template', 'metadata', 'labels'), labels ?? {}, text)];
}
