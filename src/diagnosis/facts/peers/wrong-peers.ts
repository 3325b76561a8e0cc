/**
 * Holds the peers that a container's specification names against the cluster: a service that is not there or has no ready pod, a port that
 * it does not have, an address that no service has, a namespace that does not exist. Pure.
 */
import { peerIn, peersOfUrls } from '../../../log-analysis/index.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { aboutPeers } from './about-peers.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import {
  allPeers,
  isItself,
  isOfPod,
  isServiceName,
  missingText,
  noEndpointText,
  serviceBehind,
} from './dependencies.ts';
import { heardQuotes, unheardText } from './heard-ports.ts';
import { isOptionalPeer } from './optional-peers.ts';
import { kindsIn, kindsOfPeer } from './peer-kinds.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { podNameTrouble } from './pod-names.ts';
import { otherProtocolText } from './service-ports.ts';
import { placeText, portVariable, type SpecPeer, variableOf } from './spec-peers.ts';
import { hasWord, listed } from '../words/text.ts';

export type PeerFault = 'missing' | 'not-ready' | 'no-port' | 'no-address' | 'unheard';

export interface WrongPeer {
  readonly fault: PeerFault;
  readonly host: string;
  readonly port?: number;
  readonly service?: ServiceEvidence;
  /** Where its specification names it: "variable DB_HOST of ConfigMap app, key host"; absent: only its log does. */
  readonly at?: string;
  /** "service db, which its variable DB_HOST names, has no port 5433, but 5432" */
  readonly says: string;
  readonly quotes: readonly Quote[];
  /** A program can do without such peers. */
  readonly isOptional: boolean;
  /** What is there shows that the name is that of a service. */
  readonly isSure: boolean;
}

type Given = Pick<SpecPeer, 'host' | 'port' | 'defaultPort'> & Partial<Pick<SpecPeer, 'at' | 'of'>>;

/** Those of its specification, and those that the line names; each service or address once. */
export function wrongPeers(facts: PodFacts, container: ContainerFacts, line: string): readonly WrongPeer[] {
  const spec = allPeers(container);
  const named: readonly Given[] = linePeers(line).filter(({ host }) => !spec.some((each) => each.host === host));
  const found = [...spec, ...named].flatMap((peer) => judge(facts, container, peer, line) ?? []);
  const keyOf = ({ service, host }: WrongPeer): string =>
    service === undefined ? host : `${service.namespace}/${service.name}`;
  // The first is that of a variable, which a user would change.
  return [...new Map(found.toReversed().map((each) => [keyOf(each), each])).values()].toReversed();
}

/**
 * The one that may be behind what the container says, where only one can be meant: the one that the line names, or the only wrong one of a
 * container whose words are about peers, or tell nothing. Never one where they are about something else.
 *
 * @param line what it said at its end, or while it is not ready; empty: nothing
 */
export function wrongPeer(facts: PodFacts, container: ContainerFacts, line: string): WrongPeer | undefined {
  const about = aboutPeers(line);
  if (about === 'elsewhere') return undefined;
  const all = wrongPeers(facts, container, line);
  const named = all.filter(({ host }) => namesHost(line, host));
  if (named.length > 0) return named.length === 1 ? named[0] : undefined;
  if (about === 'other') return undefined;
  const kinds = kindsIn(line);
  const meant = all.filter((wrong) => {
    const own = kindsOfPeer(`${wrong.at ?? ''} ${wrong.host}`, wrong.port);
    const isOfKind = kinds.length === 0 || own.length === 0 || own.some((kind) => kinds.includes(kind));
    return !wrong.isOptional && isOfKind && (about === 'peer' || wrong.isSure);
  });
  return meant.length === 1 ? meant[0] : undefined;
}

/** Of URLs, and of a peer with its port or of more than a word. */
export function linePeers(line: string): readonly Given[] {
  const { host, port } = peerIn(line);
  const plain = host !== undefined && (port !== undefined || /[.-]/.test(host)) ? [{ host, port }] : [];
  return [...peersOfUrls(line), ...plain].map((peer) => ({
    host: peer.host,
    ...(peer.port !== undefined && { port: peer.port }),
  }));
}

/** A short name may be any word: it counts where it stands as a peer. */
function namesHost(line: string, host: string): boolean {
  return linePeers(line).some((peer) => peer.host === host) || (/[.\d-]/.test(host) && hasWord(line, host));
}

