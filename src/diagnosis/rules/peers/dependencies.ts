/** Rule: a peer refuses connections, or its name does not resolve. */
import { DEPENDS_ON, isConditionTrue, type Job } from '../../../api/index.ts';
import type { PodListeningPort } from '../../evidence/kinds.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import {
  declaredServices,
  dependencyTrouble,
  isItself,
  isOutdated,
  isServiceName,
  noEndpointText,
  probeTrouble,
  serviceBehind,
  serviceOfHost,
  type Trouble,
  variablePeers,
} from '../../facts/peers/dependencies.ts';
import { kindsIn, kindsOfPeer } from '../../facts/peers/peer-kinds.ts';
import { peerText, placeText, type SpecPeer } from '../../facts/peers/spec-peers.ts';
import { formatHost } from '../../../log-analysis/index.ts';
import { type ProbeFailure, probeFailures, quoteProbe } from '../../facts/probes/probe-failures.ts';
import { endedByItself, quoteLastLines, quoteLine, rankOfWord } from '../../facts/words/last-words.ts';
import { awayOfSpec, wrongOfSpec } from '../../facts/peers/away-of-spec.ts';
import { hostFault, type HostFault } from '../../facts/peers/host-faults.ts';
import { heardQuotes } from '../../facts/peers/heard-ports.ts';
import { saidBesideRefusal } from '../../facts/pod/own-program.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { type PodNameTrouble, podNameTrouble } from '../../facts/peers/pod-names.ts';
import { otherPortText } from '../../facts/peers/service-ports.ts';
import { listeningBehind, listensInsideText } from '../../facts/servers/server-behind.ts';
import { dnsQuotes } from '../../facts/peers/dns-settings.ts';
import { aliasOf } from '../../facts/peers/host-aliases.ts';
import { isEnding, type OwnPeer, ownPeer } from '../../facts/peers/own-pod-peers.ts';
import { staleHost } from '../../facts/variables/stale-values.ts';
import { failedCheck } from '../../facts/peers/told-of-answers.ts';
import { outcomeOf } from '../../facts/words/tries-as-ends.ts';
import { unexpandedReference } from '../../facts/variables/unexpanded.ts';
import { unresolvedTrouble } from '../../facts/words/unresolved.ts';
import type { Blame, Quote, RankedFinding, Severity } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { listed, quotable, shellWord } from '../../facts/words/text.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import { type PeerFault, wrongPeers } from '../../facts/peers/wrong-peers.ts';
import { commandForLog, saidBy, severityOf, title } from '../ends/exit-code.ts';
import { refusedByGivenUp } from '../runs/given-up.ts';
import { brief, MAX_ANSWER } from '../probes/probe-case.ts';
import { because, domainText, isNamed, knownOf, policyText, whatFails } from './peer-words.ts';
import { isLateForReady, isLongInit, isSlowInit } from '../probes/readiness.ts';

const ofContainer: ContainerRule = (facts, container) => {
  // A complaint in the log is normal; it counts only if the container then ends or does not get ready.
  const unready = container.death === undefined && (isLateForReady(facts, container) || isSlowInit(facts, container));
  const failed = probeOfKill(container);
  if (!endedByItself(container) && !unready && failed === undefined) return NOTHING;
  // A name that nothing fills in is no peer.
  if ((container.kind !== 'init' || endedByItself(container)) && unexpandedReference(facts, container) !== undefined)
    return NOTHING;
  const trouble = isSilent(container, failed) ? unresolvedTrouble(container) : dependencyTrouble(container);
  // An init container that has gone on since then has overcome it.
  const isFresh = container.kind !== 'init' || isLongInit(facts, container) || (trouble?.word.fromEnd ?? 0) < 3;
  if (unready && trouble !== undefined && (!isFresh || isOutdated(container, trouble))) return NOTHING;
  // A peer that answers a health check has come up since it refused.
  const isChecked = unready || container.again?.isStanding === true;
  if (isChecked && trouble?.kind === 'refused' && failedCheck(facts, container) !== undefined) return NOTHING;
  // The rule about supervisors tells of a program of the same container.
  if (unready && refusedByGivenUp(container) !== undefined) return NOTHING;
  if (failed !== undefined) {
    if (trouble === undefined || isItself(trouble)) return NOTHING;
    const outcome = `, so ${failed.kind === 'refused' ? 'nothing listens when its' : 'its'} ${failed.type} probe ${FAILS[failed.kind] ?? 'fails'} and it is killed`;
    return [
      troubleFinding(facts, container, trouble, { unready: false, outcome, more: [quoteProbe(container, failed)] }),
    ];
  }
  if (trouble === undefined) return unready ? unreadyWithoutWords(facts, container) : declaredAndAway(facts, container);
  if (!unready)
    return [
      troubleFinding(facts, container, trouble, { unready, outcome: outcomeOf(container, ' and ends'), more: [] }),
    ];
  const outcome = container.kind === 'init' ? ' and goes on waiting' : ' and is not ready';
  return [troubleFinding(facts, container, trouble, { unready, outcome, more: [] })];
};

