/** Gathers all evidence about a workload or a node: its object, and its pods, unhealthy ones first. */
import {
  EVENTS,
  formatLabelSelector,
  isConditionTrue,
  isControlledBy,
  labelSelectorOf,
  type LabelSelector,
  NODES,
  type Pod,
  PODS,
  REPLICA_SETS,
} from '../../api/index.ts';
import type {
  Event,
  NodeSubjectEvidence,
  PodEvidence,
  WorkloadEvidence,
  WorkloadObject,
} from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { gatherDriversOfNode, podsOfNode } from './gather-drivers.ts';
import { gatherNode } from './gather-node.ts';
import { gatherPod, type Known, killingsIn } from './gather-pod.ts';
import { MAX_EVENTS, MAX_LISTED, MAX_PODS } from './limits.ts';

export interface WorkloadWish {
  /** Whether a pod's node is asked what it remembers; absent: the nodes of all pods are. */
  readonly isDeep?: (pod: Pod) => boolean;
}

export async function gatherWorkload(
  asker: Asker,
  workload: WorkloadObject,
  namespaceFlag: string,
  { isDeep }: WorkloadWish = {},
): Promise<WorkloadEvidence> {
  const { namespace = 'default' } = workload.metadata ?? {};
  const query = { namespace, labelSelector: selectorText(workload), limit: MAX_LISTED };
  const [sets, candidates] = await Promise.all([
    workload.kind === 'Deployment' ? asker.list('replicasets', REPLICA_SETS, query) : [],
    asker.list(`pods in namespace ${namespace}`, PODS, query),
  ]);
  const own = sets.filter((set) => isControlledBy(set, workload));
  const makers: readonly WorkloadObject[] = workload.kind === 'Deployment' ? own : [workload];
  const pods = candidates.filter((pod) => makers.some((maker) => isControlledBy(pod, maker)));
  const fixed = workload.spec?.template?.spec?.nodeName ?? '';
  const [fixedNode, events, killings] = await Promise.all([
    fixed === '' ? undefined : gatherNode(asker, fixed),
    eventsOf(asker, [workload, ...own.filter(({ spec }) => (spec?.replicas ?? 0) > 0)]),
    pods[0] === undefined ? [] : killingsIn(asker, pods[0]),
  ]);
  const looked = await gatherPods(asker, pods, (pod) => {
    const maker = makers.find((one) => isControlledBy(pod, one));
    const owners = maker === workload || maker === undefined ? [workload] : [maker, workload];
    return { owners, siblings: pods, killings, namespaceFlag, quiet: isDeep?.(pod) === false };
  });
  return {
    now: asker.now,
    workload,
    events,
    pods,
    looked,
    ...(fixedNode && { fixedNode }),
    notLookedAt: asker.notLookedAt,
    namespaceFlag,
  };
}

function selectorText({ spec }: WorkloadObject): string {
  const selector: LabelSelector | Record<string, string> | undefined = spec?.selector;
  if (selector === undefined) return '';
  // A ReplicationController's selector is a plain map of labels.
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  const parsed = labelSelectorOf(isPlain ? { matchLabels: selector as Record<string, string> } : selector);
  return parsed === undefined ? '' : formatLabelSelector(parsed);
}

async function eventsOf(asker: Asker, objects: readonly WorkloadObject[]): Promise<readonly Event[]> {
  const lists = await Promise.all(
    objects.slice(0, 5).map(({ kind = '', metadata }) =>
      asker.list(`events of ${kind.toLowerCase()}/${metadata?.name ?? ''}`, EVENTS, {
        namespace: metadata?.namespace,
        fieldSelector: `involvedObject.uid=${metadata?.uid ?? ''}`,
        limit: MAX_EVENTS,
      }),
    ),
  );
  return lists.flat();
}

export async function gatherNodeSubject(asker: Asker, name: string): Promise<NodeSubjectEvidence> {
  // A missing node is the caller's error.
  await asker.session.client.get(NODES, undefined, name, asker.session.signal);
  const [node, events, pods, drivers] = await Promise.all([
    gatherNode(asker, name),
    asker.list(`events of node/${name}`, EVENTS, {
      fieldSelector: `involvedObject.kind=Node,involvedObject.name=${name}`,
      limit: MAX_EVENTS,
    }),
    podsOfNode(asker, name),
    gatherDriversOfNode(asker, name),
  ]);
  const looked = await gatherPods(asker, pods.filter(isUnwell), (pod) => ({
    // Siblings on other nodes prove nothing about this node.
    siblings: [],
    killings: [],
    namespaceFlag: `-n ${pod.metadata?.namespace ?? 'default'}`,
  }));
  return { now: asker.now, node, events, pods, looked, ...drivers, notLookedAt: asker.notLookedAt };
}

async function gatherPods(
  asker: Asker,
  pods: readonly Pod[],
  known: (pod: Pod) => Known,
): Promise<readonly PodEvidence[]> {
  const sorted = pods.toSorted((a, b) => urgency(b) - urgency(a) || compareNames(a, b));
  if (sorted.length > MAX_PODS)
    asker.note(`${sorted.length - MAX_PODS} more pods, after the ${MAX_PODS} that look worst`);
  return await Promise.all(sorted.slice(0, MAX_PODS).map((pod) => gatherPod(asker, pod, known(pod))));
}

/** A sort key: pods that are not ready come first, then pods that have restarted; of both, those with more restarts before the others. */
export function urgency(pod: Pod): number {
  const { phase, conditions } = pod.status ?? {};
  if (phase === 'Succeeded') return 0;
  const share = Math.min(0.999, restarts(pod) / 1000);
  return isConditionTrue(conditions, 'Ready') ? share : 1 + share;
}

/** Whether nothing about the pod asks for a closer look: it is ready, or has done its work, and never restarted. */
export function isQuiet(pod: Pod): boolean {
  return !isUnwell(pod) && pod.metadata?.deletionTimestamp === undefined;
}

function isUnwell(pod: Pod): boolean {
  const { phase, conditions } = pod.status ?? {};
  if (phase === 'Succeeded') return false;
  return !isConditionTrue(conditions, 'Ready') || restarts(pod) > 0;
}

function restarts({ status }: Pod): number {
  return [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
}

function compareNames(a: Pod, b: Pod): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
