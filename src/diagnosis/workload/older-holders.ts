/** Names the pods of an older template that hold the room which a rollout's new pod needs, and that may not go first. Pure. */
import { podRequests, podRequestsInUse, quantityMilliValue } from '../../api/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import { overlapBound, TEMPLATE_HASH } from '../facts/pod/rollout-overlap.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import type { WorkloadFacts } from './workload-facts.ts';

/** The findings of a Deployment's pods, where one that no node takes is told with the older pod that has its room. */
export function withOlderHolders(facts: WorkloadFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => (finding.id === 'unschedulable' ? withHolder(facts, finding) : finding));
}

function withHolder(facts: WorkloadFacts, finding: RankedFinding): RankedFinding {
  const { evidence, target, kubectl } = facts;
  const bound = overlapBound(evidence.workload);
  const waiting = evidence.pods.find(({ metadata }) => finding.pods?.includes(metadata?.name ?? '') === true);
  if (bound === undefined || waiting === undefined) return finding;
  const older = evidence.pods.filter((pod) => isOlder(pod, waiting));
  // One that goes already makes room.
  if (older.some(({ metadata }) => metadata?.deletionTimestamp !== undefined)) return finding;
  const lacking = lackingOf(waiting);
  const holder = older.find(
    (pod) => lacking.length > 0 && lacking.every((one) => amount(pod, one) >= asked(waiting, one)),
  );
  if (holder === undefined || !isAlike(holder, waiting)) return finding;
  const name = holder.metadata?.name ?? '';
  const held = lacking.map((one) => amountText(holder, one)).join(' and ');
  const quotes: readonly Quote[] = [
    { source: 'field', path: bound.path, value: bound.value },
    { source: 'object', object: `pod/${name}`, says: `asks for ${held} on node ${holder.spec?.nodeName ?? ''}` },
  ];
  const patch = JSON.stringify({ spec: { strategy: { rollingUpdate: { maxUnavailable: 1 } } } });
  return {
    ...finding,
    says: `${finding.says}; pod ${name} of the older template holds ${held} there, and ${bound.text} does not let it go first`,
    evidence: [...finding.evidence.slice(0, 2), ...quotes, ...finding.evidence.slice(2)],
    try: [kubectl('patch', target, '-p', patch), ...finding.try],
  };
}

function isOlder({ metadata, spec, status }: Pod, waiting: Pod): boolean {
  const hash = metadata?.labels?.[TEMPLATE_HASH];
  const other = waiting.metadata?.labels?.[TEMPLATE_HASH];
  return (
    hash !== undefined &&
    other !== undefined &&
    hash !== other &&
    (metadata?.creationTimestamp ?? '') < (waiting.metadata?.creationTimestamp ?? '') &&
    (spec?.nodeName ?? '') !== '' &&
    status?.phase !== 'Succeeded' &&
    status?.phase !== 'Failed'
  );
}

/** The resources of which the scheduler found too little. */
function lackingOf({ status }: Pod): readonly string[] {
  const message = status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';
  const [own = ''] = message.split(/preemption:/);
  return [...new Set([...own.matchAll(/\bInsufficient ([\w./-]*\w)/g)].map(([, resource = '']) => resource))];
}

/** Whether the new pod may run where the older one does, as far as the two wish for nodes. */
function isAlike(older: Pod, waiting: Pod): boolean {
  const wishes = ({ spec }: Pod): string =>
    JSON.stringify([spec?.nodeSelector, spec?.affinity?.nodeAffinity, tolerations(spec?.tolerations)]);
  return wishes(older) === wishes(waiting);
}

/** Without those that admission adds for the node's own state. */
function tolerations(all: NonNullable<Pod['spec']>['tolerations'] = []): unknown {
  return all.filter(({ key = '' }) => !key.startsWith('node.kubernetes.io/'));
}

function amount(pod: Pod, resource: string): number {
  const held = podRequestsInUse(pod)[resource];
  return held === undefined ? 0 : quantityMilliValue(held);
}

function asked({ spec }: Pod, resource: string): number {
  const wants = spec === undefined ? undefined : podRequests(spec)[resource];
  return wants === undefined ? Number.POSITIVE_INFINITY : quantityMilliValue(wants);
}

/** "13Gi", "2 cpu" */
function amountText(pod: Pod, resource: string): string {
  const held = podRequestsInUse(pod)[resource] ?? '0';
  return resource === 'memory' || resource === 'ephemeral-storage' ? held : `${held} ${resource}`;
}
