/** The rules about a claim: it waits for a volume, has lost it, is full, or is being deleted while pods use it. */
import { parseTime } from '../../lib/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { Event } from '../evidence/kinds.ts';
import type { ClaimSubjectEvidence } from '../evidence/object-evidence.ts';
import { eventsWith, quoteEvent } from '../facts/pod/events.ts';
import { objectCommands } from '../facts/words/object-commands.ts';
import {
  type VolumeCommands,
  type VolumeTrouble,
  volumeChoices,
  volumeTrouble,
} from '../facts/placement/local-volumes.ts';
import { unplacedText } from '../facts/placement/placement.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { noClassText } from '../facts/placement/storage-classes.ts';
import { formatAge, formatBytes, listed, plural, quotable, shellWord } from '../facts/words/text.ts';
import {
  hasVolumesOfClass,
  namedVolumeTrouble,
  nearVolume,
  noVolumeText,
  requestedSize,
} from '../facts/placement/volume-fit.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NORMAL_START_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';
import { attachmentTrouble } from '../storage/attachment-trouble.ts';
import { expansionTrouble } from '../storage/expansion-trouble.ts';

export type ClaimRule = (evidence: ClaimSubjectEvidence) => readonly RankedFinding[];

/** The shares of a volume, and of its files, from which it counts as full and as nearly full. */
const FULL_SHARE = 0.98;
const NEARLY_FULL_SHARE = 0.9;

const lost: ClaimRule = (evidence) => {
  const { claim, volumeMissing, name } = evidence.claim;
  // One that names a volume which was never there has lost nothing.
  const isLost = claim?.status?.phase === 'Lost' || (volumeMissing === true && claim?.status?.phase !== 'Pending');
  if (!isLost) return NOTHING;
  const volume = claim?.spec?.volumeName ?? '';
  const { kubectl, cluster } = objectCommands(evidence.namespaceFlag);
  return [
    {
      id: 'claim-lost',
      severity: 'critical',
      rank: 92,
      topic: 'claim',
      says: `the volume ${volume} of claim ${name} is gone, and with it its data${forUsers(evidence)}`,
      evidence: [phaseQuote(evidence), field(name, 'spec.volumeName', volume)],
      try: [cluster('get', 'pv'), kubectl('describe', `pvc/${name}`)],
    },
  ];
};

/** The volume is a folder of a node that is lost, or whose folder or disk is. */
const away: ClaimRule = (evidence) => {
  const { claim, now, users, namespaceFlag } = evidence;
  const trouble = volumeTrouble(claim, now);
  if (trouble === undefined) return NOTHING;
  return [
    {
      id: `volume-${trouble.kind}`,
      severity: 'critical',
      rank: 99,
      topic: 'volume',
      says: awayText(claim.name, users, trouble),
      evidence: trouble.evidence,
      try: volumeChoices(trouble, claim.name, commandsOf(namespaceFlag)),
    },
  ];
};

function commandsOf(namespaceFlag: string): VolumeCommands {
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  return {
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    mendlet: (...words) => ['mendlet', ...words.map(shellWord), ...flag].join(' '),
    whyNode: (name) => `mendlet why ${shellWord(`node/${name}`)}`,
  };
}

function awayText(claim: string, pods: readonly string[], { kind, node, what }: VolumeTrouble): string {
  if (kind === 'folder-lost') return `the data of claim ${claim} is lost: node ${node} ${what}`;
  if (kind === 'disk-problem') return `the disk of the volume of claim ${claim} does not work: node ${node} ${what}`;
  const who = pods.length === 0 ? 'pods that use it wait' : `${listed(pods)} ${pods.length === 1 ? 'waits' : 'wait'}`;
  return `the volume of claim ${claim} is a folder on the disk of node ${node}, which ${what}: ${who} for that node, since no other has the data`;
}

const deleting: ClaimRule = (evidence) => {
  const { claim, name } = evidence.claim;
  const at = claim?.metadata?.deletionTimestamp;
  if (!at) return NOTHING;
  const { users } = evidence;
  const says =
    users.length === 0
      ? `claim ${name} is being deleted, and its finalizers keep it: ${listed(claim.metadata?.finalizers ?? [])}`
      : `claim ${name} is deleted as soon as ${users.length === 1 ? 'the pod that uses it ends' : 'the pods that use it end'}: ${listed(users)}`;
  const { kubectl } = objectCommands(evidence.namespaceFlag);
  return [
    {
      id: 'claim-deleting',
      severity: 'warning',
      rank: 80,
      topic: 'claim',
      says,
      evidence: [
        field(name, 'metadata.deletionTimestamp', at),
        field(name, 'metadata.finalizers', JSON.stringify(claim.metadata?.finalizers ?? [])),
      ],
      try: [kubectl('describe', `pvc/${name}`)],
    },
  ];
};

