/** Rule: a volume that a driver or another machine serves does not work, cannot be unmounted, or waits for a driver that is gone. */
import {
  driverVolumeOf,
  HEALING_POLICY,
  nameOf,
  namespaceOf,
  readHealingPolicy,
  VOLUME_PROBLEM,
  type VolumeTroubleReason,
} from '../../../api/index.ts';
import { parseDocument } from '../../../lib/index.ts';
import { nodePartTrouble, registrarLog } from '../../facts/placement/driver-parts.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { awaitsVolumes } from './missing-config.ts';

export const driverVolumes: PodRule = (facts) => [
  ...problem(facts),
  ...unregistered(facts),
  ...hanging(facts),
  ...unmount(facts),
];

/** As the node says it in the pod's condition. */
function problem(facts: PodFacts): readonly RankedFinding[] {
  const told = facts.condition(VOLUME_PROBLEM);
  if (told?.status !== 'True' || facts.finished || facts.deleting) return NOTHING;
  const isTold = told.reason === 'Abnormal';
  const says = isTold ? 'the driver of a volume' : 'a volume';
  const policy = policyText(facts, told.reason ?? '');
  return [
    {
      id: 'volume-problem',
      // Its driver warns; the volume may still work.
      severity: isTold ? 'warning' : 'critical',
      rank: 96,
      topic: 'volume-problem',
      says: `${says} of pod ${facts.name} ${isTold ? 'warns' : 'does not work'}: ${quotable(told.message ?? '')}; ${policy.says}`,
      evidence: [
        {
          source: 'field',
          path: `status.conditions[${VOLUME_PROBLEM}]`,
          value: `${told.reason ?? ''}: ${quotable(told.message ?? '')}`,
        },
        ...policy.evidence,
      ],
      try: [facts.commands.mendlet('restart', `pod/${facts.name}`), ...nodeCommands(facts)],
    },
  ];
}

interface PolicyText {
  readonly says: string;
  readonly evidence: readonly Quote[];
}

/** What the pod's policy does about it, and what nobody does. */
function policyText({ pod, events }: PodFacts, reason: string): PolicyText {
  const path = `metadata.annotations[${HEALING_POLICY}]`;
  const text = pod.metadata?.annotations?.[HEALING_POLICY];
  const restartPodOn = restartReasons(text);
  if (!restartPodOn.includes(reason as VolumeTroubleReason)) {
    const says =
      text === undefined
        ? 'no healing policy restarts the pod for that'
        : 'its healing policy does not restart the pod for that';
    const value =
      restartPodOn.length === 0
        ? 'volumes.restartPodOn is not set'
        : `volumes.restartPodOn: ${restartPodOn.join(', ')}`;
    return { says, evidence: text === undefined ? [] : [{ source: 'field', path, value }] };
  }
  const named: Quote = { source: 'field', path, value: `volumes.restartPodOn: ${restartPodOn.join(', ')}` };
  const [spent] = eventsWith(events, 'VolumeNotHealed');
  if (spent === undefined)
    return { says: 'its healing policy restarts the pod with the volume mounted anew', evidence: [named] };
  return { says: 'its healing policy allows no further restart', evidence: [quoteEvent(spent), named] };
}

function restartReasons(text: string | undefined): readonly VolumeTroubleReason[] {
  if (text === undefined) return [];
  try {
    const reading = readHealingPolicy(parseDocument({ text, line: 1 }));
    return reading.ok ? (reading.policy.restartPodOn ?? []) : [];
  } catch {
    return [];
  }
}

const GONE = /driver name (\S+) not found in the list of registered CSI drivers/;

function unregistered(facts: PodFacts): readonly RankedFinding[] {
  const reasons = facts.deleting ? ['FailedUnMount'] : awaitsVolumes(facts) ? ['FailedMount', 'FailedMapVolume'] : [];
  const [event] = eventsWith(facts.events, ...reasons);
  const name = GONE.exec(event?.message ?? '')?.[1];
  if (event === undefined || name === undefined) return NOTHING;
  const node = facts.pod.spec?.nodeName ?? '';
  const what = facts.deleting ? 'cannot end: its volume waits for' : 'cannot start: its volume waits for';
  const { cluster } = facts.commands;
  const driver = facts.evidence.storage?.drivers.find((each) => each.name === name);
  const trouble = driver && nodePartTrouble(driver, facts.evidence.node?.node, node);
  const logs = driver === undefined ? [] : registrarLog(driver, node);
  return [
    {
      id: 'driver-not-registered',
      severity: 'critical',
      rank: 89,
      topic: facts.deleting ? 'delete' : 'volumes',
      says: `pod ${facts.name} ${what} CSI driver ${quotable(name)}, which is not registered on node ${node}${trouble === undefined ? '' : `: ${trouble.says}`}`,
      evidence: [quoteEvent(event), ...(trouble?.evidence ?? [])],
      try: [
        ...(trouble?.try ?? logs),
        ...(trouble === undefined ? [facts.commands.whyNode(node)] : []),
        ...(driver === undefined
          ? [
              cluster('get', 'pods', '-A', '--field-selector', `spec.nodeName=${node}`),
              cluster('get', 'daemonsets', '-A'),
            ]
          : []),
        cluster('get', 'csinode', node, '-o', 'yaml'),
      ],
    },
  ];
}

