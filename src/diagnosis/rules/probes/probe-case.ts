/** What the rules about probes share: the case that is judged, and the words for what was asked and what became of it. Not a rule by itself. */
import { HEALING_PAUSED_CONDITION, pauseOf } from '../../../api/index.ts';
import type { Probe } from '../../evidence/kinds.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { quoteDeath } from '../../facts/pod/deaths.ts';
import { type Ending } from '../../facts/pod/ending.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { type ProbeFailure, probePath, quoteProbe } from '../../facts/probes/probe-failures.ts';
import { probePort } from '../../facts/probes/probe-port.ts';
import { formatAge, quotable } from '../../facts/words/text.ts';
import type { ProbeType, Quote, RankedFinding, Severity } from '../../finding.ts';
import { severityOf, title } from '../ends/exit-code.ts';
import { ROUNDING_MS } from '../../limits.ts';

/** A probe that fails, of one container, and what becomes of that. */
export interface ProbeCase {
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

/** What all findings about the probe have: how bad it is, and what it is about. */
export function baseOf(one: ProbeCase): Pick<RankedFinding, 'severity' | 'topic' | 'container'> {
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
function shakySeverity(one: ProbeCase): Severity {
  const { failure, container } = one;
  const isFault = failure.kind === 'no-command' || failure.kind === 'no-port' || container.trouble !== 'none';
  return isFault || isLasting(one) || (container.status?.restartCount ?? 0) > 0 ? 'warning' : 'info';
}

/** Whether the probe fails just now, and has so often in a row that it is no blip. */
function isLasting({ facts, probe, failure }: ProbeCase): boolean {
  const { periodSeconds = 10, timeoutSeconds = 1, failureThreshold = 3 } = probe;
  const roundMs = (periodSeconds + timeoutSeconds) * 1000;
  const eachMs = (failure.lastMs - failure.firstMs) / Math.max(1, failure.count - 1);
  return facts.now - failure.lastMs <= 2 * roundMs && failure.count >= failureThreshold && eachMs <= 1.5 * roundMs;
}

function severityOfEffect(one: ProbeCase): Severity {
  const { container, effect } = one;
  if (effect === 'killed') return severityOf(container);
  return effect === 'shaky' ? shakySeverity(one) : effect === 'starting' ? 'info' : 'critical';
}

/** "container web is killed by its liveness probe" */
export function consequence(one: ProbeCase): string {
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

/**
 * Whether the probe has failed as often as it may, in this life, and the container runs on because the healing of its pod is
 * paused. After its verdict a probe is not tried again.
 */
export function isHeldFromRestart({ facts, container, type, probe, failure }: Omit<ProbeCase, 'effect'>): boolean {
  const startedAt = Date.parse(container.status?.state?.running?.startedAt ?? '');
  const isPaused = facts.condition(HEALING_PAUSED_CONDITION)?.status === 'True' && pauseOf(facts.pod) !== undefined;
  if (!isPaused || type === 'readiness' || Number.isNaN(startedAt) || failure.firstMs < startedAt) return false;
  return failsInRow(probe, failure);
}

/** "/health on port 8080", "port 5432", "its command pg_isready -U app" */
export function asked({ container, probe }: ProbeCase): string {
  if (probe.exec !== undefined) return `its command ${brief((probe.exec.command ?? []).join(' '), MAX_COMMAND)}`;
  const port = probePort(container, probe);
  const at = port === undefined ? 'its port' : `port ${port}`;
  if (probe.grpc?.service !== undefined && probe.grpc.service !== null && probe.grpc.service !== '')
    return `gRPC service ${JSON.stringify(quotable(probe.grpc.service))} on ${at}`;
  return probe.httpGet === undefined ? at : `${quotable(probe.httpGet.path ?? '/')} on ${at}`;
}

export const MAX_COMMAND = 80;

/** What a probe was answered, and what a log says of it, in a headline. */
export const MAX_ANSWER = 240;

/** What was to be done stands at the beginning of a message, and its cause at the end. */
const BEGIN_OF_LONG = 90;

/** One line of at most `length` characters, without the middle of a long one. */
export function brief(text: string, length: number): string {
  const flat = quotable(text);
  if (flat.length <= length) return flat;
  const first = /^.{40,}?[^.\d]\. (?=[A-Z])/.exec(flat)?.[0].trim() ?? '';
  // Of several sentences the first is the message, and the others explain it.
  if (first !== '' && first.length <= length && !/\b(?:error|failed|exception)\b/i.test(flat.slice(first.length + 1)))
    return first;
  if (length <= 2 * BEGIN_OF_LONG) return `${flat.slice(0, length - 1)}…`;
  return `${flat.slice(0, BEGIN_OF_LONG)} … ${flat.slice(BEGIN_OF_LONG + 3 - length)}`;
}

/** The death, where the probe led to one, the failure, and more. */
export function quotes({ container, failure, effect }: ProbeCase, ...more: readonly Quote[]): readonly Quote[] {
  const death =
    effect === 'killed' && container.death !== undefined ? [quoteDeath(container.name, container.death)] : [];
  return [...death, quoteProbe(container, failure), ...more];
}

/** A field of the probe, as it stands in the specification. */
export function field({ container, type }: ProbeCase, path: string, value: unknown): Quote {
  return { source: 'field', path: `${probePath(container, type)}.${path}`, value: String(value) };
}
