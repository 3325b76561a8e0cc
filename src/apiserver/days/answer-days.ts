/**
 * LIST of workloaddays.mendlet.dev, in one namespace or in all: all nodes are asked what they remember of the last day of workloads,
 * and the days of one workload become one. Nothing of it is stored, and discovery does not name it.
 */
import {
  badRequest,
  mergeDays,
  methodNotAllowed,
  MAX_POD_STEPS,
  MENDLET_GROUP,
  MENDLET_VERSION,
  notFoundPath,
  readDayList,
  type ReadDays,
  type ResourceRow,
  type WorkloadDay,
  type WorkloadDayList,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { Asked, ServedKind } from '../call.ts';
import { jsonResponse } from '../http/respond.ts';
import { MAX_DAYS, MAX_DAYS_BYTES } from '../limits.ts';
import { allNodes, askNodes, type NodeQuestion, parsedAnswer, strangeAnswer } from '../subresources/ask-nodes.ts';

const WORKLOAD_DAYS: ResourceRow = {
  group: MENDLET_GROUP,
  version: MENDLET_VERSION,
  resource: 'workloaddays',
  kind: 'WorkloadDay',
  namespaced: true,
  singular: 'workloadday',
  listKind: 'WorkloadDayList',
  shortNames: [],
  categories: [],
  verbs: ['list'],
  subresources: [],
};

export const DAYS_KIND: ServedKind = {
  row: WORKLOAD_DAYS,
  answer: answerDays,
  isUndescribed: true,
  isHidden: true,
};

/** Throws `StatusError`. */
async function answerDays(asked: Asked): Promise<HttpResponse> {
  const { info, server, warnings } = asked;
  if (info.subresource !== undefined) throw notFoundPath();
  if (info.verb !== 'list') throw methodNotAllowed(WORKLOAD_DAYS, info.verb);
  const url = daysPath(info.namespace, info.query);
  const { told, notAsked } = await askNodes(asked, await allNodes(server), questionOf(url));
  for (const { node, problem } of notAsked) warnings.push(`node ${JSON.stringify(node)} was not asked: ${problem}`);
  const days = told.flatMap(({ answer }) => answer.items);
  const own = info.namespace === undefined ? days : days.filter(({ namespace }) => namespace === info.namespace);
  const items = await mergeInPieces(asked, own);
  const leftOut = told.reduce((sum, { answer }) => sum + answer.leftOut, 0) + Math.max(0, items.length - MAX_DAYS);
  const list: WorkloadDayList = {
    apiVersion: `${MENDLET_GROUP}/${MENDLET_VERSION}`,
    kind: 'WorkloadDayList',
    items: items.slice(0, MAX_DAYS),
    ...(leftOut === 0 ? {} : { leftOut }),
    ...presentOf(
      told.map(({ node, answer }) => ({ node, ...answer })),
      info.namespace,
    ),
    ...(notAsked.length === 0 ? {} : { notAsked }),
  };
  return jsonResponse(200, list);
}

/** A node speaks for itself alone. @param namespace undefined: all */
function presentOf(
  told: readonly (Pick<ReadDays, 'nodes' | 'next'> & { readonly node: string })[],
  namespace: string | undefined,
): Pick<WorkloadDayList, 'nodes' | 'next'> {
  const nodes = told.flatMap((each) => each.nodes.filter(({ name }) => name === each.node));
  const next = told
    .flatMap((each) => each.next)
    .filter((step) => namespace === undefined || step.namespace === namespace);
  return {
    ...(nodes.length === 0 || namespace !== undefined ? {} : { nodes }),
    ...(next.length === 0 ? {} : { next: next.slice(0, MAX_POD_STEPS) }),
  };
}

/** Path and query on the node. Throws 400. */
function daysPath(namespace: string | undefined, query: URLSearchParams): string {
  const params = new URLSearchParams(namespace === undefined ? {} : { namespace });
  for (const field of ['kind', 'name']) {
    const value = query.get(field) ?? '';
    if (value !== '') params.set(field, value);
  }
  const series = query.get('series') ?? 'false';
  if (series !== 'true' && series !== 'false') {
    throw badRequest(`invalid value of series: ${JSON.stringify(series)}: must be true or false`);
  }
  if (series === 'true') {
    if (!params.has('name')) throw badRequest('series are given for the workloads of one name: name is needed');
    params.set('series', 'true');
  }
  return `/mendlet/v1/days?${params.toString()}`;
}

function questionOf(url: string): NodeQuestion<ReadDays> {
  return {
    url,
    maxBytes: MAX_DAYS_BYTES,
    read: (status, text) => {
      if (status === 404) return { problem: 'its agent remembers no days' };
      if (status !== 200) return { problem: strangeAnswer(status, text) };
      return readDayList(parsedAnswer(text)) ?? { problem: 'its answer is no list of days' };
    },
  };
}

/** One namespace after another: between them, others have their turn. */
async function mergeInPieces({ server }: Asked, days: readonly WorkloadDay[]): Promise<readonly WorkloadDay[]> {
  const byNamespace = new Map<string, WorkloadDay[]>();
  for (const day of days) {
    const found = byNamespace.get(day.namespace) ?? [];
    byNamespace.set(day.namespace, found);
    found.push(day);
  }
  const merged: WorkloadDay[] = [];
  for (const found of byNamespace.values()) {
    merged.push(...mergeDays(found));
    await server.ports.breather.pause();
  }
  return merged;
}