const pending: ClaimRule = (evidence) => {
  const { claim, name, events } = evidence.claim;
  if (claim?.status?.phase !== 'Pending' || claim.metadata?.deletionTimestamp) return NOTHING;
  const { kubectl, cluster } = objectCommands(evidence.namespaceFlag);
  const [event] = eventsWith(
    events,
    'ProvisioningFailed',
    'FailedBinding',
    'VolumeMismatch',
    'ExternalProvisioning',
    'WaitForFirstConsumer',
    'WaitForPodScheduled',
  );
  const className = claim.spec?.storageClassName;
  const ageMs = evidence.now - (parseTime(claim.metadata?.creationTimestamp ?? undefined) ?? evidence.now);
  const { why, isWaiting, isTold, next = [], quotes = [] } = pendingWhy(evidence, event);
  // The other reasons name the size themselves, or are not about it.
  const asked = requestedSize(claim);
  const size = isWaiting && evidence.users.length > 0 && asked !== undefined ? ` (${asked})` : '';
  // Nobody wants the volume yet, or it is being made.
  const isNormal = isWaiting && evidence.users.length === 0;
  if (!isNormal && ageMs < NORMAL_START_MS && evidence.classExists !== false) return NOTHING;
  return [
    {
      id: 'claim-pending',
      severity: isNormal ? 'info' : 'critical',
      rank: 90,
      topic: 'claim',
      says: `claim ${name}${size} has had no volume for ${formatAge(ageMs)}: ${why}${isTold === true ? '' : forUsers(evidence)}`,
      evidence: [
        phaseQuote(evidence),
        // What decides stands first: among many objects only two are told.
        ...quotes,
        ...(event === undefined ? [] : [quoteEvent(event, `persistentvolumeclaim/${name}`)]),
        field(name, 'spec.storageClassName', className ?? 'not set'),
        field(name, 'spec.resources.requests.storage', claim.spec?.resources?.requests?.['storage'] ?? 'not set'),
      ],
      try: [...next, kubectl('describe', `pvc/${name}`), cluster('get', 'storageclasses'), cluster('get', 'pv')],
    },
  ];
};

interface PendingWhy {
  readonly why: string;
  /** It waits for a pod, or for the pod's node. */
  readonly isWaiting: boolean;
  /** Its users are named already. */
  readonly isTold?: boolean;
  /** Commands that go before the others. */
  readonly next?: readonly string[];
  readonly quotes?: readonly Quote[];
}

function pendingWhy(evidence: ClaimSubjectEvidence, event: Event | undefined): PendingWhy {
  const { reason, message = '' } = event ?? {};
  const { claim, classExists, users } = { ...evidence, claim: evidence.claim.claim };
  const className = claim?.spec?.storageClassName;
  const named = namedVolumeTrouble(evidence.claim);
  if (named !== undefined) return { ...named, isWaiting: false };
  const near = nearVolume(claim, evidence.claim.volumes);
  const isStatic = hasVolumesOfClass(className ?? '', evidence.claim.volumes);
  if (classExists === false && !isStatic)
    return { why: noClassText(className, evidence.claim.otherClasses), isWaiting: false };
  if (reason === 'WaitForFirstConsumer' && users.length === 0) {
    return { why: 'its StorageClass makes one when a pod uses it, and none does', isWaiting: true };
  }
  if (reason === 'WaitForFirstConsumer' || reason === 'WaitForPodScheduled') {
    return waitingWhy(evidence);
  }
  if (reason === 'FailedBinding' || classExists === false) {
    return {
      why: noVolumeText(claim, near),
      isWaiting: false,
      quotes: near === undefined ? [] : [near.quote],
      next: near?.fix,
    };
  }
  if (reason === 'VolumeMismatch')
    return { why: `volume ${claim?.spec?.volumeName ?? ''}, which it names, does not fit`, isWaiting: false };
  if (reason === 'ExternalProvisioning')
    return { why: `its provisioner${provisionerOf(evidence)} has not made one`, isWaiting: false };
  if (reason === 'ProvisioningFailed') return { why: quotable(message), isWaiting: false };
  return { why: 'no event says why', isWaiting: false };
}

/** Its volume is made on the node of its pod: what keeps the pod from one keeps the claim from its volume. */
function waitingWhy({ users, waiting, claim, namespaceFlag }: ClaimSubjectEvidence): PendingWhy {
  const facts = waiting === undefined ? undefined : podFacts(waiting);
  const unplaced = facts === undefined ? undefined : unplacedText(facts);
  if (unplaced !== undefined) return { why: unplaced, isWaiting: true };
  const cause = facts === undefined ? undefined : causeOf(podFindings(facts), claim.name);
  if (facts === undefined || cause === undefined) {
    const who = users.length === 1 ? 'the pod that uses it has' : 'the pods that use it have';
    return { why: `${who} no node yet: ${listed(users)}`, isWaiting: true, isTold: true };
  }
  const of = `pod/${facts.name}`;
  const quotes = cause.evidence.map((quote) => (quote.source === 'field' ? { of, ...quote } : quote));
  return { why: cause.says, isWaiting: true, next: [objectCommands(namespaceFlag).why(of)], quotes };
}

