/** The rules about a HorizontalPodAutoscaler: it cannot scale, its target is missing, or it is at its maximum. Pure. */
import { findCondition, type HorizontalPodAutoscaler } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { conditionAgeMs } from '../facts/pod/pod-facts.ts';
import type { ObjectCommands } from '../facts/words/object-commands.ts';
import { listed, quotable } from '../facts/words/text.ts';
import type { RankedFinding } from '../finding.ts';
import { NORMAL_START_MS, YOUNG_AUTOSCALER_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';

export interface Scaled {
  readonly now: number;
  readonly autoscaler: HorizontalPodAutoscaler;
  /** How many pods its target wants; absent: not known. */
  readonly wanted?: number;
  /** How many of them are ready; absent: not known. */
  readonly ready?: number;
  readonly commands: Pick<ObjectCommands, 'kubectl'>;
}

/** "deployment/web" */
export function targetOf({ spec }: HorizontalPodAutoscaler): string {
  const { kind = '', name = '' } = spec?.scaleTargetRef ?? {};
  return `${kind.toLowerCase()}/${name}`;
}

export function isYoung({ now, autoscaler }: Pick<Scaled, 'now' | 'autoscaler'>): boolean {
  const createdAt = parseTime(autoscaler.metadata?.creationTimestamp ?? undefined);
  return createdAt !== undefined && now - createdAt < YOUNG_AUTOSCALER_MS;
}

const FAILED_GET_SCALE = 'FailedGetScale';
/** What no later look at the target overcomes. */
const LASTING = /not found|no matches for kind|forbidden/i;

/** Whether the autoscaler itself has found that its target is not there. */
export function lacksTarget({ autoscaler }: Pick<Scaled, 'autoscaler'>): boolean {
  const condition = findCondition(autoscaler.status?.conditions, 'AbleToScale');
  return (
    condition?.status === 'False' && condition.reason === FAILED_GET_SCALE && /not found/i.test(condition.message ?? '')
  );
}

/** "AbleToScale is False (FailedGetScale): deployments.apps "web" not found", of one that says why it does not scale. */
export function unableText(scaled: Scaled): string | undefined {
  const condition = unableCondition(scaled);
  if (condition === undefined) return undefined;
  const { type, reason = '', message = '' } = condition;
  return `${type} is False (${reason})${message === '' ? '' : `: ${innermost(message)}`}`;
}

/** It cannot compute a number of pods, or cannot reach its target. */
export function inactive(scaled: Scaled): readonly RankedFinding[] {
  const { autoscaler, now, commands } = scaled;
  const condition = unableCondition(scaled);
  if (condition === undefined) return NOTHING;
  // One look without an answer of the metrics is soon overcome; who cannot read its target does not wait for metrics.
  const isOfTarget = condition.reason === FAILED_GET_SCALE && LASTING.test(condition.message ?? '');
  if (!isOfTarget && isYoung(scaled)) return NOTHING;
  const enoughMs = isOfTarget ? 0 : NORMAL_START_MS;
  if ((conditionAgeMs(condition, now) ?? NORMAL_START_MS) < enoughMs) return NOTHING;
  const name = autoscaler.metadata?.name ?? '';
  const { type, reason = '', message = '' } = condition;
  return [
    {
      id: 'autoscaler-inactive',
      severity: 'warning',
      rank: 25,
      topic: `autoscaler/${name}`,
      says: `HorizontalPodAutoscaler ${name} cannot scale ${targetOf(autoscaler)}: ${innermost(message) || reason}`,
      evidence: [
        {
          source: 'field',
          of: `hpa/${name}`,
          path: `status.conditions[${type}]`,
          value: `False ${reason}: ${message}`,
        },
      ],
      try: [...addRequest(scaled, message), commands.kubectl('describe', `hpa/${name}`)],
    },
  ];
}

/** The condition that says that it cannot scale, unless that is by design. */
export function unableCondition(scaled: Scaled) {
  const { autoscaler, wanted } = scaled;
  if (wanted === 0) return undefined;
  return ['AbleToScale', 'ScalingActive']
    .flatMap((type) => findCondition(autoscaler.status?.conditions, type) ?? [])
    .find((condition) => condition.status === 'False' && !isNormal(scaled, condition));
}

/** It rests by design, its target has come since, or it only repeats that no pod of its target is ready. */
function isNormal(
  { ready, wanted }: Scaled,
  { reason = '', message = '' }: { reason?: string; message?: string },
): boolean {
  if (reason === 'ScalingDisabled' || reason.startsWith('Backoff')) return true;
  if (reason === FAILED_GET_SCALE && wanted !== undefined && /not found/i.test(message)) return true;
  return ready === 0 && /no metrics returned|pods might be unready|no recommendation|no ready pods/i.test(message);
}

/** The words of what wraps the cause, of upstream's controller and its metrics clients. */
const WRAPPERS =
  /^(?:the HPA (?:controller )?was unable to [^:]{1,100}: |invalid metrics \([^)]{1,60}\), first error is: |failed to get [^:]{1,100}: |unable to (?:get|fetch) metrics [^:]{1,100}: )/;

