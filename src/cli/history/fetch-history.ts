/**
 * Asks a cluster what it remembers of a pod: mendlet's own server knows it as pods/NAME/history; on another one the pod's node is
 * asked through the server, and for a pod that is gone all nodes.
 */
import {
  type Node,
  NODES,
  type Pod,
  type PodHistory,
  PODS,
  isNotFound,
  type Status,
  StatusError,
} from '../../api/index.ts';
import { decodeText, mapLimit, readAll } from '../../lib/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { MAX_ANSWER_BYTES, NODES_AT_ONCE } from './limits.ts';

export interface HistoryAnswer {
  /** Newest first. */
  readonly items: readonly PodHistory[];
  /** Nodes that did not tell. */
  readonly problems: readonly { readonly node: string; readonly problem: string }[];
}

export interface HistoryWish {
  readonly name: string;
  readonly uid?: string;
}

type Session = Pick<ClusterSession, 'client' | 'connection' | 'namespace' | 'signal'>;

/**
 * @throws StatusError when there is no such pod and no node remembers one
 * @throws ConnectionError
 */
export async function fetchHistory(session: Session, wish: HistoryWish): Promise<HistoryAnswer> {
  const query = wish.uid === undefined ? '' : `?uid=${encodeURIComponent(wish.uid)}`;
  const path = `/api/v1/namespaces/${session.namespace}/pods/${wish.name}/history${query}`;
  const answer = await get(session, path);
  const items = itemsOf(answer);
  if (items !== undefined) return { items: newestFirst(items), problems: [] };
  if (!isUnknownPath(answer, wish.name)) throw statusError(answer);
  try {
    return await throughNodes(session, wish);
  } catch (error) {
    // Who may neither: the right to one pod's history is the one to ask for.
    if (answer.status === 403 && error instanceof StatusError && error.code === 403) throw statusError(answer);
    throw error;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly value: unknown;
}

async function get({ connection, signal }: Session, url: string): Promise<Answer> {
  const headers = { accept: 'application/json' };
  const { status, body } = await connection.request({ method: 'GET', url, headers, signal });
  const text = decodeText(await readAll(body, MAX_ANSWER_BYTES));
  return { status, text, value: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function itemsOf({ status, value }: Answer): readonly PodHistory[] | undefined {
  const items = status === 200 ? (value as { items?: unknown } | undefined)?.items : undefined;
  return Array.isArray(items) ? (items as readonly PodHistory[]) : undefined;
}

/**
 * A server that has no such subresource: it says so, or that we may not use it (rights come before paths). One that names the pod
 * as what it did not find knows the path.
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
  const names = node ? [node] : (await client.list<Node>(NODES, {}, signal)).items.map(nameOfNode);
  const answers = await mapLimit(names, NODES_AT_ONCE, (each) => askNode(session, each, wish));
  const items = newestFirst(answers.flatMap((answer) => answer.items));
  const problems = answers.flatMap((answer) => answer.problems);
  if (items.length === 0 && problems.length === 0 && pod instanceof StatusError) throw pod;
  return { items, problems };
}

function nameOfNode({ metadata }: Node): string {
  return metadata?.name ?? '';
}

async function askNode(session: Session, node: string, { name, uid }: HistoryWish): Promise<HistoryAnswer> {
  const params = new URLSearchParams({
    namespace: session.namespace,
    pod: name,
    ...(uid === undefined ? {} : { uid }),
  });
  const answer = await get(session, `/api/v1/nodes/${node}/proxy/mendlet/v1/history?${params.toString()}`);
  const items = itemsOf(answer);
  if (items !== undefined) return { items, problems: [] };
  const isOurs = (answer.value as { kind?: unknown } | undefined)?.kind === 'Status';
  const details = (answer.value as Status | undefined)?.details;
  if (answer.status === 404 && isOurs && details?.kind === 'podhistories') return { items: [], problems: [] };
  if (answer.status === 403) throw statusError(answer);
  const problem =
    answer.status === 404 ? 'its agent is none of mendlet’s: it keeps no history' : statusError(answer).message;
  return { items: [], problems: [{ node, problem }] };
}

/** The pod that is there, then those gone last. */
function newestFirst(items: readonly PodHistory[]): readonly PodHistory[] {
  return items.toSorted((a, b) => ((a.goneAt ?? '~') < (b.goneAt ?? '~') ? 1 : -1));
}