/** Whether it did not answer its probe, or not in time, so that its last error need not be about the probe's request. */
function isSilent(container: ContainerFacts, failed: ProbeFailure | undefined): boolean {
  if (failed !== undefined) return failed.kind !== 'other';
  if (container.death !== undefined || container.kind === 'init') return false;
  return (['readiness', 'startup'] as const).some((type) => probeFailures(container, type)[0]?.kind === 'refused');
}

/** What became of the probe of a container that was killed for it. */
const FAILS: Readonly<Partial<Record<ProbeFailure['kind'], string>>> = {
  other: 'fails',
  refused: 'asks,',
  timeout: 'gets no answer',
};

/** The last failure of the probe that killed it: the program answered it, did not in time, or did not listen. */
function probeOfKill(container: ContainerFacts): ProbeFailure | undefined {
  const type = container.killed?.because;
  if (container.death === undefined || (type !== 'liveness' && type !== 'startup')) return undefined;
  const [failure] = probeFailures(container, type);
  return failure === undefined || FAILS[failure.kind] === undefined ? undefined : failure;
}

export interface Effect {
  readonly unready: boolean;
  /** " and ends" */
  readonly outcome: string;
  readonly more: readonly Quote[];
}

export const dependencies: PodRule = eachContainer(ofContainer);

/** What is known of a peer's trouble, with its service. */
export function troubleFinding(
  facts: PodFacts,
  container: ContainerFacts,
  trouble: Trouble,
  { unready, outcome, more }: Effect,
): RankedFinding {
  const stale = staleHost(facts, container, trouble);
  const { host, port, kind, word, at }: Trouble =
    trouble.host === undefined
      ? withWrongPeer(facts, container, trouble)
      : stale !== undefined && trouble.at !== undefined
        ? { kind: trouble.kind, word: trouble.word }
        : trouble;
  const fault = kind === 'not-resolved' && stale === undefined ? hostFault(container, word.line) : undefined;
  if (fault !== undefined) return faultFinding(facts, container, fault, { word, unready, outcome, more });
  const behind = servicesBehind(facts, host);
  const refused = kind === 'refused';
  // Nobody asks the Service of a name to which the pod gives an address itself, or that is another now.
  const instead = (refused ? aliasOf(facts, host) : undefined) ?? stale;
  const tooEarly = instead !== undefined ? '' : tooEarlyText(facts, container, trouble.kind, behind, port);
  const below = refused ? undefined : podNameTrouble(facts, host, behind);
  const found: Trouble = {
    kind,
    word,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(at !== undefined && { at }),
  };
  const why = instead === undefined ? knownOf(facts, container, found, behind) : `: ${instead.says}`;
  const within: ReturnType<typeof ofOwnPod> =
    refused && instead === undefined ? ofOwnPod(facts, container, { ...found, unready }) : { says: '' };
  const line = host === undefined ? `: ${quotable(word.line).replace(/\.+$/, '')}` : '';
  const says = `${title(container)} ${whatFails(facts, container, found, behind)}${outcome}${why}${within.says}${tooEarly}${line}`;
  return {
    id: refused ? 'dependency-refused' : 'dependency-not-resolved',
    // What follows of another container's end comes after that.
    severity: !unready
      ? severityOf(container)
      : within.isConsequence === true
        ? 'warning'
        : severityOfWait(container, behind),
    rank: within.isConsequence === true ? CONSEQUENCE : rankOfWord(behind.length > 0 ? 89 : 82, word),
    topic: unready ? `ready/${container.name}` : `end/${container.name}`,
    container: container.name,
    says,
    ...(instead === undefined && blameOf(why, behind)),
    evidence: [
      ...(container.death === undefined ? [] : [quoteDeath(container.name, container.death)]),
      ...more,
      quoteLine(container, word.line),
      ...(instead === undefined ? [] : [instead.quote]),
      ...behind.map(serviceQuote),
      ...behind.flatMap((service) => listensQuotes(service, port)),
      ...(refused ? [] : dnsQuotes(facts)),
      ...declared(facts),
    ],
    try:
      instead !== undefined
        ? [...instead.try, ...(container.death === undefined ? [] : [commandForLog(facts, container)])]
        : [
            ...(tooEarly === '' ? [] : facts.commands.again),
            ...(below === undefined ? [] : podNameCommands(facts, below, behind)),
            ...commands(facts, container, trouble, behind),
          ],
  };
}