/** What the pod says for itself; that it waits for this claim is only a consequence. */
function causeOf(found: readonly RankedFinding[], claim: string): RankedFinding | undefined {
  return found.find(
    ({ severity, evidence }) =>
      severity === 'critical' &&
      !evidence.some((quote) => quote.source === 'object' && quote.object === `persistentvolumeclaim/${claim}`),
  );
}

const full: ClaimRule = (evidence) => {
  const { usage, claim } = evidence;
  if (usage === undefined) return NOTHING;
  const bytes = shareOf(usage.capacityBytes, usage.availableBytes);
  const files = shareOf(usage.inodes, usage.inodesFree);
  const share = Math.max(bytes ?? 0, files ?? 0);
  if (share < NEARLY_FULL_SHARE) return NOTHING;
  const ofFiles = (files ?? 0) > (bytes ?? 0);
  const isFull = share >= FULL_SHARE;
  const size = ofFiles
    ? `all but ${usage.inodesFree} of its ${usage.inodes} inodes are used`
    : `${formatBytes(usage.availableBytes ?? 0)} of ${formatBytes(usage.capacityBytes ?? 0)} are free`;
  const { kubectl, cluster } = objectCommands(evidence.namespaceFlag);
  const claimed = claim.claim?.spec?.resources?.requests?.['storage'];
  return [
    {
      id: isFull ? 'claim-full' : 'claim-nearly-full',
      severity: isFull ? 'critical' : 'warning',
      rank: isFull ? 88 : 60,
      topic: 'usage',
      says: `the volume of claim ${claim.name} is ${isFull ? 'full' : 'nearly full'}: ${size}${forUsers(evidence)}`,
      evidence: [
        { source: 'object', object: `persistentvolumeclaim/${claim.name}`, says: size },
        ...(claimed === undefined ? [] : [field(claim.name, 'spec.resources.requests.storage', claimed)]),
      ],
      try: [
        ...evidence.users.slice(0, 1).map((pod) => kubectl('exec', pod, '--', 'df', '-h')),
        kubectl('describe', `pvc/${claim.name}`),
        cluster('get', 'pv', claim.claim?.spec?.volumeName ?? ''),
      ],
    },
  ];
};

/** The volume cannot be attached to a node of its pods, or does not go from one. */
const attachment: ClaimRule = ({ storage }) =>
  (storage?.attachments ?? []).flatMap((each) => {
    const trouble = attachmentTrouble(each);
    return trouble === undefined ? [] : [{ ...trouble, topic: 'attachment' }];
  });

/** A node told, with an event, that the volume of a pod does not work. */
const ill: ClaimRule = (evidence) => {
  const { name, events } = evidence.claim;
  const [newest] = eventsWith(events, ...ILL, 'VolumeWorks');
  if (newest === undefined || newest.reason === 'VolumeWorks') return NOTHING;
  const { why } = objectCommands(evidence.namespaceFlag);
  return [
    {
      id: 'volume-problem',
      severity: newest.reason === 'VolumeConditionAbnormal' ? 'warning' : 'critical',
      rank: 89,
      topic: 'volume',
      says: `the volume of claim ${name} does not work: ${quotable(newest.message ?? '')}`,
      evidence: [quoteEvent(newest, `persistentvolumeclaim/${name}`)],
      try: evidence.users.slice(0, 1).map((pod) => why(`pod/${pod}`)),
    },
  ];
};

const ILL = ['VolumeMountLost', 'VolumeStale', 'VolumeHangs', 'VolumeReadOnly', 'VolumeConditionAbnormal'];

/** The provisioner that the server named on the claim. */
function provisionerOf({ claim: { claim } }: ClaimSubjectEvidence): string {
  const name = claim?.metadata?.annotations?.['volume.kubernetes.io/storage-provisioner'];
  return name === undefined ? '' : ` ${quotable(name)}`;
}

export const CLAIM_RULES: readonly ClaimRule[] = [
  attachment,
  away,
  ill,
  lost,
  deleting,
  pending,
  full,
  expansionTrouble,
];

/** The used share; undefined: not known, or the file system has no such limit. */
function shareOf(all: number | undefined, free: number | undefined): number | undefined {
  return all === undefined || free === undefined || all <= 0 ? undefined : 1 - free / all;
}

function forUsers({ users }: ClaimSubjectEvidence): string {
  return users.length === 0 ? '' : `; ${plural(users.length, 'pod uses', 'pods use')} it: ${listed(users)}`;
}

function phaseQuote({ claim: { name, claim } }: ClaimSubjectEvidence): Quote {
  return { source: 'object', object: `persistentvolumeclaim/${name}`, says: claim?.status?.phase ?? 'no phase' };
}

function field(name: string, path: string, value: string): Quote {
  return { source: 'field', of: `persistentvolumeclaim/${name}`, path, value };
}
