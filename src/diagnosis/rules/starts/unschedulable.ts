/** Rule: no node fits the pod; the finding explains the scheduler's message part by part, and suggests remedies. */
import { hostPortsClash, hostPortsOf, podRequests, quantityMilliValue } from '../../../api/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import { apartText, companions, nearCompanion } from '../../facts/placement/anti-affinity.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import { holdersText, neverFits, portHolders } from '../../facts/placement/placement.ts';
import { keptText } from '../../facts/pod/rollout-overlap.ts';
import { labelsInstead, wantedLabels } from '../../facts/placement/node-wishes.ts';
import { conditionAgeMs, type PodFacts } from '../../facts/pod/pod-facts.ts';
import { inBrackets, listed } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NORMAL_START_MS, SOON_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { CLAIM_REASONS } from './claim-reasons.ts';
import { recreate } from './recreate.ts';
import { field, type Reason } from './scheduler-reason.ts';

const nodesOf = (facts: PodFacts, ...words: readonly string[]): readonly string[] => [
  facts.commands.cluster('get', 'nodes', ...words),
];
const none = (): readonly Quote[] => [];
/** Labels that say what a node is, and that nobody changes. */
const OF_NODES = /(?:^|\.)(?:kubernetes|k8s)\.io\//;

function spreadKeys({ spec }: PodFacts['pod']): readonly string[] {
  const keys = (spec?.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
  return keys.length === 0 ? ['topology.kubernetes.io/zone'] : [...new Set(keys)];
}

/** Small requests that suit many containers. There is no such default for devices. */
const SMALL_REQUESTS: Readonly<Record<string, string>> = { cpu: '100m', memory: '64Mi' };

/** A number of cpus that no machine has: one of thousandths without its unit. */
const LIKE_MILLI = /^\d{3,}$/;

/** Lowers the request of the container that asks for most. */
function askLess({ commands, containers }: PodFacts, resource: string): readonly string[] {
  const small = SMALL_REQUESTS[resource];
  if (small === undefined || !commands.settable) return commands.edit;
  const requests = containers.map(({ name, spec }) => ({
    name,
    text: spec.resources?.requests?.[resource],
    amount: amountOf(spec.resources?.requests?.[resource]),
  }));
  const [most] = requests.toSorted((a, b) => b.amount - a.amount);
  const which = most === undefined ? [] : ['-c', most.name];
  const less = resource === 'cpu' && LIKE_MILLI.test(most?.text ?? '') ? `${most?.text}m` : small;
  return [commands.kubectl('set', 'resources', commands.target, ...which, `--requests=${resource}=${less}`)];
}

/** Those that the holders have; all where no holder is known. */
function hostPorts({ pod }: PodFacts, holders: readonly Pod[]): readonly string[] {
  const used = holders.flatMap(hostPortsOf);
  return hostPortsOf(pod)
    .filter((port) => used.length === 0 || used.some((each) => hostPortsClash(port, each)))
    .map(({ port, protocol }) => `${port}/${protocol}`);
}

function amountOf(quantity: string | undefined): number {
  return quantity === undefined ? 0 : quantityMilliValue(quantity);
}

/** "6 cpu", "64Gi of memory" */
function amountText(resource: string, amount: string): string {
  return /^(?:memory|ephemeral-storage|hugepages-)/.test(resource)
    ? `${amount} of ${resource}`
    : `${amount} ${resource}`;
}

/** "it", or the init container that alone asks for as much. */
function askerOf({ spec }: Pod, resource: string, asked: string): string {
  const asks = ({ resources }: { readonly resources?: { readonly requests?: Readonly<Record<string, string>> } }) =>
    resources?.requests?.[resource] === asked;
  const init = spec?.initContainers?.find(asks);
  return init === undefined || spec?.containers.some(asks) === true ? 'it' : `its init container ${init.name}`;
}

/** The messages of upstream's scheduler plugins; other messages are quoted unchanged. */
const REASONS: readonly Reason[] = [
  {
    pattern: /^Insufficient (\S+)$/,
    says: ([, resource = ''], nodes, facts, { count, all }) => {
      const { pod } = facts;
      const asked = pod.spec === undefined ? undefined : podRequests(pod.spec)[resource];
      const never = asked === undefined || count < all ? undefined : neverFits(facts, resource, asked);
      if (asked !== undefined && never !== undefined) {
        const meant = resource === 'cpu' && LIKE_MILLI.test(asked) ? `: ${asked}m is meant` : '';
        return `${askerOf(pod, resource, asked)} asks for ${amountText(resource, asked)}, and ${never}${meant}`;
      }
      return `${nodes} not enough ${resource} left${asked === undefined ? '' : ` for the ${asked} that ${askerOf(pod, resource, asked)} asks for`}`;
    },
    fields: ({ containers }, [, resource = '']) =>
      containers.flatMap(({ path, spec }) =>
        field(`${path}.resources.requests.${resource}`, spec.resources?.requests?.[resource]),
      ),
    try: (facts, [, resource = '']) => [facts.commands.cluster('describe', 'nodes'), ...askLess(facts, resource)],
  },
  {
    pattern: /^Too many pods$/,
    says: (_, nodes) => `${nodes} no place for one more pod`,
    fields: none,
    try: (facts) => nodesOf(facts, '-o', 'custom-columns=NAME:.metadata.name,PODS:.status.allocatable.pods'),
  },
  {
    pattern: /didn't match Pod's node affinity\/selector/,
    says: (_, nodes, facts) =>
      `${nodes} not the labels that it asks for${inBrackets(wantedLabels(facts.pod))}${labelsInstead(facts.pod, facts.evidence.placement?.nodes)}`,
    fields: ({ pod }) => [
      ...field('spec.nodeSelector', pod.spec?.nodeSelector),
      ...field('spec.affinity.nodeAffinity', pod.spec?.affinity?.nodeAffinity),
    ],
    try: (facts) => {
      const [[key, value] = []] = Object.entries(facts.pod.spec?.nodeSelector ?? {});
      if (key !== undefined && OF_NODES.test(key)) return [...nodesOf(facts, '--show-labels'), ...facts.commands.edit];
      const label = key === undefined ? [] : [facts.commands.cluster('label', 'node', 'NODE', `${key}=${value}`)];
      return [...nodesOf(facts, '--show-labels'), ...label];
    },
  },
  {
    pattern: /had untolerated taint(?:\(s\)| \{([^}]*)\})/,
    says: ([, taint], nodes) => `${nodes} a taint${taint === undefined ? '' : ` (${taint})`} that it does not tolerate`,
    fields: ({ pod }) =>
      field(
        'spec.tolerations',
        pod.spec?.tolerations?.map(({ key, effect }) => `${key}:${effect ?? ''}`),
      ),
    try: (facts) => nodesOf(facts, '-o', 'custom-columns=NAME:.metadata.name,TAINTS:.spec.taints'),
  },
  {
    pattern: /were unschedulable/,
    says: (_, nodes) => `${nodes} been cordoned`,
    fields: none,
    try: (facts) => [...nodesOf(facts), facts.commands.cluster('uncordon', 'NODE')],
  },
  {
    pattern: /didn't have free ports/,
    says: (_, nodes, facts) => {
      const holders = portHolders(facts);
      const ports = hostPorts(facts, holders);
      return holders.length === 0
        ? `${nodes} a port taken that it wants on the node${inBrackets(ports)}`
        : `${nodes} its host ${ports.length === 1 ? 'port' : 'ports'} ${listed(ports)} taken, by ${holdersText(facts, holders)}${keptText(facts, holders)}`;
    },
    fields: (facts) => [
      ...facts.containers.flatMap(({ path, spec }) =>
        (spec.ports ?? []).flatMap(({ hostPort }, index) =>
          hostPort === undefined ? [] : field(`${path}.ports[${index}].hostPort`, hostPort),
        ),
      ),
      ...portHolders(facts).map(
        (holder): Quote => ({
          source: 'object',
          object: `pod/${holder.metadata?.namespace ?? ''}/${holder.metadata?.name ?? ''}`,
          says: `has ${listed(hostPorts(facts, [holder]))} of node ${holder.spec?.nodeName ?? ''}`,
        }),
      ),
    ],
    try: (facts) => [
      ...recreate(facts, portHolders(facts)),
      facts.commands.cluster(
        'get',
        'pods',
        '-A',
        '-o',
        'custom-columns=NS:.metadata.namespace,NAME:.metadata.name,PORTS:.spec.containers[*].ports[*].hostPort',
      ),
    ],
  },
  {
    pattern: /didn't match pod affinity rules/,
    says: (_, nodes, facts) =>
      `${nodes} none of the pods that its pod affinity asks for${inBrackets(companions(facts.pod.spec?.affinity?.podAffinity))}${nearCompanion(facts)}`,
    fields: ({ pod }) => field('spec.affinity.podAffinity', pod.spec?.affinity?.podAffinity),
    try: (facts) => [facts.commands.kubectl('get', 'pods', '-o', 'wide', '--show-labels')],
  },
  {
    pattern: /didn't match pod anti-affinity rules/,
    says: (_, nodes, facts, share) => apartText(nodes, facts, share),
    fields: ({ pod }) => field('spec.affinity.podAntiAffinity', pod.spec?.affinity?.podAntiAffinity),
    try: (facts) => [facts.commands.kubectl('get', 'pods', '-o', 'wide', '--show-labels')],
  },
  {
    pattern: /didn't satisfy existing pods anti-affinity/,
    says: (_, nodes) => `${nodes} pods whose anti-affinity keeps it away`,
    fields: ({ pod }) => field('metadata.labels', pod.metadata?.labels),
    try: (facts) => [facts.commands.kubectl('get', 'pods', '-o', 'wide', '--show-labels')],
  },
  {
    pattern: /didn't match pod topology spread constraints( \(missing required label\))?/,
    says: ([, missing], nodes, { pod }) =>
      missing === undefined
        ? `${nodes} more of its kind than its spread allows`
        : `${nodes} not the label by which its pods are spread: ${listed(spreadKeys(pod))}`,
    fields: ({ pod }) => field('spec.topologySpreadConstraints', pod.spec?.topologySpreadConstraints),
    try: (facts) => nodesOf(facts, '-L', spreadKeys(facts.pod).join(',')),
  },
  ...CLAIM_REASONS,
  {
    pattern: /had died here|avoids? (?:this|the) node|mendlet\.dev\/avoid-nodes/,
    says: (_, nodes) => `${nodes} been the place of its deaths`,
    fields: ({ pod }) =>
      field('metadata.annotations[mendlet.dev/avoid-nodes]', pod.metadata?.annotations?.['mendlet.dev/avoid-nodes']),
    try: (facts) => facts.commands.edit,
  },
];

