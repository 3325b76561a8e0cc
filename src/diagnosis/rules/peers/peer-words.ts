/** Says of a peer that refuses connections, or whose name does not resolve, what is known of it. Not a rule by itself. */
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { byHandText, isOfPod, missingText, noEndpointText, type Trouble } from '../../facts/peers/dependencies.ts';
import { goneText } from '../../facts/peers/gone-addresses.ts';
import { unheardText } from '../../facts/peers/heard-ports.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { sentinelText } from '../../facts/servers/sentinels.ts';
import { podNameTrouble, podOfHost } from '../../facts/peers/pod-names.ts';
import { otherPortText, otherProtocolText, unledText } from '../../facts/peers/service-ports.ts';
import { listensInsideText } from '../../facts/servers/server-behind.ts';
import { CLUSTER_DOMAIN, dnsText } from '../../facts/peers/dns-settings.ts';

/** What languages write for a value that is not there. */
const NOT_SET = /^(?:undefined|none|null|nil)$/i;

/** "is refused by db:5432", "does not find db (no such name)" */
export function whatFails(
  facts: PodFacts,
  container: ContainerFacts,
  { kind, word, host, port, at }: Trouble,
  behind: readonly ServiceEvidence[],
): string {
  const notSet = NOT_SET.test(host ?? '') ? '; programs write that for a value that is not set' : '';
  if (kind !== 'refused')
    return `does not find ${host ?? 'a host'}${at === undefined ? '' : `, of its ${at}`} (no such name${notSet})`;
  const named =
    host === undefined
      ? 'a peer'
      : port === undefined
        ? host
        : `${host}:${port}${addressOf(word.line, host, port)}${nameOf(behind, host) || holderText(facts, container, host, port)}`;
  const peer = at === undefined ? named : `a peer, which by its ${at} is ${named},`;
  // pg_isready says so of a name that is not found, too.
  return `${/\bno response\b/i.test(word.match[0]) ? 'gets no answer from' : 'is refused by'} ${peer}`;
}

/** What is known of the trouble: the first of these that there is something to say about. */
export function knownOf(
  facts: PodFacts,
  container: ContainerFacts,
  { kind, word, host, port }: Trouble,
  behind: readonly ServiceEvidence[],
): string {
  const refused = kind === 'refused';
  return (
    (refused || (host !== undefined && !isBelowOwn(facts, host)) ? '' : governingText(facts)) ||
    passwordText(kind, word.line) ||
    (refused ? '' : sentinelText(facts, container, behind)) ||
    policyText(facts, kind, behind, host) ||
    (refused ? '' : (podNameTrouble(facts, host, behind)?.says ?? '')) ||
    ownText(facts, behind) ||
    domainText(kind, behind, host) ||
    because(kind, behind, port) ||
    (refused ? protocolOf(behind, port, word.line) : '')
  );
}

/** Whether the name is one of a pod of its own set. */
function isBelowOwn({ pod }: PodFacts, host: string): boolean {
  const name = podOfHost(host, pod.metadata?.namespace ?? 'default');
  return name !== undefined && name.service === pod.spec?.subdomain;
}

/** The service below which the pods of its set would have their names is not there. */
function governingText({ pod, evidence }: PodFacts): string {
  const name = pod.spec?.subdomain ?? '';
  const service = evidence.services.find(
    (each) => each.name === name && each.namespace === (pod.metadata?.namespace ?? 'default'),
  );
  return name === '' || service?.missing !== true
    ? ''
    : `: there is no service ${name} (serviceName of its set, subdomain of the pod), so that names such as ${pod.metadata?.name ?? ''}.${name} are none`;
}

function protocolOf([service]: readonly ServiceEvidence[], port: number | undefined, line: string): string {
  return service === undefined || service.missing ? '' : otherProtocolText(service, port, line);
}

/** " (service api)", of an address. */
function nameOf([service]: readonly ServiceEvidence[], host: string): string {
  return service?.clusterIPs.includes(host) === true ? ` (service ${service.name})` : '';
}