/** What was asked for is no name, so that neither DNS nor the service is to be blamed. */
function faultFinding(
  facts: PodFacts,
  container: ContainerFacts,
  { text, says, quotes }: HostFault,
  { word, unready, outcome, more }: Effect & Pick<Trouble, 'word'>,
): RankedFinding {
  return {
    id: 'dependency-not-resolved',
    severity: unready ? 'critical' : severityOf(container),
    rank: rankOfWord(89, word),
    topic: unready ? `ready/${container.name}` : `end/${container.name}`,
    container: container.name,
    says: `${title(container)} does not find ${text} (no such name)${outcome}: that is no host name, as ${says}`,
    evidence: [
      ...(container.death === undefined ? [] : [quoteDeath(container.name, container.death)]),
      ...more,
      quoteLine(container, word.line),
      ...quotes,
    ],
    try: facts.commands.edit,
  };
}

/** The trouble, with the only peer of its specification that explains it. */
function withWrongPeer(facts: PodFacts, container: ContainerFacts, trouble: Trouble): Trouble {
  const away = awayOfSpec(facts, container);
  if (away !== undefined) return { ...trouble, host: away.host, at: away.at };
  const faults: readonly PeerFault[] = trouble.kind === 'refused' ? ['no-port', 'not-ready'] : ['missing'];
  const wrong = wrongPeers(facts, container, trouble.word.line).filter(
    ({ fault, isOptional }) => faults.includes(fault) && !isOptional,
  );
  const [only, ...more] = wrong;
  if (only === undefined || more.length > 0) return trouble;
  const { host, port, at } = only;
  return { ...trouble, host, ...(port !== undefined && { port }), at };
}

/** Where a pod behind the service listens, as one of two readings has it. */
function listensQuotes(service: ServiceEvidence, port: number | undefined): readonly Quote[] {
  const heard = heardQuotes(service, port);
  return heard.length > 0 ? heard : listeningBehind(service);
}

/** The set is to be changed where that is known, else who asks for the name. */
function podNameCommands(
  { commands: { cluster, edit } }: PodFacts,
  { words }: PodNameTrouble,
  [service]: readonly ServiceEvidence[],
): readonly string[] {
  return words === undefined ? edit : [cluster(...words, '-n', service?.namespace ?? 'default')];
}

/** An init container that waits may only be early, unless there is no such service. */
function severityOfWait({ kind }: ContainerFacts, [service]: readonly ServiceEvidence[]): Severity {
  return kind === 'init' && service?.missing !== true ? 'warning' : 'critical';
}

