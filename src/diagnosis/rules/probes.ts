/** Rule: a probe fails, often by its own fault: wrong path, port or scheme, too early, too tight, a missing command. */
import { HEALING_PAUSED_CONDITION, pauseOf } from '../../api/index.ts';
import type { Probe } from '../evidence/kinds.ts';
import { awayOfSpec } from '../facts/away-of-spec.ts';
import type { ContainerFacts } from '../facts/container-facts.ts';
import { type Death, quoteDeath } from '../facts/deaths.ts';
import { noEndpointText } from '../facts/dependencies.ts';
import { type Ending, endingOf, endingQuotes, whatFollows } from '../facts/ending.ts';
import { lastLine, quoteLastLines, quoteLine } from '../facts/last-words.ts';
import { isAnsweredBySibling, listeningOf, listeningQuote, listensInside, listensInstead } from '../facts/listening.ts';
import { lockWaitOf } from '../facts/lock-holders.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import {
  type FailureKind,
  type ProbeFailure,
  probeFailures,
  probeOf,
  probePath,
  quoteProbe,
  secondsUntilFailed,
} from '../facts/probe-failures.ts';
import { probePort } from '../facts/probe-port.ts';
import { startTimeOf } from '../facts/start-time.ts';
import { startupProbeFor } from '../facts/startup-probe.ts';
import { formatAge, listed, plural, quotable } from '../facts/text.ts';
import { volumeOf } from '../facts/mounts.ts';
import { throttledBy } from '../facts/throttling.ts';
import { comesWithRequests, isRepeating, withUnresolved } from '../facts/unresolved.ts';
import type { ProbeType, Quote, RankedFinding, Severity } from '../finding.ts';
import { PROBE_TROUBLE_COUNT, PROBE_TROUBLE_GAP_MS, PROBE_TROUBLE_MS, PROVING_LIFE_MS } from '../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { commandForLog, saidBy, severityOf, title } from './exit-code.ts';
import { pauseQuotes, resumable } from './healing.ts';
import { heldUpBy, waitsForPeer } from './held-up.ts';
import { lackedCapability } from './permissions.ts';
import { isLateForReady, lostReadiness } from './readiness.ts';
import { unexpandedIn } from './unexpanded-probes.ts';

interface Case {
  readonly facts: PodFacts;
  readonly container: ContainerFacts;
  readonly type: ProbeType;
  readonly probe: Probe;
  readonly failure: ProbeFailure;
  /**
   * killed: the agent killed the container for this probe; killing: it was told to end for this probe, and still runs; unready:
   * the probe keeps it from being ready; shaky: it fails now and then; starting: it fails, and may still come to pass in time;
   * paused: it would have been killed, but somebody has paused the healing of its pod.
   */
  readonly effect: 'killed' | 'killing' | 'unready' | 'shaky' | 'starting' | 'paused';
  /** With effect killing. */
  readonly ending?: Ending;
}

export const probes: PodRule = eachContainer((facts, container) => {
  if (facts.deleting) return NOTHING;
  const ending = endingOf(facts, container);
  const types = (['liveness', 'startup', 'readiness'] as const).filter(
    // While a container is killed for one probe, the others fail for the same cause.
    (type) => ending === undefined || ending.because === type,
  );
  return types.flatMap((type) => {
    const probe = probeOf(container, type);
    const failures = probeFailures(container, type);
    const [failure] = failures;
    if (probe === undefined || failure === undefined) return NOTHING;
    const effect = ending === undefined ? effectOf(facts, container, type, failure) : 'killing';
    return effect === undefined
      ? NOTHING
      : judge({ facts, container, type, probe, failure, effect, ...(ending && { ending }) });
  });
});

function effectOf(
  facts: PodFacts,
  container: ContainerFacts,
  type: ProbeType,
  failure: ProbeFailure,
): Case['effect'] | undefined {
  if (container.killed?.because === type) return 'killed';
  // The death of a container that has just been started again says more than that it does not answer yet.
  const isBackLately = container.trouble === 'died-lately' && container.killed === undefined;
  if (type !== 'liveness' && isBackLately && (failure.kind === 'refused' || failure.kind === 'timeout'))
    return undefined;
  if (type !== 'liveness' && isLateForReady(facts, container)) {
    const startup = container.spec.startupProbe !== undefined && container.status?.started !== true;
    return (type === 'startup') === startup ? 'unready' : undefined;
  }
  const probe = probeOf(container, type);
  if (probe !== undefined && isHeldFromRestart({ facts, container, type, probe, failure })) return 'paused';
  if (isShaky(facts, container, type, failure)) return 'shaky';
  return type === 'startup' && isStartingLong(facts, container, failure) ? 'starting' : undefined;
}

/** A start is looked at from this age on, and when its probe has failed so often. */
const LONG_START_MS = 30_000;
const LONG_START_FAILURES = 3;

/** Whether a startup probe fails, and has still time. */
function isStartingLong({ now }: PodFacts, { status }: ContainerFacts, failure: ProbeFailure): boolean {
  const startedAt = Date.parse(status?.state?.running?.startedAt ?? '');
  if (Number.isNaN(startedAt) || status?.started === true || failure.lastMs < startedAt) return false;
  return now - startedAt > LONG_START_MS && failure.count >= LONG_START_FAILURES;
}

