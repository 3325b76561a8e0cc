/** Rule: the pod's node is gone, silent, or not ready. */
import { findCondition } from '../../../api/index.ts';
import { quoteEvent, eventsWith } from '../../facts/pod/events.ts';
import { conditionAgeMs, type PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { NOTHING, type PodRule } from '../../rule.ts';

const UNREACHABLE = 'node.kubernetes.io/unreachable';
const NOT_READY = 'node.kubernetes.io/not-ready';

export const nodeLost: PodRule = (facts) => {
  const { node: evidence } = facts.evidence;
  if (evidence === undefined || facts.finished) return NOTHING;
  if (evidence.missing === true)
    return [isFixed(facts, evidence.name) ? noSuchNode(facts, evidence.name) : gone(facts, evidence.name)];
  const ready = findCondition(evidence.node?.status?.conditions, 'Ready');
  if (ready === undefined || ready.status === 'True') return NOTHING;
  return [silent(facts, evidence.name, ready)];
};

/** The node was named by whoever wrote the pod or its template: no scheduler has chosen it. */
function isFixed(facts: PodFacts, name: string): boolean {
  if (templateNode(facts) === name) return true;
  return facts.pod.status?.phase === 'Pending' && facts.condition('PodScheduled') === undefined;
}

function templateNode({ owner }: PodFacts): string | undefined {
  return owner?.spec?.template?.spec?.nodeName;
}

function noSuchNode(facts: PodFacts, name: string): RankedFinding {
  const { commands } = facts;
  const by = templateNode(facts) === name ? ` by the template of ${commands.target}` : '';
  return {
    ...base(facts),
    id: 'no-such-node',
    says: `pod ${facts.name} is fixed to node ${name}${by} (spec.nodeName), and there is no such node`,
    evidence: [
      { source: 'object', object: `node/${name}`, says: 'not found' },
      { source: 'field', path: 'spec.nodeName', value: name },
    ],
    try: [commands.cluster('get', 'nodes'), ...commands.edit],
  };
}

function gone(facts: PodFacts, name: string): RankedFinding {
  return {
    ...base(facts),
    id: 'node-gone',
    says: `node ${name}, where pod ${facts.name} is to run, does not exist any more`,
    evidence: [{ source: 'object', object: `node/${name}`, says: 'not found' }],
    try: [facts.commands.kubectl('delete', 'pod', facts.name, '--force', '--grace-period=0')],
  };
}

function silent(
  facts: PodFacts,
  name: string,
  ready: {
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTransitionTime?: string | null;
  },
): RankedFinding {
  const { node, renewedAt } = facts.evidence.node ?? {};
  const since = conditionAgeMs({ type: 'Ready', ...ready }, facts.now);
  const lost = ready.status === 'Unknown';
  const taints = (node?.spec?.taints ?? []).filter(({ key }) => key === UNREACHABLE || key === NOT_READY);
  const of = `node/${name}`;
  const evidence: Quote[] = [
    {
      source: 'field',
      of,
      path: 'status.conditions[Ready]',
      value: `${ready.status} ${ready.reason ?? ''}: ${ready.message ?? ''}`,
    },
  ];
  if (renewedAt !== undefined) {
    evidence.push({
      source: 'field',
      of: `lease/${name}`,
      path: 'spec.renewTime',
      value: `${formatAge(facts.now - renewedAt)} ago`,
    });
  }
  for (const { key, effect } of taints.slice(0, 2))
    evidence.push({ source: 'field', of, path: 'spec.taints', value: `${key}:${effect}` });
  const [event] = eventsWith(facts.events, 'NodeNotReady', 'TaintManagerEviction');
  if (event !== undefined) evidence.push(quoteEvent(event));
  const when = since === undefined ? '' : ` for ${formatAge(since)}`;
  return {
    ...base(facts),
    id: lost ? 'node-lost' : 'node-not-ready',
    says: `node ${name} ${lost ? `has not been heard of${when}` : `is not ready${when}`}: what pod ${facts.name} does there is not known${leaving(facts)}`,
    evidence,
    try: [facts.commands.whyNode(name), facts.commands.cluster('describe', of)],
  };
}

/** How long the pod stays on the node, by its tolerations. */
function leaving({ pod }: PodFacts): string {
  const toleration = pod.spec?.tolerations?.find(({ key, effect }) => key === UNREACHABLE && effect === 'NoExecute');
  if (toleration === undefined) return '';
  return toleration.tolerationSeconds === undefined
    ? '; it stays there'
    : `; it leaves after ${toleration.tolerationSeconds}s`;
}

function base(facts: PodFacts) {
  return { severity: 'critical' as const, rank: 98, topic: facts.deleting ? 'delete' : 'node' };
}
