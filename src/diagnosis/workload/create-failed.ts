/** Rule: the controller cannot create pods: quota, limit ranges, admission. */
import type { Event } from '../evidence/kinds.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../facts/events.ts';
import { because } from '../facts/innermost.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import type { WorkloadFacts } from './workload-facts.ts';

interface Kind {
  readonly id: string;
  readonly pattern: RegExp;
  readonly says: (match: RegExpExecArray) => string;
  readonly try: (facts: WorkloadFacts, match: RegExpExecArray) => readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    id: 'quota-exceeded',
    pattern: /exceeded quota: ([^,\s]+)|failed quota: ([^:\s]+)/,
    says: ([, exceeded, failed]) =>
      exceeded === undefined
        ? `quota ${failed} wants its pods to name requests or limits`
        : `quota ${exceeded} of its namespace is used up`,
    try: ({ kubectl }, [, exceeded, failed]) => [
      kubectl('describe', 'resourcequota', exceeded ?? failed ?? ''),
      kubectl('get', 'resourcequota'),
    ],
  },
  {
    id: 'limit-range',
    pattern: /(?:maximum|minimum) .*usage per (?:Container|Pod)|max limit to request ratio/i,
    says: () => 'a LimitRange of its namespace forbids what they ask for',
    try: ({ kubectl }) => [kubectl('describe', 'limitranges')],
  },
  {
    id: 'pod-security',
    pattern: /violates PodSecurity "([^"]+)"/,
    says: ([, level]) => `its namespace enforces pod security ${level ?? ''}`,
    try: ({ kubectl, cluster, namespace, target }) => [
      cluster('get', 'namespace', namespace, '--show-labels'),
      kubectl('edit', target),
    ],
  },
  {
    id: 'service-account-missing',
    pattern: /error looking up service account [^/]+\/([^:\s]+)|serviceaccount "([^"]+)" not found/i,
    says: ([, looked, missing]) => `there is no ServiceAccount ${looked ?? missing ?? ''}`,
    try: ({ kubectl }, [, looked, missing]) => [kubectl('create', 'serviceaccount', looked ?? missing ?? '')],
  },
  {
    id: 'admission-denied',
    pattern: /admission webhook "([^"]+)"|failed calling webhook "([^"]+)"|ValidatingAdmissionPolicy '([^']+)'/,
    says: ([, denied, failed, policy]) =>
      failed === undefined
        ? `${denied ?? policy ?? 'an admission rule'} denies them`
        : `webhook ${failed} does not answer`,
    try: ({ cluster }) => [cluster('get', 'validatingwebhookconfigurations,mutatingwebhookconfigurations')],
  },
  {
    id: 'priority-class-missing',
    pattern: /no PriorityClass with name (\S+)/,
    says: ([, name]) => `there is no PriorityClass ${name ?? ''}`,
    try: ({ cluster }) => [cluster('get', 'priorityclasses')],
  },
];

/** A refusal counts only while pods are missing. */
export function createFailed(facts: WorkloadFacts): readonly RankedFinding[] {
  if (facts.missing === 0) return NOTHING;
  const [event] = eventsWith(facts.evidence.events, 'FailedCreate').toSorted((a, b) => lastSeenMs(b) - lastSeenMs(a));
  return event === undefined ? NOTHING : [finding(facts, event)];
}

function finding(facts: WorkloadFacts, event: Event): RankedFinding {
  const message = event.message ?? '';
  for (const kind of KINDS) {
    const match = kind.pattern.exec(message);
    if (match !== null) return create(facts, event, kind.id, kind.says(match), kind.try(facts, match));
  }
  return create(facts, event, 'create-failed', `the server refuses them${because(refusal(message))}`, [
    facts.kubectl('describe', facts.target),
  ]);
}

/** Without "Error creating:" and the kind, name or "is forbidden" that stand before the reason. */
function refusal(message: string): string {
  return message.replace(/^Error creating: /, '').replace(/^pods? "[^"]{0,300}" is (?:forbidden|invalid): /i, '');
}

function create(facts: WorkloadFacts, event: Event, id: string, why: string, next: readonly string[]): RankedFinding {
  const { kind = '', name = '' } = event.involvedObject;
  return {
    id,
    severity: 'critical',
    rank: 96,
    topic: 'create',
    says: `${facts.target} lacks ${facts.missing} of ${facts.wanted} pods, which cannot be made: ${why}`,
    evidence: [
      quoteEvent(event, `${kind.toLowerCase()}/${name}`),
      { source: 'field', path: facts.wantedPath, value: String(facts.wanted) },
    ],
    try: next,
  };
}