/** Whether time-outs that have not killed are a finding: they must be frequent, recent and not from the start. */
function isShaky({ now }: PodFacts, container: ContainerFacts, type: ProbeType, failure: ProbeFailure): boolean {
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  const probe = probeOf(container, type);
  if (type !== 'liveness' || probe === undefined || Number.isNaN(startedAt)) return false;
  // Such an error neither kills the container nor lets the probe pass.
  if (failure.kind === 'no-command' || failure.kind === 'no-port') return failure.lastMs >= startedAt;
  if (failure.kind !== 'timeout') return false;
  if (failure.count < PROBE_TROUBLE_COUNT || now - failure.lastMs > PROBE_TROUBLE_MS) return false;
  const each = (failure.lastMs - failure.firstMs) / (failure.count - 1);
  return each <= PROBE_TROUBLE_GAP_MS && failure.lastMs > startedAt + secondsUntilFailed(probe) * 1000;
}

function judge(one: Case): readonly RankedFinding[] {
  const { failure } = one;
  const rules: Readonly<Record<FailureKind, (given: Case) => RankedFinding>> = {
    'not-found': wrongPath,
    unauthorized: wrongPath,
    refused: nobodyListens,
    'wants-http': (given) => wrongScheme(given, 'HTTP'),
    'wants-https': (given) => wrongScheme(given, 'HTTPS'),
    'no-handshake': noHandshake,
    timeout: tooTight,
    'no-command': noCommand,
    'no-port': noSuchPort,
    other: unwell,
  };
  const { ending, facts, container } = one;
  // A program that waits for a lock answers no probe, however much time it is given.
  const waits = lockWaitOf(container) !== undefined;
  const judged = rules[failure.kind](one);
  const finding = notFilledIn(one) ?? (waits ? { ...judged, fallback: true } : withReason(one, judged));
  if (one.effect === 'starting') return [stillStarting(one, finding)];
  if (one.effect === 'paused') return [heldFromRestart(one, finding)];
  if (ending === undefined) return [finding];
  const evidence = [...finding.evidence, ...endingQuotes(container, ending)];
  return [
    {
      ...finding,
      rank: Math.max(finding.rank, 86),
      fallback: false,
      evidence,
      says: `${finding.says}; ${whatFollows(facts, container, ending)}`,
    },
  ];
}

/** What is found where the program does not listen, does not answer, or is not up in time: its log may know why. */
const HELD_UP: ReadonlySet<string> = new Set([
  'probe-too-early',
  'probe-timeout',
  'startup-failing',
  'readiness-failing',
  'liveness-failing',
]);

/** The finding, or the cause in its stead where the program's log names one that it has not overcome. */
function withReason(one: Case, finding: RankedFinding): RankedFinding {
  const { facts, container, effect, failure } = one;
  const isSilent = failure.kind === 'refused' || failure.kind === 'timeout' || finding.id === 'probe-too-early';
  if (!HELD_UP.has(finding.id) || !isSilent || effect === 'shaky' || throttledBy(facts.evidence, container))
    return finding;
  // The rule about the peer tells of it, and of the probe.
  if (effect !== 'starting' && effect !== 'killing' && waitsForPeer(facts, container))
    return { ...finding, fallback: true };
  const cause = heldUpBy(facts, container);
  if (cause === undefined) return withAway(one, isRepeating(container) ? { ...finding, manifest: undefined } : finding);
  return {
    ...finding,
    id: cause.id,
    rank: 88,
    fallback: false,
    says: `${cause.says}; so ${outcome(one)}`,
    evidence: [...cause.evidence.slice(0, 3), ...quotes(one), ...cause.evidence.slice(3)],
    try: cause.try,
    manifest: cause.manifest,
    ...(cause.blames && { blames: cause.blames }),
  };
}

/** The log says nothing of it, but a service that the program needs is not there: another rule tells of one that is not ready for that. */
function withAway({ facts, container, effect }: Case, finding: RankedFinding): RankedFinding {
  const away = awayOfSpec(facts, container);
  if (away === undefined) return finding;
  if (effect === 'unready') return { ...finding, fallback: true };
  const { service, at } = away;
  return {
    ...finding,
    says: `${finding.says}; service ${service.name}, which its ${at} names, ${noEndpointText(service)}`,
    manifest: undefined,
  };
}

/** "nothing listens on port 8080, and its startup probe kills it" */
function outcome(one: Case): string {
  const { container, probe, failure, type, effect } = one;
  const port = probePort(container, probe);
  const what =
    failure.kind === 'timeout'
      ? `its ${type} probe gets no answer`
      : port === undefined || probe.exec !== undefined
        ? `its ${type} probe fails`
        : `nothing listens on port ${port}`;
  const ends: Readonly<Record<Case['effect'], string>> = {
    killed: `its ${type} probe kills it`,
    killing: `it is being killed by its ${type} probe`,
    unready: 'it is not ready',
    starting: 'it has not started up yet',
    shaky: `its ${type} probe fails`,
    paused: 'it would be restarted',
  };
  return `${what}, and ${ends[effect]}`;
}

/** What nobody does about the failure is told with it, and who can change that. */
function heldFromRestart({ facts }: Case, finding: RankedFinding): RankedFinding {
  const { reason } = pauseOf(facts.pod) ?? {};
  const why = reason === undefined ? '' : `: ${brief(reason, MAX_ANSWER)}`;
  return {
    ...finding,
    rank: Math.max(finding.rank, 86),
    fallback: false,
    says: `${finding.says}; it would be restarted, but the healing of the pod is paused${why}`,
    evidence: [...finding.evidence, ...pauseQuotes(facts)],
    manifest: undefined,
    try: [facts.commands.mendlet('resume', resumable(facts)), ...finding.try],
  };
}

