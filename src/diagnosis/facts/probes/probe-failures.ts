/** The outputs of failed probes, from the node's history of a death, else from Unhealthy events. */
import type { Event, Probe } from '../../evidence/kinds.ts';
import type { ProbeType, Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { eventCount, eventLastSeen, eventsWith, firstSeenMs, lastSeenMs } from '../pod/events.ts';
import { listeningOf } from './listening.ts';
import { probePort } from './probe-port.ts';
import { quotable } from '../words/text.ts';

export interface ProbeFailure {
  readonly type: ProbeType;
  readonly output: string;
  readonly count: number;
  /** RFC 3339. */
  readonly at?: string;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly kind: FailureKind;
}

export type FailureKind =
  | 'not-found'
  | 'unauthorized'
  | 'refused'
  | 'wants-http'
  | 'wants-https'
  | 'no-handshake'
  | 'no-grpc'
  | 'wants-grpc'
  | 'timeout'
  | 'no-command'
  | 'no-port'
  | 'other';

const UNHEALTHY = /^(Liveness|Readiness|Startup) probe (?:failed|errored[^:]*): ?([\s\S]*)$/;

const UNCONNECTED = /failed to connect service/;

/** What servers that speak TLS do with plain HTTP: they answer 400, or close the connection. */
const BROKEN_TALK = /statuscode: 400|\bEOF$|connection reset by peer/;
const TLS_PORTS: ReadonlySet<number> = new Set([443, 4443, 6443, 8443, 9443]);

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  // Upstream's error for an unknown port name comes from its last attempt, which parses the name as a number.
  [/^invalid port: |^strconv\.\w+: parsing .*invalid syntax/, 'no-port'],
  [/statuscode: 404/, 'not-found'],
  [/statuscode: 40[13]/, 'unauthorized'],
  [/server gave HTTP response to HTTPS client|first record does not look like a TLS handshake/, 'wants-http'],
  // The first frame of HTTP/2, and an alert of TLS; what is readable is of another protocol.
  [/malformed HTTP response "\\x00\\x00/, 'wants-grpc'],
  [/malformed HTTP response "(?!\\x1[56])/, 'other'],
  [/malformed HTTP (?:response|status code)|transport connection broken: malformed/, 'wants-https'],
  [/error reading server preface|frame header looked like an HTTP\/1/, 'no-grpc'],
  [/connection refused|no route to host/, 'refused'],
  [
    /executable file not found|exec: "[^"]*": .*(?:no such file or directory|permission denied|is a directory|exec format error)/,
    'no-command',
  ],
  [/TLS handshake timeout/, 'no-handshake'],
  [/context deadline exceeded|Client\.Timeout|timed out|i\/o timeout|timeout:/i, 'timeout'],
];

export function failureKind(output: string): FailureKind {
  return KINDS.find(([pattern]) => pattern.test(output))?.[1] ?? 'other';
}

/**
 * The kind of a failure. A gRPC client keeps dialling until its time-out, so a refused connection shows as a time-out; the
 * node's list of listening ports tells the two apart.
 */
function kindOf(container: ContainerFacts, type: ProbeType, output: string): FailureKind {
  const kind = failureKind(output);
  if (kind === 'other' && BROKEN_TALK.test(output) && asksTlsPlainly(container, type)) return 'wants-https';
  if (kind !== 'timeout' || !UNCONNECTED.test(output)) return kind;
  if (isDeaf(container, type)) return 'refused';
  return probeOf(container, type)?.grpc !== undefined && isOfAnother(container, type) ? 'no-grpc' : kind;
}

/** The beginning of HTTP/2, as a server of HTTP/1 logs it. */
export const PREFACE = /\bPRI \* HTTP\/2\.0|Invalid HTTP version \(2\.0\)/;

/** Whether the server took the beginning of HTTP/2 for a request, or a program that listens at the port never answered it. */
function isOfAnother(container: ContainerFacts, type: ProbeType): boolean {
  return container.lines.some((line) => PREFACE.test(line)) || listeningOf(container, type) !== undefined;
}

/** Whether the probe speaks plain HTTP to a port that by its number or name speaks TLS. */
function asksTlsPlainly(container: ContainerFacts, type: ProbeType): boolean {
  const probe = probeOf(container, type);
  if (probe?.httpGet === undefined || probe.httpGet.scheme === 'HTTPS') return false;
  const port = probePort(container, probe);
  const named = (container.spec.ports ?? []).find(({ containerPort }) => containerPort === port)?.name ?? '';
  return (port !== undefined && TLS_PORTS.has(port)) || /https|tls|ssl/.test(named);
}

function isDeaf(container: ContainerFacts, type: ProbeType): boolean {
  const probe = probeOf(container, type);
  const port = probe && probePort(container, probe);
  const ports = listeningOf(container, type);
  if (port === undefined || ports === undefined) return false;
  return !ports.some((each) => each.port === port && each.loopback === undefined);
}

/** Failures of one probe of a container, newest first. The node's history is exact; events come late when there are many. */
export function probeFailures(container: ContainerFacts, type: ProbeType): readonly ProbeFailure[] {
  const remembered = container.death?.probe?.type === type ? container.death.probe.outputs : [];
  const told = eventsWith(container.events, 'Unhealthy').flatMap((event) => fromEvent(event, container, type) ?? []);
  const exact = remembered.map(({ at, output }): ProbeFailure => {
    const ms = Date.parse(at);
    const kind = kindOf(container, type, output);
    const counted = told.find((failure) => failure.kind === kind);
    const count = counted?.count ?? remembered.length;
    return { type, output: quotable(output), count, at, firstMs: counted?.firstMs ?? ms, lastMs: ms, kind };
  });
  return exact.length > 0 ? exact : told;
}

function fromEvent(event: Event, container: ContainerFacts, type: ProbeType): ProbeFailure | undefined {
  const match = UNHEALTHY.exec(event.message ?? '');
  if (match === null || match[1]?.toLowerCase() !== type) return undefined;
  const output = quotable(match[2] ?? '');
  return {
    type,
    output,
    count: eventCount(event),
    at: eventLastSeen(event),
    firstMs: firstSeenMs(event),
    lastMs: lastSeenMs(event),
    // The cause stands at the end of a long message, which is cut.
    kind: kindOf(container, type, match[2] ?? ''),
  };
}

export function quoteProbe(container: ContainerFacts, failure: ProbeFailure): Quote {
  const { type, output, count, at } = failure;
  return { source: 'probe', container: container.name, type, output, count, at };
}

export function probeOf(container: ContainerFacts, type: ProbeType): Probe | undefined {
  const { livenessProbe, readinessProbe, startupProbe } = container.spec;
  return { liveness: livenessProbe, readiness: readinessProbe, startup: startupProbe }[type];
}

export function probePath(container: ContainerFacts, type: ProbeType): string {
  return `${container.path}.${type}Probe`;
}

/** Seconds from a container's start until this probe can have failed it. */
export function secondsUntilFailed(probe: Probe): number {
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3, timeoutSeconds = 1 } = probe;
  return initialDelaySeconds + periodSeconds * failureThreshold + timeoutSeconds;
}
