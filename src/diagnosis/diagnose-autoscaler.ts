/** Diagnoses a HorizontalPodAutoscaler: why it does not scale, or not further. Pure. */
import type { Deployment } from '../api/index.ts';
import {
  atMaximum,
  inactive,
  isYoung,
  type Scaled,
  targetMissing,
  targetOf,
  unableCondition,
} from './autoscaler/autoscaler-rules.ts';
import type { AutoscalerEvidence } from './evidence/autoscaler-evidence.ts';
import { objectCommands } from './facts/object-commands.ts';
import { plural } from './facts/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { ordered, told } from './order-findings.ts';

export function autoscalerFindings(evidence: AutoscalerEvidence): readonly RankedFinding[] {
  const scaled = scaledOf(evidence);
  if (evidence.targetMissing === true) return isYoung(scaled) ? [] : [targetMissing(scaled)];
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
    state: stateOf(evidence),
    asWanted:
      findings.every(({ severity }) => severity === 'info') &&
      evidence.targetMissing !== true &&
      unableCondition(scaledOf(evidence)) === undefined,
    findings: told(findings),
    notLookedAt: evidence.notLookedAt,
  };
}

/** "deployment/web: 2 pods, of 1 to 4" */
function stateOf({ autoscaler }: AutoscalerEvidence): string {
  const { spec, status } = autoscaler;
  return `${targetOf(autoscaler)}: ${plural(status?.currentReplicas ?? 0, 'pod')}, of ${spec?.minReplicas ?? 1} to ${spec?.maxReplicas ?? 1}`;
}