/** A variable that nobody fills in is the cause of whatever the probe is answered. */
function notFilledIn(one: Case): RankedFinding | undefined {
  const { facts, container, probe, failure } = one;
  if (failure.kind === 'no-port') return undefined;
  const found = unexpandedIn(facts, container.spec, 'probe', probe);
  if (found === undefined) return undefined;
  const { reference, becomes, where, hint } = found;
  const path = where === 'its command' ? 'exec.command' : 'httpGet';
  return {
    ...base(one),
    id: 'unexpanded-variable',
    rank: 92,
    says: `${consequence(one)}: ${where} has ${reference} ${becomes}: ${hint}`,
    evidence: quotes(one, field(one, path, `has ${reference}`)),
    try: facts.commands.edit,
  };
}

/** Faults that no time mends. */
const SURE: ReadonlySet<string> = new Set([
  'unexpanded-variable',
  'probe-port',
  'probe-scheme',
  'probe-command',
  'probe-redirect',
]);

/** A start that takes its time is a note, unless its probe can never succeed. */
function stillStarting(one: Case, finding: RankedFinding): RankedFinding {
  const { facts, container, probe } = one;
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  const leftMs = startedAt + secondsUntilFailed(probe) * 1000 - facts.now;
  const until = leftMs > 0 ? `; it is killed in ${formatAge(leftMs)}, unless the probe succeeds before` : '';
  const others = container.kind === 'sidecar' ? ', and the containers after it wait for it' : '';
  const says = `${finding.says}${until}${others}`;
  if (SURE.has(finding.id)) return { ...finding, severity: 'warning', says };
  return { ...finding, id: 'starting-up', severity: 'info', fallback: false, says };
}

function base(one: Case): Pick<RankedFinding, 'severity' | 'topic' | 'container'> {
  const { container, effect } = one;
  return {
    severity: severityOfEffect(one),
    topic:
      effect === 'unready' || effect === 'starting'
        ? `ready/${container.name}`
        : effect === 'shaky' || effect === 'paused'
          ? `probe/${container.name}`
          : `end/${container.name}`,
    container: container.name,
  };
}

/** What never killed and does not last is a note; what can never succeed is more. */
function shakySeverity(one: Case): Severity {
  const { failure, container } = one;
  const isFault = failure.kind === 'no-command' || failure.kind === 'no-port' || container.trouble !== 'none';
  return isFault || isLasting(one) || (container.status?.restartCount ?? 0) > 0 ? 'warning' : 'info';
}

/** Whether the probe fails just now, and has so often in a row that it is no blip. */
function isLasting({ facts, probe, failure }: Case): boolean {
  const { periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 } = probe;
  const roundMs = (periodSeconds + timeoutSeconds) * 1000;
  const eachMs = (failure.lastMs - failure.firstMs) / Math.max(1, failure.count - 1);
  return facts.now - failure.lastMs <= 2 * roundMs && failure.count >= failureThreshold && eachMs <= 1.5 * roundMs;
}

function severityOfEffect(one: Case): Severity {
  const { container, effect } = one;
  if (effect === 'killed') return severityOf(container);
  return effect === 'shaky' ? shakySeverity(one) : effect === 'starting' ? 'info' : 'critical';
}

/** "container web is killed by its liveness probe" */
function consequence(one: Case): string {
  const { container, type, effect, facts, probe, failure } = one;
  if (effect === 'killed') return `${title(container)} is killed by its ${type} probe`;
  if (effect === 'killing') return `${title(container)} is being killed by its ${type} probe`;
  if (effect === 'unready') return `${title(container)} is not ready: its ${type} probe fails`;
  if (effect === 'starting') return `${title(container)} has not started up yet: its ${type} probe fails`;
  const isInRow = failsInRow(probe, failure);
  if (effect === 'paused') {
    return `${title(container)} does not answer its ${type} probe any more (since ${formatAge(facts.now - failure.firstMs)})`;
  }
  const how = isLasting(one)
    ? 'fails, and has for some time'
    : isInRow
      ? `failed in a row, the last time ${formatAge(facts.now - failure.lastMs)} ago`
      : 'fails now and then';
  return `the ${type} probe of ${title(container)} ${how}`;
}

/** Whether it failed as often as it may, and no try came between that succeeded. */
function failsInRow(
  { periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 }: Probe,
  { count, firstMs, lastMs }: ProbeFailure,
): boolean {
  const triesMs = (periodSeconds + timeoutSeconds) * 1000;
  return count >= failureThreshold && lastMs - firstMs <= (count - 1) * triesMs + ROUNDING_MS;
}

/** Events count whole seconds. */
const ROUNDING_MS = 1000;

/**
 * Whether the probe has failed as often as it may, in this life, and the container runs on because the healing of its pod is
 * paused. After its verdict a probe is not tried again.
 */
function isHeldFromRestart({ facts, container, type, probe, failure }: Omit<Case, 'effect'>): boolean {
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  const isPaused = facts.condition(HEALING_PAUSED_CONDITION)?.status === 'True' && pauseOf(facts.pod) !== undefined;
  if (!isPaused || type === 'readiness' || Number.isNaN(startedAt) || failure.firstMs < startedAt) return false;
  return failsInRow(probe, failure);
}

