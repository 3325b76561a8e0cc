/** Validation of `pods/resize`: CPU and memory of running containers may change, and nothing else (KEP-1287). */
import { child, type FieldError, forbiddenField, index, invalidValue } from '../field-error.ts';
import { isRestartableInit } from '../pod-resources.ts';
import { qosClassOf } from '../qos-class.ts';
import { compareQuantities } from '../quantity.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type { Container, Pod, ResourceRequirements } from '../types.gen.ts';
import { equalJson } from './messages.ts';
import { validateObjectMetaUpdate } from './object-meta.ts';
import { validatePodAnnotationUpdates } from './pod-annotations.ts';
import { validateResources } from './resources.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const RESIZABLE: ReadonlySet<string> = new Set(['cpu', 'memory']);
const ONLY_CPU_AND_MEMORY = 'only cpu and memory resources are mutable';

/** `pod`: the old one with the new resources of its containers, as the server puts them together. */
export function validatePodResize(pod: Pod, old: Pod): FieldError[] {
  const errors = [...validateObjectMetaUpdate(pod.metadata, old.metadata), ...validatePodAnnotationUpdates(pod, old)];
  const { spec, metadata } = pod;
  if (metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined)
    return [...errors, forbiddenField('metadata', 'static pods cannot be resized')];
  if (spec === undefined || old.spec === undefined) return errors;
  for (const list of ['containers', 'initContainers'] as const) {
    const before = old.spec[list] ?? [];
    const after = spec[list] ?? [];
    if (before.length !== after.length) {
      errors.push(forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers'));
      continue;
    }
    after.forEach((container, position) => {
      errors.push(
        ...validateContainer(container, before[position], child(index(`spec.${list}`, position), 'resources'), list),
      );
    });
  }
  const [qos, oldQos] = [qosClassOf(spec), qosClassOf(old.spec)];
  if (qos !== oldQos) errors.push(invalidValue('spec', qos, 'Pod QOS Class may not change as a result of resizing'));
  return errors;
}

function validateContainer(
  container: Container,
  old: Container | undefined,
  path: string,
  list: 'containers' | 'initContainers',
): FieldError[] {
  if (container.name !== old?.name)
    return [forbiddenField('spec', 'containers may not be renamed or reordered on resize')];
  if (!equalJson(container.resizePolicy, old.resizePolicy)) return [forbiddenField('spec', ONLY_CPU_AND_MEMORY)];
  const { resources = {} } = container;
  const before = old.resources ?? {};
  if (semanticallyEqual('core.v1.ResourceRequirements', resources, before)) return [];
  if (list === 'initContainers' && !isRestartableInit(container))
    return [forbiddenField(path, 'resources for non-sidecar init containers are immutable')];
  const errors = validateResources(resources, path);
  for (const kind of ['limits', 'requests'] as const) errors.push(...validateList(resources, before, kind, path));
  if (!equalJson(resources.claims ?? [], before.claims ?? [])) errors.push(forbiddenField('spec', ONLY_CPU_AND_MEMORY));
  return errors;
}

function validateList(
  resources: ResourceRequirements,
  before: ResourceRequirements,
  kind: 'limits' | 'requests',
  path: string,
): FieldError[] {
  const next = resources[kind] ?? {};
  const old = before[kind] ?? {};
  const errors: FieldError[] = [];
  for (const name of new Set([...Object.keys(next), ...Object.keys(old)])) {
    if (isSameQuantity(next[name], old[name])) continue;
    if (!RESIZABLE.has(name)) errors.push(forbiddenField('spec', ONLY_CPU_AND_MEMORY));
    else if (next[name] === undefined)
      errors.push(forbiddenField(child(path, kind), `resource ${kind} cannot be removed`));
  }
  return errors;
}

function isSameQuantity(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && compareQuantities(a, b) === 0);
}