/** gRPC's words, and the agent's, for a call without an answer. */
const HANGS = /DeadlineExceeded|deadline exceeded|took longer than|timed out waiting for the driver/i;

/** A pod that does not start, because its driver is there and does not answer. */
function hanging(facts: PodFacts): readonly RankedFinding[] {
  if (!awaitsVolumes(facts)) return NOTHING;
  const event = eventsWith(facts.events, 'FailedMount', 'FailedMapVolume').find(
    ({ message = '' }) => !/unmounted volumes/i.test(message),
  );
  const message = event?.message ?? '';
  if (event === undefined || !HANGS.test(message)) return NOTHING;
  const volume = /volume "([^"]+)"/.exec(message)?.[1];
  const name = driverOf(facts, volume);
  if (name === undefined) return NOTHING;
  const node = facts.pod.spec?.nodeName ?? '';
  const driver = facts.evidence.storage?.drivers.find((each) => each.name === name);
  const trouble = driver && nodePartTrouble(driver, facts.evidence.node?.node, node);
  return [
    {
      id: 'driver-hangs',
      severity: 'critical',
      rank: 88,
      topic: 'volumes',
      says: `pod ${facts.name} cannot start: CSI driver ${quotable(name)} on node ${node} does not answer for volume ${volume ?? ''}${trouble === undefined ? '' : `, and ${trouble.says}`}`,
      evidence: [quoteEvent(event), ...(trouble?.evidence ?? [])],
      try: [...(trouble?.try ?? (driver === undefined ? [] : registrarLog(driver, node))), ...nodeCommands(facts)],
    },
  ];
}

/** The driver of a volume by the name that events give it: the PersistentVolume's, or the pod's own. */
function driverOf({ evidence, pod }: PodFacts, volume: string | undefined): string | undefined {
  for (const { volume: persistent } of evidence.claims)
    if (persistent?.metadata?.name === volume) return driverVolumeOf(persistent?.spec)?.driver;
  return pod.spec?.volumes?.find(({ name }) => name === volume)?.csi?.driver;
}

/** A pod that is deleted, and whose volume stays mounted. */
function unmount(facts: PodFacts): readonly RankedFinding[] {
  const [event] = facts.deleting ? eventsWith(facts.events, 'FailedUnMount') : [];
  const message = event?.message ?? '';
  if (event === undefined || GONE.test(message)) return NOTHING;
  const volume = /volume "([^"]+)"/.exec(message)?.[1];
  const which = volume === undefined ? 'a volume' : `volume ${volume}`;
  const path = /(\/[^\s:"]+): (?:target|device) is busy/.exec(message)?.[1];
  const seen = path === undefined ? [] : podsThatSee(facts, path);
  const names = seen.map((each) => `${namespaceOf(each)}/${nameOf(each)}`);
  return [
    {
      id: 'volume-unmount',
      severity: 'critical',
      rank: 88,
      topic: 'delete',
      says: `pod ${facts.name} cannot end: ${which} cannot be unmounted${whyUnmount(message)}${names.length === 0 ? '' : `; ${names.length === 1 ? 'pod' : 'pods'} ${listed(names)} there ${names.length === 1 ? 'sees' : 'see'} that folder, too`}`,
      evidence: [
        quoteEvent(event),
        ...seen.map(
          (each): Quote => ({
            source: 'object',
            object: `pod/${nameOf(each)} (${namespaceOf(each)})`,
            says: `hostPath ${hostPathOver(each, path ?? '') ?? ''}`,
          }),
        ),
      ],
      try: [
        // On the node: who has it open, and in whose mounts it is.
        ...(path === undefined ? [] : [`fuser -vm ${quotable(path)}`, `grep -l ${quotable(path)} /proc/*/mountinfo`]),
        ...nodeCommands(facts),
        facts.commands.kubectl('describe', `pod/${facts.name}`),
      ],
    },
  ];
}

/** Pods of the node with a folder of it in which the path lies: their processes may have it open. The drivers' own are meant to. */
function podsThatSee({ evidence, pod }: PodFacts, path: string) {
  const drivers = new Set(
    (evidence.storage?.drivers ?? []).flatMap(({ parts = [] }) =>
      parts.flatMap(({ pods }) => pods.map((each) => each.metadata?.uid)),
    ),
  );
  return (evidence.storage?.nodePods ?? []).filter(
    (each) =>
      each.metadata?.uid !== pod.metadata?.uid &&
      !drivers.has(each.metadata?.uid) &&
      each.status?.phase === 'Running' &&
      hostPathOver(each, path) !== undefined,
  );
}

function hostPathOver({ spec }: PodFacts['pod'], path: string): string | undefined {
  const folders = (spec?.volumes ?? []).flatMap(({ hostPath }) => (hostPath === undefined ? [] : [hostPath.path]));
  return folders.find((folder) => path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
}

function whyUnmount(message: string): string {
  if (/is busy/.test(message)) return ', since a process on its node still uses it';
  if (/hangs|deadline|timed? ?out|no answer|took longer/i.test(message))
    return ', since its driver or server does not answer';
  if (/staged anew when no pod has it/.test(message)) return ' until other pods have let it go';
  return '';
}

function nodeCommands({ pod, commands }: PodFacts): readonly string[] {
  return pod.spec?.nodeName === undefined ? [] : [commands.whyNode(pod.spec.nodeName)];
}
