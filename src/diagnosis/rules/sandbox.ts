/** Pods whose sandbox or network the runtime cannot make. */
import { eventsWith, quoteEvent } from '../facts/events.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import type { Event } from '../evidence/kinds.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { NOTHING, type PodRule } from '../rule.ts';
import { awaitsVolumes } from './missing-config.ts';

interface Kind {
  readonly id: string;
  readonly pattern: RegExp;
  readonly says: string;
}

const KINDS: readonly Kind[] = [
  {
    id: 'runtime-class',
    pattern: /no runtime for "([^"]+)" is configured|runtimeclass(?:es)?\S* "?([^"]+)"? not found/i,
    says: 'its node has no runtime for its RuntimeClass',
  },
  {
    id: 'sandbox-no-addresses',
    pattern: /no (?:IP addresses|more IPs?) available|failed to allocate for range|address pool exhausted/i,
    says: "its node's part of the pods' network has no address left",
  },
  {
    id: 'sandbox-network',
    pattern:
      /\bcni\b|failed to (?:set ?up|setup) (?:network|sandbox)|network plugin|NetworkPlugin|failed to find plugin|plugin type=/i,
    says: 'its network cannot be set up',
  },
  { id: 'sandbox-sysctl', pattern: /sysctl/i, says: 'a sysctl that it asks for cannot be set' },
  {
    id: 'sandbox-image',
    pattern: /failed to (?:get|pull) sandbox image|pause/i,
    says: 'the image of sandboxes cannot be had on its node',
  },
  { id: 'sandbox-cgroup', pattern: /cgroup/i, says: 'its cgroup cannot be made' },
];

export const sandbox: PodRule = (facts) => {
  const [event] = eventsWith(facts.events, 'FailedCreatePodSandBox', 'NetworkNotReady', 'FailedCreatePodContainer');
  if (event === undefined || !isWaiting(facts)) return NOTHING;
  return [finding(facts, event)];
};

/** It has no sandbox, or lost it, and nothing of it runs. */
function isWaiting(facts: PodFacts): boolean {
  return awaitsVolumes(facts) && facts.condition('PodReadyToStartContainers')?.status !== 'True';
}

function finding(facts: PodFacts, event: Event): RankedFinding {
  const message = event.message ?? '';
  const kind = event.reason === 'NetworkNotReady' ? KINDS[2] : KINDS.find(({ pattern }) => pattern.test(message));
  const { nodeName = '', runtimeClassName } = facts.pod.spec ?? {};
  const fields: readonly Quote[] =
    runtimeClassName === undefined || kind?.id !== 'runtime-class'
      ? []
      : [{ source: 'field', path: 'spec.runtimeClassName', value: runtimeClassName }];
  return {
    id: kind?.id ?? 'sandbox',
    severity: 'critical',
    rank: 86,
    topic: 'start',
    says: `pod ${facts.name} cannot start on node ${nodeName}: ${kind?.says ?? 'the runtime cannot make its sandbox'}`,
    evidence: [quoteEvent(event), ...fields],
    try:
      kind?.id === 'runtime-class' && runtimeClassName !== undefined
        ? [
            facts.commands.cluster('get', 'runtimeclass', runtimeClassName, '-o', 'yaml'),
            facts.commands.cluster('get', 'runtimeclasses'),
          ]
        : [facts.commands.whyNode(nodeName), facts.commands.kubectl('describe', `pod/${facts.name}`)],
  };
}
