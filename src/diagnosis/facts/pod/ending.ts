/** Finds containers that were told to end and still run, and says what happens to them next, and when. */
import { parseTime } from '../../../lib/index.ts';
import type { Event } from '../../evidence/kinds.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from './container-facts.ts';
import { eventsWith, lastSeenMs, quoteEvent } from './events.ts';
import type { PodFacts } from './pod-facts.ts';
import { formatAge } from '../words/text.ts';
import { ROUNDING_MS } from '../../limits.ts';

export interface Ending {
  /** A failed probe, another reason to start it again, or the deletion of its pod. */
  readonly because: 'liveness' | 'startup' | 'other' | 'deletion';
  /** Wall ms at which it was told to end. */
  readonly sinceMs: number;
  readonly graceSeconds: number;
  /** "spec.terminationGracePeriodSeconds" */
  readonly gracePath: string;
  /** Wall ms at which it is killed. */
  readonly killMs: number;
  readonly event?: Event;
}

/** The default of terminationGracePeriodSeconds. */
const DEFAULT_GRACE_SECONDS = 30;

/** `undefined`: it has ended, or nobody told it to end in its present life. */
export function endingOf(facts: PodFacts, container: ContainerFacts): Ending | undefined {
  const startedAt = parseTime(container.status?.state?.running?.startedAt ?? undefined);
  if (startedAt === undefined) return undefined;
  return facts.deleting ? byDeletion(facts) : byKill(facts, container, startedAt);
}

function byDeletion({ pod }: PodFacts): Ending | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  const killMs = parseTime(deletionTimestamp ?? undefined);
  if (killMs === undefined) return undefined;
  const graceSeconds = deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  return {
    because: 'deletion',
    sinceMs: killMs - graceSeconds * 1000,
    graceSeconds,
    gracePath: 'metadata.deletionGracePeriodSeconds',
    killMs,
  };
}

function byKill(
  { pod }: PodFacts,
  { events, spec, path, deaths }: ContainerFacts,
  startedAt: number,
): Ending | undefined {
  const [event] = eventsWith(events, 'Killing');
  // An event of this first time of a life may belong to the life before.
  if (event === undefined || lastSeenMs(event) <= startedAt + ROUNDING_MS) return undefined;
  // The status may be older than the end that the kill brought.
  if ((deaths[0]?.finishedMs ?? 0) >= lastSeenMs(event) - ROUNDING_MS) return undefined;
  const message = event.message ?? '';
  const type = / failed (liveness|startup) probe/.exec(message)?.[1] as 'liveness' | 'startup' | undefined;
  const probe = type === undefined ? undefined : type === 'liveness' ? spec.livenessProbe : spec.startupProbe;
  const own = probe?.terminationGracePeriodSeconds;
  const graceSeconds = own ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
  const sinceMs = lastSeenMs(event);
  return {
    because: type ?? 'other',
    sinceMs,
    graceSeconds,
    gracePath:
      own === undefined ? 'spec.terminationGracePeriodSeconds' : `${path}.${type}Probe.terminationGracePeriodSeconds`,
    killMs: sinceMs + graceSeconds * 1000,
    event,
  };
}

/** "it still runs after 12s, and is killed in 18s, when its grace of 30s is over; then it is started again" */
export function whatFollows(facts: PodFacts, container: ContainerFacts, ending: Ending): string {
  const { now, pod } = facts;
  const { sinceMs, graceSeconds, killMs, because } = ending;
  const left = killMs - now;
  const when =
    left > 0
      ? `is killed (SIGKILL) in ${formatAge(left)}, when its grace of ${graceSeconds}s is over`
      : `was to be killed (SIGKILL) ${formatAge(-left)} ago, when its grace of ${graceSeconds}s was over`;
  const hook = container.spec.lifecycle?.preStop === undefined ? '' : ', its preStop hook included';
  const policy = container.spec.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  const next =
    because === 'deletion' ? '' : policy === 'Never' ? '; it is not started again' : '; then it is started again';
  return `it still runs ${formatAge(now - sinceMs)} after it was told to end${hook}, and ${when}${next}`;
}

/** The grace, the hook that is part of it, and the order to end. */
export function endingQuotes(container: ContainerFacts, { event, gracePath, graceSeconds }: Ending): readonly Quote[] {
  const hook = container.spec.lifecycle?.preStop;
  return [
    ...(event === undefined ? [] : [quoteEvent(event)]),
    { source: 'field', path: gracePath, value: String(graceSeconds) },
    ...(hook === undefined
      ? []
      : [
          {
            source: 'field' as const,
            path: `${container.path}.lifecycle.preStop`,
            value: JSON.stringify(hook).slice(0, 300),
          },
        ]),
  ];
}