/** The rank of what only follows of the end of another container. */
const CONSEQUENCE = 35;

/** A program that ends within this time ends at its start, ms. */
const EARLY_MS = 120_000;

/** Whether the peer has come up since the end, after which nothing starts the container again. */
function tooEarlyText(
  { pod, owner }: PodFacts,
  { status, death }: ContainerFacts,
  kind: Trouble['kind'],
  [service]: readonly ServiceEvidence[],
  port: number | undefined,
): string {
  if (status?.state?.terminated === undefined || pod.spec?.restartPolicy !== 'Never') return '';
  if (service === undefined || service.missing || service.ready === 0) return '';
  if (otherPortText(service, port) !== '' || (kind === 'not-resolved' && service.clusterIPs.length > 0)) return '';
  const isOver =
    owner === undefined || (owner.kind === 'Job' && isConditionTrue((owner as Job).status?.conditions, 'Failed'));
  const policy = owner === undefined ? 'restartPolicy: Never' : 'its job has failed';
  // One that has run for long was no part of the start.
  const when = (death?.livedMs ?? 0) < EARLY_MS ? 'it was too early, as ' : '';
  return `: ${when}service ${service.name} is ready now${isOver ? `, and nothing starts it again (${policy})` : ''}`;
}

/** "; container fpm listens on 9000", of the others of its pod as its node sees them. */
function heardBeside(listening: readonly PodListeningPort[], { name }: ContainerFacts): string {
  const owners = [
    ...new Set(
      listening.flatMap(({ container }) => (container === undefined || container === name ? [] : [container])),
    ),
  ];
  const told = owners.map((owner) => {
    const ports = listening.filter(({ container }) => container === owner).map(({ port }) => String(port));
    return `container ${owner} listens on ${listed([...new Set(ports)])}`;
  });
  return told.length === 0 ? '' : `; ${listed(told)}`;
}

/** ": container agent of its pod listens on 127.0.0.1:8181 alone, …": localhost is an address of IPv4 for one program, and of IPv6 for another. */
function otherFamily({ evidence }: PodFacts, host: string, port: number | undefined): string | undefined {
  const twin = (evidence.listening ?? []).find(
    (each) => each.port === port && each.loopback !== undefined && each.loopback.includes(':') !== host.includes(':'),
  );
  if (twin?.loopback === undefined || host === 'localhost') return undefined;
  const who = twin.container === undefined ? 'its pod' : `container ${twin.container} of its pod`;
  const [own, other] = host.includes(':') ? ['IPv6', 'IPv4'] : ['IPv4', 'IPv6'];
  return `: ${who} listens on ${formatHost(twin.loopback, port)} alone, which is ${other}, and it asks by ${own}, as localhost may mean either; ${twin.loopback} in place of localhost tells it which`;
}

/** "; container pgbouncer has port 6432", of the others that declare ports. */
function portsBeside({ containers, evidence }: PodFacts, container: ContainerFacts): string {
  const seen = heardBeside(evidence.listening ?? [], container);
  if (seen !== '') return seen;
  const others = containers.flatMap((each) => {
    const ports = (each.spec.ports ?? []).map(({ containerPort }) => String(containerPort));
    return each === container || each.kind === 'init' || ports.length === 0
      ? []
      : [`${title(each)} has port ${listed(ports)}`];
  });
  return others.length === 0 ? '' : `; ${listed(others)}`;
}

/** The only peer of its variables at the port that it asks for in its own pod: perhaps it reads another variable than that. */
function unaskedPeer(container: ContainerFacts, port: number | undefined): string | undefined {
  const kinds = kindsOfPeer('', port);
  const isMeant = (peer: SpecPeer): boolean => {
    const own = peer.port ?? peer.defaultPort;
    return own === undefined ? kindsIn(`${peer.at} ${peer.host}`).some((kind) => kinds.includes(kind)) : own === port;
  };
  const named = variablePeers(container).filter((each) => !isItself(each) && isMeant(each));
  const [only, ...more] = new Map(named.map((each) => [each.host, each])).values();
  return port === undefined || only === undefined || more.length > 0
    ? undefined
    : `its ${placeText(only)} names ${peerText(only)}, which it does not ask`;
}

