/**
 * GET pods/NAME/history: the nodes' records of the deaths of a pod. Its own node is asked; for a deleted pod all nodes are,
 * because any of them may have it. Few of the nodes that are not ready will answer, so they are not waited for long.
 */
import {
  isConditionTrue,
  MENDLET_GROUP,
  MENDLET_VERSION,
  type Node,
  NODES,
  notFound,
  type Pod,
  type PodHistory,
  type PodHistoryList,
  podLives,
  PODS,
  serviceUnavailable,
  type UnaskedNode,
} from '../../api/index.ts';
import {
  abortable,
  decodeText,
  errorMessage,
  type HttpResponse,
  mapLimit,
  readAll,
  withDeadline,
} from '../../lib/index.ts';
import { jsonResponse } from '../http/respond.ts';
import {
  MAX_HISTORY_BYTES,
  MAX_NODES_ASKED_FOR_HISTORY,
  MAX_UNREADY_NODES_ASKED_FOR_HISTORY,
  NODE_HISTORY_TIMEOUT_MS,
  UNREADY_NODES_HISTORY_TIMEOUT_MS,
} from '../limits.ts';
import { isRecord } from '../registry/object.ts';
import { type Call, nameOfCall } from '../call.ts';
import { listCurrent, readCurrent } from '../registry/read-current.ts';
import { historyPath } from './history-path.ts';

/** The answer of one node: `undefined` when it knows nothing of this pod. */
type Answer = { readonly node: string; readonly items: readonly PodHistory[] | undefined } | UnaskedNode;

interface AskedNode {
  readonly name: string;
  readonly isReady: boolean;
}

/** Throws 400; 404 when no node knows the pod; 503 when a node that may know it could not be asked. */
export async function podHistory(call: Call): Promise<HttpResponse> {
  const { server, info } = call;
  const { namespace = '' } = info;
  const name = nameOfCall(call);
  const path = historyPath(namespace, name, info.query);
  const pod = (await readCurrent(server, PODS.resource, namespace, name)) as Pod | undefined;
  const isMeant = pod !== undefined && isUidOf(pod, info.query);
  const own = isMeant ? (pod.spec?.nodeName ?? '') : '';
  // Nothing of it ever ran.
  if (isMeant && own === '') return listResponse([], []);
  const answers = await askAll(call, own === '' ? await allNodes(call) : [{ name: own, isReady: true }], path);
  const items = answers.flatMap((answer) => ('items' in answer ? (answer.items ?? []) : []));
  const problems = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  if (items.length === 0) refuseUnknown(call, problems, isMeant);
  for (const { node, problem } of problems)
    call.warnings.push(`node ${JSON.stringify(node)} was not asked: ${problem}`);
  return listResponse(podLives(items, { pod, isMeant, now: server.ports.clock.now().wall }), problems);
}

function isUidOf(pod: Pod, query: URLSearchParams): boolean {
  const uid = query.get('uid') ?? '';
  return uid === '' || uid === pod.metadata?.uid;
}

async function allNodes(call: Call): Promise<readonly AskedNode[]> {
  const nodes = (await listCurrent(call.server, call.server.registry.get(NODES))) as readonly Node[];
  return nodes.map(({ metadata, status }) => ({
    name: metadata?.name ?? '',
    isReady: isConditionTrue(status?.conditions, 'Ready'),
  }));
}

/** Those that are not ready share one wait, beside the others'. */
async function askAll(call: Call, nodes: readonly AskedNode[], path: string): Promise<readonly Answer[]> {
  const { clock } = call.server.ports;
  const until = clock.now().mono + UNREADY_NODES_HISTORY_TIMEOUT_MS;
  const [ready, unready] = [nodes.filter(({ isReady }) => isReady), nodes.filter(({ isReady }) => !isReady)];
  const answers = await Promise.all([
    mapLimit(ready, MAX_NODES_ASKED_FOR_HISTORY, ({ name }) => ask(call, name, path, NODE_HISTORY_TIMEOUT_MS)),
    mapLimit(unready, MAX_UNREADY_NODES_ASKED_FOR_HISTORY, async ({ name }) => {
      const answer = await ask(call, name, path, Math.max(0, until - clock.now().mono));
      return 'problem' in answer ? { ...answer, problem: `it is not ready: ${answer.problem}` } : answer;
    }),
  ]);
  return answers.flat();
}

/** An answer without a node might lack the pod: no 404 is made of that. */
function refuseUnknown(call: Call, problems: readonly UnaskedNode[], isThere: boolean): void {
  const [first] = problems;
  if (first !== undefined) {
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more nodes)` : '';
    throw serviceUnavailable(
      `node ${JSON.stringify(first.node)} does not tell what it remembers: ${first.problem}${more}`,
    );
  }
  if (!isThere) throw notFound(PODS, nameOfCall(call));
}

function listResponse(items: readonly PodHistory[], problems: readonly UnaskedNode[]): HttpResponse {
  const apiVersion = `${MENDLET_GROUP}/${MENDLET_VERSION}` as const;
  const notAsked = problems.length === 0 ? {} : { notAsked: problems };
  const list: PodHistoryList = { apiVersion, kind: 'PodHistoryList', items, ...notAsked };
  return jsonResponse(200, list);
}

/** Never rejects. */
async function ask(call: Call, node: string, url: string, timeoutMs: number): Promise<Answer> {
  const { ports, connections } = call.server;
  const connection = connections.node(node);
  if (connection === undefined) return { node, problem: 'it is not connected' };
  const { signal: given } = call.request;
  const bound = { clock: ports.clock, timeoutMs, ...(given === undefined ? {} : { signal: given }) };
  try {
    const result = await withDeadline(bound, async (signal) => {
      const request = { method: 'GET', url, headers: { accept: 'application/json' }, signal };
      const answer = await connection.request(request);
      const text = decodeText(await abortable(readAll(answer.body, MAX_HISTORY_BYTES), signal));
      return readAnswer(node, answer.status, text);
    });
    return result.kind === 'done' ? result.value : { node, problem: 'it does not answer in time' };
  } catch (error) {
    return { node, problem: errorMessage(error) };
  }
}

/** A node may be another's: nothing is taken for granted. */
function readAnswer(node: string, status: number, text: string): Answer {
  const value = parsed(text);
  const isOurs = isRecord(value);
  // Only one of ours says "no such pod" as an object; others know no such path.
  if (status === 404 && isOurs) return { node, items: undefined };
  if (status === 404) return { node, problem: 'its agent keeps no history of deaths' };
  if (status !== 200) return { node, problem: `it answers with status ${status}: ${text.slice(0, 200).trim()}` };
  const items = isOurs ? value['items'] : undefined;
  if (!Array.isArray(items) || !items.every(isRecord)) return { node, problem: 'its answer is no list of histories' };
  return { node, items: items as unknown as readonly PodHistory[] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
