/** Rule: a volume that a driver or another machine serves does not work, cannot be unmounted, or waits for a driver that is gone. */
import { VOLUME_PROBLEM } from '../../api/index.ts';
import { eventsWith, quoteEvent } from '../facts/events.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import { quotable } from '../facts/text.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING, type PodRule } from '../rule.ts';
import { awaitsVolumes } from './missing-config.ts';

export const driverVolumes: PodRule = (facts) => [...problem(facts), ...unregistered(facts), ...unmount(facts)];

/** As the node says it in the pod's condition. */
function problem(facts: PodFacts): readonly RankedFinding[] {
  const told = facts.condition(VOLUME_PROBLEM);
  if (told?.status !== 'True' || facts.finished || facts.deleting) return NOTHING;
  const isTold = told.reason === 'Abnormal';
  const says = isTold ? 'the driver of a volume' : 'a volume';
  return [
    {
      id: 'volume-problem',
      // Its driver warns; the volume may still work.
      severity: isTold ? 'warning' : 'critical',
      rank: 96,
      topic: 'volume-problem',
      says: `${says} of pod ${facts.name} ${isTold ? 'warns' : 'does not work'}: ${quotable(told.message ?? '')}`,
      evidence: [
        {
          source: 'field',
          path: `status.conditions[${VOLUME_PROBLEM}]`,
          value: `${told.reason ?? ''}: ${quotable(told.message ?? '')}`,
        },
      ],
      try: [facts.commands.mendlet('restart', `pod/${facts.name}`), ...nodeCommands(facts)],
    },
  ];
}

const GONE = /driver name (\S+) not found in the list of registered CSI drivers/;

function unregistered(facts: PodFacts): readonly RankedFinding[] {
  const reasons = facts.deleting ? ['FailedUnMount'] : awaitsVolumes(facts) ? ['FailedMount', 'FailedMapVolume'] : [];
  const [event] = eventsWith(facts.events, ...reasons);
  const driver = GONE.exec(event?.message ?? '')?.[1];
  if (event === undefined || driver === undefined) return NOTHING;
  const node = facts.pod.spec?.nodeName ?? '';
  const what = facts.deleting ? 'cannot end: its volume waits for' : 'cannot start: its volume waits for';
  const { cluster } = facts.commands;
  return [
    {
      id: 'driver-not-registered',
      severity: 'critical',
      rank: 89,
      topic: facts.deleting ? 'delete' : 'volumes',
      says: `pod ${facts.name} ${what} CSI driver ${quotable(driver)}, which is not registered on node ${node}`,
      evidence: [quoteEvent(event)],
      try: [
        cluster('get', 'pods', '-A', '--field-selector', `spec.nodeName=${node}`),
        cluster('get', 'csinode', node, '-o', 'yaml'),
        cluster('get', 'daemonsets', '-A'),
      ],
    },
  ];
}

/** A pod that is deleted, and whose volume stays mounted. */
function unmount(facts: PodFacts): readonly RankedFinding[] {
  const [event] = facts.deleting ? eventsWith(facts.events, 'FailedUnMount') : [];
  const message = event?.message ?? '';
  if (event === undefined || GONE.test(message)) return NOTHING;
  const volume = /volume "([^"]+)"/.exec(message)?.[1];
  const which = volume === undefined ? 'a volume' : `volume ${volume}`;
  const path = /(\/[^\s:"]+): (?:target|device) is busy/.exec(message)?.[1];
  return [
    {
      id: 'volume-unmount',
      severity: 'critical',
      rank: 88,
      topic: 'delete',
      says: `pod ${facts.name} cannot end: ${which} cannot be unmounted${whyUnmount(message)}`,
      evidence: [quoteEvent(event)],
      try: [
        // On the node: who has it open, and in whose mounts it is.
        ...(path === undefined ? [] : [`fuser -vm ${quotable(path)}`, `grep -l ${quotable(path)} /proc/*/mountinfo`]),
        ...nodeCommands(facts),
        facts.commands.kubectl('describe', `pod/${facts.name}`),
      ],
    },
  ];
}

function whyUnmount(message: string): string {
  if (/is busy/.test(message)) return ', since a process on its node still uses it';
  if (/hangs|deadline|timed? ?out|no answer/i.test(message)) return ', since its driver or server does not answer';
  if (/staged anew when no pod has it/.test(message)) return ' until other pods have let it go';
  return '';
}

function nodeCommands({ pod, commands }: PodFacts): readonly string[] {
  return pod.spec?.nodeName === undefined ? [] : [commands.whyNode(pod.spec.nodeName)];
}
