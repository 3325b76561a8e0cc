/** The API server's metrics, under upstream's names. */
import { type Counter, type Gauge, type Histogram, type MetricsRegistry } from '../lib/index.ts';
import type { RequestInfo } from './http/request-info.ts';
import type { ServedRows } from './registry/served-rows.ts';

const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

export interface ServerMetrics {
  readonly registry: MetricsRegistry;
  /** One answered request; `seconds` until its answer began (a watch streams on). */
  observe(info: RequestInfo, code: number, seconds: number): void;
  /** Requests that were let in ("allowed") or not ("denied"). */
  readonly authorizations: Counter;
  /** Watches per resource, read when the metrics are. */
  readonly watchers: Gauge;
}

/** Requests on anything that none of `kinds` is count as "other", so that strangers make no series. */
export function createServerMetrics(registry: MetricsRegistry, kinds: ServedRows): ServerMetrics {
  const resource = ['group', 'version', 'resource'];
  const requests: Counter = registry.counter({
    name: 'apiserver_request_total',
    help: 'Requests answered, by verb, resource and HTTP code.',
    labels: ['verb', ...resource, 'subresource', 'scope', 'code'],
  });
  const durations: Histogram = registry.histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time until a request was answered, watches and streams left out.',
    labels: ['verb', ...resource, 'subresource', 'scope'],
    buckets: DURATION_BUCKETS,
  });
  const watchers: Gauge = registry.gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Watches that are open.',
    labels: ['verb', ...resource],
  });
  const authorizations: Counter = registry.counter({
    name: 'authorization_attempts_total',
    help: 'Requests by whether their user may make them.',
    labels: ['result'],
  });
  return {
    registry,
    watchers,
    authorizations,
    observe: (info, code, seconds) => {
      const labels = labelsOf(kinds, info);
      requests.inc({ ...labels, code: String(code) });
      if (labels.verb !== 'WATCH' && labels.verb !== 'CONNECT') durations.observe(seconds, labels);
    },
  };
}

function labelsOf(
  kinds: ServedRows,
  info: RequestInfo,
): Record<'verb' | 'group' | 'version' | 'resource' | 'subresource' | 'scope', string> {
  if (info.kind === 'path') {
    const subresource = topLevel(info.path);
    return { verb: knownMethod(info.method), group: '', version: '', resource: '', subresource, scope: '' };
  }
  const { group, version, resource, subresource = '' } = info;
  const row = kinds.rowOf({ group, version, resource });
  const isKnown =
    row !== undefined && (subresource === '' || row.subresources.some(({ name }) => name === subresource));
  if (!isKnown) {
    const verb = metricVerb(info.verb, knownMethod(info.method));
    return { verb, group: '', version: '', resource: 'other', subresource: '', scope: '' };
  }
  const scope = info.name !== undefined ? 'resource' : info.namespace !== undefined ? 'namespace' : 'cluster';
  return { verb: metricVerb(info.verb, knownMethod(info.method)), group, version, resource, subresource, scope };
}

function metricVerb(verb: string, method: string): string {
  switch (verb) {
    case 'list':
    case 'watch':
    case 'connect':
    case 'deletecollection':
      return verb.toUpperCase();
    default:
      return method;
  }
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** HTTP/2 carries any method: unknown ones must not make series without end either. */
function knownMethod(method: string): string {
  return methods.has(method) ? method : 'OTHER';
}

const topLevels: ReadonlySet<string> = new Set([
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/api',
  '/apis',
  '/openapi',
]);

/** The first part of a known path: unknown ones must not make series without end. */
function topLevel(path: string): string {
  const top = `/${path.split('/')[1] ?? ''}`;
  return topLevels.has(top) ? top : 'other';
}