/** Who of its own pod should listen at a loopback address: one that is not started yet, one that ends, or a container by its declared port. */
function ofOwnPod(
  facts: PodFacts,
  container: ContainerFacts,
  { host, port, word: { line }, unready }: Trouble & Pick<Effect, 'unready'>,
): { readonly says: string; readonly isConsequence?: boolean } {
  if (host === undefined || !/^(?:localhost$|127\.|::1$)/.test(host)) return { says: '' };
  const family = otherFamily(facts, host, port);
  if (family !== undefined) return { says: family };
  const peer = ownPeer(facts, container, port);
  if (container.kind !== 'container') return { says: notYetThere(facts, container, peer, port) };
  if (peer === undefined) {
    const unasked = unaskedPeer(container, port);
    if (unasked !== undefined) return { says: `: nothing in its own pod listens there; ${unasked}` };
    const beside = unready ? saidBesideRefusal(container, line) : undefined;
    const also = beside === undefined ? '' : `; its log also says: ${brief(saidBy(beside), MAX_ANSWER)}`;
    return { says: `: nothing in its own pod listens there${portsBeside(facts, container)}${also}` };
  }
  const { container: other, isSure } = peer;
  const { decisive } = other.reading;
  if (isEnding(other)) {
    const why = decisive === undefined ? '' : `: ${brief(saidBy(decisive), MAX_ANSWER)}`;
    return {
      says: `: ${title(other)} of its pod, which ${isSure ? 'should listen there' : 'may be meant'}, ends${why}`,
      isConsequence: true,
    };
  }
  const isDeclared = (other.spec.ports ?? []).some(({ containerPort }) => containerPort === port);
  return isDeclared
    ? {
        says: `: ${title(other)} of its pod, which declares that port, ${other.status?.ready === true ? 'is ready' : 'is not ready'}`,
      }
    : { says: `: nothing in its own pod listens there${portsBeside(facts, container)}` };
}

/** Of a container that starts before the others: a sidecar that is listed after it, or a container. */
function notYetThere(
  { containers }: PodFacts,
  container: ContainerFacts,
  peer: OwnPeer | undefined,
  port: number | undefined,
): string {
  const at = containers.indexOf(container);
  const later = containers.slice(at + 1).filter(({ kind }) => kind === 'sidecar');
  const [only, ...more] = later;
  const meant =
    later.find(({ spec }) => (spec.ports ?? []).some(({ containerPort }) => containerPort === port)) ??
    (more.length === 0 ? only : undefined);
  if (meant !== undefined)
    return `: its own pod, in which sidecar ${meant.name} is listed after it, and starts only when it has ended`;
  return peer?.isSure === true && peer.container.kind === 'container'
    ? `: ${title(peer.container)} of its own pod starts only when the init containers have ended; in initContainers before it, with restartPolicy: Always, it would be there`
    : '';
}

