/** Gathers all evidence about a workload or a node: its object, and its pods, unhealthy ones first. */
import {
  type DaemonSet,
  EVENTS,
  formatLabelSelector,
  isConditionTrue,
  isControlledBy,
  labelSelectorOf,
  type LabelSelector,
  type Node,
  NODES,
  type Pod,
  PODS,
  REPLICA_SETS,
} from '../../api/index.ts';
import {
  goneServicesOf,
  type NodeSubjectEvidence,
  type PodEvidence,
  type WorkloadEvidence,
  type WorkloadObject,
} from '../../diagnosis/index.ts';
import { type Asker } from './ask.ts';
import { autoscalersOf } from './gather-autoscaler.ts';
import { gatherDriversOfNode, podsOfNode } from './gather-drivers.ts';
import { gatherCreation } from './gather-creation.ts';
import { gatherGonePods } from './gather-history.ts';
import { gatherServices } from './gather-services.ts';
import { gatherNode } from './gather-node.ts';
import { isUnwell, urgency } from './urgency.ts';
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
  const [sets, candidates, autoscalers] = await Promise.all([
    workload.kind === 'Deployment' ? asker.list('replicasets', REPLICA_SETS, query) : [],
    asker.list(`pods in namespace ${namespace}`, PODS, query),
    autoscalersOf(asker, workload),
  ]);
  const own = sets.filter((set) => isControlledBy(set, workload));
  const makers: readonly WorkloadObject[] = workload.kind === 'Deployment' ? own : [workload];
  const pods = candidates.filter((pod) => makers.some((maker) => isControlledBy(pod, maker)));
  const fixed = workload.spec?.template?.spec?.nodeName ?? '';
  const [fixedNode, creation, killings] = await Promise.all([
    fixed === '' ? undefined : gatherNode(asker, fixed),
    gatherCreation(asker, workload, own),
    pods[0] === undefined ? [] : killingsIn(asker, pods[0]),
  ]);
  const looked = await gatherPods(asker, pods, (pod) => {
    const maker = makers.find((one) => isControlledBy(pod, one));
    const owners = maker === workload || maker === undefined ? [workload] : [maker, workload];
    return { owners, siblings: pods, killings, namespaceFlag, quiet: isDeep?.(pod) === false };
  });
  const nodes = await nodesFor(asker, workload);
  const isGone = workload.kind === 'Job' && pods.length === 0 && isConditionTrue(workload.status?.conditions, 'Failed');
  const gone = isGone ? await gatherGonePods(asker, workload, creation.events) : undefined;
  const base = { now: asker.now, workload, ...creation, pods, looked, namespaceFlag };
  const goneServices =
    gone === undefined
      ? []
      : await gatherServices(asker, goneServicesOf({ ...base, gone, notLookedAt: [] }), namespace);
  return {
    ...base,
    ...(fixedNode && { fixedNode }),
    ...(goneServices.length > 0 && { goneServices }),
    ...(gone && { gone }),
    ...(nodes && { nodes }),
    autoscalers,
    notLookedAt: asker.notLookedAt,
  };
}

/** All nodes, for a DaemonSet that wants a pod on none. */
async function nodesFor(asker: Asker, workload: WorkloadObject): Promise<readonly Node[] | undefined> {
  if (workload.kind !== 'DaemonSet' || (workload as DaemonSet).status?.desiredNumberScheduled) return undefined;
  const nodes = await asker.listAll('nodes', NODES, { limit: MAX_LISTED });
  // Of more nodes one that is not listed may suit it.
  return nodes === undefined || nodes.length >= MAX_LISTED ? undefined : nodes;
}

function selectorText({ spec }: WorkloadObject): string {
  const selector: LabelSelector | Record<string, string> | undefined = spec?.selector;
  if (selector === undefined) return '';
  // A ReplicationController's selector is a plain map of labels.
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  const parsed = labelSelectorOf(isPlain ? { matchLabels: selector as Record<string, string> } : selector);
  return parsed === undefined ? '' : formatLabelSelector(parsed);
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

function compareNames(a: Pod, b: Pod): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}
