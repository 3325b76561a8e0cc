/** Finds the services that a pod needs, by its annotation and by the last log lines of its containers. */
import { anyOf, saysAgain, timesIn } from '../../../log-analysis/index.ts';
import { DEPENDS_ON, readDependsOn } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { PodEvidence, ServiceCause, ServiceEvidence, WaitingInit } from '../../evidence/pod-evidence.ts';
import { NAMES_PEER } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { hookWords } from '../words/hook-words.ts';
import { lastWord, linesAround, type LastWord } from '../words/last-words.ts';
import { type PodName, podOfHost } from './pod-names.ts';
import { type ProbeFailure, probeFailures, probeOf } from '../probes/probe-failures.ts';
import type { Variable } from '../variables/environment.ts';
import { askedBefore } from './asked-before.ts';
import { awaitedPeers, commandPeers, commandText, environmentPeers, placeText, type SpecPeer } from './spec-peers.ts';
import { straysText } from './stray-endpoints.ts';
import { hasWord, listed } from '../words/text.ts';
import { isAnsweredSince, peerIn, peersOfUrls, unresolvedHost } from '../../../log-analysis/index.ts';

const REFUSED = anyOf(
  // A broker that answers "Connection Refused: not authorised" has been reached.
  /connection refused(?!(?: ?[:,-] | \(|, (?:reason|code)[:= ]{1,3})(?:not authori[sz]ed|bad user ?name|(?:client )?identifier|unacceptable protocol|(?:server|broker) (?:is )?(?:unavailable|not available)))/i,
  /connection to (?:\S{1,200} ){1,3}(?:was |is |has been )?refused(?! by the (?:server|broker|peer)\b)(?!.{0,60}(?:authori[sz]ation|authenticat|credential|password))/i,
  /ECONNREFUSED/i,
  /connect call failed/i,
  /\[Errno 111\]/i,
  /java\.net\.ConnectException(?!: \w+ timed)/i,
  /can't connect to .*\(11[15]\b/i,
  /couldn't connect to server/i,
  // pg_isready
  /^\S{0,200}:\d{2,5} - no response$/i,
);
const UNRESOLVED = anyOf(
  /no such host/i,
  // mosquitto
  /\bunable to connect \(lookup error\.?\)/i,
  /(?:could not|couldn't|cannot|can't|unable to|failed to) resolve (?:the )?(?:host|hostname|address|name|proxy|dns|server)\b/i,
  /(?:could not|couldn't) resolve:? ["']?[\w-]+\.[\w.-]+["']?$/i,
  /failed host lookup/i,
  /(?:could not|couldn't|cannot|can't|unable to|failed to) resolve (?:[a-z]+ ){0,3}["']?[\w-]+-\d+\.[\w.-]+/i,
  /bad address ['"]/i,
  /\bbad host ?name\b/i,
  // Perl's sockets have no other number for it.
  /could not connect to \w[\w ]{0,40} at [\w.-]{1,253}:\d{2,5}: invalid argument/i,
  /name or service not known/i,
  /temporary failure in name resolution/i,
  /\bENOTFOUND\b/i,
  /UnknownHostException/i,
  /EAI_AGAIN/i,
  /name does not resolve/i,
  /nodename nor servname/i,
  /unknown (?:(?:mysql|mariadb) )?(?:server )?host/i,
  /server misbehaving/i,
  /could not translate host name/i,
  /host not found/i,
  /host ?name lookup failure/i,
  /could not be resolved to an IP/i,
  /DNS (?:resolution|lookup) failed/i,
  /(?<!ncache )\bNXDOMAIN\b/i,
  /dns server error: 3/i,
  /\(SocketError\)/i,
  /unable to connect to MASTER: resource temporarily unavailable/i,
  /lookup [\w.-]+ on \S+: (?:read|dial|write)/i,
);

/** A line about its own port. */
const LISTENS = /listen|bind|bound|serving|0\.0\.0\.0|\[?::\]?:\d/i;

/** A record of a request, which begins with the one who asked: "10.244.0.1:35952 [28/Nov/2026:09:40:01.100] fe api/<NOSRV> …". */
const OF_CLIENT = /^\S{1,60} (?:- \S{1,60} )?\[\d{1,2}\/\w{3}\/\d{4}[: ]/;

export interface Trouble {
  readonly kind: 'refused' | 'not-resolved';
  readonly word: LastWord;
  readonly host?: string;
  readonly port?: number;
  /** Where its specification names the host that its log does not: "variable DB_HOST", "command". */
  readonly at?: string;
}

/** Its own port that refuses is no peer. */
export function isItself({ host = '' }: Pick<Trouble, 'host'>): boolean {
  return /^(?:localhost|127\.|::1$|0\.0\.0\.0$)/.test(host);
}

/** The last complaint about a peer in a container's last log lines. */
export function dependencyTrouble(container: ContainerFacts): Trouble | undefined {
  const refused = lastWord(container, REFUSED);
  const unresolved = lastWord(container, UNRESOLVED);
  if (unresolved !== undefined && (refused === undefined || unresolved.fromEnd <= refused.fromEnd)) {
    return {
      kind: 'not-resolved',
      word: unresolved,
      ...hostOf(container, unresolved),
    };
  }
  if (refused === undefined) return failingTrouble(container);
  const [peer] = linesAround(container, refused).flatMap((line, place) => {
    const found = peerIn(line);
    const isOther = found.host === container.ownAddress || LISTENS.test(line) || OF_CLIENT.test(line) || isPlace(found);
    return found.host !== undefined && (place === 0 || (!isOther && isBelieved(container, found))) ? [found] : [];
  });
  const plain = peer ?? peerIn(refused.line);
  const said = plain.host === undefined ? (urlPeer(refused.line) ?? plain) : plain;
  return {
    kind: 'refused',
    word: refused,
    ...said,
    ...(said.host === undefined && placed(specPeer(container, refused.line))),
  };
}

/** A word of another line is a peer only where it looks like one, or the specification has it: "connecting to instrument". */
function isBelieved(
  { spec, environment, secretVariables, filePeers }: ContainerFacts,
  { host = '', port }: { readonly host?: string; readonly port?: number },
): boolean {
  if (port !== undefined || /[.\d-]/.test(host)) return true;
  const texts = [commandText(spec), ...[...environment, ...secretVariables].map(({ value }) => value)];
  return texts.some((text) => hasWord(text, host)) || filePeers.some((peer) => peer.host === host);
}

/** The peer of the only URL of a line, with the port of its scheme: "GET http://api/ failed: Connection refused". */
function urlPeer(line: string): { readonly host: string; readonly port: number } | undefined {
  const [only, ...more] = peersOfUrls(line);
  if (only === undefined || more.length > 0) return undefined;
  return { host: only.host, port: only.port ?? (only.scheme === 'https' ? 443 : 80) };
}

/** So often another failure follows one that was got over. */
const OTHERS_AFTER = 2;

/**
 * Whether another failure has come again and again since: the peer refused while it started, and what it answers now is the trouble. One
 * that is about a peer as well keeps the first from being stale.
 */
export function isOutdated({ lines, failing }: ContainerFacts, { word }: Trouble): boolean {
  const isOfPeer = (line: string): boolean => REFUSED.test(line) || UNRESOLVED.test(line);
  const last = lines.findLastIndex((line) => isOfPeer(line) || saysAgain(line, word.line));
  const after = last === -1 ? [] : lines.slice(last + 1);
  if (after.some((line) => CONNECTED.test(line)) || isAnsweredSince(word.line, after)) return true;
  const since = lines.slice(lines.findLastIndex((line) => saysAgain(line, word.line)) + 1);
  if (since.length === lines.length || since.some(isOfPeer)) return false;
  if (failing === undefined || REFUSED.test(failing.line) || UNRESOLVED.test(failing.line)) return false;
  return timesIn(since, failing.line) >= OTHERS_AFTER;
}

/** What a program says whose peer has come up. */
const CONNECTED = /(?<!dis|not |never )\b(?:re)?connected(?! by)\b/i;

function hostOf(container: ContainerFacts, word: LastWord): Pick<Trouble, 'host' | 'at'> {
  const host = unresolvedHost(word.line) ?? hostBeside(container, word);
  if (host !== undefined) return { host };
  const named = specPeer(container, word.line);
  return named === undefined ? {} : { host: named.host, at: placeText(named) };
}

/** What it said of a peer when it failed a request, such as its probe's. */
function failingTrouble(container: ContainerFacts): Trouble | undefined {
  const { failing } = container;
  for (const line of [failing?.line ?? '', ...(failing?.related ?? [])]) {
    const trouble = troubleIn(line);
    if (trouble !== undefined) return trouble;
  }
  return failing === undefined ? undefined : namelessTrouble(container, failing.line);
}

/** A line that names no peer means the only one that the specification names. */
function namelessTrouble(container: ContainerFacts, line: string): Trouble | undefined {
  const unresolved = UNRESOLVED.exec(line);
  const match = unresolved ?? REFUSED.exec(line);
  const peer = match === null || peerIn(line).host !== undefined ? undefined : specPeer(container, line);
  if (match === null || peer === undefined) return undefined;
  return { kind: unresolved === null ? 'refused' : 'not-resolved', word: { line, match, fromEnd: 0 }, ...placed(peer) };
}

function troubleIn(line: string): Trouble | undefined {
  const unresolved = UNRESOLVED.exec(line);
  if (unresolved !== null) {
    const host = unresolvedHost(line);
    if (host !== undefined) return { kind: 'not-resolved', word: { line, match: unresolved, fromEnd: 0 }, host };
  }
  const refused = REFUSED.exec(line);
  const { host, port } = refused === null ? {} : peerIn(line);
  if (refused === null || host === undefined) return undefined;
  return { kind: 'refused', word: { line, match: refused, fromEnd: 0 }, host, ...(port !== undefined && { port }) };
}

/** The peer that its postStart hook did not reach. */
export function hookTrouble(container: ContainerFacts): Trouble | undefined {
  return troubleIn(hookWords(container)?.said ?? '');
}

/** For a line that names no peer: the only one that its environment, else its files name, or the one whose name the line has. */
function specPeer(container: ContainerFacts, line: string): SpecPeer | undefined {
  const { spec } = container;
  // A resolver is asked by all that look for others.
  const filePeers = container.filePeers.filter(({ port }) => port !== DNS_PORT);
  const own = variablePeers(container);
  const only = single(own);
  if (only !== undefined) return only;
  const isMeant = ({ host }: SpecPeer): boolean => wordsOf(line).has((host.split('.')[0] ?? '').toLowerCase());
  const inCommand = commandPeers(spec, allVariables(container));
  return (
    single([...own, ...inCommand, ...filePeers].filter(isMeant)) ??
    single(own.length === 0 ? inCommand : []) ??
    single(own.length === 0 && inCommand.length === 0 ? filePeers : [])
  );
}

function placed(peer: SpecPeer | undefined): Pick<Trouble, 'host' | 'port' | 'at'> {
  if (peer === undefined) return {};
  return { host: peer.host, ...(peer.port !== undefined && { port: peer.port }), at: placeText(peer) };
}

/** The peer, if all of these are the same one. */
function single(peers: readonly SpecPeer[]): SpecPeer | undefined {
  const [only, ...more] = new Map(peers.map((peer) => [`${peer.host}:${peer.port}`, peer])).values();
  return more.length > 0 ? undefined : only;
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.toLowerCase().match(/[a-z][a-z0-9-]+/g));
}

/** The host of a line beside one that only says that there is no such name. */
function hostBeside({ reading }: ContainerFacts, { line }: LastWord): string | undefined {
  const beside = [reading.decisive?.line ?? '', ...(reading.decisive?.related ?? [])].filter((each) => each !== line);
  return beside.flatMap((each) => {
    const { host, port } = peerIn(each);
    return host === undefined || port === undefined ? [] : [host];
  })[0];
}

/** "artisan:37": a file and its line, which a trace names. */
function isPlace({ host = '', port }: { readonly host?: string; readonly port?: number }): boolean {
  return port !== undefined && port < 80 && /^[a-z]+$/i.test(host);
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** "db", "db.shop", "db.shop.svc", "db.shop.svc.cluster.local" → a service; undefined for what cannot be one. */
export function serviceOfHost(host: string, namespace: string): ServiceName | undefined {
  const labels = host.split('.');
  const [name = '', ns, svc] = isPodName(labels) ? labels.slice(1) : labels;
  if (!/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) || name === 'localhost') return undefined;
  if (ns === undefined) return { namespace, name };
  if (svc !== undefined && svc !== 'svc') return undefined;
  return { namespace: ns, name };
}

/** "db-0.db", "db-0.db.shop.svc": a pod of a headless service, whose name usually begins as the pod's does. */
function isPodName([pod = '', service = '', , svc]: readonly string[]): boolean {
  const ordinal = /-\d{1,5}$/.exec(pod);
  return ordinal !== null && (svc === 'svc' || service.startsWith(pod.slice(0, ordinal.index)));
}

/** The services that a host may mean: "db-0.postgres" is a service in another namespace, or a pod of a headless one. */
export function servicesOfHost(host: string, namespace: string): readonly ServiceName[] {
  const named = serviceOfHost(host, namespace);
  const below = podOfHost(host, namespace);
  const other = below === undefined ? undefined : { namespace: below.namespace, name: below.service };
  if (named === undefined || other === undefined)
    return named === undefined ? (other === undefined ? [] : [other]) : [named];
  return named.name === other.name && named.namespace === other.namespace ? [named] : [named, other];
}

/** Names of pods of StatefulSets that its containers look for in vain. */
export function namedPods(
  { pod }: Pick<PodEvidence, 'pod'>,
  containers: readonly ContainerFacts[],
): readonly PodName[] {
  const hosts = containers.flatMap((container) => [
    ...[dependencyTrouble(container), probeTrouble(container), hookTrouble(container)].flatMap((found) =>
      found?.kind === 'not-resolved' ? (found.host ?? []) : [],
    ),
    ...(container.kind === 'init' && !isUp(container) ? awaitedPeers(container.spec) : []).map(({ host }) => host),
  ]);
  const found = hosts.flatMap((host) => podOfHost(host, pod.metadata?.namespace ?? 'default') ?? []);
  return [...new Map(found.map((name) => [`${name.namespace}/${name.pod}`, name])).values()];
}

/** Services that the pod's annotation declares. */
export function declaredServices(pod: Pod): readonly ServiceName[] {
  const namespace = pod.metadata?.namespace ?? 'default';
  const text = pod.metadata?.annotations?.[DEPENDS_ON];
  if (text === undefined) return [];
  return readDependsOn(text, namespace).dependencies.flatMap((one) =>
    one.kind === 'Service' ? [{ namespace: one.namespace, name: one.name }] : [],
  );
}

/** Addresses that a container's log or its specification names as a peer's: they may be those of services. */
export function namedAddresses(containers: readonly ContainerFacts[]): readonly string[] {
  const hosts = containers.flatMap((container) => [
    ...[dependencyTrouble(container)?.host ?? []].flat(),
    ...decisivePeer(container),
    ...(isUp(container) ? [] : allPeers(container).map(({ host }) => host)),
  ]);
  return [...new Set(hosts)].filter((host) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(host) && !host.startsWith('127.'));
}

/** Services that annotation and logs name, whose endpoints are worth reading. */
export function namedServices(
  evidence: Pick<PodEvidence, 'pod'>,
  containers: readonly ContainerFacts[],
): readonly ServiceName[] {
  const namespace = evidence.pod.metadata?.namespace ?? 'default';
  const hosts = containers.flatMap((container) => [
    ...[dependencyTrouble(container), probeTrouble(container), hookTrouble(container)].flatMap(
      (found) => found?.host ?? [],
    ),
    ...decisivePeer(container),
    ...(isUp(container) ? [] : [onlyPeer(container)?.host ?? []].flat()),
    ...(isUp(container) ? [] : allPeers(container).map(({ host }) => host)),
  ]);
  const found = [
    ...declaredServices(evidence.pod),
    ...governingService(evidence.pod, containers),
    ...hosts.flatMap((host) => servicesOfHost(host, namespace)),
  ];
  return [...new Map(found.map((service) => [`${service.namespace}/${service.name}`, service])).values()];
}

/** The service below which a pod of a StatefulSet has its name, where a container finds some name and does not say which. */
export function governingService(
  { metadata, spec }: Pod,
  containers: readonly ContainerFacts[],
): readonly ServiceName[] {
  const isMeant = containers.some((container) => {
    const trouble = dependencyTrouble(container);
    const below = podOfHost(trouble?.host ?? '', metadata?.namespace ?? 'default');
    return trouble?.kind === 'not-resolved' && (trouble.host === undefined || below?.service === spec?.subdomain);
  });
  return !isMeant || (spec?.subdomain ?? '') === ''
    ? []
    : [{ namespace: metadata?.namespace ?? 'default', name: spec?.subdomain ?? '' }];
}

/** The peer of the line that decides, whatever it says of it, or of that before one that does not say whose answer it could not read, and that of the last failure. */
function decisivePeer(container: ContainerFacts): readonly string[] {
  const { reading, failing } = container;
  const { host = askedBefore(container)?.host } = peerIn(reading.decisive?.line ?? '');
  const last = peerIn(failing?.line ?? '');
  return [
    ...(host === undefined ? [] : [host]),
    ...(last.port === undefined || isPlace(last) ? [] : [last.host ?? []].flat()),
  ];
}

function isUp({ kind, status, again }: ContainerFacts): boolean {
  if (again !== undefined) return false;
  return kind === 'init' ? status?.state?.running === undefined : status?.ready === true;
}

/** The peers that its command waits for, else those of its environment. */
export function namedPeers(container: ContainerFacts): readonly SpecPeer[] {
  const awaited = awaitedPeers(container.spec, allVariables(container));
  return awaited.length > 0 || container.kind === 'init' ? awaited : variablePeers(container);
}

/** The peers of its variables, also of those that it has of Secrets. */
export function variablePeers(container: ContainerFacts): readonly SpecPeer[] {
  return environmentPeers(allVariables(container));
}

function allVariables({ environment, secretVariables }: ContainerFacts): readonly Variable[] {
  return [...environment, ...secretVariables];
}

/** All peers that its specification names, those for which its command waits first, and those of its files last. */
export function allPeers(container: ContainerFacts): readonly SpecPeer[] {
  const awaited = namedPeers(container);
  // The loop of an init container may be one of its image, which nobody sees.
  const own = awaited.length > 0 ? awaited : variablePeers(container);
  return [...own, ...commandPeers(container.spec, allVariables(container)), ...container.filePeers];
}

const DNS_PORT = 53;

/** The only peer that its environment names, else its command, else its files; itself only where nobody else is named. */
export function onlyPeer(container: ContainerFacts): SpecPeer | undefined {
  const { spec, filePeers } = container;
  const own = variablePeers(container);
  const asked = commandPeers(spec, allVariables(container));
  return (
    single(own) ??
    single(asked.filter((peer) => !isItself(peer))) ??
    single(own.length === 0 ? filePeers : []) ??
    single(asked)
  );
}

/** The same, unless a Secret may name another one; that of a database is believed. */
export function surePeer(container: ContainerFacts): SpecPeer | undefined {
  const peer = onlyPeer(container);
  const { env = [], envFrom = [] } = container.spec;
  const known = new Set(container.secretVariables.map(({ name }) => name));
  // Beside a host that is known a whole Secret holds what goes with it.
  const isHidden =
    (envFrom.some(({ secretRef }) => secretRef !== undefined) && variablePeers(container).length === 0) ||
    env.some(
      ({ name, valueFrom }) => valueFrom?.secretKeyRef !== undefined && NAMES_PEER.test(name) && !known.has(name),
    );
  return isHidden && !OF_DATABASE.test(peer?.at ?? '') ? undefined : peer;
}

const OF_DATABASE = /DB|DATABASE|SQL|PG|POSTGRES|MARIA|MONGO/;

/** Init containers of a pod that run and wait, by their command, for services of the cluster. */
export function waitingInits({ metadata, spec, status }: Pod): readonly WaitingInit[] {
  const { name = '', namespace = 'default' } = metadata ?? {};
  return (spec?.initContainers ?? []).flatMap((container): readonly WaitingInit[] => {
    const own = status?.initContainerStatuses?.find((each) => each.name === container.name);
    if (own?.state?.running === undefined) return [];
    const services = awaitedPeers(container).flatMap(({ host }) => serviceOfHost(host, namespace) ?? []);
    return services.length === 0 ? [] : [{ pod: name, container: container.name, services }];
  });
}

/** A peer that refuses or has no name, by the output of a readiness or startup probe that runs a command. */
export function probeTrouble(container: ContainerFacts): ProbeTrouble | undefined {
  for (const type of ['readiness', 'startup'] as const) {
    const [failure] = probeFailures(container, type);
    if (failure === undefined || probeOf(container, type)?.exec === undefined) continue;
    const kind = UNRESOLVED.test(failure.output)
      ? 'not-resolved'
      : REFUSED.test(failure.output)
        ? 'refused'
        : undefined;
    if (kind === undefined) continue;
    const { host, port } = kind === 'refused' ? peerIn(failure.output) : { host: unresolvedHost(failure.output) };
    // Its own port that refuses is no dependency.
    if (host === undefined || /^(?:localhost|127\.|::1|0\.0\.0\.0)/.test(host)) continue;
    return { kind, failure, host, ...(port !== undefined && { port }) };
  }
  return undefined;
}

export interface ProbeTrouble {
  readonly kind: Trouble['kind'];
  readonly failure: ProbeFailure;
  readonly host: string;
  readonly port?: number;
}

/** The service that a line means, by name or address. */
export function serviceBehind(
  services: readonly ServiceEvidence[],
  host: string,
  namespace: string,
): ServiceEvidence | undefined {
  const found = [
    services.find(({ clusterIPs }) => clusterIPs.includes(host)),
    ...servicesOfHost(host, namespace).map((named) =>
      services.find((service) => named.name === service.name && named.namespace === service.namespace),
    ),
  ].flatMap((service) => service ?? []);
  return found.find(({ missing }) => !missing) ?? found[0];
}

/** Names of domains outside of clusters, which somebody may have for a namespace, too. */
const OUTSIDE =
  /^(?:com|org|net|info|biz|edu|gov|dev|app|cloud|tech|online|site|xyz|local|internal|intern|lan|home|corp|localdomain|example|test|invalid|[a-z]{2})$/i;

/**
 * Whether a service that is missing is meant by a name: "db.example" may be a name outside the cluster, unless the cluster has a namespace of
 * that name, or a service of that name in another one.
 */
export function isServiceName(host: string, { namespace, noNamespace, ...service }: ServiceEvidence): boolean {
  if (!host.includes('.') || host.includes('.svc')) return true;
  if (noNamespace === undefined) return false;
  if (!noNamespace) return true;
  const { elsewhere = [], similarNamespaces = [] } = service;
  return !OUTSIDE.test(namespace) && (elsewhere.length > 0 || similarNamespaces.length > 0);
}

/**
 * "there is no service rediss, which its variable REDIS_URL names; there is redis", or that there is no namespace of that name.
 *
 * @param place "variable REDIS_URL"
 */
export function missingText(service: ServiceEvidence, place?: string): string {
  const { name, namespace, noNamespace, elsewhere = [], similarNamespaces = [] } = service;
  const own = service.isInOwn === true ? ', the namespace of the pod itself' : '';
  if (noNamespace !== true)
    return `there is no service ${name}${place === undefined ? '' : `, which its ${place} names`}${elsewhereText(service, place !== undefined)}`;
  if (place === undefined) {
    const hint =
      elsewhere.length > 0
        ? `; service ${name} is in ${listed(elsewhere)}${own}`
        : similarNamespaces.length > 0
          ? `; there is ${listed(similarNamespaces)}`
          : '';
    return `there is no namespace ${namespace}${hint}`;
  }
  const hint =
    elsewhere.length > 0
      ? `, but one in ${listed(elsewhere)}${own}`
      : similarNamespaces.length > 0
        ? `; there is namespace ${listed(similarNamespaces)}`
        : '';
  return `there is no namespace ${namespace}, in which its ${place} names service ${name}${hint}`;
}

/** " in namespace shop, but one in identity", or those with similar names. */
function elsewhereText(
  { namespace, elsewhere = [], similar = [], isInOwn, workload }: ServiceEvidence,
  isAfterClause: boolean,
): string {
  if (workload !== undefined) return `${isAfterClause ? ',' : ''} although there is ${workload}`;
  const own = isInOwn === true ? ', the namespace of the pod itself' : '';
  if (elsewhere.length > 0)
    return `${isAfterClause ? ',' : ''} in namespace ${namespace}, but one in ${listed(elsewhere)}${own}`;
  return similar.length === 0 ? '' : `; there is ${listed(similar)}`;
}

/** "has no endpoint that is ready, because deployment/db is scaled to 0", or with what its worst pod suffers from */
export function noEndpointText({ nobody, cause, selector = {}, strays }: ServiceEvidence): string {
  if (strays !== undefined) return `has no selector, and nobody has written endpoints for it${straysText(strays)}`;
  const { scaledToZero = [], unlabelled, nearest, unmade } = nobody ?? {};
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  const why =
    scaledToZero.length > 0
      ? `, because ${listed(scaledToZero)} ${scaledToZero.length === 1 ? 'is' : 'are'} scaled to 0`
      : unlabelled === true
        ? `, because no pod has its labels ${labels.join(',')}${nearest === undefined ? '' : `; ${nearest}`}`
        : unmade !== undefined
          ? `: ${briefly(unmade)}`
          : cause === undefined
            ? ''
            : causeText(cause);
  return `has no endpoint that is ready${why}`;
}

/** ": its pod api-1 needs service redis, of whose pod redis-1, container redis …" */
function causeText({ pod, says, through = [], isCircle }: ServiceCause): string {
  if (through.length === 0) return `: of its pod ${pod}, ${briefly(says)}`;
  const steps = through.map((step) => `pod ${step.pod} needs service ${step.service}`);
  const way = `: its ${steps.join(', whose ')}`;
  return isCircle === true
    ? `${way}: they wait for each other, and none gets ready first`
    : `${way}, of whose pod ${pod}, ${briefly(says)}`;
}

/** ": the endpoints that were written by hand for service db are 10.2.3.4:3306", of one without a selector. */
export function byHandText({ name, written = [] }: ServiceEvidence): string {
  if (written.length === 0) return '';
  const are =
    written.length === 1 ? 'endpoint that was written by hand for' : 'endpoints that were written by hand for';
  return `: the ${are} service ${name} ${written.length === 1 ? 'is' : 'are'} ${listed(written)}`;
}

/** Characters of another pod's headline within one. */
const MAX_CAUSE = 260;

function briefly(says: string): string {
  return says.length <= MAX_CAUSE ? says : `${says.slice(0, MAX_CAUSE - 1)}…`;
}

/** Whether the pod is one of the service's own. */
export function isOfPod({ namespace, selector }: ServiceEvidence, { metadata }: Pod): boolean {
  const wanted = Object.entries(selector ?? {});
  if (wanted.length === 0 || namespace !== (metadata?.namespace ?? 'default')) return false;
  return wanted.every(([key, value]) => metadata?.labels?.[key] === value);
}
