/** Finds the service that a container needs by its specification, and of which nothing is ready. Pure. */
import type { ServiceEvidence } from '../evidence/pod-evidence.ts';
import type { ContainerFacts } from './container-facts.ts';
import { isOfPod, namedPeers, serviceBehind } from './dependencies.ts';
import type { PodFacts } from './pod-facts.ts';
import { placeText } from './spec-peers.ts';

export interface AwayOfSpec {
  readonly service: ServiceEvidence;
  /** "variable REDIS_URL", "variable REDIS_URL of ConfigMap app, key redis", "command" */
  readonly at: string;
  /** "spec.containers[0].env[0] (REDIS_URL)" */
  readonly path: string;
}

/** A service of the cluster that its specification names and of which nothing is ready; not one of this pod itself. */
export function awayOfSpec(facts: PodFacts, container: ContainerFacts): AwayOfSpec | undefined {
  const { services, pod } = facts.evidence;
  const namespace = pod.metadata?.namespace ?? 'default';
  for (const peer of namedPeers(container)) {
    const { host, at } = peer;
    const service = serviceBehind(services, host, namespace);
    if (service === undefined || service.missing || service.ready > 0 || isOfPod(service, pod)) continue;
    return { service, at: placeText(peer), path: `${container.path}.${at}` };
  }
  return undefined;
}
