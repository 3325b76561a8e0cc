/** Rule: liveness probes killed many pods of one owner at once; a shared dependency is sick, and each kill makes it worse. */
import type { Event, Pod } from '../../evidence/kinds.ts';
import { lastSeenMs, quoteEvent } from '../../facts/pod/events.ts';
import type { RankedFinding } from '../../finding.ts';
import { CASCADE_MIN_PODS, CASCADE_WINDOW_MS, RECENT_DEATH_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

/** A pod, and its last kill by a liveness probe. */
export interface ProbeKill {
  readonly pod: string;
  readonly at: number;
  readonly event: Event;
}

/** The latest kill of each pod, when it is recent. */
export function probeKills(pods: readonly Pod[], events: readonly Event[], now: number): readonly ProbeKill[] {
  return pods.flatMap((pod) => {
    const uid = pod.metadata?.uid;
    const [event] = events
      .filter(
        ({ involvedObject, reason, message = '' }) =>
          involvedObject.uid === uid && reason === 'Killing' && message.includes('failed liveness probe'),
      )
      .toSorted((a, b) => lastSeenMs(b) - lastSeenMs(a));
    if (event === undefined || now - lastSeenMs(event) > RECENT_DEATH_MS) return [];
    return [{ pod: pod.metadata?.name ?? '', at: lastSeenMs(event), event }];
  });
}

/** The largest group of kills within the window, if it is a cascade: enough pods, and at least half of all. */
export function cascadeAmong(kills: readonly ProbeKill[], all: number): readonly ProbeKill[] | undefined {
  const sorted = kills.toSorted((a, b) => a.at - b.at);
  let best: readonly ProbeKill[] = [];
  for (const [index, { at }] of sorted.entries()) {
    const group = sorted.slice(index).filter((kill) => kill.at - at <= CASCADE_WINDOW_MS);
    if (group.length > best.length) best = group;
  }
  return best.length >= CASCADE_MIN_PODS && best.length * 2 >= all ? best : undefined;
}

export const livenessCascade: PodRule = (facts) => {
  const { siblings, siblingEvents } = facts.evidence;
  const owner = facts.owner;
  if (owner === undefined || siblings.length === 0 || facts.deleting) return NOTHING;
  const pods = [facts.pod, ...siblings];
  const group = cascadeAmong(probeKills(pods, [...facts.events, ...siblingEvents], facts.now), pods.length);
  if (group === undefined || !group.some(({ pod }) => pod === facts.name)) return NOTHING;
  return [cascadeFinding(group, pods.length, facts.commands.target, facts.commands.edit)];
};

export function cascadeFinding(
  group: readonly ProbeKill[],
  all: number,
  target: string,
  edit: readonly string[],
): RankedFinding {
  const first = Math.min(...group.map(({ at }) => at));
  const last = Math.max(...group.map(({ at }) => at));
  const seconds = Math.max(1, Math.round((last - first) / 1000));
  return {
    id: 'liveness-cascade',
    severity: 'critical',
    rank: 94,
    topic: 'cascade',
    says: `${group.length} of ${all} pods of ${target} were killed by their liveness probes within ${seconds}s: what they share is slow or away, and restarts take the rest of its capacity`,
    evidence: group.slice(0, 3).map(({ pod, event }) => quoteEvent(event, `pod/${pod}`)),
    try: edit,
    pods: group.map(({ pod }) => pod),
  };
}
