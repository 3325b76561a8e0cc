/** The quality-of-service class of a pod (upstream `ComputePodQOS`): it decides cgroups, OOM scores and eviction. */
import { addQuantities, compareQuantities } from './quantity.ts';
import type { PodSpec, Quantity, ResourceRequirements } from './types.gen.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;

/** The class by cpu and memory of all containers, init containers included, or of the pod-level resources where given. */
export function qosClassOf(spec: PodSpec): QosClass {
  const podLevel = spec.resources;
  const all = hasAny(podLevel)
    ? [podLevel]
    : [...spec.containers, ...(spec.initContainers ?? [])].map((container) => container.resources);
  const requests: Record<string, Quantity> = {};
  const limits: Record<string, Quantity> = {};
  let everyLimitSet = true;
  for (const resources of all) {
    collect(requests, resources?.requests);
    const found = collect(limits, resources?.limits);
    if (found < COUNTED.length) everyLimitSet = false;
  }
  if (Object.keys(requests).length === 0 && Object.keys(limits).length === 0) return 'BestEffort';
  return everyLimitSet && sameQuantities(requests, limits) ? 'Guaranteed' : 'Burstable';
}

function hasAny(resources: ResourceRequirements | undefined): resources is ResourceRequirements {
  return [resources?.requests, resources?.limits].some((list) => COUNTED.some((name) => list?.[name] !== undefined));
}

/** Adds what is above zero to `sums`; returns how many of the counted resources were. */
function collect(sums: Record<string, Quantity>, quantities: Readonly<Record<string, Quantity>> | undefined): number {
  let found = 0;
  for (const name of COUNTED) {
    const quantity = quantities?.[name];
    if (quantity === undefined || compareQuantities(quantity, 0) <= 0) continue;
    found++;
    sums[name] = addQuantities(sums[name] ?? '0', quantity);
  }
  return found;
}

function sameQuantities(
  requests: Readonly<Record<string, Quantity>>,
  limits: Readonly<Record<string, Quantity>>,
): boolean {
  const names = Object.keys(limits);
  return (
    names.length === Object.keys(requests).length &&
    names.every((name) => requests[name] !== undefined && compareQuantities(requests[name], limits[name] ?? '0') === 0)
  );
}