/** "/health on port 8080", "port 5432", "its command pg_isready -U app" */
function asked({ container, probe }: Case): string {
  if (probe.exec !== undefined) return `its command ${brief((probe.exec.command ?? []).join(' '), MAX_COMMAND)}`;
  const port = probePort(container, probe);
  const at = port === undefined ? 'its port' : `port ${port}`;
  if (probe.grpc?.service !== undefined && probe.grpc.service !== null && probe.grpc.service !== '')
    return `gRPC service ${JSON.stringify(quotable(probe.grpc.service))} on ${at}`;
  return probe.httpGet === undefined ? at : `${quotable(probe.httpGet.path ?? '/')} on ${at}`;
}

const MAX_COMMAND = 80;
/** What a probe was answered, and what a log says of it, in a headline. */
const MAX_ANSWER = 200;

function brief(text: string, length: number): string {
  const flat = quotable(text);
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

function quotes({ container, failure, effect }: Case, ...more: readonly Quote[]): readonly Quote[] {
  const death =
    effect === 'killed' && container.death !== undefined ? [quoteDeath(container.name, container.death)] : [];
  return [...death, quoteProbe(container, failure), ...more];
}

function field({ container, type }: Case, path: string, value: unknown): Quote {
  return { source: 'field', path: `${probePath(container, type)}.${path}`, value: String(value) };
}

function wrongPath(one: Case): RankedFinding {
  const { probe, failure, facts, container } = one;
  const path = probe.httpGet?.path ?? '/';
  const port = probePort(container, probe);
  const what =
    failure.kind === 'not-found'
      ? `there is nothing at ${path} (404)`
      : `${path} wants to know who asks (${/\d{3}$/.exec(failure.output)?.[0] ?? ''})`;
  const refusal = saidOfRequest(one, path);
  return {
    ...base(one),
    id: failure.kind === 'not-found' ? 'probe-path' : 'probe-unauthorized',
    rank: 88,
    says:
      refusal === undefined
        ? `${consequence(one)}, but the container answers: ${what}`
        : `${consequence(one)}: ${asked(one)} answers ${/\d{3}$/.exec(failure.output)?.[0] ?? 'no'}, and its log says: ${brief(refusal, MAX_ANSWER)}`,
    evidence: quotes(one, field(one, 'httpGet.path', path)),
    try: [
      ...facts.commands.edit,
      ...(port === undefined ? [] : [facts.commands.kubectl('port-forward', `pod/${facts.name}`, String(port))]),
    ],
  };
}

/** What the log says of a request that the probe makes: it names its path, or comes with each one. */
function saidOfRequest({ container }: Case, path: string): string | undefined {
  const { failing } = container;
  if (failing === undefined) return undefined;
  const isNamed =
    failing.line.includes(`"GET ${path} `) || (path.length > MIN_TELLING_PATH && failing.line.includes(path));
  return isNamed || comesWithRequests(container, failing.line) ? saidBy(failing) : undefined;
}

/** Shorter paths stand in others by accident. */
const MIN_TELLING_PATH = 3;

function wrongScheme(one: Case, scheme: 'HTTP' | 'HTTPS'): RankedFinding {
  const { probe, facts, container, type } = one;
  const asked = probe.httpGet?.scheme ?? 'HTTP';
  const port = probePort(container, probe);
  return {
    ...base(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks${port === undefined ? '' : ` port ${port}`} by ${asked}, but the container answers by ${scheme}`,
    evidence: quotes(one, field(one, 'httpGet.scheme', asked)),
    try: facts.commands.edit,
    manifest: schemePatch(container.name, type, scheme),
  };
}

function schemePatch(container: string, type: ProbeType, scheme: string): string {
  return `containers:\n- name: ${container}\n  ${type}Probe:\n    httpGet:\n      scheme: ${scheme}\n`;
}

/** The connection opens, and nothing answers in TLS: a program of plain HTTP may wait for more of what it takes for a request. */
function noHandshake(one: Case): RankedFinding {
  const { facts, probe, container, type, effect } = one;
  // One that answered before speaks TLS, and is only slow.
  const hasSpoken =
    effect === 'shaky' || (effect === 'unready' ? lostReadiness(facts, container) : !neverAnswered(one));
  if (hasSpoken) return tooTight(one);
  return {
    ...base(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks port ${probePort(container, probe) ?? '?'} by HTTPS, but nothing there has ever answered in TLS: it may speak plain HTTP`,
    evidence: quotes(one, field(one, 'httpGet.scheme', 'HTTPS'), ...quoteLastLines(container, 1)),
    try: facts.commands.edit,
    manifest: schemePatch(container.name, type, 'HTTP'),
  };
}

function noCommand(one: Case): RankedFinding {
  const { probe, facts } = one;
  const command = probe.exec?.command ?? [];
  return {
    ...base(one),
    id: 'probe-command',
    rank: 88,
    says: isOneText(command)
      ? `${consequence(one)}: its command is one text, ${JSON.stringify(brief(command[0] ?? '', MAX_COMMAND))}, which no shell takes apart: it needs "sh", "-c" before it, or an entry for each word`
      : one.effect === 'shaky'
        ? `the ${one.type} probe of ${title(one.container)} can never run: its command ${command[0] ?? ''} ${cannotRun(one)}`
        : `${consequence(one)}, whose command ${command[0] ?? ''} ${cannotRun(one)}`,
    evidence: quotes(one, field(one, 'exec.command', JSON.stringify(command))),
    try: facts.commands.edit,
  };
}

/** Why its command does not start. */
function cannotRun({ facts, container, probe, failure }: Case): string {
  if (/is a directory/.test(failure.output)) return 'is a folder';
  if (/exec format error/.test(failure.output)) return 'is no program (a script needs its first line, "#!/bin/sh")';
  if (!/permission denied/.test(failure.output)) return 'is not in the image';
  const mounted = volumeOf(facts, container, probe.exec?.command?.[0] ?? '');
  if (mounted === undefined) return 'may not be executed (it has no execute bit, or its user may not)';
  return `may not be executed, as the files of volume ${mounted.volume.name} have no execute bit (set its defaultMode to 0555)`;
}

/** The port that a probe's command asks on its own host: "pg_isready -p 5433", "nc -z localhost 6380". */
function commandPort({ exec }: Probe): number | undefined {
  const text = (exec?.command ?? []).join(' ').slice(0, 1000);
  const named = /(?:^|\s)(?:-p|-P|--port)[= ]?(\d{2,5})\b|\b(?:localhost|127\.0\.0\.1)[: ](\d{2,5})\b/.exec(text);
  const host = /(?:^|\s)(?:-h|--host)[= ]?([\w.-]{1,253})/.exec(text)?.[1];
  if (host !== undefined && !/^(?:localhost|127\.|\/)/.test(host)) return undefined;
  const port = named?.[1] ?? named?.[2];
  return port === undefined ? undefined : Number(port);
}

/** A command line with its arguments in a single entry. */
function isOneText([program = '', ...more]: readonly string[]): boolean {
  return more.length === 0 && /\S\s+\S/.test(program);
}

/** A probe of an unknown port name is never sent, so it neither kills nor passes. */
function noSuchPort(one: Case): RankedFinding {
  const { container, probe, facts, type, effect } = one;
  const [handler, { port } = { port: '' }] = probe.httpGet
    ? (['httpGet', probe.httpGet] as const)
    : (['tcpSocket', probe.tcpSocket] as const);
  const who = effect === 'unready' ? consequence(one) : `the ${type} probe of ${title(container)} can never ask`;
  const ports = (container.spec.ports ?? []).map(({ name = '', containerPort }) => `${name} ${containerPort}`.trim());
  return {
    ...base(one),
    id: 'probe-port',
    rank: 88,
    says: `${who}: no port of its container is called ${port}${ports.length === 0 ? '' : ` (it has ${listed(ports)})`}`,
    evidence: quotes(one, field(one, `${handler}.port`, port), {
      source: 'field',
      path: `${container.path}.ports`,
      value: ports.length === 0 ? 'none' : ports.join(', '),
    }),
    try: facts.commands.edit,
  };
}

/** The connection was refused: the container listens on another port, is not ready yet, or is dead. */
function nobodyListens(one: Case): RankedFinding {
  const { container, probe } = one;
  if (redirected(one) !== undefined) return { ...unwell(one), id: 'probe-redirect', rank: 88, fallback: false };
  const port = probePort(container, probe);
  const elsewhere = seenElsewhere(one, port) ?? toldElsewhere(container, port);
  if (elsewhere !== undefined) return wrongPort(one, port, elsewhere);
  if (neverAnswered(one)) return tooEarly(one, port);
  return unwell(one);
}

interface Elsewhere {
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/**
 * The other port on which the node saw the container listen. A container that answered on the probe's port before has not
 * moved.
 */
function seenElsewhere(one: Case, port: number | undefined): Elsewhere | undefined {
  const { facts, container, type } = one;
  const ports = listeningOf(container, type);
  if (port === undefined || ports === undefined) return undefined;
  const quotes = listeningQuote(container, type);
  const inside = listensInside(ports, port);
  if (inside !== undefined) return { says: `${inside}, where no probe reaches it`, quotes };
  if (ports.some((each) => each.port === port) || hasAnswered(one, port)) return undefined;
  const instead = listensInstead(facts, container, ports);
  if (instead === undefined) return undefined;
  return { says: `nothing listens on port ${port}${shortTime(one, port)}, but ${instead}`, quotes };
}

/** A container that declares the port may still begin to listen there, so the finding names the time that the probe leaves it. */
function shortTime({ container, probe, effect }: Case, port: number): string {
  const isDeclared = (container.spec.ports ?? []).some(({ containerPort }) => containerPort === port);
  return (effect === 'killed' || effect === 'killing') && isDeclared
    ? ` within the ${secondsLeftBy(probe)}s that the probe leaves it`
    : '';
}

function hasAnswered(one: Case, port: number): boolean {
  const { facts, container, type, effect } = one;
  if (isAnsweredBySibling(facts, container, port)) return true;
  if (effect !== 'killed' && effect !== 'killing') return lostReadiness(facts, container);
  const startup = type === 'liveness' ? container.spec.startupProbe : undefined;
  if (startup !== undefined && probePort(container, startup) === port) return true;
  const startMs = startup === undefined ? 0 : secondsUntilFailed(startup) * 1000;
  const ended = container.deaths.filter((death) => type !== 'startup' || death !== container.death);
  return ended.some((death) => (death.livedMs ?? 0) >= PROVING_LIFE_MS && outlived(one, death, startMs));
}

/** The other port that the container's log names, or that it declares instead. */
function toldElsewhere(container: ContainerFacts, port: number | undefined): Elsewhere | undefined {
  if (port === undefined) return undefined;
  const word = lastLine(container, /(?:listening|listen|serving|started|running|bound)\b.*?(?:[:\s])(\d{2,5})\b/i);
  const said = word?.match[1];
  if (word !== undefined && said !== undefined && Number(said) !== port && Number(said) < 65_536) {
    return elsewhere(port, `it says that it listens on ${said}`, quoteLine(container, word.line));
  }
  if (word !== undefined && Number(said) === port && /127\.0\.0\.1|localhost|\[::1\]/.test(word.line)) {
    return elsewhere(port, 'it listens on its own loopback address alone', quoteLine(container, word.line));
  }
  const ports = (container.spec.ports ?? []).filter(({ protocol }) => protocol === undefined || protocol === 'TCP');
  if (ports.length === 0 || ports.some(({ containerPort }) => containerPort === port)) return undefined;
  const value = ports.map(({ containerPort }) => containerPort).join(', ');
  return elsewhere(port, `it declares ${value}`, { source: 'field', path: `${container.path}.ports`, value });
}

function elsewhere(port: number, says: string, quote: Quote): Elsewhere {
  return { says: `nothing listens on port ${port}, and ${says}`, quotes: [quote] };
}

function wrongPort(one: Case, port: number | undefined, { says, quotes: seen }: Elsewhere): RankedFinding {
  const { facts, probe } = one;
  const [name] = Object.keys({
    ...(probe.httpGet && { httpGet: 1 }),
    ...(probe.tcpSocket && { tcpSocket: 1 }),
    ...(probe.grpc && { grpc: 1 }),
  });
  const at =
    name === undefined
      ? field(one, 'exec.command', JSON.stringify(probe.exec?.command ?? []))
      : field(one, `${name}.port`, port);
  return {
    ...base(one),
    id: 'probe-port',
    rank: 88,
    says: `${consequence(one)}: ${says}`,
    evidence: quotes(one, at, ...seen),
    try: facts.commands.edit,
  };
}

/** Whether the container was killed at the first possible moment, so that the probe never got an answer in that life. */
function neverAnswered(one: Case): boolean {
  const { container, type, effect, ending } = one;
  if (effect !== 'killed' && effect !== 'killing') return false;
  if (type === 'startup') return true;
  const livedMs = ending === undefined ? container.death?.livedMs : livedUntil(container, ending.sinceMs);
  if (livedMs === undefined || container.spec.startupProbe !== undefined) return false;
  return !outlived(one, { livedMs });
}

function livedUntil({ status }: ContainerFacts, untilMs: number): number | undefined {
  const startedAt = Date.parse(status?.state?.running?.startedAt ?? '');
  return Number.isNaN(startedAt) ? undefined : untilMs - startedAt;
}

/** Whether a life was longer than the probe allows without an answer. @param startMs time before the first probe */
function outlived({ container, probe }: Case, { livedMs = 0 }: Pick<Death, 'livedMs'>, startMs = 0): boolean {
  const { periodSeconds = 10 } = probe;
  const grace = 1 + periodSeconds;
  return livedMs > startMs + (secondsUntilFailed(probe) + grace) * 1000 + graceMs(container);
}

/** The grace period that is part of the life, ms. */
function graceMs({ killed, death }: ContainerFacts): number {
  if (killed?.event === undefined || death === undefined) return 35_000;
  const at = Date.parse(killed.event.lastTimestamp ?? killed.event.eventTime ?? '');
  return Number.isNaN(at) ? 35_000 : Math.max(0, death.finishedMs - at) + 1000;
}

/** Words of programs that are not ready to work yet, databases that recover among them. */
const STARTING =
  /\b(?:starting|initiali[sz]ing|recover(?:y|ing)|redo|replay\w*|loading|warming|migrating|booting|applying)\b/i;

/**
 * Whether a command that fails from the start on only fails because the program is not up yet: others of its kind came up, or its
 * last words say that it was starting. A command that can never succeed looks the same otherwise.
 */
function isStillStarting(one: Case): boolean {
  if (!neverAnswered(one)) return false;
  const { facts, container } = one;
  const word = lastLine(container, STARTING);
  const ready = lastLine(container, UP);
  // What it says when it is ended stands below what it says of its start.
  const isUp = ready !== undefined && word !== undefined && ready.fromEnd < word.fromEnd;
  const wasStarting: boolean =
    word !== undefined && !isUp && (word.fromEnd < 3 || (ready === undefined && one.effect === 'killed'));
  return startTimeOf(facts, container)?.measured === true || wasStarting || NOT_YET_UP.test(one.failure.output);
}

/** Words of programs that are up. */
const UP =
  /(?<!not )(?<!not yet )\b(?:ready (?:to|for)|accepting connections|startup complete|started in|listening on|ready\b(?! state))/i;
/** pg_isready's word for a server that starts or recovers. */
const NOT_YET_UP = /rejecting connections/;

function tooEarly(one: Case, port: number | undefined): RankedFinding {
  const { facts, container, type, probe } = one;
  const start = startTimeOf(facts, container);
  const measured =
    start === undefined
      ? ''
      : start.measured
        ? `; it needs ${formatAge(start.ms)} to be ready (${start.where})`
        : `; it was never seen to answer (${start.where}, at most ${formatAge(start.ms)})`;
  const settings = ['initialDelaySeconds', 'periodSeconds', 'failureThreshold'] as const;
  const before = port === undefined ? 'its command succeeds' : `anything listens on port ${port}`;
  const unresolved = saidUnresolved(container);
  const held = unresolved === '' ? heldAt(container) : undefined;
  return {
    ...base(one),
    id: 'probe-too-early',
    rank: 87,
    says:
      held === undefined
        ? `${consequence(one)} before ${before}: the probe leaves it ${secondsLeftBy(probe)}s${measured}${unresolved || saidOfStart(container)}`
        : `${consequence(one)} while it says ${held}, before ${before}`,
    evidence: quotes(
      one,
      {
        source: 'field',
        path: probePath(container, type),
        value: settings.map((name) => `${name} ${probe[name] ?? DEFAULTS[name]}`).join(', '),
      },
      ...listeningQuote(container, type),
      ...quoteLastLines(container, 1),
    ),
    try: held === undefined ? facts.commands.edit : [commandForLog(facts, container)],
    // More time helps nobody who waits for somebody else.
    ...(held === undefined && { manifest: startupProbeFor(container.name, probe, start) }),
  };
}

/** Words of a program that works at its start: it is slow, and waits for nobody. */
const AT_START =
  /\b(?:migrat\w+|load\w+|index\w+|recover\w*|redo|replay\w*|warm\w*|initiali[sz]\w+|import\w+|compil\w+|build\w*|download\w+|unpack\w+|progress)\b|\d ?%/i;

/** "again and again: waiting for schema version 42", of a program that waits for somebody else, or tries the same for ever. */
function heldAt({ standsAt }: ContainerFacts): string | undefined {
  if (standsAt === undefined || standsAt.how === 'silent') return undefined;
  if (standsAt.how === 'repeats' && AT_START.test(standsAt.said.line)) return undefined;
  return `${standsAt.times > 1 ? 'again and again' : 'at last'}: ${brief(saidBy(standsAt.said), MAX_ANSWER)}`;
}

/** "; it says: redo in progress", "; its last word: binding to ldaps://ldap:636" */
function saidOfStart(container: ContainerFacts): string {
  const { standsAt } = container;
  const word = lastLine(container, STARTING);
  const isLast = standsAt !== undefined && word?.line.includes(standsAt.said.line) !== true;
  if (isLast) return `; its last word: ${brief(saidBy(standsAt.said), MAX_ANSWER)}`;
  return word === undefined ? '' : `; it says: ${brief(word.line, MAX_ANSWER)}`;
}

function secondsLeftBy(probe: Probe): number {
  return secondsUntilFailed(probe) - (probe.timeoutSeconds ?? 1);
}

const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3 } as const;

function tooTight(one: Case): RankedFinding {
  const { facts, container, probe, failure, effect } = one;
  const timeout = probe.timeoutSeconds ?? 1;
  const throttled = throttledBy(facts.evidence, container);
  const hangs =
    effect === 'paused' || (effect === 'unready' && lostReadiness(facts, container) && failure.count >= MANY_TIMEOUTS);
  const times = failure.count > 1 ? ` (${plural(failure.count, 'time')})` : '';
  const slow = throttled === undefined ? '' : ', while throttled at its CPU limit';
  const limit = container.spec.resources?.limits?.['cpu'];
  return {
    ...base(one),
    id: 'probe-timeout',
    rank: effect === 'killed' ? 86 : 75,
    // The limit is the cause then, and its own rule reports it.
    fallback: throttled !== undefined,
    says: `${consequence(one)}: no answer from ${asked(one)} within its timeout of ${timeout}s${times}${slow}${hangs && effect === 'unready' ? ', although it answered before' : ''}${throttled === undefined ? saidUnresolved(container) || saidMeanwhile(container) || saidWhile(container) : ''}`,
    evidence: quotes(
      one,
      field(one, 'timeoutSeconds', probe.timeoutSeconds === undefined ? '1 (default)' : `${timeout}`),
      ...(throttled === undefined ? [] : [throttled.quote]),
      // There may be no throttling counters of a life that ended, so the limit is quoted.
      ...(limit !== undefined
        ? [{ source: 'field' as const, path: `${container.path}.resources.limits.cpu`, value: limit }]
        : []),
    ),
    try: facts.commands.edit,
    // More time helps a slow program, and none that does not answer any more.
    ...(!hangs && {
      manifest: `containers:\n- name: ${container.name}\n  ${one.type}Probe:\n    timeoutSeconds: ${Math.max(5, timeout * 2)}\n`,
    }),
  };
}

/** So many time-outs in a row are no slowness. */
const MANY_TIMEOUTS = 10;

/** "; its log says: …", of an error that a program without an answer wrote meanwhile. */
function saidMeanwhile(container: ContainerFacts): string {
  const { failing } = container;
  if (failing?.firmness !== 'firm') return '';
  const lacks = lackedCapability(container, failing.line);
  return `; its log says: ${brief(saidBy(failing), MAX_ANSWER)}${lacks === undefined ? '' : ` (it ${lacks.says})`}`;
}

/** "; its log says again and again: …", of a program that waits. */
function saidWhile(container: ContainerFacts): string {
  const held = heldAt(container);
  return held === undefined ? '' : `; its log says ${held}`;
}

/** "; its log says: …", of an error that nothing later in the log overcame. */
function saidUnresolved(container: ContainerFacts): string {
  const { decisive } = withUnresolved(container).reading;
  const again = isRepeating(container) ? ' again and again' : '';
  return decisive?.firmness === 'firm' ? `; its log says${again}: ${brief(saidBy(decisive), MAX_ANSWER)}` : '';
}

/** The container itself reports a failure, or nothing listens. */
function unwell(one: Case): RankedFinding {
  const { facts, container, type, probe, effect } = one;
  const asks = commandPort(probe);
  const elsewhere = asks === undefined ? undefined : toldElsewhere(container, asks);
  if (asks !== undefined && elsewhere !== undefined) return wrongPort(one, asks, elsewhere);
  if (probe.exec !== undefined && isStillStarting(one)) return tooEarly(one, undefined);
  const { commands, name } = facts;
  const seen = one.failure.kind === 'refused' ? listeningQuote(container, type) : [];
  const warming = warmingWord(one);
  if (warming !== undefined)
    return {
      ...base(one),
      id: 'starting-up',
      severity: 'info',
      rank: 50,
      says: `${title(container)} is still starting${answer(one).replace(/, and its log says: .*/s, '')}; its log says: ${brief(warming, MAX_ANSWER)}`,
      evidence: quotes(one),
      try: [commands.kubectl('logs', name, '-c', container.name)],
    };
  return {
    ...base(one),
    id: `${type}-failing`,
    rank: 50,
    fallback: true,
    says: `${consequence(one)}${seen.length === 0 || redirected(one) !== undefined ? answer(one) : `${silence(one)}${saidUnresolved(container) || saidMeanwhile(container) || saidWhile(container)}`}`,
    evidence: quotes(
      one,
      { source: 'field', path: probePath(container, type), value: JSON.stringify(probe).slice(0, 300) },
      ...seen,
      ...(container.failing === undefined
        ? quoteLastLines(container, 2)
        : [container.failing.line, ...container.failing.related].slice(0, 2).map((line) => quoteLine(container, line))),
    ),
    try: [
      effect === 'killed' ? commandForLog(facts, container) : commands.kubectl('logs', name, '-c', container.name),
      ...(probe.exec?.command === undefined || effect === 'killed'
        ? []
        : [commands.kubectl('exec', name, '-c', container.name, '--', ...probe.exec.command)]),
    ],
  };
}

/** "/a on port 8080 is redirected to HTTPS on port 443, where nothing listens", by the address that the failure names. */
function redirected(one: Case): string | undefined {
  const { failure, container, probe } = one;
  if (probe.httpGet === undefined) return undefined;
  const [, scheme = '', port] =
    /^Get "(https?):\/\/(?:\[[^\]]{1,60}\]|[^/:"]{1,253}):(\d{1,5})/.exec(failure.output) ?? [];
  const asks = (probe.httpGet.scheme ?? 'HTTP').toLowerCase();
  if (port === undefined || (Number(port) === probePort(container, probe) && scheme === asks)) return undefined;
  const end =
    failure.kind === 'refused'
      ? 'where nothing listens'
      : `which gives: ${brief(failure.output.replace(/^Get "[^"]*": /, ''), MAX_ANSWER)}`;
  return `${asked(one)} is redirected to ${scheme.toUpperCase()} on port ${port}, ${end}`;
}

