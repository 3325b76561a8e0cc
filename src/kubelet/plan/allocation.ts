/**
 * The CPU and memory that each container of a pod has been allocated (KEP-1287). The pod's spec says what is wanted; until
 * the node has room for it, every decision uses what was allocated. Pure.
 */
import {
  type Container,
  compareQuantities,
  type Pod,
  type PodSpec,
  type ResourceRequirements,
} from '../../api/index.ts';

/** By container name; ephemeral containers have none. */
export type Allocation = Readonly<Record<string, ContainerAllocation>>;
export type ContainerAllocation = Pick<ResourceRequirements, 'requests' | 'limits'>;

const LISTS = ['initContainers', 'containers'] as const;
const RESIZABLE = ['cpu', 'memory'] as const;
const PARTS = ['requests', 'limits'] as const;

/** The resources that the spec asks for; `undefined`: none, and that can never change (the QoS class is fixed). */
export function allocationOf(pod: Pod): Allocation | undefined {
  const containers = LISTS.flatMap((list) => pod.spec?.[list] ?? []);
  const found = containers.map(({ name, resources }) => [name, resourcesOf(resources)] as const);
  return found.some(([, { requests, limits }]) => requests !== undefined || limits !== undefined)
    ? Object.fromEntries(found)
    : undefined;
}

function resourcesOf(resources: ResourceRequirements | undefined): ContainerAllocation {
  const { requests, limits } = resources ?? {};
  return { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) };
}

/** The pod as it is given: with the resources of the note in place of those of the spec; the same object when they agree. */
export function allocatedPod(pod: Pod, note: { readonly allocated?: Allocation }): Pod {
  const { allocated } = note;
  const wanted = allocationOf(pod);
  if (allocated === undefined || wanted === undefined || sameAllocation(allocated, wanted)) return pod;
  const given = (container: Container): Container => {
    const own = allocated[container.name];
    return own === undefined ? container : { ...container, resources: { ...container.resources, ...own } };
  };
  const spec: PodSpec = { ...pod.spec, containers: (pod.spec?.containers ?? []).map(given) };
  if (pod.spec?.initContainers !== undefined) spec.initContainers = pod.spec.initContainers.map(given);
  return { ...pod, spec };
}

export function sameAllocation(a: Allocation, b: Allocation): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => changedResources(a[name], b[name]).length === 0);
}

/** Names of the resources that `b` gives another amount of. */
export function changedResources(
  a: ContainerAllocation | undefined,
  b: ContainerAllocation | undefined,
): readonly string[] {
  return RESIZABLE.filter((name) => PARTS.some((part) => !sameAmount(a?.[part]?.[name], b?.[part]?.[name])));
}

function sameAmount(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a === b || compareQuantities(a, b) === 0;
}

/** Parsed from an annotation; `undefined` when it is missing or malformed. */
export function parseAllocation(text: string | undefined): ContainerAllocation | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isAllocation(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Also of a note on disk: nothing is believed. */
export function isAllocation(value: unknown): value is ContainerAllocation {
  if (!isObject(value)) return false;
  return PARTS.every((part) => {
    const amounts = value[part];
    return amounts === undefined || (isObject(amounts) && Object.values(amounts).every(isQuantity));
  });
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    compareQuantities(value, '0');
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
