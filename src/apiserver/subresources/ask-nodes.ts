/**
 * Asks the agents of many nodes one question: a few nodes at once, each for a limited time. Few of the nodes that are not ready will
 * answer, so these share one short wait, beside the others'.
 */
import { isConditionTrue, type Node, NODES, type UnaskedNode } from '../../api/index.ts';
import { abortable, decodeText, errorMessage, mapLimit, readAll, withDeadline } from '../../lib/index.ts';
import type { Asked, ServerContext } from '../call.ts';
import {
  MAX_NODES_ASKED_FOR_HISTORY,
  MAX_UNREADY_NODES_ASKED_FOR_HISTORY,
  NODE_HISTORY_TIMEOUT_MS,
  UNREADY_NODES_HISTORY_TIMEOUT_MS,
} from '../limits.ts';
import { listCurrent } from '../registry/read-current.ts';

export interface AskedNode {
  readonly name: string;
  readonly isReady: boolean;
}

export interface NodeQuestion<T> {
  /** Path and query on the node. */
  readonly url: string;
  /** Of the answer's body. */
  readonly maxBytes: number;
  readonly read: (status: number, text: string) => T | Problem;
}

export interface NodeAnswers<T> {
  readonly told: readonly { readonly node: string; readonly answer: T }[];
  /** Nodes that did not answer, or not so that it could be read. */
  readonly notAsked: readonly UnaskedNode[];
}

interface Problem {
  readonly problem: string;
}

const MAX_ECHO = 200;

export async function allNodes(server: ServerContext): Promise<readonly AskedNode[]> {
  const nodes = (await listCurrent(server, server.registry.get(NODES))) as readonly Node[];
  return nodes.map(({ metadata, status }) => ({
    name: metadata?.name ?? '',
    isReady: isConditionTrue(status?.conditions, 'Ready'),
  }));
}

/** Never rejects. */
export async function askNodes<T extends object>(
  asked: Pick<Asked, 'server' | 'request'>,
  nodes: readonly AskedNode[],
  question: NodeQuestion<T>,
): Promise<NodeAnswers<T>> {
  const { clock } = asked.server.ports;
  const until = clock.now().mono + UNREADY_NODES_HISTORY_TIMEOUT_MS;
  const [ready, unready] = [nodes.filter(({ isReady }) => isReady), nodes.filter(({ isReady }) => !isReady)];
  const answers = await Promise.all([
    mapLimit(ready, MAX_NODES_ASKED_FOR_HISTORY, async ({ name }) => {
      return { node: name, answer: await ask(asked, name, question, NODE_HISTORY_TIMEOUT_MS) };
    }),
    mapLimit(unready, MAX_UNREADY_NODES_ASKED_FOR_HISTORY, async ({ name }) => {
      const answer = await ask(asked, name, question, Math.max(0, until - clock.now().mono));
      return { node: name, answer: isProblem(answer) ? { problem: `it is not ready: ${answer.problem}` } : answer };
    }),
  ]);
  const all = answers.flat();
  return {
    told: all.flatMap(({ node, answer }) => (isProblem(answer) ? [] : [{ node, answer }])),
    notAsked: all.flatMap(({ node, answer }) => (isProblem(answer) ? [{ node, problem: answer.problem }] : [])),
  };
}

/** The value of an answer; undefined: it is no JSON. */
export function parsedAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function strangeAnswer(status: number, text: string): string {
  return `it answers with status ${status}: ${text.slice(0, MAX_ECHO).trim()}`;
}

async function ask<T extends object>(
  { server, request }: Pick<Asked, 'server' | 'request'>,
  node: string,
  { url, maxBytes, read }: NodeQuestion<T>,
  timeoutMs: number,
): Promise<T | Problem> {
  const { ports, connections } = server;
  const connection = connections.node(node);
  if (connection === undefined) return { problem: 'it is not connected' };
  const { signal: given } = request;
  const bound = { clock: ports.clock, timeoutMs, ...(given === undefined ? {} : { signal: given }) };
  try {
    const result = await withDeadline(bound, async (signal) => {
      const answer = await connection.request({ method: 'GET', url, headers: { accept: 'application/json' }, signal });
      return read(answer.status, decodeText(await abortable(readAll(answer.body, maxBytes), signal)));
    });
    return result.kind === 'done' ? result.value : { problem: 'it does not answer in time' };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

function isProblem(answer: object): answer is Problem {
  return 'problem' in answer;
}
