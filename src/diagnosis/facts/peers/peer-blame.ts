/** Names the peer that is the place of a cause, so that several who suffer from it are told together. Pure. */
import { peerIn } from '../../../log-analysis/index.ts';
import type { Blame } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { byHandText, noEndpointText, onlyPeer, serviceBehind, serviceOfHost } from './dependencies.ts';
import { type LastWord, linesAround } from '../words/last-words.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { otherPortText, otherProtocolText, unledText } from './service-ports.ts';
import type { SpecPeer } from './spec-peers.ts';
import { quotable } from '../words/text.ts';

/** The peer that a word's own lines name. */
export function namedPeer(container: ContainerFacts, word: LastWord): Pick<SpecPeer, 'host' | 'port'> | undefined {
  for (const [place, line] of linesAround(container, word).entries()) {
    const { host, port } = peerIn(line);
    if (host === container.ownAddress) continue;
    // A host without a port, in another line, may be anything.
    if (host !== undefined && (port !== undefined || place === 0)) return { host, ...(port !== undefined && { port }) };
  }
  return undefined;
}

/** The peer that a word is about: that of its lines, else the only one of its environment. */
export function peerOfWord(container: ContainerFacts, word: LastWord): Pick<SpecPeer, 'host' | 'port'> | undefined {
  return namedPeer(container, word) ?? onlyPeer(container);
}

/** What is known of the service behind a peer that is not reached: " (the endpoint that was written by hand …)" */
export function behindPeer({ pod, evidence }: PodFacts, container: ContainerFacts, word: LastWord): string {
  const peer = peerOfWord(container, word);
  const service = peer && serviceBehind(evidence.services, peer.host, pod.metadata?.namespace ?? 'default');
  if (service === undefined || service.missing) return '';
  if (service.externalName !== undefined)
    return ` (service ${service.name} is only another name of ${service.externalName})`;
  const other =
    otherPortText(service, peer?.port) ||
    unledText(service, peer?.port) ||
    otherProtocolText(service, peer?.port, word.line);
  if (other !== '') return ` (${other.slice(2)})`;
  const { complaint } = service;
  if (service.ready > 0 && complaint !== undefined)
    return ` (service ${service.name}, whose pod ${complaint.pod} is ready and says: ${quotable(complaint.says)})`;
  const says =
    service.ready === 0 ? `service ${service.name} ${noEndpointText(service)}` : byHandText(service).slice(2);
  return says === '' ? '' : ` (${says})`;
}

/** The words from the beginning of the clause that matched: what stands before them differs from one client to the next. */
function clauseOf({ line, match }: LastWord): string {
  const before = line.slice(0, match.index);
  const begins = [': ', '"', '('].map((sign) => before.lastIndexOf(sign) + (before.includes(sign) ? sign.length : 1));
  return line.slice(Math.max(0, ...begins));
}

/**
 * The blame of a peer that is a service, by its name or address; undefined: it is none, or of the pod itself.
 * @param what "gives no connection any more"
 */
export function blameOfPeer(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  what: string,
  /** Whether its service may explain it. */
  isUnreached = false,
): Blame | undefined {
  const { pod, evidence } = facts;
  const peer = peerOfWord(container, word);
  if (peer === undefined || /^(?:localhost$|127\.|::1$|0\.0\.0\.0$)/.test(peer.host)) return undefined;
  const namespace = pod.metadata?.namespace ?? 'default';
  const found = serviceBehind(evidence.services, peer.host, namespace);
  const known = found?.missing === true ? undefined : found;
  // "db.example" is a name outside of the cluster, unless a service has been found for it.
  const mayBeService = found === undefined && (!peer.host.includes('.') || /\.svc(?:\.|$)/.test(peer.host));
  const service = known ?? (mayBeService ? serviceOfHost(peer.host, namespace) : undefined);
  const at = peer.port === undefined ? '' : `:${peer.port}`;
  return {
    service: service === undefined ? peer.host : `${service.namespace}/${service.name}`,
    says: `${known?.name ?? peer.host}${at} ${what}${isUnreached ? behindPeer(facts, container, word) : ''}: ${quotable(clauseOf(word)).replace(/\.+$/, '')}`,
  };
}