export const unschedulable: PodRule = (facts) => {
  const condition = facts.condition('PodScheduled');
  const nodeName = facts.pod.spec?.nodeName;
  if (facts.finished || facts.deleting || (nodeName !== undefined && nodeName !== '')) return NOTHING;
  if (condition?.status !== 'False') return unclaimed(facts);
  if (condition.reason === 'SchedulingGated') return gated(facts);
  const message = condition.message ?? '';
  const [event] = eventsWith(facts.events, 'FailedScheduling');
  const condensed: Quote = {
    source: 'field',
    path: 'status.conditions[PodScheduled]',
    value: `${condition.reason ?? ''}: ${message}`,
  };
  const quotes = [event === undefined || event.message !== message ? condensed : quoteEvent(event)];
  const { known, says, claims } = explained(facts, message);
  return [
    {
      id: 'unschedulable',
      severity: 'critical',
      rank: 85,
      topic: claims ? 'claims' : 'schedule',
      fallback: claims,
      says: `no node takes pod ${facts.name}: ${says}`,
      evidence: [...quotes, ...known.flatMap(({ reason, match }) => reason.fields(facts, match)).slice(0, 4)],
      try: [...new Set(known.flatMap(({ reason, match }) => reason.try(facts, match)))].slice(0, 4),
    },
  ];
};

