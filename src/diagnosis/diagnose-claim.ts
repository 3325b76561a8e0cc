/** Diagnoses a PersistentVolumeClaim. Pure. */
import { parseTime } from '../lib/index.ts';
import { CLAIM_RULES } from './claim/claim-rules.ts';
import type { ClaimSubjectEvidence } from './evidence/object-evidence.ts';
import { lastResort } from './facts/pod/last-resort.ts';
import { objectCommands } from './facts/words/object-commands.ts';
import { formatBytes, plural } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { NORMAL_START_MS } from './limits.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';

export function claimFindings(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const found = ordered(withoutFallbacks(CLAIM_RULES.flatMap((rule) => rule(evidence))));
  return found.length === 0 ? unexplained(evidence) : found;
}

/** What the claim itself says of a trouble that no rule knows. */
function unexplained({ claim: { name, claim, events }, now, namespaceFlag }: ClaimSubjectEvidence) {
  const target = `persistentvolumeclaim/${name}`;
  const isBound = claim?.status?.phase === 'Bound';
  const age = now - (parseTime(claim?.metadata?.creationTimestamp ?? undefined) ?? now);
  if (age < NORMAL_START_MS) return [];
  return lastResort({
    target,
    now,
    conditions: claim?.status?.conditions ?? [],
    // Warnings about one that has its volume are those of its start.
    events: isBound ? [] : events,
    try: [objectCommands(namespaceFlag).kubectl('describe', target)],
  });
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
