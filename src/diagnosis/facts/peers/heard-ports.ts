/** Tells that a service leads to a port on which its pods do not listen, as one of them that is ready was asked. Pure. */
import type { HeardPort, PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { aboutPeers } from './about-peers.ts';
import { type ContainerFacts, containerFacts, failingAt } from '../pod/container-facts.ts';
import { allPeers, dependencyTrouble, isItself, isOfPod, serviceBehind } from './dependencies.ts';
import { placeText } from '../probes/listening.ts';
import { podFacts } from '../pod/pod-facts.ts';
import { saidLast } from '../words/said-last.ts';
import { listed } from '../words/text.ts';

export interface HeardWanted {
  readonly service: ServiceEvidence;
  readonly port: number;
}

/** Ports of services that are asked for one question. */
const MAX_HEARD = 3;

/**
 * The ports of services that are worth asking for: of one that refuses although pods of it are ready, or of the peers of a container that
 * names no cause.
 */
export function heardWanted(evidence: PodEvidence): readonly HeardWanted[] {
  const facts = podFacts(evidence);
  const { pod, services } = evidence;
  const namespace = pod.metadata?.namespace ?? 'default';
  const all = containerFacts(evidence).flatMap((given) => {
    if (!mayAsk(given)) return [];
    const container = given.again === undefined ? given : failingAt(given, given.again);
    return peersOf(container).flatMap(({ host, port }): readonly HeardWanted[] => {
      const service = isItself({ host }) ? undefined : serviceBehind(services, host, namespace);
      if (service === undefined || service.missing || service.ready === 0 || service.selector === undefined) return [];
      if (isOfPod(service, facts.pod) || service.clusterIPs.length === 0) return [];
      const [only, ...more] = service.ports;
      const asked = port ?? (more.length === 0 ? only : undefined);
      return asked === undefined || !service.ports.includes(asked) ? [] : [{ service, port: asked }];
    });
  });
  const unique = new Map(all.map((each) => [`${each.service.namespace}/${each.service.name}:${each.port}`, each]));
  return [...unique.values()].slice(0, MAX_HEARD);
}

/** Of a container that is well nothing is asked. */
function mayAsk({ trouble, status, kind, again }: ContainerFacts): boolean {
  if (again !== undefined) return true;
  return trouble !== 'none' || (kind === 'init' ? status?.state?.running !== undefined : status?.ready !== true);
}

function peersOf(container: ContainerFacts): readonly { readonly host: string; readonly port?: number }[] {
  const trouble = dependencyTrouble(container);
  if (trouble?.kind === 'refused') {
    const { host, port } = trouble;
    return host === undefined ? [] : [{ host, ...(port !== undefined && { port }) }];
  }
  if (trouble !== undefined || /^(?:other|elsewhere)$/.test(aboutPeers(saidLast(container)))) return [];
  return allPeers(container).map(({ host, port, defaultPort }) => {
    const asked = port ?? defaultPort;
    return { host, ...(asked !== undefined && { port: asked }) };
  });
}

/**
 * "sends to port 11212, where its pods do not listen (pod cache-1 listens on 11211)"; undefined: they do, or nobody knows.
 *
 * @param isRefused whether what its pods declare is enough, because the port refuses
 */
export function unheardText(
  service: ServiceEvidence,
  port: number | undefined,
  isRefused: boolean,
): string | undefined {
  const heard = heardAt(service, port);
  if (heard === undefined) return undefined;
  const { target, pod, listens, declared } = heard;
  const has = declared.length === 0 ? '' : ` (pod ${pod} has ${listed(declared)})`;
  if (typeof target === 'string') return `sends to the port "${target}", which no container of its pods has${has}`;
  if (listens === undefined) {
    const isDeclared = declared.length === 0 || declared.some((each) => each.endsWith(`${target}`));
    return isRefused && !isDeclared ? `sends to port ${target}, which its pods do not declare${has}` : undefined;
  }
  if (listens.some((each) => each.port === target && each.loopback === undefined)) return undefined;
  const where = listens.length === 0 ? 'nowhere' : `on ${listed(listens.map((each) => placeText(each)))}`;
  return `sends to port ${target}, where its pods do not listen (pod ${pod} listens ${where})`;
}

export function heardQuotes(service: ServiceEvidence, port: number | undefined): readonly Quote[] {
  const heard = heardAt(service, port);
  if (heard?.listens === undefined) return [];
  const { pod, listens } = heard;
  const where = listens.length === 0 ? 'nowhere' : `on ${listed(listens.map((each) => placeText(each)))}`;
  return [{ source: 'object', object: `pod/${pod}`, says: `listens ${where}` }];
}

function heardAt({ heard = [] }: ServiceEvidence, port: number | undefined): HeardPort | undefined {
  return port === undefined ? (heard.length === 1 ? heard[0] : undefined) : heard.find((each) => each.port === port);
}