/** ": /health on port 8080 answers 500, and its log says: …" */
function answer(one: Case): string {
  const { failure, container, probe } = one;
  const redirect = redirected(one);
  if (redirect !== undefined) return `: ${redirect}`;
  const status = /statuscode: (\d{3})$/.exec(failure.output)?.[1];
  const output = brief(failure.output, MAX_ANSWER);
  const said = container.failing === undefined ? undefined : brief(saidBy(container.failing), MAX_ANSWER);
  const held = said === undefined ? heldAt(container) : undefined;
  const log =
    held !== undefined
      ? `, and its log says ${held}`
      : said === undefined || output.includes(said)
        ? ''
        : `, and its log says: ${said}`;
  if (status !== undefined) return `: ${asked(one)} answers ${status}${log}`;
  if (probe.exec === undefined)
    return failure.kind === 'refused'
      ? saidUnresolved(container) || saidWhile(container)
      : `: ${asked(one)} gives: ${output}${log}`;
  return output === '' ? `: ${asked(one)} fails without a word${log}` : `: ${asked(one)} says: ${output}`;
}

/** A program that says for longer that it is starting is not believed any more, ms. */
const MAX_WARMING_MS = 15 * 60_000;

/** What a program that was never ready says of its start, in its last lines. */
function warmingWord(one: Case): string | undefined {
  const { facts, container, effect } = one;
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  if (effect !== 'unready' || container.failing !== undefined || lostReadiness(facts, container)) return undefined;
  if (Number.isNaN(startedAt) || facts.now - startedAt > MAX_WARMING_MS) return undefined;
  const word = lastLine(container, STARTING);
  return word !== undefined && word.fromEnd < 3 ? word.line : undefined;
}

/** ": nothing listens on port 8080", by the node's list of listening ports. */
function silence({ container, probe, type }: Case): string {
  const port = probePort(container, probe);
  const isThere = listeningOf(container, type)?.some((each) => each.port === port) === true;
  return port === undefined || isThere ? '' : `: nothing listens on port ${port}`;
}
