/** What a pod needs and may use in all, as the scheduler and the cgroups count it (component-helpers `resource`). */
import { addQuantities, compareQuantities } from './quantity.ts';
import type { Container, PodSpec, Quantity } from './types.gen.ts';

export type ResourceQuantities = Readonly<Record<string, Quantity>>;

/** A sidecar: an init container that keeps running beside the others. */
export function isRestartableInit(container: { readonly restartPolicy?: string }): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * What a node must have free for the pod: containers and sidecars together, or a single init container with the sidecars
 * before it, whichever is more; then the overhead. Pod-level requests replace the sum where given.
 */
export function podRequests(spec: PodSpec): ResourceQuantities {
  return add({ ...podRequestsOfContainers(spec), ...spec.resources?.requests }, spec.overhead);
}

/** The containers' part of `podRequests`. */
export function podRequestsOfContainers(spec: PodSpec): ResourceQuantities {
  return totalOf(spec, (container) => container.resources?.requests);
}

/** The most that the pod may use; a resource is absent when some container sets no limit on it. */
export function podLimits(spec: PodSpec): ResourceQuantities {
  const total = totalOf(spec, (container) => container.resources?.limits);
  const bounded = Object.fromEntries(Object.entries(total).filter(([name]) => isBounded(spec, name)));
  const merged = { ...bounded, ...spec.resources?.limits };
  const overhead = Object.fromEntries(Object.entries(spec.overhead ?? {}).filter(([name]) => name in merged));
  return add(merged, overhead);
}

function isBounded(spec: PodSpec, name: string): boolean {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return all.every((container) => container.resources?.limits?.[name] !== undefined);
}

function totalOf(spec: PodSpec, of: (container: Container) => ResourceQuantities | undefined): ResourceQuantities {
  let sum = (spec.containers ?? []).reduce<ResourceQuantities>((total, container) => add(total, of(container)), {});
  let sidecars: ResourceQuantities = {};
  let peak: ResourceQuantities = {};
  for (const container of spec.initContainers ?? []) {
    if (isRestartableInit(container)) {
      sum = add(sum, of(container));
      sidecars = add(sidecars, of(container));
      peak = max(peak, sidecars);
    } else {
      peak = max(peak, add(sidecars, of(container)));
    }
  }
  return max(sum, peak);
}

function add(a: ResourceQuantities, b: ResourceQuantities | undefined): ResourceQuantities {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, quantity] of Object.entries(b ?? {})) {
    const present = result[name];
    result[name] = present === undefined ? quantity : addQuantities(present, quantity);
  }
  return result;
}

function max(a: ResourceQuantities, b: ResourceQuantities): ResourceQuantities {
  const result: Record<string, Quantity> = { ...a };
  for (const [name, quantity] of Object.entries(b)) {
    const present = result[name];
    if (present === undefined || compareQuantities(quantity, present) > 0) result[name] = quantity;
  }
  return result;
}
