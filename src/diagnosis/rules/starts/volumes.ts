/** Rule: a claim is missing or unbound, or a volume cannot be mounted. */
import { SELECTED_NODE } from '../../../api/index.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { because } from '../../facts/words/innermost.ts';
import { unplacedText } from '../../facts/placement/placement.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { noClassText } from '../../facts/placement/storage-classes.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import {
  hasVolumesOfClass,
  namedVolumeTrouble,
  missingClassText,
  nearVolume,
  noVolumeText,
} from '../../facts/placement/volume-fit.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NORMAL_START_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { awaitsVolumes } from './missing-config.ts';
import { isRefused } from './unschedulable.ts';

/** A claim for volumes that somebody makes by hand is bound within this time, where one fits, ms. */
const NO_VOLUME_MS = 10_000;

export const volumes: PodRule = (facts) => {
  if (!awaitsVolumes(facts)) return NOTHING;
  return [...claims(facts), ...mount(facts)];
};

function claims(facts: PodFacts): readonly RankedFinding[] {
  return facts.evidence.claims.flatMap((claim) => oneClaim(facts, claim));
}

function oneClaim(facts: PodFacts, given: ClaimEvidence): readonly RankedFinding[] {
  const { name, missing, similar = [], claim, volumeMissing, volumes: all, events } = given;
  const { kubectl, cluster } = facts.commands;
  const base = { severity: 'critical' as const, topic: 'claims' };
  if (missing) {
    const says = `pod ${facts.name} cannot start: there is no PersistentVolumeClaim ${name}${similar.length === 0 ? '' : `; similar names: ${listed(similar)}`}`;
    const told = facts.condition('PodScheduled')?.message;
    const evidence: readonly Quote[] = [
      { source: 'object', object: `persistentvolumeclaim/${name}`, says: 'not found' },
      ...volumeField(facts, name),
      ...(told === undefined
        ? []
        : [{ source: 'field' as const, path: 'status.conditions[PodScheduled]', value: quotable(told) }]),
    ];
    return [{ ...base, id: 'claim-missing', rank: 92, says, evidence, try: [kubectl('get', 'pvc')] }];
  }
  const phase = claim?.status?.phase;
  if (phase === 'Lost' || (volumeMissing === true && phase !== 'Pending')) {
    const says = `pod ${facts.name} cannot start: the volume of its claim ${name} is gone`;
    const evidence: readonly Quote[] = [
      { source: 'object', object: `persistentvolumeclaim/${name}`, says: phase ?? '' },
      {
        source: 'field',
        of: `persistentvolumeclaim/${name}`,
        path: 'spec.volumeName',
        value: claim?.spec?.volumeName ?? '',
      },
    ];
    return [
      {
        ...base,
        id: 'claim-lost',
        rank: 92,
        says,
        evidence,
        try: [kubectl('describe', `pvc/${name}`), cluster('get', 'pv')],
      },
    ];
  }
  if (claim?.metadata?.deletionTimestamp) {
    const says = `pod ${facts.name} cannot start: its claim ${name} is being deleted`;
    const at: Quote = {
      source: 'field',
      of: `persistentvolumeclaim/${name}`,
      path: 'metadata.deletionTimestamp',
      value: claim.metadata.deletionTimestamp,
    };
    return [
      { ...base, id: 'claim-deleting', rank: 91, says, evidence: [at], try: [kubectl('describe', `pvc/${name}`)] },
    ];
  }
  const noClass = missingClassText(given);
  // No time makes up for a class that does not exist.
  const isYoung = facts.ageMs < NORMAL_START_MS && noClass === undefined;
  if (phase !== 'Pending' || (isYoung && facts.ageMs < NO_VOLUME_MS)) return NOTHING;
  const [event] = eventsWith(
    events,
    'ProvisioningFailed',
    'FailedBinding',
    'VolumeMismatch',
    'ExternalProvisioning',
    'WaitForFirstConsumer',
    'WaitForPodScheduled',
  );
  // Its volume is made on the pod's node: the rule about places says why it has none.
  if ((event === undefined || event.reason?.startsWith('WaitFor') === true) && isRefused(facts)) {
    return NOTHING;
  }
  const storageClass = claim?.spec?.storageClassName;
  const named = namedVolumeTrouble(given);
  const isStatic = event?.reason === 'FailedBinding' || hasVolumesOfClass(storageClass ?? '', all);
  const near = isStatic && named === undefined ? nearVolume(claim, all) : undefined;
  // Nobody makes a volume for it, and those that are there do not fit: time does not help, either.
  if (isYoung && named === undefined && near === undefined) return NOTHING;
  const isWaiting =
    event?.reason?.startsWith('WaitFor') === true && claim?.metadata?.annotations?.[SELECTED_NODE] === undefined;
  const unplaced = isWaiting ? unplacedText(facts) : undefined;
  const told = named?.why ?? noClass ?? unplaced ?? (isStatic ? noVolumeText(claim, near) : undefined);
  const why = told === undefined ? pendingWhy(event?.reason, event?.message ?? '', given) : `: ${told}`;
  return [
    {
      ...base,
      id: 'claim-pending',
      rank: 90,
      says: `pod ${facts.name} cannot start: its claim ${name} has no volume yet${why}`,
      evidence: [
        { source: 'object', object: `persistentvolumeclaim/${name}`, says: 'Pending' },
        ...(event === undefined ? [] : [quoteEvent(event, `persistentvolumeclaim/${name}`)]),
        {
          source: 'field',
          of: `persistentvolumeclaim/${name}`,
          path: 'spec.storageClassName',
          value: storageClass ?? 'not set',
        },
        ...(named?.quotes ?? []),
        ...(near === undefined ? [] : [near.quote]),
        ...(unplaced === undefined
          ? []
          : [{ source: 'field' as const, path: 'spec.nodeName', value: facts.pod.spec?.nodeName ?? '' }]),
      ],
      try: [
        ...(named?.next ?? near?.fix ?? []),
        kubectl('describe', `pvc/${name}`),
        cluster('get', 'storageclasses'),
        cluster('get', 'pv'),
      ],
    },
  ];
}

