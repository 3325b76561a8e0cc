/** Tells with a failed request what the HTTP peer answered beside its status, and what that logs of it itself. Pure. */
import { parseTime } from '../../../lib/index.ts';
import { answerBody, httpStatusIn, peerIn, urlPeers } from '../../../log-analysis/index.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { askedBefore } from './asked-before.ts';
import { onlyPeer, serviceBehind } from './dependencies.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import { healthCheckOf, plainPeerOf } from '../probes/health-checks.ts';
import { httpReason, pathAnswered, statusOfPath } from '../probes/http-reasons.ts';
import { otherContainerText } from './other-container.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { probeFailures } from '../probes/probe-failures.ts';
import { serverOf, wordsOfPeer } from '../servers/server-peers.ts';
import { serverObject, settingBehind } from '../servers/server-settings.ts';
import { peerText } from './spec-peers.ts';
import { formatAge } from '../words/text.ts';
import { ROUNDING_MS } from '../../limits.ts';

/** The status of the failed request that its last words tell. */
export function statusSaid(container: ContainerFacts): number | undefined {
  return wordsOfPeer(container).flatMap((line) => httpStatusIn(line) ?? [])[0];
}

/** The status with which it answers its own probe. */
export function statusGiven(container: ContainerFacts): number | undefined {
  const output = (['readiness', 'startup', 'liveness'] as const).flatMap(
    (type) => probeFailures(container, type)[0]?.output ?? [],
  )[0];
  const status = /statuscode: ([45]\d\d)/.exec(output ?? '')?.[1];
  return status === undefined ? undefined : Number(status);
}

interface Told {
  readonly says: string;
  readonly quotes: readonly Quote[];
  /** The object to be edited, with the namespace that it is in. */
  readonly edits?: readonly [object: string, namespace: string];
  /** It is what is behind a line of the log that is older. */
  readonly isLater?: boolean;
}

/** Findings that another cause explains, or that nobody answered. */
const UNRELATED =
  /^(?:out-of-memory|child-out-of-memory|sandbox-lost|died-together|signal|port-in-use|permission-denied|missing-.*|dependency-(?!fails|closes).*|certificate-.*|c-library-.*|volume-.*|held|program-given-up)$/;

/** The findings; the first of each container about its end, or about why it is not ready, tells it. */
export function withAnswers(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const tell = (container: ContainerFacts, finding: RankedFinding): RankedFinding => {
    const sick =
      container.again?.isStanding === true && finding.id.startsWith('dependency-')
        ? ofSick(facts, container, finding)
        : undefined;
    if (sick !== undefined || UNRELATED.test(finding.id)) return sick ?? finding;
    const service = serverOf(facts.evidence, container);
    const told = [
      ofOtherContainer(facts, container, service),
      service && ofMembersPort(container, service),
      ofPage(facts, container),
      ofRequest(facts, container, finding, service),
      service && ofHealthCheck(facts, container, service),
      ofPlainRequest(facts, container),
      service && ofNewPeer(facts, container, service),
    ].find((each) => each !== undefined);
    if (told === undefined) return finding;
    const says = told.isLater === true ? finding.says.replace(OLDER, '').replace(OLDER_STATE, '$1') : finding.says;
    return {
      ...finding,
      says: `${says}; ${told.says}`,
      fallback: false,
      evidence: [...finding.evidence.slice(0, MAX_OWN), ...told.quotes, ...finding.evidence.slice(MAX_OWN)],
      try: [
        ...finding.try,
        ...(told.edits === undefined ? [] : [facts.commands.cluster('edit', told.edits[0], '-n', told.edits[1])]),
      ],
    };
  };
  return withFirstsOf('ready', facts, withFirstsOf('end', facts, found, tell), tell);
}

const MAX_OWN = 3;
/** What a proxy said of the first moments of those behind it. */
const OLDER = /, and its log says: [^]*(?:Layer4|[Cc]onnection refused)[^]*$/;

