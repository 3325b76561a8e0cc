/** The rules about a node: silence, its runtime, its network, pressure, a cordon. */
import { findCondition, type NodeCondition } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { NodeSubjectEvidence } from '../evidence/workload-evidence.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../facts/pod/events.ts';
import { badCondition } from '../facts/pod/last-resort.ts';
import { formatAge, quotable, shellWord } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { RECENT_DEATH_MS } from '../limits.ts';
import { NOTHING } from '../rule.ts';
import { DRIVER_RULES } from './driver-rules.ts';

export type NodeRule = (evidence: NodeSubjectEvidence) => readonly RankedFinding[];

/** A lease older than this is late: it is renewed each 10 s, but clocks of machines differ. */
const LATE_LEASE_MS = 5 * 60_000;

interface Kind {
  readonly id: string;
  readonly pattern: RegExp;
  readonly says: string;
  readonly try: (name: string) => readonly string[];
}

const describe = (name: string): readonly string[] => [`kubectl describe ${shellWord(`node/${name}`)}`];

/** Causes by the parts of the kubelet's message, which lists them one after another. */
const KINDS: readonly Kind[] = [
  {
    id: 'runtime-down',
    pattern:
      /container runtime (?:is down|status check may not have completed)|runtime is not ready|RuntimeReady=false/i,
    says: 'its container runtime is down',
    try: (name) => [...describe(name), `systemctl status containerd  # on node ${name}`],
  },
  {
    id: 'pleg-unhealthy',
    pattern: /PLEG is not healthy/i,
    says: 'its runtime does not tell in time what runs (PLEG)',
    try: (name) => [...describe(name), `crictl ps  # on node ${name}`],
  },
  {
    id: 'network-not-ready',
    pattern: /NetworkReady=false|network plugin|cni plugin/i,
    says: "the pods' network is not set up there",
    try: (name) => [...describe(name), `ls /etc/cni/net.d  # on node ${name}`],
  },
  {
    id: 'node-shutdown',
    pattern: /shutting down/i,
    says: 'it is shutting down',
    try: describe,
  },
];

const readiness: NodeRule = (evidence) => {
  const { node, name } = evidence.node;
  const ready = findCondition(node?.status?.conditions, 'Ready');
  if (ready === undefined) return never(evidence);
  if (ready.status === 'True') return NOTHING;
  const since = ageText(evidence, ready.lastTransitionTime);
  const [event] = eventsWith(evidence.events, 'NodeNotReady', 'NodeStatusUnknown');
  const quotes = [
    conditionQuote(ready),
    ...lease(evidence),
    ...taints(evidence),
    ...(event === undefined ? [] : [quoteEvent(event)]),
  ];
  const base = { severity: 'critical' as const, rank: 98, topic: 'ready', evidence: quotes };
  if (ready.status === 'Unknown') {
    const says = `node ${name} has not been heard of${since}`;
    return [{ ...base, id: 'node-lost', says, try: [`ping -c 3 ${address(evidence)}`, ...describe(name)] }];
  }
  const kind = KINDS.find(({ pattern }) => pattern.test(ready.message ?? ''));
  const why = kind?.says ?? 'its agent says so';
  return [
    {
      ...base,
      id: kind?.id ?? 'node-not-ready',
      says: `node ${name} is not ready${since}: ${why}`,
      try: kind?.try(name) ?? describe(name),
    },
  ];
};

function never({ node, now }: NodeSubjectEvidence): readonly RankedFinding[] {
  const created = parseTime(node.node?.metadata?.creationTimestamp ?? undefined);
  if (node.node === undefined || created === undefined || now - created < 60_000) return NOTHING;
  return [
    {
      id: 'node-lost',
      severity: 'critical',
      rank: 98,
      topic: 'ready',
      says: `node ${node.name} has never told of itself`,
      evidence: [{ source: 'field', path: 'status.conditions[Ready]', value: 'no such condition' }],
      try: describe(node.name),
    },
  ];
}

const lateLease: NodeRule = (evidence) => {
  const { node, name, renewedAt } = evidence.node;
  const ready = findCondition(node?.status?.conditions, 'Ready');
  if (renewedAt === undefined || ready?.status !== 'True' || evidence.now - renewedAt < LATE_LEASE_MS) return NOTHING;
  return [
    {
      id: 'lease-late',
      severity: 'warning',
      rank: 60,
      topic: 'lease',
      says: `the lease of node ${name} has not been renewed for ${formatAge(evidence.now - renewedAt)} by the clock of this machine`,
      evidence: lease(evidence),
      try: [`kubectl get lease -n kube-node-lease ${shellWord(name)} -o yaml`],
    },
  ];
};