/** How Go prints the selector of a metric. */
const SELECTOR_DUMP =
  /\/?&LabelSelector\{MatchLabels:map\[string\]string\{([^}]{0,300})\},MatchExpressions:\[\]LabelSelectorRequirement\{[^}]{0,300}\},\}/g;

/** "missing request for cpu in container search" */
function innermost(message: string): string {
  let text = message;
  // A message has few wrappers; each is taken off once.
  for (let match = WRAPPERS.exec(text); match !== null; match = WRAPPERS.exec(text)) text = text.slice(match[0].length);
  text = text.replace(SELECTOR_DUMP, (_, labels: string) => (labels === '' ? '' : ` (${labels.replace(/,$/, '')})`));
  return quotable(text.replace(/^(missing request for .{1,300}) of Pod \S+$/, '$1')).replace(/\.+$/, '');
}

/** A share of what a container asks for cannot be computed while it asks for nothing. */
function addRequest({ autoscaler, commands }: Scaled, message: string): readonly string[] {
  const [, resource, container] = /missing request for (cpu|memory) in container (\S+)/.exec(message) ?? [];
  if (resource === undefined || container === undefined) return [];
  const amount = resource === 'cpu' ? '100m' : '64Mi';
  return [
    commands.kubectl('set', 'resources', targetOf(autoscaler), '-c', container, `--requests=${resource}=${amount}`),
  ];
}

/** @param similar names of objects of its kind that may be meant */
export function targetMissing({ autoscaler, commands }: Scaled, similar: readonly string[] = []): RankedFinding {
  const name = autoscaler.metadata?.name ?? '';
  const { kind = '' } = autoscaler.spec?.scaleTargetRef ?? {};
  return {
    id: 'autoscaler-target-missing',
    severity: 'critical',
    rank: 70,
    topic: `autoscaler/${name}`,
    says: `HorizontalPodAutoscaler ${name} scales nothing: there is no ${targetOf(autoscaler)}${similar.length === 0 ? '' : `; there is ${listed(similar)}`}`,
    evidence: [
      { source: 'field', of: `hpa/${name}`, path: 'spec.scaleTargetRef', value: targetOf(autoscaler) },
      { source: 'object', object: targetOf(autoscaler), says: 'not found' },
    ],
    try: [commands.kubectl('edit', `hpa/${name}`), commands.kubectl('get', kind.toLowerCase())],
  };
}

/** Its metrics ask for more pods than it may make. */
export function atMaximum({ autoscaler, commands }: Scaled): readonly RankedFinding[] {
  const name = autoscaler.metadata?.name ?? '';
  const condition = findCondition(autoscaler.status?.conditions, 'ScalingLimited');
  const { maxReplicas = 0 } = autoscaler.spec ?? {};
  const { currentReplicas = 0 } = autoscaler.status ?? {};
  if (condition?.status !== 'True' || condition.reason !== 'TooManyReplicas' || currentReplicas < maxReplicas) {
    return NOTHING;
  }
  return [
    {
      id: 'autoscaler-at-maximum',
      severity: 'info',
      rank: 20,
      topic: `autoscaler/${name}`,
      says: `HorizontalPodAutoscaler ${name} holds ${targetOf(autoscaler)} at its maximum of ${maxReplicas} pods, and would make more`,
      evidence: [
        {
          source: 'field',
          of: `hpa/${name}`,
          path: 'status.conditions[ScalingLimited]',
          value: `True ${condition.reason}: ${condition.message ?? ''}`,
        },
        { source: 'field', of: `hpa/${name}`, path: 'spec.maxReplicas', value: String(maxReplicas) },
      ],
      try: [commands.kubectl('describe', `hpa/${name}`)],
    },
  ];
}