/** Whether the scheduler found no node for the pod, for another reason than its claims. */
export function isRefused(facts: PodFacts): boolean {
  const { status, reason, message = '' } = facts.condition('PodScheduled') ?? {};
  return status === 'False' && reason !== 'SchedulingGated' && message !== '' && !explained(facts, message).claims;
}

function explained(facts: PodFacts, message: string) {
  const parts = partsOf(message);
  const known = parts.flatMap((part) => explain(part) ?? []);
  const all = parts.reduce((sum, { count }) => sum + count, 0);
  const said = known.map(({ reason, match, count }) =>
    reason.says(match, nodesHave(count, parts), facts, { count, all }),
  );
  // What no reason explains is told in the scheduler's own words.
  const rest = known.length === 0 ? [] : parts.filter((part) => explain(part) === undefined);
  const says = [...said, ...rest.map(({ text, count }) => `${nodesHave(count, parts)} this: ${withoutDot(text)}`)];
  return {
    known,
    says: says.length === 0 ? withoutDot(firstSentence(message)) : listed(says),
    // The rules about claims know the cause.
    claims: known.length === 0 && parts.length > 0 && parts.every(({ text }) => /persistentvolumeclaim/i.test(text)),
  };
}

interface Part {
  readonly count: number;
  readonly text: string;
}