const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'is short of memory: pods are evicted, and those without requests go elsewhere',
  DiskPressure: 'is short of disk: images are cleared away, pods are evicted, and no new ones come',
  PIDPressure: 'is short of process ids: pods are evicted, and no new ones come',
  NetworkUnavailable: 'has no network for pods',
};

const pressure: NodeRule = (evidence) => {
  const { node, name } = evidence.node;
  return (node?.status?.conditions ?? []).flatMap((condition) => {
    const what = PRESSURES[condition.type];
    if (what === undefined || condition.status !== 'True') return NOTHING;
    const [event] = eventsWith(evidence.events, 'EvictionThresholdMet', 'FreeDiskSpaceFailed', 'ImageGCFailed');
    return [
      {
        id: 'node-pressure',
        severity: 'critical' as const,
        rank: 90,
        topic: condition.type,
        says: `node ${name} ${what}`,
        evidence: [conditionQuote(condition), ...(event === undefined ? [] : [quoteEvent(event)])],
        try: [`kubectl top node ${shellWord(name)}`, ...describe(name)],
      },
    ];
  });
};

/** A condition that somebody else keeps, such as a detector of problems. */
const otherCondition: NodeRule = (evidence) => {
  const { node, name } = evidence.node;
  const others = (node?.status?.conditions ?? []).filter(({ type }) => type !== 'Ready' && !(type in PRESSURES));
  const bad = badCondition({ conditions: others, now: evidence.now });
  if (bad === undefined) return NOTHING;
  const { type, status, reason = '', message = '' } = bad;
  return [
    {
      id: 'node-condition',
      severity: 'warning',
      rank: 50,
      topic: type,
      says: `node ${name} is not as wanted: its condition ${type} is ${status}: ${quotable(message) || reason}`,
      evidence: [{ source: 'field', path: `status.conditions[${type}]`, value: `${status} ${reason}: ${message}` }],
      try: describe(name),
    },
  ];
};

const systemOom: NodeRule = (evidence) => {
  const { name } = evidence.node;
  const [event] = eventsWith(evidence.events, 'SystemOOM');
  if (event === undefined || evidence.now - lastSeenMs(event) > RECENT_DEATH_MS) return NOTHING;
  return [
    {
      id: 'system-oom',
      severity: 'critical',
      rank: 88,
      topic: 'oom',
      says: `node ${name} has run out of memory, and the kernel has killed a process`,
      evidence: [quoteEvent(event)],
      try: [`kubectl top node ${shellWord(name)}`, ...describe(name)],
    },
  ];
};

const cordon: NodeRule = ({ node: { node, name } }) => {
  if (node?.spec?.unschedulable !== true) return NOTHING;
  return [
    {
      id: 'cordoned',
      severity: 'info',
      rank: 40,
      topic: 'cordon',
      says: `node ${name} takes no new pods: somebody has cordoned it`,
      evidence: [{ source: 'field', path: 'spec.unschedulable', value: 'true' }],
      try: [`kubectl uncordon ${shellWord(name)}`],
    },
  ];
};

export const NODE_RULES: readonly NodeRule[] = [
  readiness,
  lateLease,
  pressure,
  otherCondition,
  systemOom,
  cordon,
  ...DRIVER_RULES,
];

function conditionQuote({ type, status, reason, message }: NodeCondition): Quote {
  return { source: 'field', path: `status.conditions[${type}]`, value: `${status} ${reason ?? ''}: ${message ?? ''}` };
}

function lease({ node: { name, renewedAt, leaseSeconds }, now }: NodeSubjectEvidence): readonly Quote[] {
  if (renewedAt === undefined) return [];
  const of = leaseSeconds === undefined ? '' : ` (good for ${leaseSeconds}s)`;
  return [
    { source: 'field', of: `lease/${name}`, path: 'spec.renewTime', value: `${formatAge(now - renewedAt)} ago${of}` },
  ];
}

function taints({ node: { node } }: NodeSubjectEvidence): readonly Quote[] {
  return (node?.spec?.taints ?? [])
    .filter(({ key }) => key.startsWith('node.kubernetes.io/'))
    .slice(0, 2)
    .map(({ key, effect }) => ({ source: 'field', path: 'spec.taints', value: `${key}:${effect}` }));
}

function address({ node: { node, name } }: NodeSubjectEvidence): string {
  return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? name;
}

function ageText({ now }: NodeSubjectEvidence, time: string | null | undefined): string {
  const at = parseTime(time ?? undefined);
  return at === undefined ? '' : ` for ${formatAge(now - at)}`;
}
