/** Diagnoses a claim: whether it has a volume, and whether that can be reached. Pure. */
import type { ClaimSubjectEvidence } from './evidence/claim-evidence.ts';
import { eventsWith, quoteEvent } from './facts/events.ts';
import { volumeChoices, type VolumeCommands, type VolumeTrouble, volumeTrouble } from './facts/local-volumes.ts';
import { formatAge, listed, plural, shellWord } from './facts/text.ts';
import type { Diagnosis, Quote, RankedFinding } from './finding.ts';
import { NORMAL_START_MS } from './limits.ts';
import { ordered, told } from './order-findings.ts';

export function diagnoseClaim(evidence: ClaimSubjectEvidence): Diagnosis {
  const { namespace, claim } = evidence;
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'persistentvolumeclaim', namespace, name: claim.name, uid: claim.claim?.metadata?.uid },
    state: stateOf(evidence),
    findings: told(ordered([...away(evidence), ...lost(evidence), ...deleting(evidence), ...pending(evidence)])),
    notLookedAt: evidence.notLookedAt,
  };
}

function stateOf({ claim: { claim, home }, pods }: ClaimSubjectEvidence): string {
  const { phase = 'Pending' } = claim?.status ?? {};
  const volume = claim?.spec?.volumeName ?? '';
  const bound = volume === '' ? phase : `${phase} to ${volume}${home === undefined ? '' : ` on node ${home.name}`}`;
  return `${bound}, used by ${pods.length === 0 ? 'no pod' : plural(pods.length, 'pod')}`;
}

function commandsOf({
  namespaceFlag,
}: ClaimSubjectEvidence): VolumeCommands & { readonly kubectl: VolumeCommands['cluster'] } {
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  return {
    kubectl: (...words) => ['kubectl', ...flag, ...words.map(shellWord)].join(' '),
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    mendlet: (...words) => ['mendlet', ...words.map(shellWord), ...flag].join(' '),
    whyNode: (name) => `mendlet why ${shellWord(`node/${name}`)}`,
  };
}

function away(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const { claim, now, pods } = evidence;
  const trouble = volumeTrouble(claim, now);
  if (trouble === undefined) return [];
  const names = pods.map(({ metadata }) => metadata?.name ?? '');
  return [
    {
      id: `volume-${trouble.kind}`,
      severity: 'critical',
      rank: 99,
      topic: 'volume',
      says: awayText(claim.name, names, trouble),
      evidence: trouble.evidence,
      try: volumeChoices(trouble, claim.name, commandsOf(evidence)),
    },
  ];
}

function awayText(claim: string, pods: readonly string[], { kind, node, what }: VolumeTrouble): string {
  if (kind === 'folder-lost') return `the data of claim ${claim} is lost: node ${node} ${what}`;
  if (kind === 'disk-problem') return `the disk of the volume of claim ${claim} does not work: node ${node} ${what}`;
  const who = pods.length === 0 ? 'pods that use it wait' : `${listed(pods)} ${pods.length === 1 ? 'waits' : 'wait'}`;
  return `the volume of claim ${claim} is a folder on the disk of node ${node}, which ${what}: ${who} for that node, since no other has the data`;
}

function lost(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const { claim, name, volumeMissing } = evidence.claim;
  const phase = claim?.status?.phase;
  if (phase !== 'Lost' && volumeMissing !== true) return [];
  const { kubectl, cluster } = commandsOf(evidence);
  const of = `persistentvolumeclaim/${name}`;
  return [
    {
      id: 'claim-lost',
      severity: 'critical',
      rank: 92,
      topic: 'volume',
      says: `the volume of claim ${name} is gone`,
      evidence: [
        { source: 'object', object: of, says: phase ?? '' },
        { source: 'field', of, path: 'spec.volumeName', value: claim?.spec?.volumeName ?? '' },
      ],
      try: [kubectl('describe', `pvc/${name}`), cluster('get', 'pv')],
    },
  ];
}

function deleting(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const { claim, name } = evidence.claim;
  const at = claim?.metadata?.deletionTimestamp;
  if (at === undefined || at === null) return [];
  const users = evidence.pods.filter(({ spec }) => spec?.nodeName).map(({ metadata }) => metadata?.name ?? '');
  const held =
    users.length === 0 ? '' : `, and stays until ${listed(users)} ${users.length === 1 ? 'has' : 'have'} ended`;
  return [
    {
      id: 'claim-deleting',
      severity: 'warning',
      rank: 91,
      topic: 'deletion',
      says: `claim ${name} is being deleted${held}`,
      evidence: [
        { source: 'field', path: 'metadata.deletionTimestamp', value: at },
        { source: 'field', path: 'metadata.finalizers', value: JSON.stringify(claim?.metadata?.finalizers ?? []) },
      ],
      try: [commandsOf(evidence).kubectl('describe', `pvc/${name}`)],
    },
  ];
}

/** A claim that waits for its first pod is well. */
function pending(evidence: ClaimSubjectEvidence): readonly RankedFinding[] {
  const { claim, name, events } = evidence.claim;
  if ((claim?.status?.phase ?? 'Pending') !== 'Pending' || claim === undefined) return [];
  const [failure] = eventsWith(events, 'ProvisioningFailed', 'FailedBinding', 'VolumeMismatch');
  const [waits] = eventsWith(events, 'WaitForFirstConsumer');
  if (failure === undefined && (waits !== undefined || evidence.pods.length === 0)) return [];
  const ageMs = evidence.now - Date.parse(claim.metadata?.creationTimestamp ?? '');
  if (failure === undefined && !(ageMs >= NORMAL_START_MS)) return [];
  const { kubectl, cluster } = commandsOf(evidence);
  const event: readonly Quote[] = failure === undefined ? [] : [quoteEvent(failure)];
  const storageClass = claim.spec?.storageClassName ?? 'not set';
  return [
    {
      id: 'claim-pending',
      severity: 'critical',
      rank: 90,
      topic: 'volume',
      says: `claim ${name} has no volume${Number.isNaN(ageMs) ? '' : ` after ${formatAge(ageMs)}`}`,
      evidence: [...event, { source: 'field', path: 'spec.storageClassName', value: storageClass }],
      try: [kubectl('describe', `pvc/${name}`), cluster('get', 'storageclasses'), cluster('get', 'pv')],
    },
  ];
}
