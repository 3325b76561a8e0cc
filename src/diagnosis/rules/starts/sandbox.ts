/** Rule: the runtime cannot create the pod's sandbox or network. */
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { because } from '../../facts/words/innermost.ts';
import { limitQuote, memoryLimit } from '../../facts/pod/memory.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import type { Event } from '../../evidence/kinds.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { awaitsVolumes } from './missing-config.ts';

/** Messages of runc about sandboxes and containers. */
export const TOO_LITTLE_MEMORY = /OOM-killed|memory limit too low|memory limit .*(?:too low|below)/i;

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
  { id: 'sandbox-sysctl', pattern: /sysctl|\/proc\/sys\//i, says: 'a sysctl that it asks for cannot be set' },
  {
    id: 'sandbox-image',
    pattern: /failed to (?:get|pull) sandbox image|pause/i,
    says: 'the image of sandboxes cannot be had on its node',
  },
  {
    id: 'memory-limit-too-low',
    pattern: TOO_LITTLE_MEMORY,
    says: 'its memory limit is too low even to begin',
  },
  { id: 'sandbox-cgroup', pattern: /cgroup/i, says: 'its cgroup cannot be made' },
];

export const sandbox: PodRule = (facts) => {
  const [event] = eventsWith(facts.events, 'FailedCreatePodSandBox', 'NetworkNotReady', 'FailedCreatePodContainer');
  if (event === undefined || !isWaiting(facts)) return NOTHING;
  return [finding(facts, event)];
};

/** Whether the pod has no sandbox, or lost it, and none of its containers runs. */
function isWaiting(facts: PodFacts): boolean {
  return awaitsVolumes(facts) && facts.condition('PodReadyToStartContainers')?.status !== 'True';
}

function finding(facts: PodFacts, event: Event): RankedFinding {
  const message = event.message ?? '';
  const kind = event.reason === 'NetworkNotReady' ? KINDS[2] : KINDS.find(({ pattern }) => pattern.test(message));
  const { nodeName = '' } = facts.pod.spec ?? {};
  return {
    id: kind?.id ?? 'sandbox',
    severity: 'critical',
    rank: 86,
    // The limit that is too small for any is the cause, and its own rule reports it.
    fallback:
      kind?.id === 'sandbox-cgroup' || kind?.id === 'memory-limit-too-low' || /cannot allocate memory/i.test(message),
    topic: 'start',
    says: `pod ${facts.name} cannot start on node ${nodeName}: ${kind?.says ?? 'the runtime cannot make its sandbox'}${because(message)}`,
    evidence: [quoteEvent(event), ...fieldsOf(facts, kind?.id)],
    try: commandsFor(facts, kind?.id),
  };
}

function fieldsOf({ pod, containers }: PodFacts, id: string | undefined): readonly Quote[] {
  const { runtimeClassName } = pod.spec ?? {};
  if (id === 'runtime-class' && runtimeClassName !== undefined) {
    return [{ source: 'field', path: 'spec.runtimeClassName', value: runtimeClassName }];
  }
  if (id !== 'memory-limit-too-low') return [];
  return containers.flatMap((container) => limitQuote(memoryLimit(container)));
}

function commandsFor({ commands, pod, name }: PodFacts, id: string | undefined): readonly string[] {
  const { nodeName = '', runtimeClassName } = pod.spec ?? {};
  if (id === 'memory-limit-too-low') return commands.edit;
  if (id !== 'runtime-class' || runtimeClassName === undefined) {
    return [commands.whyNode(nodeName), commands.kubectl('describe', `pod/${name}`)];
  }
  return [
    commands.cluster('get', 'runtimeclass', runtimeClassName, '-o', 'yaml'),
    commands.cluster('get', 'runtimeclasses'),
  ];
}
