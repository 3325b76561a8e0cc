/** Rules about a namespace itself: its deletion does not end. */
import { parseTime } from '../../lib/index.ts';
import type { GroupEvidence } from '../evidence/group-evidence.ts';
import { formatAge, shellWord } from '../facts/text.ts';
import type { RankedFinding } from '../finding.ts';
import { LATE_DELETION_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';

const REMAINING =
  /^(?:NamespaceContentRemaining|NamespaceFinalizersRemaining|NamespaceDeletion\w+Failure|NamespaceDeletion\w+Failed)$/;

export function namespaceFindings({ scope, now }: GroupEvidence): readonly RankedFinding[] {
  if (scope.kind !== 'namespace') return NOTHING;
  const at = scope.object?.metadata?.deletionTimestamp;
  const since = parseTime(at ?? undefined);
  if (!at || since === undefined || now - since < LATE_DELETION_MS) return NOTHING;
  const held = (scope.object?.status?.conditions ?? []).filter(
    ({ type, status }) => status === 'True' && REMAINING.test(type),
  );
  const why = held.map(({ message }) => message ?? '').filter((text) => text !== '');
  return [
    {
      id: 'namespace-terminating',
      severity: 'critical',
      rank: 99,
      topic: 'namespace',
      says: `namespace ${scope.namespace} has been going for ${formatAge(now - since)}${why.length === 0 ? ', and nothing says what it waits for' : `: ${why.join('; ')}`}`,
      evidence: [
        { source: 'field', path: 'metadata.deletionTimestamp', value: at },
        ...held.map(({ type, message = '' }) => ({
          source: 'field' as const,
          path: `status.conditions[${type}]`,
          value: message,
        })),
      ],
      try: [`kubectl get namespace ${shellWord(scope.namespace)} -o yaml`],
    },
  ];
}
