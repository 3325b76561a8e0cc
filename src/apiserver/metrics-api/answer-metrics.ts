/**
 * GET and LIST of metrics.k8s.io: which nodes and pods there are is read from the server's own store, what they use is asked
 * of their kubelets. Upstream: metrics-server, which serves the group beside the API server.
 */
import { methodNotAllowed, NODES, notFound, notFoundPath, type Pod, PODS, type ResourceRow } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { CachedObject } from '../cache/cached-object.ts';
import { readListOptions } from '../http/list-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderList, renderObject, type Rendering } from '../http/render.ts';
import type { ApiObject } from '../registry/object.ts';
import { keyOf, type Registration } from '../registry/registration.ts';
import type { Asked } from '../call.ts';
import type { ServedKind } from '../call.ts';
import { metricsTable, nodeMetrics, podMetrics } from './metrics-objects.ts';
import { NO_FIGURES } from './node-figures.ts';
import { METRICS_ROWS, POD_METRICS } from './rows.ts';

interface MetricsCall extends Asked {
  readonly row: ResourceRow;
}

export const METRICS_KINDS: readonly ServedKind[] = METRICS_ROWS.map((row) => ({
  row,
  answer: (asked) => answerMetrics({ ...asked, row }),
  isUndescribed: true,
}));

/** Throws `StatusError`. */
async function answerMetrics(call: MetricsCall): Promise<HttpResponse> {
  const { info, row } = call;
  if (info.subresource !== undefined) throw notFoundPath();
  if (info.verb === 'list') return list(call);
  if (info.verb === 'get') return get(call);
  throw methodNotAllowed(row, info.verb);
}

async function list(call: MetricsCall): Promise<HttpResponse> {
  const rendering = renderingOf(call);
  const subjects = subjectsOf(call);
  const { selection } = readListOptions(call.info.query, subjects);
  const found = await selected(call, subjects, (object) => selection.matches(object));
  return renderList(rendering, await measured(call, found), { resourceVersion: '' }, call.server.ports);
}

async function get(call: MetricsCall): Promise<HttpResponse> {
  const { info, row } = call;
  const rendering = renderingOf(call);
  const found = await selected(call, subjectsOf(call), ({ metadata }) => metadata.name === info.name);
  const [item] = await measured(call, found);
  // As metrics-server names what it has not (yet): the object may well be there.
  const name = row.namespaced ? `${info.namespace}/${info.name}` : (info.name ?? '');
  if (item === undefined) throw notFound({ group: row.group, resource: row.kind.toLowerCase() }, name);
  return renderObject(rendering, 200, item);
}

/** The registration of the nodes or pods themselves. */
function subjectsOf({ row, server }: MetricsCall): Registration {
  return server.registry.get(row === POD_METRICS ? PODS : NODES);
}

async function selected(
  { server, info }: MetricsCall,
  registration: Registration,
  matches: (object: ApiObject) => boolean,
): Promise<readonly CachedObject[]> {
  const storage = server.storageOf(registration);
  await storage.fresh();
  const prefix = keyOf(registration, info.namespace);
  return storage.cache.list(prefix).filter(({ object }) => matches(object));
}

async function measured(call: MetricsCall, found: readonly CachedObject[]): Promise<readonly CachedObject[]> {
  const { connections, ports } = call.server;
  const isPods = call.row === POD_METRICS;
  const nodeOf = ({ object }: CachedObject): string =>
    (isPods ? (object as Pod).spec?.nodeName : object.metadata.name) ?? '';
  const known = await connections.figures.of([...new Set(found.map(nodeOf))].filter((name) => name !== ''));
  const now = ports.clock.now().wall;
  return found.flatMap((item) => {
    const own = known.get(nodeOf(item)) ?? NO_FIGURES;
    const made = isPods
      ? podMetrics(item.object, own.pods.get(item.object.metadata.uid ?? ''), now)
      : nodeMetrics(item.object, own, now);
    return made === undefined ? [] : [new CachedObject(item.key, item.revision, made)];
  });
}

function renderingOf({ server, request, info, row }: MetricsCall): Rendering {
  const registration: Registration = { row, keyPrefix: '', table: metricsTable, strategy: {} };
  const form = negotiateObject(request.headers['accept'], info.name === undefined ? 'list' : 'object');
  return { registration, form, query: info.query, now: server.ports.clock.now().wall };
}