/** Likewise, beside what it says of its backend since. */
const OLDER_STATE = /Server \S{1,200} is DOWN, reason: Layer4[^(]{0,400}\(([^()]{1,200})\)/;

function ofOtherContainer(
  { pod }: PodFacts,
  container: ContainerFacts,
  service: ServiceEvidence | undefined,
): Told | undefined {
  const status = statusSaid(container);
  const says = service === undefined || status === undefined ? undefined : otherContainerText(service, status);
  if (service === undefined || says === undefined) return undefined;
  return {
    says,
    quotes: [{ source: 'object', object: `service/${service.name}`, says }],
    edits: [`service/${service.name}`, namespaceOf(service, pod.metadata?.namespace)],
  };
}

/** Ports at which members of a cluster speak to each other, and those for clients. */
const MEMBERS_PORTS: ReadonlyMap<number, readonly [server: string, clients: number]> = new Map([
  [2380, ['etcd', 2379]],
  [6222, ['NATS', 4222]],
  [7000, ['Cassandra', 9042]],
  [9300, ['Elasticsearch', 9200]],
  [16379, ['Redis', 6379]],
  [25672, ['RabbitMQ', 5672]],
]);

/** It asks at a port that is not for clients. */
function ofMembersPort(container: ContainerFacts, { name, ports }: ServiceEvidence): Told | undefined {
  for (const line of wordsOfPeer(container)) {
    const { port } = urlPeers(line)[0] ?? peerIn(line);
    const [server, clients] = (port === undefined ? undefined : MEMBERS_PORTS.get(port)) ?? [];
    if (port === undefined || server === undefined || clients === undefined || !ports.includes(clients)) continue;
    return {
      says: `port ${port} is the one at which members of ${server} speak to each other; service ${name} has port ${clients} for clients`,
      quotes: [{ source: 'object', object: `service/${name}`, says: `has ports ${ports.join(', ')}` }],
    };
  }
  return undefined;
}

/** Answers that another version of the peer may give: what it was asked for is not there any more, or has another form. */
const OF_VERSION: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 415, 422, 501]);

/** The peer's pod was made while this container ran already: another version may answer otherwise. */
function ofNewPeer(facts: PodFacts, container: ContainerFacts, { name, server }: ServiceEvidence): Told | undefined {
  const status = statusSaid(container);
  const startedMs = parseTime(container.status?.state?.running?.startedAt ?? undefined);
  const madeMs = parseTime(server?.pod.metadata?.creationTimestamp ?? undefined);
  if (server === undefined || status === undefined || !OF_VERSION.has(status)) return undefined;
  if (startedMs === undefined || madeMs === undefined || madeMs <= startedMs + ROUNDING_MS) return undefined;
  const object = serverObject(server);
  const age = formatAge(facts.now - madeMs);
  return {
    says: `${object} behind service ${name} has another pod since ${age} ago, after this container had started: it may be another version`,
    quotes: [{ source: 'object', object: `pod/${server.pod.metadata?.name ?? ''}`, says: `was made ${age} ago` }],
  };
}

function ofRequest(
  { pod, evidence }: PodFacts,
  container: ContainerFacts,
  finding: RankedFinding,
  service: ServiceEvidence | undefined,
): Told | undefined {
  const status = statusSaid(container);
  if (status === undefined) return undefined;
  const address = pod.status?.podIP;
  const reason =
    service?.server && httpReason(service.server.lines ?? [], { status, ...(address !== undefined && { address }) });
  const found = answerBody(container.lines);
  const body = found === undefined || isTold(finding.says, found) ? undefined : found;
  const isNew = reason !== undefined && !isTold(finding.says, reason);
  const peer = service?.name ?? namedPeer(container);
  // The log of the server says more than its answer where it has the same words.
  const answer =
    body === undefined || (isNew && isTold(reason, body))
      ? ''
      : `${peer === undefined ? 'its peer' : `its peer ${peer}`} answers: ${body}`;
  if (service?.server === undefined || !isNew) return answer === '' ? undefined : { says: answer, quotes: [] };
  const object = serverObject(service.server);
  const setting = settingBehind(service, [reason], finding.id)?.says.replace(
    /^.{1,300}? behind service \S{1,300} /,
    '',
  );
  const isSetTold = setting === undefined || isTold(finding.says, setting);
  const logs = `${object} behind service ${service.name} says: ${reason}${isSetTold ? '' : `, and ${setting}`}`;
  return {
    says: answer === '' ? logs : `${answer}; ${logs}`,
    quotes: [{ source: 'object', object, says: reason }],
    edits: [object, namespaceOf(service, evidence.pod.metadata?.namespace)],
  };
}

