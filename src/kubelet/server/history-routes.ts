/** /mendlet/v1/history: the node's records of its pods' deaths. */
import type { HttpResponse } from '../../lib/index.ts';
import type { DeathHistory, HistoryQuery } from '../deaths/death-history.ts';
import { jsonResponse } from './responses.ts';
import { RequestError } from './responses.ts';
import type { Route, RouteCall } from './routes.ts';

export const HISTORY_PATH = '/mendlet/v1/history';

export function historyRoutes(history: DeathHistory): readonly Route[] {
  return [{ path: HISTORY_PATH, methods: ['GET'], answer: (call) => answer(history, call) }];
}

async function answer(history: DeathHistory, { query }: RouteCall): Promise<HttpResponse> {
  const namespace = query.get('namespace') || undefined;
  const pod = query.get('pod') || undefined;
  if (pod === undefined) return jsonResponse(await history.index(namespace));
  if (namespace === undefined) throw new RequestError(400, 'a pod needs its namespace: ?namespace=NS&pod=NAME');
  const found = await history.find(parseQuery(query, namespace, pod));
  if (found.items.length > 0) return jsonResponse(found);
  return { ...jsonResponse(notFound(namespace, pod)), status: 404 };
}

/** @throws RequestError */
function parseQuery(query: URLSearchParams, namespace: string, pod: string): HistoryQuery {
  const [uid, container, death] = ['uid', 'container', 'death'].map((name) => query.get(name) || undefined);
  const number = death === undefined ? undefined : Number(death);
  if (number !== undefined && (!Number.isSafeInteger(number) || number === 0)) {
    throw new RequestError(400, `invalid death: ${death}: 1 is the first, -1 the last`);
  }
  return {
    namespace,
    pod,
    ...(uid === undefined ? {} : { uid }),
    ...(container === undefined ? {} : { container }),
    ...(number === undefined ? {} : { death: number }),
  };
}

function notFound(namespace: string, pod: string): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `this node remembers no death of pod ${namespace}/${pod}`,
    reason: 'NotFound',
    details: { name: pod, kind: 'podhistories', group: 'mendlet.dev' },
    code: 404,
  };
}