/** The log names no peer: the probe's output may, or its environment names a service of which nothing is ready. */
function unreadyWithoutWords(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  if (container.kind === 'init') return NOTHING;
  const base = { severity: 'critical' as const, topic: `ready/${container.name}`, container: container.name };
  const told = probeTrouble(container);
  if (told !== undefined) {
    const behind = servicesBehind(facts, told.host);
    const isRefused = told.kind === 'refused';
    const peer = formatHost(told.host, told.port);
    const why =
      (isRefused ? undefined : podNameTrouble(facts, told.host, behind)?.says) ?? because(told.kind, behind, told.port);
    return [
      {
        ...base,
        id: isRefused ? 'dependency-refused' : 'dependency-not-resolved',
        rank: 89,
        says: `${title(container)} is not ready: its ${told.failure.type} probe ${isRefused ? `is refused by ${peer}` : `does not find ${peer} (no such name)`}${why}`,
        ...blameOf(why, behind),
        evidence: [quoteProbe(container, told.failure), ...behind.map(serviceQuote), ...declared(facts)],
        try: behind.flatMap((service) => serviceCommands(facts, service)),
      },
    ];
  }
  const away = wrongOfSpec(facts, container);
  if (away === undefined) return NOTHING;
  const services = away.service === undefined ? [] : [away.service];
  return [
    {
      ...base,
      id: 'dependency-not-ready',
      rank: 55,
      says: `${title(container)} is not ready, and ${away.says}`,
      ...blameOf(because('refused', services), services),
      evidence: [
        ...away.quotes,
        ...services.map(serviceQuote),
        ...probeFailures(container, 'readiness')
          .slice(0, 1)
          .map((failure) => quoteProbe(container, failure)),
      ],
      try: [...services.flatMap((service) => serviceCommands(facts, service)), ...facts.commands.edit],
    },
  ];
}

/** The log names no peer, but a service that the pod declares has no ready endpoints. */
function declaredAndAway(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const behind = servicesBehind(facts, undefined);
  const [service] = behind;
  if (service === undefined || container.death === undefined) return NOTHING;
  const what = service.missing
    ? `there is no service ${service.name}, on which its pod depends`
    : `service ${service.name}, on which its pod depends, ${noEndpointText(service)}`;
  return [
    {
      id: 'dependency-not-ready',
      severity: severityOf(container),
      // A cause that the log names ranks higher.
      rank: 55,
      topic: `end/${container.name}`,
      container: container.name,
      says: `${title(container)} ends, and ${what}`,
      ...blameOf(because('refused', behind), behind),
      evidence: [
        quoteDeath(container.name, container.death),
        ...quoteLastLines(container, 2),
        ...behind.map(serviceQuote),
        ...declared(facts),
      ],
      try: [...serviceCommands(facts, service), commandForLog(facts, container)],
    },
  ];
}

export function serviceCommands({ commands }: PodFacts, service: ServiceEvidence): readonly string[] {
  const { cluster } = commands;
  const { name, namespace, missing, workload } = service;
  if (missing && workload !== undefined)
    return [`${cluster('expose', workload, '-n', namespace)} --port=PORT`, cluster('get', 'services', '-n', namespace)];
  if (missing) return [cluster('get', 'services', '-n', namespace)];
  if (service.externalName !== undefined) return externalCommands(service, cluster);
  return [
    ...causeCommands(service),
    ...scaleCommands(commands, service),
    cluster('get', 'endpointslices', '-n', namespace, '-l', `kubernetes.io/service-name=${name}`),
    cluster('describe', `service/${name}`, '-n', namespace),
  ];
}

/** Its name is to be asked for, and to be changed. */
function externalCommands(
  { name, namespace, externalName = '' }: ServiceEvidence,
  cluster: PodFacts['commands']['cluster'],
): readonly string[] {
  return [`nslookup ${shellWord(externalName)}`, cluster('edit', `service/${name}`, '-n', namespace)];
}

/** Asks about the pod in which the fault lies. */
function causeCommands({ cause, namespace }: ServiceEvidence): readonly string[] {
  if (cause === undefined || cause.isCircle === true || cause.says === '') return [];
  const where = cause.root?.split('/')[0] ?? namespace;
  return [`mendlet why ${shellWord(`pod/${cause.pod}`)} -n ${shellWord(where)}`];
}

/** Lets a workload that was scaled to 0 make pods again. */
function scaleCommands({ cluster }: PodFacts['commands'], { nobody, namespace }: ServiceEvidence): readonly string[] {
  return (nobody?.scaledToZero ?? [])
    .slice(0, 1)
    .map((target) => cluster('scale', target, '--replicas=1', '-n', namespace));
}

