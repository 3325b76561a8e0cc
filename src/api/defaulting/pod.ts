/** Defaults of a Pod beyond those of its spec (upstream `SetDefaults_Pod`). They fill a draft in place. */
import { podRequestsOfContainers } from '../pod-resources.ts';
import type { Container, Pod, PodSpec, Quantity } from '../types.gen.ts';
import { defaultPodSpec } from './pod-spec.ts';

export function defaultPod(pod: Pod): void {
  pod.status ??= {};
  // Upstream's spec is never absent: a pod without one lacks only its containers.
  const spec = (pod.spec ??= { containers: [] });
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  containers.forEach(defaultRequests);
  defaultPodLevelRequests(spec);
  if (spec.hostNetwork === true) containers.forEach(defaultHostPorts);
}

/** A resource with a limit and without a request is requested in full. */
function defaultRequests(container: Container): void {
  const { resources } = container;
  if (resources?.limits === undefined) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** KEP-2837: pod-level requests follow the containers', else the pod-level limits; only where there are such limits. */
function defaultPodLevelRequests(spec: PodSpec): void {
  const { resources } = spec;
  if (resources?.limits === undefined || Object.keys(resources.limits).length === 0) return;
  const fromContainers = Object.entries(podRequestsOfContainers(spec)).filter(
    ([name]) => name === 'cpu' || name === 'memory',
  );
  const requests: Record<string, Quantity> = {
    ...resources.limits,
    ...Object.fromEntries(fromContainers),
    ...resources.requests,
  };
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function defaultHostPorts(container: Container): void {
  for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
}