/** What a program took for the host begins with the rest of a password, which is masked. */
function passwordText(kind: Trouble['kind'], line: string): string {
  return kind === 'not-resolved' && /["'`]\*{3}@/.test(line)
    ? ': it reads its URL wrongly, because the password in that holds an "@", which has to be written as %40'
    : '';
}

/** " (pod api-1)", or that no pod has it now, of an address of the pods' network. */
function holderText(facts: PodFacts, container: ContainerFacts, host: string, port: number): string {
  const pod = facts.evidence.addresses?.find(({ address }) => address === host)?.pod;
  if (pod !== undefined) return ` (pod ${pod.name}${pod.ready ? '' : ', which is not ready'})`;
  const gone = goneText(facts, container, host, port);
  return gone === undefined ? '' : ` (${gone})`;
}

/** A name of the service that ends with another cluster's domain. */
export function domainText(kind: Trouble['kind'], [service]: readonly ServiceEvidence[], host = ''): string {
  const domain = /\.svc\.([a-z][\w.-]{1,200})$/i.exec(host)?.[1]?.replace(/\.$/, '');
  if (kind !== 'not-resolved' || service === undefined || service.missing || domain === undefined) return '';
  if (domain === CLUSTER_DOMAIN) return '';
  return `: service ${service.name} is there, but its name ends with ${CLUSTER_DOMAIN} unless the cluster has another domain, and not with ${domain}`;
}

/** Its own service answers only when one of its pods is ready, which it does not get before it is answered. */
function ownText({ pod }: PodFacts, [service]: readonly ServiceEvidence[]): string {
  if (service === undefined || service.missing || service.ready > 0 || !isOfPod(service, pod)) return '';
  return `: service ${service.name} is that of its own pods, of which none gets ready before it is answered`;
}

/** A pod that does not ask the cluster's DNS, or not by whole names, finds none of its services. */
export function policyText(
  facts: PodFacts,
  kind: Trouble['kind'],
  [service]: readonly ServiceEvidence[],
  host = '',
): string {
  return kind === 'not-resolved' ? dnsText(facts, service, host) : '';
}

/** The address that a line has beside the name: " (10.96.4.4:5432)". */
function addressOf(line: string, host: string, port: number): string {
  if (/^[\d.:[\]]+$/.test(host)) return '';
  const address = /\b((?:\d{1,3}\.){3}\d{1,3}):(\d{2,5})\b/.exec(line);
  return address !== null && address[2] === String(port) && !address[1]?.startsWith('127.')
    ? ` (${address[1]}:${port})`
    : '';
}

/** @param port that the container asks for, where it is known */
export function because(kind: Trouble['kind'], behind: readonly ServiceEvidence[], port?: number): string {
  const [service] = behind;
  if (service === undefined) return '';
  if (service.missing) return `: ${missingText(service)}`;
  if (service.externalName !== undefined) return `: ${otherName(kind, service.name, service.externalName)}`;
  const otherPort = kind === 'refused' ? otherPortText(service, port) : '';
  if (otherPort !== '') return otherPort;
  const unled = kind === 'refused' ? unledText(service, port) : '';
  if (unled !== '') return unled;
  if (isNamed(kind, service)) return `: service ${service.name} is there, but no DNS server told its name`;
  if (service.ready > 0)
    return kind === 'refused' ? listensInsideText(service, port) || unheard(service, port) || byHandText(service) : '';
  return `: service ${service.name} ${noEndpointText(service)}`;
}

/** ": service cache sends to port 11212, where its pods do not listen" */
function unheard(service: ServiceEvidence, port: number | undefined): string {
  const says = unheardText(service, port, true);
  return says === undefined ? '' : `: service ${service.name} ${says}`;
}

/** "service db is only another name of db.example, which no DNS server knows" */
function otherName(kind: Trouble['kind'], name: string, target: string): string {
  const isAddress = /^(?:\d{1,3}\.){3}\d{1,3}\.?$/.test(target);
  const wrong = isAddress ? ', which is an address and no name' : /[:/]/.test(target) ? ', which is no name' : '';
  const unknown = kind === 'not-resolved' ? ', which no DNS server knows' : '';
  return `service ${name} is only another name of ${target}${wrong || unknown}`;
}

/**
 * Whether the service's name resolves: that of a service with an address always does, that of a headless one only with ready
 * endpoints.
 */
export function isNamed(kind: Trouble['kind'], { missing, clusterIPs }: ServiceEvidence): boolean {
  return kind === 'not-resolved' && !missing && clusterIPs.length > 0;
}
