/** Rule of last resort: the pod makes no progress; the finding says since when, and quotes the node's last event. */
import { lastSeenMs, quoteEvent } from '../../facts/pod/events.ts';
import { formatAge } from '../../facts/words/text.ts';
import { ANYTHING } from '../../order-findings.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

/** Time without progress that is still normal, as large images take minutes to pull. */
const PATIENCE_MS = 5 * 60_000;

export const notProgressing: PodRule = (facts) => {
  const { pod, ageMs } = facts;
  if (facts.finished || facts.deleting || pod.status?.phase !== 'Pending' || ageMs < PATIENCE_MS) return NOTHING;
  if (pod.spec?.nodeName === undefined || pod.spec.nodeName === '') return NOTHING;
  const started = facts.containers.some(
    ({ status }) => status?.state?.running !== undefined || status?.restartCount !== 0,
  );
  if (started && facts.containers.length > 0) return NOTHING;
  const [newest] = facts.events.toSorted((a, b) => lastSeenMs(b) - lastSeenMs(a));
  return [
    {
      id: 'not-progressing',
      severity: 'warning',
      rank: 10,
      topic: ANYTHING,
      fallback: true,
      says: `pod ${facts.name} has been starting for ${formatAge(ageMs)} on node ${pod.spec.nodeName}, and nothing says why`,
      evidence: [
        { source: 'field', path: 'status.phase', value: 'Pending' },
        ...(newest === undefined ? [] : [quoteEvent(newest)]),
      ],
      try: [facts.commands.whyNode(pod.spec.nodeName), facts.commands.kubectl('describe', `pod/${facts.name}`)],
    },
  ];
};
