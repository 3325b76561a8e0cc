/** Rule: a pod waits for a volume to be attached to its node: its attacher does not run, or another node has the volume. */
import { isDeleting, nameOf } from '../../../api/index.ts';
import type { Event } from '../../evidence/kinds.ts';
import type { AttachmentEvidence } from '../../evidence/storage-evidence.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { because } from '../../facts/words/innermost.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { attachmentTrouble, shortName, type Trouble, volumeTitle } from '../../storage/attachment-trouble.ts';
import { awaitsVolumes } from './missing-config.ts';

export const attachments: PodRule = (facts) => {
  if (!awaitsVolumes(facts)) return NOTHING;
  const all = facts.evidence.storage?.attachments ?? [];
  const nodeName = facts.pod.spec?.nodeName;
  const [event] = eventsWith(facts.events, 'FailedAttachVolume');
  const isMulti = /multi-attach/i.test(event?.message ?? '');
  const elsewhere = isMulti ? all.filter(({ attachment }) => attachment.spec.nodeName !== nodeName) : [];
  const own = all.filter(({ attachment }) => attachment.spec.nodeName === nodeName);
  const found = [
    ...elsewhere.map((each) => takenElsewhere(facts, each)),
    ...own.flatMap((each) => {
      const trouble = attachmentTrouble(each);
      return trouble === undefined ? [] : [ofPod(facts, trouble)];
    }),
  ];
  if (event === undefined) return found;
  if (found.length === 0) return [untold(facts, isMulti, event)];
  return found.map((finding) => ({ ...finding, evidence: [...finding.evidence, quoteEvent(event)] }));
};

function ofPod({ name }: PodFacts, { says, ...rest }: Trouble): RankedFinding {
  return { ...rest, severity: 'critical', topic: 'volumes', says: `pod ${name} waits for a volume: ${says}` };
}

/** The event alone says no more than this. */
function untold(facts: PodFacts, isMulti: boolean, event: Event): RankedFinding {
  const why = isMulti ? 'another node still has it' : 'it cannot be attached to its node';
  return {
    id: isMulti ? 'volume-multi-attach' : 'volume-attach',
    severity: 'critical',
    rank: 86,
    topic: 'volumes',
    says: `pod ${facts.name} waits for a volume: ${why}${because(event.message)}`,
    evidence: [quoteEvent(event)],
    try: [facts.commands.cluster('get', 'volumeattachments'), facts.commands.kubectl('describe', `pod/${facts.name}`)],
  };
}

/** Who has the volume, and what frees it. */
function takenElsewhere(facts: PodFacts, evidence: AttachmentEvidence): RankedFinding {
  const { attachment, pods = [] } = evidence;
  const { nodeName } = attachment.spec;
  const { kubectl, mendlet, whyNode } = facts.commands;
  const trouble = attachmentTrouble(evidence);
  const base = {
    id: trouble?.id === 'attacher-missing' ? trouble.id : 'volume-multi-attach',
    severity: 'critical' as const,
    rank: trouble?.rank === 90 ? 90 : 88,
    topic: 'volumes',
  };
  const start = `pod ${facts.name} waits for ${volumeTitle(evidence)}, which node ${nodeName} has`;
  const has: Quote = {
    source: 'object',
    object: `volumeattachment/${shortName(nameOf(attachment))}`,
    says: `node ${nodeName}, ${isDeleting(attachment) ? 'being removed' : `attached: ${String(attachment.status?.attached === true)}`}`,
  };
  if (trouble !== undefined) {
    return { ...base, says: `${start}: ${trouble.says}`, evidence: [has, ...trouble.evidence], try: trouble.try };
  }
  const names = pods.map((pod) => nameOf(pod));
  const [first] = pods;
  if (first === undefined) {
    const says = `${start}: no pod there needs it any more, and it is on its way off that node`;
    return { ...base, says, evidence: [has], try: [whyNode(nodeName)] };
  }
  const quotes: readonly Quote[] = pods.map((pod) => ({
    source: 'object',
    object: `pod/${nameOf(pod)}`,
    says: `${pod.status?.phase ?? 'no phase'} on node ${nodeName}${isDeleting(pod) ? ', being deleted' : ''}`,
  }));
  const ending = pods.every((pod) => isDeleting(pod));
  const free = names.length === 1 ? 'that pod is gone' : 'these pods are gone';
  const why = ending ? `pod ${listed(names)} there is ending` : `pod ${listed(names)} runs there`;
  const remove = kubectl('delete', 'pod', nameOf(first));
  return {
    ...base,
    says: `${start}: ${why}, and the volume is free once ${free}`,
    evidence: [has, ...quotes],
    try: ending
      ? [mendlet('why', `pod/${nameOf(first)}`)]
      : [`${remove}  # frees the volume: it may be at one node only`],
  };
}