/** It reads a page where it wants data: which address it asked, and what the log of that says of the path. */
function ofPage({ evidence, pod }: PodFacts, container: ContainerFacts): Told | undefined {
  const asked = askedBefore(container);
  if (asked === undefined) return undefined;
  const service = serviceBehind(evidence.services, asked.host, pod.metadata?.namespace ?? 'default');
  const status = statusOfPath(service?.server?.lines ?? [], asked.path);
  const says = `it is what ${asked.url} answers`;
  if (service?.server === undefined || status === undefined || status < 400) return { says, quotes: [] };
  const object = serverObject(service.server);
  return {
    says: `${says}: ${object} behind service ${service.name} answers ${asked.path} with ${status}`,
    quotes: [{ source: 'object', object, says: `answers ${asked.path} with ${status}` }],
  };
}

function namespaceOf({ namespace }: ServiceEvidence, own = 'default'): string {
  return namespace === '' ? own : namespace;
}

function namedPeer(container: ContainerFacts): string | undefined {
  const peer = onlyPeer(container);
  return peer && peerText(peer);
}

function isTold(text: string, said: string): boolean {
  return text.toLowerCase().includes(said.toLowerCase());
}

/** A proxy that takes those behind it for down, as they answer its health check with an error. */
function ofHealthCheck(facts: PodFacts, container: ContainerFacts, service: ServiceEvidence): Told | undefined {
  const check = failedCheck(facts, container, service);
  if (check === undefined) return undefined;
  const { path, status, at } = check;
  const other = pathAnswered(service.server?.lines ?? [], path);
  return {
    says: `it asks service ${service.name} for ${path} to know if that is well, and gets ${status} (${at})${other === undefined ? '' : `; ${other} is answered well`}`,
    quotes: [{ source: 'field', path: at, value: path }],
    isLater: true,
  };
}

/** The same of one that has said only of the first moments that those behind it are not there, and that they are by now. */
function ofSick(facts: PodFacts, container: ContainerFacts, finding: RankedFinding): RankedFinding | undefined {
  const service = serverOf(facts.evidence, container);
  const told = service && ofHealthCheck(facts, container, service);
  if (told === undefined) return undefined;
  const { name } = container;
  return {
    ...finding,
    id: 'exit-code',
    says: `container ${name} ends: it takes service ${service?.name ?? ''} for down, as ${told.says} (exit code 1)`,
    blames: undefined,
    evidence: [...finding.evidence.slice(0, 1), ...told.quotes],
  };
}

/** The health check that its peer answers with an error, as that logs; what was refused before is over then. */
export function failedCheck(
  facts: PodFacts,
  container: ContainerFacts,
  service = serverOf(facts.evidence, container),
): { readonly path: string; readonly status: number; readonly at: string } | undefined {
  const lines = service?.server?.lines;
  const isDown = (statusGiven(container) ?? 0) >= 500 || container.again?.isStanding === true;
  if (lines === undefined || !isDown) return undefined;
  const check = healthCheckOf(facts, container);
  const status = check && statusOfPath(lines, check.path);
  return check === undefined || status === undefined || status < 400 ? undefined : { ...check, status };
}

/** A proxy that gives on what a server of TLS answers to plain HTTP. */
function ofPlainRequest(facts: PodFacts, container: ContainerFacts): Told | undefined {
  const status = statusSaid(container) ?? statusGiven(container);
  if (status !== 400 && status !== 502 && status !== 503) return undefined;
  const peer = plainPeerOf(facts, container);
  // A server of TLS answers plain HTTP with 400, or closes the connection.
  if (peer === undefined || (status !== 400 && !container.lines.some((line) => CLOSED.test(line)))) return undefined;
  return {
    says: `it asks ${peer.host}:${peer.port} in plain HTTP, where servers mostly want TLS (${peer.at})`,
    quotes: [{ source: 'field', path: peer.at, value: `${peer.host}:${peer.port}` }],
  };
}

const CLOSED = /prematurely closed|\bEOF\b|connection reset|malformed HTTP|SSL|TLS|server disconnected|socket hang up/i;
