/** Reads the deaths of all pods of a workload or namespace from the nodes that remember them, and its rollouts. */
import {
  CONTROLLER_REVISIONS,
  controllerOf,
  CRON_JOBS,
  DEPLOYMENTS,
  isControlledBy,
  JOBS,
  type KubeObject,
  NAMESPACES,
  NODES,
  type Pod,
  type PodHistory,
  type PodHistoryIndex,
  type PodHistoryList,
  PODS,
  REPLICA_SETS,
  type Resource,
} from '../../api/index.ts';
import { type Rollout, rolloutsOfRecords, rolloutsOfSets } from '../../diagnosis/index.ts';
import { mapLimit } from '../../lib/index.ts';
import { type Asker } from '../why/ask.ts';
import { WORKLOADS } from '../why/owners.ts';
import { fetchHistory } from './fetch-history.ts';
import { type IndexEntry, isMember, type Makers, newestFirst } from './group-members.ts';
import type { GroupKind } from './history-target.ts';
import { MAX_ANSWER_BYTES, MAX_GROUP_LISTED, MAX_GROUP_PODS, MAX_INDEX_BYTES, NODES_AT_ONCE } from './limits.ts';

export interface GroupHistory {
  /** Lives of pods that died. */
  readonly items: readonly PodHistory[];
  readonly rollouts: readonly Rollout[];
  /** What could not be read, or is left out. */
  readonly notes: readonly string[];
}

/** @throws StatusError when the workload does not exist or may not be read */
export async function gatherGroup(asker: Asker, kind: GroupKind, name: string): Promise<GroupHistory> {
  const subject = await subjectOf(asker, kind, name);
  const namespace = kind === 'Namespace' ? name : asker.session.namespace;
  const [makers, all] = await Promise.all([
    makersOf(asker, namespace, kind, subject),
    asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_GROUP_LISTED }),
  ]);
  const uids = new Set(makers.map(({ metadata }) => metadata?.uid));
  const pods = kind === 'Namespace' ? all : all.filter((pod) => uids.has(controllerOf(pod)?.uid));
  const there = makers.map(({ metadata }) => ({ name: metadata?.name ?? '', uid: metadata?.uid ?? '' }));
  const [items, rollouts] = await Promise.all([
    livesOf(asker, namespace, { kind, name, there }, pods),
    rolloutsIn(asker, namespace, { kind, subject }, pods),
  ]);
  return { items, rollouts, notes: asker.notLookedAt };
}

function subjectOf(asker: Asker, kind: GroupKind, name: string): Promise<KubeObject> {
  const { client, namespace, signal } = asker.session;
  if (kind === 'Namespace') return client.get(NAMESPACES, undefined, name, signal);
  const resource: Resource<KubeObject> = kind === 'CronJob' ? CRON_JOBS : WORKLOADS[kind];
  return client.get(resource, namespace, name, signal);
}

/** The objects that make the pods: the workload itself, or what it makes for that. */
async function makersOf(
  asker: Asker,
  namespace: string,
  kind: GroupKind,
  subject: KubeObject,
): Promise<readonly KubeObject[]> {
  const query = { namespace, limit: MAX_GROUP_LISTED };
  if (kind === 'Namespace') return [];
  if (kind !== 'Deployment' && kind !== 'CronJob') return [subject];
  const all: readonly KubeObject[] =
    kind === 'Deployment'
      ? await asker.list('replicasets', REPLICA_SETS, query)
      : await asker.list('jobs', JOBS, query);
  return all.filter((one) => isControlledBy(one, subject));
}

async function livesOf(
  asker: Asker,
  namespace: string,
  makers: Makers,
  pods: readonly Pod[],
): Promise<readonly PodHistory[]> {
  const alive = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
  const nodes = await asker.list('nodes', NODES, { limit: MAX_GROUP_LISTED });
  const names = nodes.map(({ metadata }) => metadata?.name ?? '');
  const indexes = await mapLimit(names, NODES_AT_ONCE, (node) => indexOf(asker, node, namespace));
  const known = indexes.flatMap((index) => index ?? []);
  const entries = newestFirst(
    known.filter((entry) => isMember(makers, alive, entry)),
    alive,
  );
  if (entries.length > MAX_GROUP_PODS)
    asker.note(`${entries.length - MAX_GROUP_PODS} more pods that died, after the first ${MAX_GROUP_PODS}`);
  const silent = new Set(names.filter((_, index) => indexes[index] === undefined));
  // The right to ask nodes is a wide one: without it the server tells of the pods that are there.
  const others = pods.filter(({ spec }) => nodes.length === 0 || silent.has(spec?.nodeName ?? ''));
  const [lives, own] = await Promise.all([
    mapLimit(entries.slice(0, MAX_GROUP_PODS), NODES_AT_ONCE, (entry) => lifeOf(asker, entry)),
    mapLimit(others.slice(0, MAX_GROUP_PODS), NODES_AT_ONCE, (pod) => ownLife(asker, namespace, pod)),
  ]);
  const now = new Date(asker.now).toISOString();
  return [...lives, ...own]
    .flatMap((life) => life ?? [])
    .map((life) => (life.goneAt === undefined && !alive.has(life.metadata.uid) ? { ...life, goneAt: now } : life));
}

