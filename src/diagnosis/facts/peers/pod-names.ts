/** The names that pods of a StatefulSet have below its headless service ("cache-1.cache"), and why one of them does not resolve. Pure. */
import type { StatefulSet } from '../../../api/index.ts';
import type { NamedPodEvidence, ServiceEvidence, SetEvidence } from '../../evidence/pod-evidence.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { listed } from '../words/text.ts';

/** What a name of a pod consists of. */
export interface PodName {
  readonly namespace: string;
  /** "cache-1" */
  readonly pod: string;
  /** "cache" */
  readonly set: string;
  readonly ordinal: number;
  /** The service below which the pod is named. */
  readonly service: string;
}

/** "cache-1.cache", "cache-1.cache.shop", "cache-1.cache.shop.svc.cluster.local"; undefined for what cannot be one. */
export function podOfHost(host: string, namespace: string): PodName | undefined {
  const [pod = '', service = '', ns = namespace, svc = 'svc'] = host.toLowerCase().replace(/\.$/, '').split('.');
  const [, set, ordinal] = /^([a-z](?:[a-z0-9-]{0,200}[a-z0-9])?)-(\d{1,5})$/.exec(pod) ?? [];
  // "web-1.shop.svc" is a service of a namespace.
  if (set === undefined || svc !== 'svc' || ns === 'svc' || !/^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(service))
    return undefined;
  return { namespace: ns, pod, set, ordinal: Number(ordinal), service };
}

/** Whether a StatefulSet has a pod of this ordinal, as its specification is now. */
export function hasOrdinal({ start, replicas }: Pick<SetEvidence, 'start' | 'replicas'>, ordinal: number): boolean {
  return ordinal >= start && ordinal < start + replicas;
}

/** "statefulset/cache is scaled to 1" */
export function scaledText({ name, start, replicas }: SetEvidence): string {
  return `statefulset/${name} is scaled to ${replicas}${start === 0 ? '' : ` from pod ${name}-${start} on`}`;
}

/** What is known of the pod that a host names. */
function namedPod({ evidence, pod }: PodFacts, name: PodName): NamedPodEvidence | undefined {
  const known = evidence.namedPods?.find((each) => each.pod === name.pod && each.namespace === name.namespace);
  if (known !== undefined) return known;
  // Of a pod of its own set its own specification tells.
  const own = /^(.{1,200})-\d{1,5}$/.exec(pod.metadata?.name ?? '')?.[1];
  if (own !== name.set || (pod.metadata?.namespace ?? 'default') !== name.namespace) return undefined;
  const set = evidence.owners.find(({ kind }) => kind === 'StatefulSet');
  const { subdomain } = pod.spec ?? {};
  return {
    ...name,
    state: 'unknown',
    ...(set === undefined
      ? { set: { name: own, ...ANY, ...(subdomain !== undefined && { serviceName: subdomain }) } }
      : { set: setOf(set as StatefulSet) }),
  };
}

/** Of a set that could not be read nothing is concluded from its size. */
const ANY = { start: 0, replicas: Number.MAX_SAFE_INTEGER };

/** What matters of a StatefulSet for the names of its pods. */
export function setOf({ metadata, spec }: StatefulSet): SetEvidence {
  const { serviceName, replicas = 1, ordinals } = spec ?? {};
  return {
    name: metadata?.name ?? '',
    replicas,
    start: ordinals?.start ?? 0,
    ...(serviceName !== undefined && serviceName !== '' && { serviceName }),
  };
}

export interface PodNameTrouble {
  /** The rest of a sentence: ": statefulset/cache is scaled to 1, so that there is no pod cache-1" */
  readonly says: string;
  /** What is to be done about the set: "scale statefulset/cache --replicas=2". */
  readonly words?: readonly string[];
}

/** Why a pod's name does not resolve although the service is there; undefined: it is none, or nothing is known. */
export function podNameTrouble(
  facts: PodFacts,
  host: string | undefined,
  [service]: readonly ServiceEvidence[],
): PodNameTrouble | undefined {
  const name = podOfHost(host ?? '', facts.pod.metadata?.namespace ?? 'default');
  if (name === undefined || service?.missing !== false) return undefined;
  if (service.name !== name.service || service.namespace !== name.namespace) return undefined;
  if (service.clusterIPs.length > 0)
    return {
      says: `: service ${service.name} has an address of its own, and only a headless one (clusterIP: None) has names of its pods`,
    };
  const known = namedPod(facts, name);
  if (known === undefined) return undefined;
  const { set, ofService = [] } = known;
  if (set === undefined) return ofService.length === 0 ? undefined : { says: otherSetText(name, ofService) };
  if (set.serviceName !== service.name) {
    const named = set.serviceName === undefined ? 'no serviceName' : `the serviceName ${set.serviceName}`;
    return {
      says: `: statefulset/${set.name} has ${named}, so that service ${service.name} has no names of its pods`,
    };
  }
  if (!hasOrdinal(set, name.ordinal) && known.state !== 'ready' && known.state !== 'unready')
    return {
      says: `: ${scaledText(set)}, so that there is no pod ${name.pod}`,
      words: ['scale', `statefulset/${set.name}`, `--replicas=${name.ordinal - set.start + 1}`],
    };
  const isOwnSet = set.name === ownSet(facts);
  if (known.state === 'unready' && (service.ready > 0 || isOwnSet))
    return {
      says: `: pod ${name.pod} is not ready, and has no name before it is${isOwnSet ? `, unless service ${service.name} has publishNotReadyAddresses: true` : ''}`,
      words: ['describe', `pod/${name.pod}`],
    };
  return undefined;
}

/** The StatefulSet that the pod itself is of, by its name. */
function ownSet({ pod }: PodFacts): string | undefined {
  return /^(.{1,200})-\d{1,5}$/.exec(pod.metadata?.name ?? '')?.[1];
}

/** The pods of the service have the names of another set. */
function otherSetText({ set, pod, service }: PodName, ofService: readonly SetEvidence[]): string {
  const others = ofService.map(({ name }) => `statefulset/${name}`);
  const [first] = ofService;
  return `: there is no statefulset/${set}, of which ${pod} would be a pod; service ${service} is that of ${listed(others)}, whose pods have names such as ${first?.name ?? ''}-${first?.start ?? 0}`;
}
