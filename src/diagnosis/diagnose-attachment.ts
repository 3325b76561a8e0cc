/** Diagnoses a VolumeAttachment. Pure. */
import { isDeleting, nameOf } from '../api/index.ts';
import type { AttachmentEvidence } from './evidence/storage-evidence.ts';
import type { Diagnosis } from './finding.ts';
import { told } from './order-findings.ts';
import { attachmentTrouble, volumeTitle } from './storage/attachment-trouble.ts';

export function diagnoseAttachment(evidence: AttachmentEvidence): Diagnosis {
  const { attachment } = evidence;
  const trouble = attachmentTrouble(evidence);
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'volumeattachment', name: nameOf(attachment), uid: attachment.metadata?.uid },
    state: stateOf(evidence),
    asWanted: attachment.status?.attached === true && !isDeleting(attachment),
    findings: told(trouble === undefined ? [] : [{ ...trouble, topic: 'attachment' }]),
    notLookedAt: evidence.notLookedAt,
  };
}

/** "volume pv-1, attached to node n1 by disk.example.com" */
function stateOf(evidence: AttachmentEvidence): string {
  const { attachment } = evidence;
  const { nodeName, attacher } = attachment.spec;
  const isAttached = attachment.status?.attached === true;
  const word = isDeleting(attachment) ? 'being detached from' : isAttached ? 'attached to' : 'not attached yet to';
  return `${volumeTitle(evidence)}, ${word} node ${nodeName} by ${attacher}`;
}
