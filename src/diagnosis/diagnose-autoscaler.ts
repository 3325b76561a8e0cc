/** Diagnoses a HorizontalPodAutoscaler: why it does not scale, or not further. Pure. */
import type { Deployment } from '../api/index.ts';
import {
  atMaximum,
  inactive,
  isYoung,
  lacksTarget,
  type Scaled,
  targetMissing,
  targetOf,
  unableCondition,
  unableText,
} from './autoscaler/autoscaler-rules.ts';
import type { AutoscalerEvidence } from './evidence/autoscaler-evidence.ts';
import { objectCommands } from './facts/words/object-commands.ts';
import { plural } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { ordered, told } from './order-findings.ts';

export function autoscalerFindings(evidence: AutoscalerEvidence): readonly RankedFinding[] {
  const scaled = scaledOf(evidence);
  // What it says itself is enough of a target that cannot be read here.
  const isSaid = lacksTarget(scaled) && evidence.target === undefined;
  if (evidence.targetMissing === true || isSaid)
    return !isSaid && isYoung(scaled) ? [] : [targetMissing(scaled, evidence.similar)];
  return [...inactive(scaled), ...atMaximum(scaled)];
}

function scaledOf({ autoscaler, now, target, namespaceFlag }: AutoscalerEvidence): Scaled {
  // All workloads that can be scaled have the field of a Deployment; its default is 1.
  const wanted = target === undefined ? undefined : ((target as Deployment).spec?.replicas ?? 1);
  return {
    now,
    autoscaler,
    commands: objectCommands(namespaceFlag),
    ...(wanted !== undefined && { wanted, ready: (target as Deployment).status?.readyReplicas ?? 0 }),
  };
}

export function diagnoseAutoscaler(evidence: AutoscalerEvidence): Diagnosis {
  const { autoscaler } = evidence;
  const { name = '', namespace, uid } = autoscaler.metadata ?? {};
  const findings = ordered(autoscalerFindings(evidence));
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'horizontalpodautoscaler', namespace, name, uid },
    state: findings.length === 0 ? withCondition(evidence) : stateOf(evidence),
    asWanted:
      findings.every(({ severity }) => severity === 'info') &&
      evidence.targetMissing !== true &&
      unableCondition(scaledOf(evidence)) === undefined,
    findings: told(findings),
    notLookedAt: evidence.notLookedAt,
  };
}

/** Where nothing fails yet, its own condition tells what it waits for. */
function withCondition(evidence: AutoscalerEvidence): string {
  const said = unableText(scaledOf(evidence));
  return `${stateOf(evidence)}${said === undefined ? '' : `; ${said}`}`;
}

/** "deployment/web: 2 pods, of 1 to 4" */
function stateOf({ autoscaler }: AutoscalerEvidence): string {
  const { spec, status } = autoscaler;
  return `${targetOf(autoscaler)}: ${plural(status?.currentReplicas ?? 0, 'pod')}, of ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas ?? 1}`;
}
