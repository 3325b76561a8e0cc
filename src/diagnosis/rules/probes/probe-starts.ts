/** Probes that ask before a program is up: whether it ever answered, and how much time it has. Not a rule by itself. */
import type { Probe } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { type Death } from '../../facts/pod/deaths.ts';
import { lastLine, quoteLastLines } from '../../facts/words/last-words.ts';
import { listeningQuote } from '../../facts/probes/listening.ts';
import { probePath, secondsUntilFailed } from '../../facts/probes/probe-failures.ts';
import { saidDurationMs } from '../../facts/words/said-duration.ts';
import { type StartTime, startTimeOf } from '../../facts/probes/start-time.ts';
import { startupProbeFor } from '../../facts/probes/startup-probe.ts';
import { formatAge } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { quantityMilliValue } from '../../../api/index.ts';
import { isStarved, raise, tinyLimit } from '../pods/cpu-throttled.ts';
import { commandForLog } from '../ends/exit-code.ts';
import { type ProbeCase, baseOf, consequence, quotes } from './probe-case.ts';
import { STARTING, heldAt, saidOfStart, saidUnresolved } from './probe-words.ts';

/** Whether the container was killed at the first possible moment, so that the probe never got an answer in that life. */
export function neverAnswered(one: ProbeCase): boolean {
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
export function outlived(
  { container, probe }: ProbeCase,
  { livedMs = 0 }: Pick<Death, 'livedMs'>,
  startMs = 0,
): boolean {
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

/**
 * Whether a command that fails from the start on only fails because the program is not up yet: others of its kind came up, or its
 * last words say that it was starting. A command that can never succeed looks the same otherwise.
 */
export function isStillStarting(one: ProbeCase): boolean {
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

/** The probe ends the program before it is up, or before what it waits for is there. */
export function tooEarly(one: ProbeCase, port: number | undefined): RankedFinding {
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
  const tiny = held === undefined ? tinyLimit(facts, container) : undefined;
  const limited =
    tiny === undefined ? '' : `its CPU limit of ${tiny} leaves it ${quantityMilliValue(tiny) / 10}% of one CPU, and `;
  return {
    ...baseOf(one),
    id: 'probe-too-early',
    rank: 87,
    // The rule about the limit tells of it.
    fallback: isStarved(facts, container),
    says:
      held === undefined
        ? `${consequence(one)} before ${before}: ${limited}the probe leaves it ${secondsLeftBy(probe)}s${measured}${unresolved || saidOfStart(container)}`
        : `${consequence(one)} while it says ${held}, before ${before}`,
    evidence: quotes(
      one,
      {
        source: 'field',
        path: probePath(container, type),
        value: settings.map((name) => `${name} ${probe[name] ?? DEFAULTS[name]}`).join(', '),
      },
      ...(tiny === undefined
        ? []
        : [{ source: 'field' as const, path: `${container.path}.resources.limits.cpu`, value: tiny }]),
      ...listeningQuote(container, type),
      ...quoteLastLines(container, 1),
    ),
    try:
      tiny !== undefined
        ? raise(facts, container, tiny)
        : held === undefined
          ? facts.commands.edit
          : [commandForLog(facts, container)],
    // More time helps nobody who waits for somebody else.
    ...(held === undefined &&
      tiny === undefined && {
        manifest: startupProbeFor(container.name, probe, saidStart(container, start) ?? start),
      }),
  };
}

/** Its log says that the start takes longer than was ever seen; undefined: it does not. */
function saidStart(container: ContainerFacts, seen: StartTime | undefined): StartTime | undefined {
  const ms = saidDurationMs(lastLine(container, STARTING)?.line ?? '');
  if (ms === undefined || (seen?.measured === true && seen.ms >= ms)) return undefined;
  return { measured: true, ms, where: 'its log' };
}

/** Seconds that the probe leaves a program until it kills it. */
export function secondsLeftBy(probe: Probe): number {
  return secondsUntilFailed(probe) - (probe.timeoutSeconds ?? 1);
}

const DEFAULTS = { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3 } as const;