function judge(facts: PodFacts, container: ContainerFacts, peer: Given, line: string): WrongPeer | undefined {
  const { pod, evidence } = facts;
  const { host, at } = peer;
  if (isItself({ host })) return undefined;
  const service = serviceBehind(evidence.services, host, pod.metadata?.namespace ?? 'default');
  const place = at === undefined ? undefined : placeText({ at, ...(peer.of !== undefined && { of: peer.of }) });
  const which = place === undefined ? '' : `, which its ${place} names`;
  const port = peer.port ?? peer.defaultPort;
  const base = {
    host,
    ...(port !== undefined && { port }),
    ...(place !== undefined && { at: place }),
    quotes:
      at === undefined
        ? []
        : [{ source: 'field' as const, path: isPlace(at) ? `${container.path}.${at}` : at, value: host }],
    isOptional: at !== undefined && isOptionalPeer({ host, at }),
  };
  if (service === undefined) {
    if (evidence.unservedAddresses?.includes(host) !== true) return undefined;
    return { ...base, fault: 'no-address', isSure: true, says: `no service has the address ${host}${which}` };
  }
  const below = service.clusterIPs.length > 0 ? undefined : podNameTrouble(facts, host, [service]);
  if (below !== undefined)
    return { ...base, service, fault: 'missing', isSure: true, says: below.says.replace(/^: /, '') };
  if (isOfPod(service, pod) || service.externalName !== undefined) return undefined;
  if (service.missing) {
    if (!mayBeMissing(facts, peer, service)) return undefined;
    // A file may name what is asked now and then.
    const isOwn = at !== undefined && (variableOf(at) !== undefined || (isPlace(at) && peer.port !== undefined));
    const isSure = hasLikeness(service) || isOwn;
    return { ...base, service, fault: 'missing', isSure, says: missingText(service, place) };
  }
  const name = `service ${service.name}${ofNamespace(facts, service)}${which}`;
  if (service.ready === 0)
    return {
      ...base,
      service,
      fault: 'not-ready',
      isSure: true,
      says: `${name}${comma(which)} ${noEndpointText(service)}`,
    };
  // A service without an address of its own leads to its pods, whatever its ports are.
  if (service.clusterIPs.length === 0 || service.ports.length === 0) return undefined;
  if (port === undefined || service.ports.includes(port)) {
    const protocol = otherProtocolText(service, port, line).replace(/^: service \S{1,63} /, '');
    if (protocol !== '')
      return { ...base, service, fault: 'no-port', isSure: true, says: `${name}${comma(which)} ${protocol}` };
    const unheard = unheardText(service, port, false);
    if (unheard === undefined) return undefined;
    const quotes = [...base.quotes, ...heardQuotes(service, port)];
    return { ...base, quotes, service, fault: 'unheard', isSure: true, says: `${name}${comma(which)} ${unheard}` };
  }
  return {
    ...base,
    service,
    fault: 'no-port',
    isSure: true,
    says: `${name}${comma(which)} has no port ${port}${portPlace(container, at)}, but ${listed([...new Set(service.ports)].map(String))}`,
  };
}

function comma(which: string): string {
  return which === '' ? '' : ',';
}

function ofNamespace({ pod }: PodFacts, { namespace }: ServiceEvidence): string {
  return namespace === (pod.metadata?.namespace ?? 'default') ? '' : ` of namespace ${namespace}`;
}

/** " (its variable DB_PORT)", of one that stands in a variable of its own. */
function portPlace({ environment }: ContainerFacts, at = ''): string {
  const name = variableOf(at);
  const found = name === undefined ? undefined : portVariable(environment, name);
  return found === undefined || environment.some((each) => each.name === name && /:\d/.test(each.value))
    ? ''
    : ` (its variable ${found.name})`;
}

/** Whether it stands in the container's own specification, and not in an object beside it. */
function isPlace(at: string): boolean {
  return /^(?:env|command|args)/.test(at);
}

function hasLikeness({ elsewhere = [], similar = [] }: ServiceEvidence): boolean {
  return elsewhere.length > 0 || similar.length > 0;
}

/** Variables with the name that a program gives itself, or under which others see it. */
const OWN_NAME =
  /(?:^|_)(?:BIND|LISTEN|VIRTUAL|SERVER|ALLOWED|PUBLIC|EXTERNAL|ADVERTISED?|NODE|POD|OWN|SELF|APP|WEB|HTTP|UI|SITE|INGRESS)_?HOST(?:NAME)?$|^HOST(?:NAME)?$/i;

/** Whether a name that is no service's is meant to be one, and is found nowhere else. */
function mayBeMissing({ pod }: PodFacts, { host, at = '' }: Given, service: ServiceEvidence): boolean {
  const { hostAliases = [], dnsPolicy = 'ClusterFirst', dnsConfig } = pod.spec ?? {};
  if (hostAliases.some(({ hostnames = [] }) => hostnames.includes(host))) return false;
  // Such a pod asks others for names, too.
  if (!dnsPolicy.startsWith('ClusterFirst') || (dnsConfig?.searches ?? []).length > 0) return false;
  if (OWN_NAME.test(variableOf(at) ?? '') && !hasLikeness(service)) return false;
  return isServiceName(host, service);
}
