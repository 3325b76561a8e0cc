/** Rule: the deletion of a pod is stuck. */
import { parseTime } from '../../../lib/index.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { LATE_DELETION_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

export const terminating: PodRule = (facts) => {
  const { metadata } = facts.pod;
  const at = parseTime(metadata?.deletionTimestamp ?? undefined);
  if (at === undefined) return NOTHING;
  const lateMs = facts.now - at;
  const running = facts.containers.filter(({ status }) => status?.state?.running !== undefined).map(({ name }) => name);
  const finalizers = metadata?.finalizers ?? [];
  if (finalizers.length > 0 && running.length === 0 && hasEnded(facts)) return [held(facts, lateMs, finalizers)];
  if (lateMs < LATE_DELETION_MS) return NOTHING;
  return [stuck(facts, lateMs, running)];
};

/** Whether all of its containers have ended, as far as their status tells. */
function hasEnded({ containers }: PodFacts): boolean {
  return containers.some(({ status }) => status?.state?.terminated !== undefined);
}

function held(facts: PodFacts, lateMs: number, finalizers: readonly string[]): RankedFinding {
  const isLate = lateMs >= LATE_DELETION_MS;
  return {
    ...base(),
    id: 'finalizers',
    // Who has to remove them may be about to.
    severity: isLate ? 'critical' : 'info',
    says: `pod ${facts.name} is gone from its node${isLate ? ` and ${formatAge(lateMs)} late` : ''}: ${finalizers.length === 1 ? 'its finalizer' : 'its finalizers'} ${listed(finalizers)} ${finalizers.length === 1 ? 'is' : 'are'} still there, and whoever set ${finalizers.length === 1 ? 'it' : 'them'} has to remove ${finalizers.length === 1 ? 'it' : 'them'}`,
    evidence: [
      deletionQuote(facts),
      { source: 'field', path: 'metadata.finalizers', value: JSON.stringify(finalizers) },
    ],
    try: [
      facts.commands.kubectl('get', `pod/${facts.name}`, '-o', 'jsonpath={.metadata.finalizers}'),
      facts.commands.kubectl(
        'patch',
        `pod/${facts.name}`,
        '--type=json',
        '-p',
        '[{"op":"remove","path":"/metadata/finalizers"}]',
      ),
    ],
  };
}

function stuck(facts: PodFacts, lateMs: number, running: readonly string[]): RankedFinding {
  const [event] = eventsWith(facts.events, 'FailedKillPod', 'FailedUnMount', 'FailedPreStopHook');
  const what =
    running.length === 0
      ? 'its node has not cleared it away'
      : `${listed(running)} still ${running.length === 1 ? 'runs' : 'run'}`;
  return {
    ...base(),
    id: 'terminating-stuck',
    says: `pod ${facts.name} should have been gone ${formatAge(lateMs)} ago: ${what}`,
    evidence: [deletionQuote(facts), ...(event === undefined ? [] : [quoteEvent(event)])],
    try: [
      ...(facts.pod.spec?.nodeName === undefined ? [] : [facts.commands.whyNode(facts.pod.spec.nodeName)]),
      facts.commands.kubectl('describe', `pod/${facts.name}`),
    ],
  };
}

function deletionQuote({ pod }: PodFacts): Quote {
  return { source: 'field', path: 'metadata.deletionTimestamp', value: pod.metadata?.deletionTimestamp ?? '' };
}

function base() {
  return { severity: 'critical' as const, rank: 85, topic: 'delete' };
}
