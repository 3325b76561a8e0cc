/** The rules about a PersistentVolume: it is not deleted, was released, has failed, or its attachments hang. */
import { driverVolumeOf, isDeleting, nameOf } from '../../api/index.ts';
import type { VolumeSubjectEvidence } from '../evidence/volume-evidence.ts';
import { partLogs, partTrouble } from '../facts/placement/driver-parts.ts';
import { eventsWith, quoteEvent } from '../facts/pod/events.ts';
import { listed, quotable, shellWord } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import { attachmentTrouble } from './attachment-trouble.ts';

export type VolumeRule = (evidence: VolumeSubjectEvidence) => readonly RankedFinding[];

/** The provisioner's, in two spellings that are in use. */
const PROVISIONERS = /external-provisioner/;
const IN_USE = 'kubernetes.io/pv-protection';
const ATTACHED = /^external-attacher\//;

const attachment: VolumeRule = ({ storage }) =>
  (storage?.attachments ?? []).flatMap((each) => {
    const trouble = attachmentTrouble(each);
    return trouble === undefined ? [] : [{ ...trouble, topic: 'attachment' }];
  });

/** It is to be deleted: each finalizer stands for somebody who has to act first. */
const deleting: VolumeRule = (evidence) => {
  const { volume, claim } = evidence;
  const finalizers = volume.metadata?.finalizers ?? [];
  if (!isDeleting(volume) || finalizers.length === 0) return NOTHING;
  const name = nameOf(volume);
  const quotes = [
    field(evidence, 'metadata.deletionTimestamp', volume.metadata?.deletionTimestamp ?? ''),
    field(evidence, 'metadata.finalizers', JSON.stringify(finalizers)),
  ];
  const base = { id: 'volume-deleting', rank: 82, topic: 'volume' } as const;
  if (finalizers.includes(IN_USE) && volume.status?.phase === 'Bound' && claim !== undefined) {
    const says = `volume ${name} is deleted once claim ${claim.claim.name} in namespace ${claim.namespace} does not have it any more`;
    const next = `mendlet why ${shellWord(`pvc/${claim.claim.name}`)} -n ${shellWord(claim.namespace)}`;
    return [{ ...base, severity: 'warning', says, evidence: quotes, try: [next] }];
  }
  const held = (evidence.storage?.attachments ?? []).map((each) => each.attachment.spec.nodeName);
  if (finalizers.some((each) => ATTACHED.test(each)) && held.length > 0) {
    const says = `volume ${name} is deleted once it is detached: it is still at node ${listed(held)}`;
    return [{ ...base, severity: 'warning', says, evidence: quotes, try: [`kubectl get volumeattachments`] }];
  }
  const who = finalizers.some((each) => PROVISIONERS.test(each)) ? provisionerText(evidence) : undefined;
  const rest = `its ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${listed(finalizers)} ${finalizers.length === 1 ? 'is' : 'are'} still there`;
  return [
    {
      ...base,
      severity: 'critical',
      says: `volume ${name} does not go: ${who?.says ?? rest}`,
      evidence: [...quotes, ...(who?.evidence ?? [])],
      try: [...(who?.try ?? []), `kubectl describe pv ${shellWord(name)}`],
    },
  ];
};

/** Its claim is gone. */
const released: VolumeRule = (evidence) => {
  const { volume } = evidence;
  const phase = volume.status?.phase;
  if (isDeleting(volume) || (phase !== 'Released' && phase !== 'Failed')) return NOTHING;
  const name = nameOf(volume);
  const policy = volume.spec?.persistentVolumeReclaimPolicy ?? 'Retain';
  const claim = `${volume.spec?.claimRef?.namespace ?? ''}/${volume.spec?.claimRef?.name ?? ''}`;
  const quotes = [
    field(evidence, 'status.phase', phase),
    field(evidence, 'spec.persistentVolumeReclaimPolicy', policy),
    ...(volume.status?.message ? [field(evidence, 'status.message', quotable(volume.status.message))] : []),
  ];
  if (policy !== 'Delete') {
    const free = `kubectl patch pv ${shellWord(name)} --type=json -p '[{"op":"remove","path":"/spec/claimRef"}]'  # gives it, with its data, to the next claim that suits`;
    const says = `volume ${name} keeps the data of claim ${claim}, which is gone; no other claim gets it before somebody says so`;
    return [
      { id: 'volume-released', severity: 'info', rank: 40, topic: 'volume', says, evidence: quotes, try: [free] },
    ];
  }
  const [event] = eventsWith(evidence.events, 'VolumeFailedDelete');
  const who = provisionerText(evidence);
  const why = event?.message ?? volume.status?.message;
  if (phase === 'Released' && event === undefined && who.isWorking) return NOTHING;
  return [
    {
      id: 'volume-released',
      severity: 'critical',
      rank: 81,
      topic: 'volume',
      says: `volume ${name} of claim ${claim}, which is gone, is not deleted: ${why === undefined || !who.isWorking ? who.says : quotable(why)}`,
      evidence: [...quotes, ...(event === undefined ? [] : [quoteEvent(event)]), ...who.evidence],
      try: [...who.try, `kubectl describe pv ${shellWord(name)}`],
    },
  ];
};

export const VOLUME_RULES: readonly VolumeRule[] = [attachment, deleting, released];

interface Who {
  readonly says: string;
  readonly isWorking: boolean;
  readonly evidence: readonly Quote[];
  readonly try: readonly string[];
}

/** Who deletes what the volume stands for. */
function provisionerText({ volume, storage }: VolumeSubjectEvidence): Who {
  const name = driverVolumeOf(volume.spec)?.driver;
  const driver = storage?.drivers.find((each) => each.name === name);
  const trouble = driver && partTrouble(driver, 'provisioner');
  const shown = quotable(name ?? volume.metadata?.annotations?.['pv.kubernetes.io/provisioned-by'] ?? 'nobody');
  if (trouble !== undefined)
    return {
      says: `it waits for the provisioner of driver ${shown}, which does not run: ${trouble.says}`,
      isWorking: false,
      evidence: trouble.evidence,
      try: trouble.try,
    };
  const logs = driver === undefined ? [] : partLogs(driver, 'provisioner');
  return { says: `its provisioner ${shown} has not deleted it`, isWorking: true, evidence: [], try: logs };
}

function field({ volume }: VolumeSubjectEvidence, path: string, value: string): Quote {
  return { source: 'field', of: `persistentvolume/${nameOf(volume)}`, path, value };
}
