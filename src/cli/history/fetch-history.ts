/**
 * Reads a pod's history: mendlet's own server serves it as pods/NAME/history; with another server the pod's node is asked
 * through it, and all nodes when the pod is gone.
 */
import {
  isConditionTrue,
  isNotFound,
  type Node,
  NODES,
  type Pod,
  type PodHistory,
  type PodHistoryList,
  podLives,
  PODS,
  type Status,
  StatusError,
  type UnaskedNode,
} from '../../api/index.ts';
import { abortable, decodeText, mapLimit, readAll, withDeadline } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import {
  MAX_ANSWER_BYTES,
  NODE_TIMEOUT_MS,
  NODES_AT_ONCE,
  UNREADY_NODE_TIMEOUT_MS,
  UNREADY_NODES_AT_ONCE,
} from './limits.ts';

export interface HistoryAnswer {
  /** The existing pod first, even when it has no deaths, then pods that are gone, the latest first. */
  readonly items: readonly PodHistory[];
  /** Nodes that did not answer. */
  readonly problems: readonly UnaskedNode[];
}

export interface HistoryWish {
  readonly name: string;
  readonly uid?: string;
}

type Session = Pick<ClusterSession, 'client' | 'connection' | 'namespace' | 'signal' | 'clock'>;

/**
 * @throws StatusError when there is no such pod and no node remembers one
 * @throws ConnectionError
 */
export async function fetchHistory(session: Session, wish: HistoryWish): Promise<HistoryAnswer> {
  const query = wish.uid === undefined ? '' : `?uid=${encodeURIComponent(wish.uid)}`;
  const path = `/api/v1/namespaces/${session.namespace}/pods/${wish.name}/history${query}`;
  const answer = await get(session, path);
  const list = listOf(answer);
  if (list !== undefined) return { items: list.items, problems: list.notAsked ?? [] };
  if (!isUnknownPath(answer, wish.name)) throw statusError(answer);
  try {
    return await throughNodes(session, wish);
  } catch (error) {
    // Without either right the message names the right to one pod's history, which is the smaller one to ask for.
    if (answer.status === 403 && error instanceof StatusError && error.code === 403) throw statusError(answer);
    throw error;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
}

async function get({ connection, signal }: Pick<Session, 'connection' | 'signal'>, url: string): Promise<Answer> {
  const headers = { accept: 'application/json' };
  const { status, body } = await connection.request({ method: 'GET', url, headers, signal });
  const text = decodeText(await abortable(readAll(body, MAX_ANSWER_BYTES), signal));
  return { status, text, value: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listOf({ status, value }: Answer): PodHistoryList | undefined {
  const items = status === 200 ? (value as { items?: unknown } | undefined)?.items : undefined;
  return Array.isArray(items) ? (value as PodHistoryList) : undefined;
}

/**
 * Whether the server has no such subresource. It may answer "forbidden", because it checks rights before paths. A "not found"
 * that names the pod comes from a server that knows the path.
 */
function isUnknownPath({ status, value }: Answer, name: string): boolean {
  const details = (value as Status | undefined)?.details;
  return status === 403 || status === 405 || (status === 404 && details?.name !== name);
}

function statusError({ status, text, value }: Answer): StatusError {
  const told = value as Status | undefined;
  return new StatusError(told?.message === undefined ? { code: status, message: text.slice(0, 300) } : told);
}

async function throughNodes(session: Session, wish: HistoryWish): Promise<HistoryAnswer> {
  const { client, namespace, signal } = session;
  const pod = await client.get<Pod>(PODS, namespace, wish.name, signal).catch((error: unknown) => {
    if (isNotFound(error)) return error;
    throw error;
  });
  const own = pod instanceof StatusError ? undefined : pod;
  const isMeant = own !== undefined && (wish.uid === undefined || own.metadata?.uid === wish.uid);
  const node = isMeant ? own.spec?.nodeName : undefined;
  if (isMeant && !node) return { items: [], problems: [] };
  const answers = node ? [await askNode(session, node, wish)] : await askNodes(session, wish);
  const items = podLives(
    answers.flatMap((answer) => answer.items),
    { pod: own, isMeant, now: session.clock.now().wall },
  );
  const problems = answers.flatMap((answer) => answer.problems);
  if (items.length === 0 && problems.length === 0 && pod instanceof StatusError) throw pod;
  return { items, problems };
}

/** Asks all nodes. The nodes that are not ready share one short time limit, in parallel with the others. */
async function askNodes(session: Session, wish: HistoryWish): Promise<readonly HistoryAnswer[]> {
  const { client, clock, signal } = session;
  const nodes = (await client.list<Node>(NODES, {}, signal)).items;
  const isReady = ({ status }: Node): boolean => isConditionTrue(status?.conditions, 'Ready');
  const until = clock.now().mono + UNREADY_NODE_TIMEOUT_MS;
  const answers = await Promise.all([
    mapLimit(nodes.filter(isReady), NODES_AT_ONCE, (node) => boundedAsk(session, node, wish, NODE_TIMEOUT_MS)),
    mapLimit(
      nodes.filter((node) => !isReady(node)),
      UNREADY_NODES_AT_ONCE,
      async (node) => {
        const left = Math.max(0, until - clock.now().mono);
        const { items, problems } = await boundedAsk(session, node, wish, left);
        return { items, problems: problems.map(asUnready) };
      },
    ),
  ]);
  return answers.flat();
}

function asUnready({ node, problem }: UnaskedNode): UnaskedNode {
  return { node, problem: `it is not ready: ${problem}` };
}

async function boundedAsk(
  session: Session,
  { metadata }: Node,
  wish: HistoryWish,
  timeoutMs: number,
): Promise<HistoryAnswer> {
  const node = metadata?.name ?? '';
  const { clock, signal: given } = session;
  const result = await withDeadline({ clock, timeoutMs, signal: given }, (signal) =>
    askNode({ ...session, signal }, node, wish),
  );
  if (result.kind === 'done') return result.value;
  return { items: [], problems: [{ node, problem: 'it does not answer in time' }] };
}

async function askNode(session: Session, node: string, { name, uid }: HistoryWish): Promise<HistoryAnswer> {
  const params = new URLSearchParams({
    namespace: session.namespace,
    pod: name,
    ...(uid === undefined ? {} : { uid }),
  });
  const answer = await get(session, `/api/v1/nodes/${node}/proxy/mendlet/v1/history?${params.toString()}`);
  const list = listOf(answer);
  if (list !== undefined) return { items: list.items, problems: [] };
  const isOurs = (answer.value as { kind?: unknown } | undefined)?.kind === 'Status';
  const details = (answer.value as Status | undefined)?.details;
  if (answer.status === 404 && isOurs && details?.kind === 'podhistories') return { items: [], problems: [] };
  if (answer.status === 403) throw statusError(answer);
  const problem =
    answer.status === 404 ? 'its agent is none of mendlet’s: it keeps no history' : statusError(answer).message;
  return { items: [], problems: [{ node, problem }] };
}
