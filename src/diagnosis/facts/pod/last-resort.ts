/**
 * What an object itself says of a trouble that no rule knows: a condition that is not as it should be, and warnings of the last
 * minutes. It is quoted as it stands, for an object that is not as wanted and of which nothing else is told. Pure.
 */
import { parseTime } from '../../../lib/index.ts';
import type { Event } from '../../evidence/kinds.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NORMAL_START_MS, RECENT_DEATH_MS } from '../../limits.ts';
import { eventCount, lastSeenMs, quoteEvent } from './events.ts';
import { formatAge, plural, quotable } from '../words/text.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
}

export interface Unexplained {
  /** "deployment/web" */
  readonly target: string;
  readonly now: number;
  readonly conditions: readonly Condition[];
  /** Events about it, and about the objects that it makes. */
  readonly events: readonly Event[];
  readonly try: readonly string[];
}

/** Conditions that are False while all is well. */
const OF_TROUBLE =
  /(?:Fail(?:ed|ure)|Errors?|Pressure|Unavailable|Problem|Degraded|Stalled|Unhealthy|Deadlock|Invalid|Mismatch|Exceeded|Lost|Abnormal)$|^(?:Frequent|Read-?[Oo]nly|Corrupt)/;
/** Conditions that are True while all is well. Those that sum up others (Ready, Available) are False in every slow start. */
const OF_HEALTH: ReadonlySet<string> = new Set([
  'AbleToScale',
  'Healthy',
  'PodScheduled',
  'Progressing',
  'ScalingActive',
]);
/** Below every cause, and above a mere count of what is lacking. */
const RANK = 11;
const MAX_MESSAGE = 300;

/** The first condition that is not as it should be, else the warning that was seen last; empty: neither. */
export function lastResort(subject: Unexplained): readonly RankedFinding[] {
  const { target, now } = subject;
  const base = { severity: 'warning' as const, rank: RANK, topic: 'unexplained', try: subject.try };
  const condition = badCondition(subject);
  const event = lastWarning(subject);
  if (condition !== undefined) {
    const { type, status, reason = '', message = '' } = condition;
    const words = brief(message) || reason || 'it does not say why';
    return [
      {
        ...base,
        id: 'condition',
        says: `${target} is not as wanted: its condition ${type} is ${status}: ${words}`,
        evidence: [conditionQuote(condition), ...(event === undefined ? [] : [quoteEvent(event, aboutOf(event))])],
      },
    ];
  }
  if (event === undefined) return [];
  const count = eventCount(event);
  const often = count > 1 ? `${plural(count, 'time')}, ` : '';
  return [
    {
      ...base,
      id: 'warned',
      says: `${target} is not as wanted, and ${aboutOf(event)} says ${event.reason ?? ''}: ${brief(event.message ?? '')} (${often}${formatAge(Math.max(0, now - lastSeenMs(event)))} ago)`,
      evidence: [quoteEvent(event, aboutOf(event))],
    },
  ];
}

/** A condition that has stood for longer than a start takes. */
export function badCondition({ conditions, now }: Pick<Unexplained, 'conditions' | 'now'>): Condition | undefined {
  return conditions.find((condition) => {
    const since = parseTime(condition.lastTransitionTime ?? undefined);
    return isBad(condition) && (since === undefined || now - since >= NORMAL_START_MS);
  });
}

function isBad({ type, status }: Condition): boolean {
  // Conditions of others are named after their domain: "example.com/DiskFailure".
  const name = type.slice(type.lastIndexOf('/') + 1);
  return OF_HEALTH.has(name) ? status === 'False' : status === 'True' && OF_TROUBLE.test(name);
}

/** Failed probes are judged by the rules that know how long a start may take. */
const OF_PROBES: ReadonlySet<string> = new Set(['Unhealthy', 'ProbeWarning']);

/** Of a warning that an ordinary event about the same object has followed, the object has got further. */
function lastWarning({ events, now }: Unexplained): Event | undefined {
  const newest = events.toSorted((a, b) => lastSeenMs(b) - lastSeenMs(a));
  return newest.find(
    (event) =>
      event.type === 'Warning' &&
      !OF_PROBES.has(event.reason ?? '') &&
      now - lastSeenMs(event) <= RECENT_DEATH_MS &&
      !newest.some((other) => isOrdinary(other) && aboutOf(other) === aboutOf(event) && isLater(other, event)),
  );
}

function isOrdinary({ type }: Event): boolean {
  return type === 'Normal';
}

function isLater(one: Event, other: Event): boolean {
  return lastSeenMs(one) > lastSeenMs(other);
}

function aboutOf({ involvedObject: { kind = '', name = '' } }: Event): string {
  return `${kind.toLowerCase()}/${name}`;
}

function conditionQuote({ type, status, reason = '', message = '' }: Condition): Quote {
  return { source: 'field', path: `status.conditions[${type}]`, value: `${status} ${reason}: ${message}` };
}

function brief(text: string): string {
  const flat = quotable(text).replace(/\.+$/, '');
  return flat.length <= MAX_MESSAGE ? flat : `${flat.slice(0, MAX_MESSAGE - 1)}…`;
}