/** The service that the line names, else the declared services that are unhealthy. */
export function servicesBehind(
  facts: PodFacts,
  host: string | undefined,
  wanted = declaredServices(facts.pod),
): readonly ServiceEvidence[] {
  const { services, pod } = facts.evidence;
  const namespace = pod.metadata?.namespace ?? 'default';
  const named = host === undefined ? undefined : serviceBehind(services, host, namespace);
  if (named !== undefined && host !== undefined && (!named.missing || isServiceName(host, named))) return [named];
  return services.filter(
    (service) =>
      (service.missing || service.ready === 0) &&
      wanted.some(({ name, namespace }) => name === service.name && namespace === service.namespace),
  );
}

/** The service that the words of `because` are about. */
export function blameOf(why: string, [service]: readonly ServiceEvidence[]): { readonly blames?: Blame } {
  if (service === undefined || why === '') return {};
  return {
    blames: {
      service: service.cause?.root ?? `${service.namespace}/${service.name}`,
      says: why.replace(/^: /, ''),
      ...(service.cause !== undefined && service.cause.isCircle !== true && { pod: service.cause.pod }),
    },
  };
}

export function serviceQuote(service: ServiceEvidence): Quote {
  const object = `service/${service.name}`;
  if (service.missing) return { source: 'object', object, says: `not found in namespace ${service.namespace}` };
  if (service.externalName !== undefined)
    return { source: 'field', of: object, path: 'spec.externalName', value: service.externalName };
  const all = service.ready + service.notReady;
  const { served = [] } = service;
  const shown = served.some((each) => !each.endsWith('/TCP')) ? served : service.ports;
  const ports = shown.length === 0 ? '' : `, port ${shown.join(', ')}`;
  const says = all === 0 ? `no endpoints${ports}` : `${service.ready} of ${all} endpoints ready${ports}`;
  return { source: 'object', object, says: all === 0 ? `no endpoint at all${ports}` : says };
}

function declared({ pod }: PodFacts): readonly Quote[] {
  const value = pod.metadata?.annotations?.[DEPENDS_ON];
  return value === undefined ? [] : [{ source: 'field', path: `metadata.annotations[${DEPENDS_ON}]`, value }];
}

function commands(
  facts: PodFacts,
  container: ContainerFacts,
  { host, kind, port }: Trouble,
  behind: readonly ServiceEvidence[],
): readonly string[] {
  const { kubectl } = facts.commands;
  const namespace = facts.pod.metadata?.namespace ?? 'default';
  const [service] = behind;
  const own = service?.namespace === namespace;
  const ofPod = policyText(facts, kind, behind, host) || domainText(kind, behind, host);
  if (ofPod !== '') return facts.commands.edit;
  if (service !== undefined && isNamed(kind, service)) {
    const { cluster } = facts.commands;
    return [
      cluster('get', 'pods', '-n', 'kube-system', '-l', 'k8s-app=kube-dns'),
      cluster('get', 'service/kube-dns', '-n', 'kube-system'),
    ];
  }
  if (service?.externalName !== undefined) return externalCommands(service, facts.commands.cluster);
  const { owner } = service?.server ?? {};
  if (service !== undefined && owner !== undefined && listensInsideText(service, port) !== '')
    return [
      facts.commands.cluster('edit', owner, '-n', service.namespace),
      kubectl('describe', `service/${service.name}`),
    ];
  if (service !== undefined && !service.missing && own) {
    return [
      ...causeCommands(service),
      ...scaleCommands(facts.commands, service),
      kubectl('get', 'endpointslices', '-l', `kubernetes.io/service-name=${service.name}`),
      kubectl('describe', `service/${service.name}`),
    ];
  }
  const named = host === undefined ? undefined : serviceOfHost(host, namespace);
  if (host === 'localhost' || host?.startsWith('127.') === true) {
    return [facts.commands.previousLog(container.name), kubectl('get', `pod/${facts.name}`, '-o', 'wide')];
  }
  const services = kubectl('get', 'services', ...(named === undefined || named.namespace === namespace ? [] : ['-A']));
  return kind === 'refused' && named === undefined
    ? [commandForLog(facts, container), services]
    : [services, ...facts.commands.edit];
}
