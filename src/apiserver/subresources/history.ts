/**
 * GET pods/NAME/history: the nodes' records of the deaths of a pod. Its own node is asked; for a deleted pod all nodes are,
 * because any of them may have it. Few of the nodes that are not ready will answer, so they are not waited for long.
 */
import {
  MENDLET_GROUP,
  MENDLET_VERSION,
  notFound,
  type Pod,
  type PodHistory,
  type PodHistoryList,
  podLives,
  PODS,
  serviceUnavailable,
  type UnaskedNode,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { jsonResponse } from '../http/respond.ts';
import { MAX_HISTORY_BYTES } from '../limits.ts';
import { isRecord } from '../registry/object.ts';
import { type Call, nameOfCall } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';
import { allNodes, askNodes, parsedAnswer, strangeAnswer } from './ask-nodes.ts';
import { historyPath } from './history-path.ts';

/** What one node said: `items` undefined when it knows nothing of this pod. */
interface Told {
  readonly items: readonly PodHistory[] | undefined;
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
  const nodes = own === '' ? await allNodes(server) : [{ name: own, isReady: true }];
  const question = { url: path, maxBytes: MAX_HISTORY_BYTES, read: readAnswer };
  const { told, notAsked: problems } = await askNodes(call, nodes, question);
  const items = told.flatMap(({ answer }) => answer.items ?? []);
  if (items.length === 0) refuseUnknown(call, problems, isMeant);
  for (const { node, problem } of problems)
    call.warnings.push(`node ${JSON.stringify(node)} was not asked: ${problem}`);
  return listResponse(podLives(items, { pod, isMeant, now: server.ports.clock.now().wall }), problems);
}

function isUidOf(pod: Pod, query: URLSearchParams): boolean {
  const uid = query.get('uid') ?? '';
  return uid === '' || uid === pod.metadata?.uid;
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

/** A node may be another's: nothing is taken for granted. */
function readAnswer(status: number, text: string): Told | { readonly problem: string } {
  const value = parsedAnswer(text);
  const isOurs = isRecord(value);
  // Only one of ours says "no such pod" as an object; others know no such path.
  if (status === 404 && isOurs) return { items: undefined };
  if (status === 404) return { problem: 'its agent keeps no history of deaths' };
  if (status !== 200) return { problem: strangeAnswer(status, text) };
  const items = isOurs ? value['items'] : undefined;
  if (!Array.isArray(items) || !items.every(isRecord)) return { problem: 'its answer is no list of histories' };
  return { items: items as unknown as readonly PodHistory[] };
}
