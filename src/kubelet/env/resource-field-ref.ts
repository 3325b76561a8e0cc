/** Downward API: a container's resources as a number of divisors, rounded up (upstream: pkg/api/v1/resource). Pure. */
import {
  type Container,
  type Pod,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  type ResourceFieldSelector,
} from '../../api/index.ts';
import { EnvironmentError } from './environment-error.ts';
import type { NodeResources } from '../types.ts';

const PLAIN = new Set(['cpu', 'memory', 'ephemeral-storage']);

/**
 * Throws `EnvironmentError` for an unknown container or resource. `containerName`: the container of the env, unless the
 * reference names another.
 */
export function resourceFieldValue(
  pod: Pod,
  containerName: string | undefined,
  ref: ResourceFieldSelector,
  node: NodeResources,
): string {
  const name = ref.containerName || containerName;
  const container = findContainer(pod, name);
  if (container === undefined) throw new EnvironmentError(`container ${name ?? ''} not found`);
  const [section, resource = ''] = splitOnce(ref.resource);
  if ((section !== 'limits' && section !== 'requests') || !(PLAIN.has(resource) || resource.startsWith('hugepages-'))) {
    throw new EnvironmentError(`unsupported container resource : ${ref.resource}`);
  }
  const declared = container.resources?.[section]?.[resource];
  const value = declared ?? (section === 'limits' ? nodeLimit(resource, node) : '0');
  return divided(value, divisorOf(ref), resource === 'cpu');
}

function findContainer(pod: Pod, name: string | undefined): Container | undefined {
  const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  return all.find((each) => each.name === name);
}

function splitOnce(path: string): [string, string | undefined] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

function nodeLimit(resource: string, node: NodeResources): string {
  if (resource === 'cpu') return `${Math.round(node.cpuCores * 1000)}m`;
  if (resource === 'ephemeral-storage') return String(node.ephemeralStorageBytes ?? 0);
  return resource === 'memory' ? String(node.memoryBytes) : '0';
}

function divisorOf(ref: ResourceFieldSelector): string {
  return ref.divisor === undefined || parseQuantity(ref.divisor).nano === 0n ? '1' : ref.divisor;
}

function divided(value: string, divisor: string, cpu: boolean): string {
  const count = cpu
    ? Math.ceil(quantityMilliValue(value) / quantityMilliValue(divisor))
    : Math.ceil(quantityValue(value) / quantityValue(divisor));
  return String(count);
}
