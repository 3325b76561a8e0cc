/** Defaults of the pod template of a workload: those of its spec, as in every template. They fill a draft in place. */
import type { PodTemplateSpec } from '../types.gen.ts';
import { defaultPodSpec } from './pod-spec.ts';

export function defaultPodTemplate(template: PodTemplateSpec | undefined): void {
  if (template === undefined) return;
  // Upstream's structs are never absent: a template always has metadata and a spec, empty ones if need be.
  template.metadata ??= {};
  template.spec ??= { containers: [] };
  defaultPodSpec(template.spec);
}
