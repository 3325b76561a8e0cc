/** Diagnoses a PersistentVolume. Pure. */
import { driverVolumeOf, isDeleting, nameOf } from '../api/index.ts';
import { claimFindings } from './diagnose-claim.ts';
import type { VolumeSubjectEvidence } from './evidence/volume-evidence.ts';
import { listed } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { ordered, told, withoutFallbacks } from './order-findings.ts';
import { VOLUME_RULES } from './storage/volume-rules.ts';

export function diagnoseVolume(evidence: VolumeSubjectEvidence): Diagnosis {
  const { volume, notLookedAt } = evidence;
  const phase = volume.status?.phase;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'persistentvolume', name: nameOf(volume), uid: volume.metadata?.uid },
    state: stateOf(evidence),
    asWanted: (phase === 'Bound' || phase === 'Available') && !isDeleting(volume),
    findings: told(ordered(withoutFallbacks(findingsOf(evidence)))),
    notLookedAt,
  };
}

function findingsOf(evidence: VolumeSubjectEvidence): readonly RankedFinding[] {
  const own = VOLUME_RULES.flatMap((rule) => rule(evidence));
  const ofClaim = evidence.claim === undefined ? [] : claimFindings(evidence.claim);
  // What the claim has of the volume's attachments is told already.
  return [...own, ...ofClaim.filter(({ topic }) => topic !== 'attachment')];
}

/** "Bound to shop/data, 1Gi, ReadWriteOnce, served by disk.example.com, attached to n1" */
function stateOf({ volume, storage }: VolumeSubjectEvidence): string {
  const { capacity, accessModes = [], claimRef } = volume.spec ?? {};
  const phase = isDeleting(volume) ? 'Terminating' : (volume.status?.phase ?? 'Pending');
  const driver = driverVolumeOf(volume.spec)?.driver;
  const nodes = (storage?.attachments ?? [])
    .filter(({ attachment }) => attachment.status?.attached === true)
    .map(({ attachment }) => attachment.spec.nodeName);
  return [
    claimRef?.name === undefined ? phase : `${phase} to ${claimRef.namespace ?? ''}/${claimRef.name}`,
    ...(capacity?.['storage'] === undefined ? [] : [capacity['storage']]),
    ...(accessModes.length === 0 ? [] : [accessModes.join(', ')]),
    ...(driver === undefined ? [] : [`served by ${driver}`]),
    ...(nodes.length === 0 ? [] : [`attached to ${listed(nodes)}`]),
  ].join(', ');
}
