/** Defaults of the pod template of a workload: those of its spec, as in every template. They fill a draft in place. */
import type { PodTemplateSpec } from '../types.gen.ts';
import { canonicalPart } from '../schema/canonical.ts';
import { defaultPodSpec } from './pod-spec.ts';

/**
 * A template as it would be stored today: a recorded one may be of a time with other defaults, or from before templates were
 * canonical. The result is a copy.
 */
export function currentPodTemplate(template: PodTemplateSpec): PodTemplateSpec {
  const draft = canonicalPart('core.v1.PodTemplateSpec', structuredClone(template));
  defaultPodTemplate(draft);
  return draft;
}

export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  if (template === undefined) return;
  // Upstream's structs are never absent: a template always has metadata and a spec, empty ones if need be.
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}