/** "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) …. preemption: …" → its parts. */
function partsOf(message: string): readonly Part[] {
  const body = /nodes are available: (.*)/s.exec(message)?.[1] ?? '';
  const own = body.split(/\.? ?(?:preemption:|no new claims)/)[0]?.replace(/\.\s*$/, '') ?? '';
  return own
    .split(/, (?=\d+ )/)
    .filter((text) => text !== '')
    .map((text) => {
      const match = /^(\d+) (.*)$/s.exec(text);
      return match === null ? { count: 0, text } : { count: Number(match[1]), text: match[2] ?? '' };
    });
}

function explain({ text, count }: Part): { reason: Reason; match: RegExpExecArray; count: number } | undefined {
  for (const reason of REASONS) {
    const match = reason.pattern.exec(text.trim());
    if (match !== null) return { reason, match, count };
  }
  return undefined;
}

/** "1 node has", "2 of 3 nodes have" */
function nodesHave(count: number, parts: readonly Part[]): string {
  const all = parts.reduce((sum, part) => sum + part.count, 0);
  const which = count === all ? `${count}` : `${count} of ${all}`;
  return `${which} ${all === 1 ? 'node has' : 'nodes have'}`;
}

function firstSentence(message: string): string {
  return message.split(/\. (?=preemption|no new)/)[0] ?? message;
}

function withoutDot(text: string): string {
  return text.replace(/\.\s*$/, '');
}

function gated(facts: PodFacts): readonly RankedFinding[] {
  const gates = (facts.pod.spec?.schedulingGates ?? []).map(({ name }) => name);
  if (facts.ageMs < NORMAL_START_MS) return NOTHING;
  return [
    {
      id: 'scheduling-gated',
      severity: 'critical',
      rank: 85,
      topic: 'schedule',
      says: `pod ${facts.name} is held back by its scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${listed(gates)}, which somebody has to remove`,
      evidence: field('spec.schedulingGates', gates),
      try: gates.slice(0, 1).map((gate) => removeGate(facts, gate)),
    },
  ];
}

/** Removes a scheduling gate, which may be removed from an existing pod. */
function removeGate({ commands, name }: PodFacts, gate: string): string {
  const path = '/spec/schedulingGates/0';
  const patch = [
    { op: 'test', path: `${path}/name`, value: gate },
    { op: 'remove', path },
  ];
  return commands.kubectl('patch', `pod/${name}`, '--type=json', '-p', JSON.stringify(patch));
}

/** No scheduler has examined the pod; there may be none of that name. */
function unclaimed(facts: PodFacts): readonly RankedFinding[] {
  const name = facts.pod.spec?.schedulerName ?? 'default-scheduler';
  const waited = conditionAgeMs(facts.condition('PodScheduled'), facts.now) ?? facts.ageMs;
  if (waited < SOON_MS || facts.condition('PodScheduled') !== undefined) return NOTHING;
  return [
    {
      id: 'no-scheduler',
      severity: waited < NORMAL_START_MS ? 'info' : 'critical',
      rank: 80,
      topic: 'schedule',
      says: `no scheduler looks at pod ${facts.name}: nothing in the cluster schedules for schedulerName ${name}`,
      evidence: field('spec.schedulerName', name),
      try: [facts.commands.cluster('get', 'pods', '-n', 'kube-system')],
    },
  ];
}
