/** The total requests and limits of a pod, as the scheduler and the cgroups count them (component-helpers `resource`). */
import { addQuantities, compareQuantities } from './quantity.ts';
import type { Container, ContainerStatus, Pod, PodSpec, Quantity } from './types.gen.ts';

export type ResourceQuantities = Readonly<Record<string, Quantity>>;

/** A sidecar: an init container that keeps running beside the others. */
export function isRestartableInit(container: { readonly restartPolicy?: string }): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * The resources that a node must have free for the pod: containers and sidecars together, or a single init container with the
 * sidecars before it, whichever is more; then the overhead. Pod-level requests replace the sum where given.
 */
export function podRequests(spec: PodSpec): ResourceQuantities {
  return add({ ...podRequestsOfContainers(spec), ...spec.resources?.requests }, spec.overhead);
}

/**
 * The resources that the pod holds on its node: like `podRequests`, but during a resize each container counts with the
 * maximum of its request, its allocation and its actual resources; with the latter two alone if the node can never grant the
 * request.
 */
export function podRequestsInUse(pod: Pod): ResourceQuantities {
  const spec = pod.spec ?? { containers: [] };
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = pod.status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses].filter((status) => holdsOther(status, spec));
  if (statuses.length === 0) return podRequests(spec);
  const infeasible = conditions.some(
    ({ type, status, reason }) => type === 'PodResizePending' && status === 'True' && reason === 'Infeasible',
  );
  const inUse = (container: Container): Container => {
    const status = statuses.find(({ name }) => name === container.name);
    if (status === undefined) return container;
    const held = max(status.allocatedResources ?? {}, status.resources?.requests ?? {});
    const requests = infeasible ? held : max(container.resources?.requests ?? {}, held);
    return { ...container, resources: { ...container.resources, requests: { ...requests } } };
  };
  return podRequests({
    ...spec,
    containers: spec.containers.map(inUse),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(inUse) }),
  });
}

/** Only what differs from the spec needs to be looked at closely. */
function holdsOther({ name, allocatedResources, resources }: ContainerStatus, spec: PodSpec): boolean {
  const requests =
    [...spec.containers, ...(spec.initContainers ?? [])].find((container) => container.name === name)?.resources
      ?.requests ?? {};
  return [allocatedResources ?? {}, resources?.requests ?? {}].some((held) =>
    Object.entries(held).some(([resource, quantity]) => requests[resource] !== quantity),
  );
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
