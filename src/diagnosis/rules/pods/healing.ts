/** Rule: mendlet's healing of the pod has stopped, wants to move it, or cannot read its policy. */
import {
  checkDns1123Subdomain,
  HEALING_PAUSED,
  HEALING_PAUSED_CONDITION,
  HEALING_PAUSED_FROM,
  HEALING_PAUSED_REASON,
  HEALING_POLICY,
  HEALING_STATE,
  HEALING_STOPPED_CONDITION,
  type HealingState,
  MOVE_REQUESTED_CONDITION,
  parseHealingState,
  PAUSABLE_KINDS,
  pauseOf,
} from '../../../api/index.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

export const healing: PodRule = (facts) => {
  if (facts.deleting || facts.finished) return NOTHING;
  const state = parseHealingState(facts.pod.metadata?.annotations?.[HEALING_STATE]);
  return [...stopped(facts, state), ...paused(facts), ...moving(facts), ...unreadable(facts, state)];
};

/** By the reason of the condition. */
const STOPPED_BECAUSE: Readonly<Record<string, string>> = {
  AttemptsExhausted: 'all restarts of its ladder are used up',
  MaxPodRestarts: 'it was restarted whole as often as its policy allows',
  RuleStop: 'a rule of its policy stops it',
  NoOtherNode: 'no other node takes it',
};

function stopped(facts: PodFacts, state: HealingState | undefined): readonly RankedFinding[] {
  const condition = facts.condition(HEALING_STOPPED_CONDITION);
  if (condition?.status !== 'True') return NOTHING;
  return [
    {
      id: 'healing-stopped',
      severity: 'critical',
      // The rank is below every cause, even a mere exit code.
      rank: 35,
      topic: 'healing',
      says: `mendlet has stopped healing pod ${facts.name}: ${STOPPED_BECAUSE[condition.reason ?? ''] ?? 'its ladder is at its end'}, and nothing more is tried until somebody restarts it`,
      evidence: [
        conditionQuote(HEALING_STOPPED_CONDITION, condition),
        ...(state?.cause === undefined
          ? []
          : [{ source: 'field' as const, path: `metadata.annotations[${HEALING_STATE}].cause`, value: state.cause }]),
      ],
      try: [
        facts.commands.mendlet('history', `pod/${facts.name}`),
        facts.commands.mendlet('restart', `pod/${facts.name}`, '--force'),
      ],
    },
  ];
}

/** A pause is worth knowing while all is well, and the reason why nothing is done where it is not. */
function paused(facts: PodFacts): readonly RankedFinding[] {
  const condition = facts.condition(HEALING_PAUSED_CONDITION);
  if (condition?.status !== 'True' || pauseOf(facts.pod) === undefined) return NOTHING;
  const { initContainerStatuses = [], containerStatuses = [] } = facts.pod.status ?? {};
  const held = [...initContainerStatuses, ...containerStatuses]
    .filter(({ state }) => state?.waiting?.reason === HEALING_PAUSED_REASON)
    .map(({ name }) => name);
  const follows =
    held.length === 0
      ? 'if a container of it ends, it stays as it ended until somebody resumes it'
      : `${held.length === 1 ? 'container' : 'containers'} ${held.join(', ')} ended and stays so until somebody resumes it`;
  return [
    {
      id: 'healing-paused',
      severity: held.length === 0 ? 'info' : 'critical',
      // Like the end of a ladder below every cause.
      rank: 36,
      topic: 'healing',
      says: `somebody has paused the healing of pod ${facts.name}: ${follows}`,
      evidence: pauseQuotes(facts),
      try: [facts.commands.mendlet('resume', resumable(facts))],
    },
  ];
}

/** That the healing of the pod is paused, and by whose words. */
export function pauseQuotes({ condition, pod }: PodFacts): readonly Quote[] {
  const found = condition(HEALING_PAUSED_CONDITION);
  const value = (pod.metadata?.annotations?.[HEALING_PAUSED] ?? '').slice(0, 200);
  return [
    ...(found === undefined ? [] : [conditionQuote(HEALING_PAUSED_CONDITION, found)]),
    { source: 'field', path: `metadata.annotations[${HEALING_PAUSED}]`, value },
  ];
}

/** The workload whose pause the pod shares, or the pod itself. */
export function resumable({ name, pod }: PodFacts): string {
  const [kind = '', workload = '', ...more] = (pod.metadata?.annotations?.[HEALING_PAUSED_FROM] ?? '').split('/');
  const isWorkload = PAUSABLE_KINDS.includes(kind) && checkDns1123Subdomain(workload).length === 0 && more.length === 0;
  return isWorkload ? `${kind.toLowerCase()}/${workload}` : `pod/${name}`;
}

function moving(facts: PodFacts): readonly RankedFinding[] {
  const condition = facts.condition(MOVE_REQUESTED_CONDITION);
  if (condition?.status !== 'True') return NOTHING;
  return [
    {
      id: 'move-requested',
      severity: 'warning',
      rank: 64,
      topic: 'healing',
      says: `pod ${facts.name} is to go on on another node, and waits for the healing controller`,
      evidence: [conditionQuote(MOVE_REQUESTED_CONDITION, condition)],
      try: [facts.commands.kubectl('get', 'pods', '-o', 'wide')],
    },
  ];
}

function unreadable(facts: PodFacts, state: HealingState | undefined): readonly RankedFinding[] {
  if (state?.problem === undefined) return NOTHING;
  return [
    {
      id: 'healing-policy-invalid',
      severity: 'warning',
      rank: 62,
      topic: 'policy',
      says: `the healing policy of pod ${facts.name} is not used: ${state.problem}`,
      evidence: [
        { source: 'field', path: `metadata.annotations[${HEALING_STATE}].problem`, value: state.problem },
        {
          source: 'field',
          path: `metadata.annotations[${HEALING_POLICY}]`,
          value: (facts.pod.metadata?.annotations?.[HEALING_POLICY] ?? '').slice(0, 200),
        },
      ],
      try: [facts.commands.kubectl('annotate', `pod/${facts.name}`, `${HEALING_POLICY}-`)],
    },
  ];
}

function conditionQuote(
  type: string,
  { status, reason, message }: { status: string; reason?: string; message?: string },
): Quote {
  return {
    source: 'field',
    path: `status.conditions[${type}]`,
    value: [status, reason, message].filter(Boolean).join(' '),
  };
}
