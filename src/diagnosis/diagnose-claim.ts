/** Diagnoses a PersistentVolumeClaim. Pure. */
import { CLAIM_RULES } from './claim/claim-rules.ts';
import type { ClaimSubjectEvidence } from './evidence/object-evidence.ts';
import { formatBytes, plural } from './facts/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';

export function claimFindings(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  return ordered(withoutFallbacks(CLAIM_RULES.flatMap((rule) => rule(evidence))));
}

export function diagnoseClaim(evidence: ClaimSubjectEvidence): Diagnosis {
  const { claim, namespace } = evidence;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'persistentvolumeclaim', namespace, name: claim.name, uid: claim.claim?.metadata?.uid },
    state: claimState(evidence),
    asWanted: claim.claim?.status?.phase === 'Bound' && !claim.claim.metadata?.deletionTimestamp,
    findings: told(claimFindings(evidence)),
    notLookedAt: evidence.notLookedAt,
  };
}

/** "Bound to pv-1, 2Gi, 1Gi used, 2 pods use it" */
function claimState({ claim: { claim }, users, usage }: ClaimSubjectEvidence): string {
  const phase = claim?.metadata?.deletionTimestamp ? 'Terminating' : (claim?.status?.phase ?? 'Pending');
  const volume = claim?.spec?.volumeName ?? '';
  const size = claim?.status?.capacity?.['storage'];
  return [
    volume === '' ? phase : `${phase} to ${volume}`,
    ...(size === undefined ? [] : [size]),
    ...(usage?.usedBytes === undefined ? [] : [`${formatBytes(usage.usedBytes)} used`]),
    users.length === 0 ? 'no pod uses it' : plural(users.length, 'pod uses it', 'pods use it'),
  ].join(', ');
}