/** The pods of the namespace of which a node knows deaths. Undefined: it does not tell. */
async function indexOf(asker: Asker, node: string, namespace: string): Promise<readonly IndexEntry[] | undefined> {
  const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/mendlet/v1/history`;
  const query = `?namespace=${encodeURIComponent(namespace)}`;
  const answer = await asker.text(`pods that are gone from node/${node}`, `${path}${query}`, MAX_INDEX_BYTES);
  const index = answer.kind === 'found' ? (parsed(answer.value) as PodHistoryIndex | undefined) : undefined;
  if (index?.kind === 'PodHistoryIndex' && Array.isArray(index.items))
    return index.items.filter(({ total }) => total > 0).map((item) => ({ ...item, nodeName: node }));
  if (answer.kind === 'found' || answer.kind === 'missing')
    asker.note(`pods that are gone from node/${node}: its agent is none of mendlet’s, or keeps no history`);
  return undefined;
}

async function lifeOf(asker: Asker, { metadata, nodeName }: IndexEntry): Promise<PodHistory | undefined> {
  const path = `/api/v1/nodes/${encodeURIComponent(nodeName)}/proxy/mendlet/v1/history`;
  const query = new URLSearchParams({ namespace: metadata.namespace, pod: metadata.name, uid: metadata.uid });
  const answer = await asker.text(`deaths of pod/${metadata.name}`, `${path}?${query.toString()}`, MAX_ANSWER_BYTES);
  const list = answer.kind === 'found' ? (parsed(answer.value) as PodHistoryList | undefined) : undefined;
  return list?.items?.find(({ metadata: own }) => own.uid === metadata.uid);
}

async function ownLife(asker: Asker, namespace: string, { metadata }: Pod): Promise<PodHistory | undefined> {
  const { name = '', uid } = metadata ?? {};
  try {
    const { items, problems } = await fetchHistory({ ...asker.session, namespace }, { name });
    for (const { node, problem } of problems) asker.note(`deaths of pod/${name} on node/${node}: ${problem}`);
    return items.find((item) => item.metadata.uid === uid);
  } catch (error) {
    if (asker.session.signal.aborted) throw error;
    asker.note(`deaths of pod/${name}: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** The rollouts of one workload, or of all in the namespace. */
async function rolloutsIn(
  asker: Asker,
  namespace: string,
  { kind, subject }: { readonly kind: GroupKind; readonly subject: KubeObject },
  pods: readonly Pod[],
): Promise<readonly Rollout[]> {
  const all = kind === 'Namespace';
  const query = { namespace, limit: MAX_GROUP_LISTED };
  const isMeant = ({ metadata }: KubeObject): boolean => all || metadata?.uid === subject.metadata?.uid;
  const hasSets = all || kind === 'Deployment';
  const hasRecords = all || kind === 'StatefulSet' || kind === 'DaemonSet';
  const [deployments, sets, records] = await Promise.all([
    all ? asker.list('deployments', DEPLOYMENTS, query) : hasSets ? [subject] : [],
    hasSets ? asker.list('replicasets', REPLICA_SETS, query) : [],
    hasRecords ? asker.list('controllerrevisions', CONTROLLER_REVISIONS, query) : [],
  ]);
  const ofSets = deployments.flatMap((one) => {
    const own = sets.filter((set) => isControlledBy(set, one));
    return rolloutsOfSets(`deployment/${one.metadata?.name ?? ''}`, own, pods);
  });
  const owners = new Map(records.flatMap((record) => controllerOf(record) ?? []).map((owner) => [owner.uid, owner]));
  const ofRecords = [...owners.values()]
    .filter(({ uid }) => isMeant({ metadata: { uid } }))
    .flatMap((owner) => {
      const own = records.filter((record) => controllerOf(record)?.uid === owner.uid);
      return rolloutsOfRecords(
        `${owner.kind.toLowerCase()}/${owner.name}`,
        own,
        pods.filter((pod) => controllerOf(pod)?.uid === owner.uid),
      );
    });
  return [...ofSets, ...ofRecords];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