function pendingWhy(reason: string | undefined, message: string, { claim, otherClasses }: ClaimEvidence): string {
  if (reason === 'ProvisioningFailed' && /not found/.test(message))
    return `: ${noClassText(claim?.spec?.storageClassName, otherClasses)}`;
  if (reason === 'ExternalProvisioning') return ': its provisioner has not made one';
  if (reason === 'ProvisioningFailed') return `: ${quotable(message)}`;
  return '';
}

function volumeField({ pod }: PodFacts, claim: string): readonly Quote[] {
  return (pod.spec?.volumes ?? []).flatMap((volume, index): readonly Quote[] =>
    volume.persistentVolumeClaim?.claimName === claim
      ? [{ source: 'field', path: `spec.volumes[${index}].persistentVolumeClaim.claimName`, value: claim }]
      : [],
  );
}

function mount(facts: PodFacts): readonly RankedFinding[] {
  const failed = eventsWith(facts.events, 'FailedMount', 'FailedMapVolume');
  // Missing ConfigMaps and Secrets have their own rule, and "unmounted volumes" only summarizes other events.
  const own = failed.filter(
    ({ message = '' }) => !/(configmap|secret) "[^"]+" not found|non-existent \w+ key/i.test(message),
  );
  const event = own.find(({ message = '' }) => !/unmounted volumes/i.test(message)) ?? own[0];
  if (event === undefined) return NOTHING;
  const volume = /volume "([^"]+)"/.exec(event.message ?? '')?.[1];
  return [
    {
      id: 'volume-mount',
      severity: 'critical',
      rank: 82,
      topic: 'volumes',
      fallback: /unmounted volumes/i.test(event.message ?? ''),
      says: `pod ${facts.name} cannot start: ${volume === undefined ? 'a volume' : `volume ${volume}`} cannot be mounted${because(event.message)}${otherRuntime(facts, event.message ?? '')}`,
      evidence: [quoteEvent(event), ...definitionOf(facts, volume)],
      try: facts.commands.edit,
    },
  ];
}

/** The socket of a runtime that the node does not have. */
function otherRuntime({ evidence }: PodFacts, message: string): string {
  const runtime = evidence.node?.node?.status?.nodeInfo?.containerRuntimeVersion?.split(':')[0];
  const asked = /\/(docker|containerd|crio)\b[^\s"]{0,60}\.sock\b/.exec(message)?.[1];
  if (runtime === undefined || runtime === '' || asked === undefined) return '';
  const isOwn = asked === 'crio' ? runtime === 'cri-o' : runtime === asked;
  return isOwn ? '' : `: its node runs ${runtime}, and has no socket of ${asked}`;
}

function definitionOf({ pod }: PodFacts, name: string | undefined): readonly Quote[] {
  const volumes = pod.spec?.volumes ?? [];
  const index = volumes.findIndex((volume) => volume.name === name);
  if (index === -1) return [];
  return [{ source: 'field', path: `spec.volumes[${index}]`, value: JSON.stringify(volumes[index]).slice(0, 300) }];
}
