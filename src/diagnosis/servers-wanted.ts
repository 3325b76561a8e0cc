/** Decides of which pods that serve behind services more is worth reading. Pure. */
import type { PodEvidence, ServerWanted, ServiceEvidence } from './evidence/pod-evidence.ts';
import type { ContainerFacts } from './facts/container-facts.ts';
import { dependencyTrouble, probeTrouble, serviceBehind } from './facts/dependencies.ts';
import { podFacts } from './facts/pod-facts.ts';
import { isInTrouble } from './wanted.ts';

/** Services of one pod behind which a pod is looked at. */
const MAX_SERVERS = 2;

/** Once the services are known: those of which pods are ready, and that refuse a container in trouble all the same. */
export function serversWanted(evidence: PodEvidence): readonly ServerWanted[] {
  const facts = podFacts(evidence);
  const found = facts.containers
    .filter((container) => isInTrouble(facts, container))
    .flatMap((container): readonly ServerWanted[] => {
      const service = refusing(evidence, container);
      return service === undefined ? [] : [{ service, listening: true, configs: true }];
    });
  return [...new Map(found.map((each) => [each.service, each])).values()].slice(0, MAX_SERVERS);
}

function refusing({ services, pod }: PodEvidence, container: ContainerFacts): ServiceEvidence | undefined {
  const { kind, host } = dependencyTrouble(container) ?? probeTrouble(container) ?? {};
  if (kind !== 'refused' || host === undefined) return undefined;
  const service = serviceBehind(services, host, pod.metadata?.namespace ?? 'default');
  return service !== undefined && serves(service) ? service : undefined;
}

/** Whether pods of it are ready. */
function serves({ missing, ready, selector, externalName }: ServiceEvidence): boolean {
  return !missing && ready > 0 && selector !== undefined && externalName === undefined;
}
