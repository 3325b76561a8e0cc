/** Reads counts, times and containers of events. */
import { parseTime } from '../../../lib/index.ts';
import type { Event } from '../../evidence/kinds.ts';
import type { Quote } from '../../finding.ts';
import { quotable } from '../words/text.ts';

export function eventCount(event: Event): number {
  return event.series?.count ?? event.count ?? 1;
}

/** When the event was seen last, RFC 3339, by the field that its writer filled in. */
export function eventLastSeen(event: Event): string | undefined {
  const time =
    event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return time ?? undefined;
}

export function lastSeenMs(event: Event): number {
  return parseTime(eventLastSeen(event)) ?? 0;
}

export function firstSeenMs(event: Event): number {
  const time = event.firstTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return parseTime(time ?? undefined) ?? lastSeenMs(event);
}

/** "spec.containers{web}" → "web". */
export function containerOf(event: Event): string | undefined {
  return /\{(.+)\}$/.exec(event.involvedObject.fieldPath ?? '')?.[1];
}

/** The events with one of the reasons, newest first. */
export function eventsWith(events: readonly Event[], ...reasons: readonly string[]): readonly Event[] {
  return events.filter(({ reason = '' }) => reasons.includes(reason)).toSorted((a, b) => lastSeenMs(b) - lastSeenMs(a));
}

export function quoteEvent(event: Event, of?: string): Quote {
  return {
    source: 'event',
    of,
    reason: event.reason ?? '',
    message: quotable(event.message ?? ''),
    count: eventCount(event),
    lastSeen: eventLastSeen(event),
  };
}
