/** Finds the service that a container needs by its specification, and that cannot answer it. Pure. */
import type { Quote } from '../../finding.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { isOfPod, namedPeers, noEndpointText, serviceBehind } from './dependencies.ts';
import { isOptionalPeer } from './optional-peers.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { saidLast } from '../words/said-last.ts';
import { placeText } from './spec-peers.ts';
import { wrongPeer } from './wrong-peers.ts';

export interface AwayOfSpec {
  readonly service?: ServiceEvidence;
  /** "variable REDIS_URL", "variable REDIS_URL of ConfigMap app, key redis", "command"; absent: only its log names the peer. */
  readonly at?: string;
  readonly host: string;
  /** "service redis, which its variable REDIS_URL names, has no endpoint that is ready" */
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** A service of the cluster that its specification names and of which nothing is ready; not one of this pod itself. */
export function awayOfSpec(facts: PodFacts, container: ContainerFacts): AwayOfSpec | undefined {
  const { services, pod } = facts.evidence;
  const namespace = pod.metadata?.namespace ?? 'default';
  for (const peer of namedPeers(container)) {
    const { host, at } = peer;
    const service = serviceBehind(services, host, namespace);
    if (service === undefined || service.missing || service.ready > 0 || isOfPod(service, pod)) continue;
    if (isOptionalPeer(peer)) continue;
    const place = placeText(peer);
    return {
      service,
      host,
      at: place,
      says: `service ${service.name}, which its ${place} names, ${noEndpointText(service)}`,
      quotes: [{ source: 'field', path: `${container.path}.${at}`, value: service.name }],
    };
  }
  return undefined;
}

/** That, else whatever else is wrong with one of its peers, of a container whose own words name no other cause. */
export function wrongOfSpec(facts: PodFacts, container: ContainerFacts): AwayOfSpec | undefined {
  return awayOfSpec(facts, container) ?? wrongPeer(facts, container, saidLast(container));
}
