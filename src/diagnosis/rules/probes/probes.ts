/** Rule: a probe fails, often by its own fault: wrong path, port or scheme, too early, too tight, a missing command. */
import { pauseOf } from '../../../api/index.ts';
import { wrongOfSpec } from '../../facts/peers/away-of-spec.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { endingOf, endingQuotes, whatFollows } from '../../facts/pod/ending.ts';
import { lockWaitOf } from '../../facts/pod/lock-holders.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import {
  type FailureKind,
  type ProbeFailure,
  probeFailures,
  probeOf,
  secondsUntilFailed,
} from '../../facts/probes/probe-failures.ts';
import { probePort } from '../../facts/probes/probe-port.ts';
import { formatAge } from '../../facts/words/text.ts';
import { throttledBy } from '../../facts/pod/throttling.ts';
import { isRepeating } from '../../facts/words/unresolved.ts';
import type { ProbeType, RankedFinding } from '../../finding.ts';
import { PROBE_TROUBLE_COUNT, PROBE_TROUBLE_GAP_MS, PROBE_TROUBLE_MS } from '../../limits.ts';
import { eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { pauseQuotes, resumable } from '../pods/healing.ts';
import { heldUpBy, waitsForPeer } from './held-up.ts';
import { isLateForReady } from './readiness.ts';
import { unexpandedIn } from './unexpanded-probes.ts';
import { wrongPath, wrongScheme, noHandshake, noCommand, nobodyListens, tooTight, unwell } from './probe-answers.ts';
import {
  asked,
  type ProbeCase,
  baseOf,
  consequence,
  isHeldFromRestart,
  MAX_ANSWER,
  brief,
  quotes,
  field,
} from './probe-case.ts';
import { workerLimit } from './worker-limits.ts';
import { noGrpc, wantsGrpc } from './grpc-probes.ts';
import { noSuchPort } from './probe-ports.ts';

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
): ProbeCase['effect'] | undefined {
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

/** The agent asks from the node: there "localhost" is the node itself. */
function asksNode(one: ProbeCase): RankedFinding | undefined {
  const { probe, failure } = one;
  const host = probe.httpGet?.host ?? probe.tcpSocket?.host;
  if (host === undefined || !/^(?:localhost$|127\.|::1$)/.test(host) || !/^(?:refused|other)$/.test(failure.kind))
    return undefined;
  if (one.facts.pod.spec?.hostNetwork === true) return undefined;
  return {
    ...baseOf(one),
    id: 'probe-port',
    rank: 88,
    says: `${consequence(one)}: it asks host ${host}, which is the node and not the pod; without a host it asks the pod's own address`,
    evidence: quotes(one, field(one, `${probe.httpGet === undefined ? 'tcpSocket' : 'httpGet'}.host`, host)),
    try: one.facts.commands.edit,
  };
}

function judge(one: ProbeCase): readonly RankedFinding[] {
  const { failure } = one;
  const ofNode = asksNode(one);
  if (ofNode !== undefined) return [ofNode];
  const rules: Readonly<Record<FailureKind, (given: ProbeCase) => RankedFinding>> = {
    'not-found': wrongPath,
    unauthorized: wrongPath,
    refused: nobodyListens,
    'wants-http': (given) => wrongScheme(given, 'HTTP'),
    'wants-https': (given) => wrongScheme(given, 'HTTPS'),
    'no-handshake': noHandshake,
    'no-grpc': noGrpc,
    'wants-grpc': wantsGrpc,
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
function withReason(one: ProbeCase, finding: RankedFinding): RankedFinding {
  const { facts, container, effect, failure } = one;
  const isSilent = failure.kind === 'refused' || failure.kind === 'timeout' || finding.id === 'probe-too-early';
  if (!HELD_UP.has(finding.id) || effect === 'shaky' || throttledBy(facts.evidence, container)) return finding;
  if (!isSilent) return withKindOfAnswer(one, finding);
  // The rule about the peer tells of it, and of the probe.
  if (effect !== 'starting' && effect !== 'killing' && waitsForPeer(facts, container))
    return { ...finding, fallback: true };
  const cause =
    heldUpBy(facts, container) ??
    keptFromListening(one) ??
    (failure.kind === 'timeout' ? workerLimit(facts, container, failure) : undefined);
  if (cause === undefined) return withAway(one, isRepeating(container) ? { ...finding, manifest: undefined } : finding);
  return becauseOf(one, finding, cause);
}

/** What is said of a port, a certificate or a key by a program that goes on without listening. */
const ABOUT_LISTENING =
  /\b(?:connector|listen(?:er|ing)?|bind|ports?|https?|ssl\w*|tls|key ?store|certificates?|endpoint|protocol ?handler)\b/i;

/** The cause that its log has of a start at which it did not come to listen, though it said later that it is up. */
function keptFromListening({ facts, container, failure }: ProbeCase): RankedFinding | undefined {
  const { failing, reading } = container;
  if (failure.kind !== 'refused' || failing?.firmness !== 'firm') return undefined;
  const isMeant = [failing.line, ...failing.related].some((line) => ABOUT_LISTENING.test(line));
  return isMeant
    ? heldUpBy(facts, { ...container, reading: { ...reading, decisive: failing, others: [] } })
    : undefined;
}

/** An answer that says no more than that something fails, or a command without a word: of a cause whose kind is known the finding is about that. */
function withKindOfAnswer(one: ProbeCase, finding: RankedFinding): RankedFinding {
  const { facts, container, failure } = one;
  const { failing, reading } = container;
  const busy =
    failing === undefined && /statuscode: 50[234]$/.test(failure.output)
      ? workerLimit(facts, container, failure)
      : undefined;
  if (busy !== undefined) return becauseOf(one, finding, busy);
  const saysWhy = failure.kind !== 'other' || (one.probe.exec !== undefined && failure.output.trim() !== '');
  if (failing === undefined || saysWhy || (failing.firmness !== 'firm' && !isRepeating(container))) return finding;
  // Other errors of the log are not about this answer.
  const decisive = { ...failing, firmness: 'firm' as const };
  const cause = heldUpBy(facts, { ...container, reading: { ...reading, decisive, others: [] } });
  return cause === undefined ? finding : becauseOf(one, finding, cause);
}

/** The cause, and the probe as what follows of it. */
function becauseOf(one: ProbeCase, finding: RankedFinding, cause: RankedFinding): RankedFinding {
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
function withAway({ facts, container, effect }: ProbeCase, finding: RankedFinding): RankedFinding {
  const away = wrongOfSpec(facts, container);
  if (away === undefined) return finding;
  if (effect === 'unready') return { ...finding, fallback: true };
  return {
    ...finding,
    says: `${finding.says}; ${away.says}`,
    manifest: undefined,
  };
}

/** "nothing listens on port 8080, and its startup probe kills it" */
function outcome(one: ProbeCase): string {
  const { container, probe, failure, type, effect } = one;
  const port = probePort(container, probe);
  const status = /statuscode: (\d{3})$/.exec(failure.output)?.[1];
  const what =
    status !== undefined
      ? `${asked(one)} answers ${status}`
      : failure.kind === 'timeout'
        ? `its ${type} probe gets no answer`
        : port === undefined || probe.exec !== undefined
          ? `its ${type} probe fails`
          : `nothing listens on port ${port}`;
  const ends: Readonly<Record<ProbeCase['effect'], string>> = {
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
function heldFromRestart({ facts }: ProbeCase, finding: RankedFinding): RankedFinding {
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
function notFilledIn(one: ProbeCase): RankedFinding | undefined {
  const { facts, container, probe, failure } = one;
  if (failure.kind === 'no-port') return undefined;
  const found = unexpandedIn(facts, container.spec, 'probe', probe);
  if (found === undefined) return undefined;
  const { reference, becomes, where, hint } = found;
  const path = where === 'its command' ? 'exec.command' : 'httpGet';
  return {
    ...baseOf(one),
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
function stillStarting(one: ProbeCase, finding: RankedFinding): RankedFinding {
  const { facts, container, probe } = one;
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  const leftMs = startedAt + secondsUntilFailed(probe) * 1000 - facts.now;
  const until = leftMs > 0 ? `; it is killed in ${formatAge(leftMs)}, unless the probe succeeds before` : '';
  const others = container.kind === 'sidecar' ? ', and the containers after it wait for it' : '';
  const says = `${finding.says}${until}${others}`;
  if (SURE.has(finding.id)) return { ...finding, severity: 'warning', says };
  return { ...finding, id: 'starting-up', severity: 'info', fallback: false, says };
}
