/** What answers the paths that name no resource: an ordered list, and the first that knows a path answers it. */
import { DASHBOARD_PATH, methodNotAllowed, notFoundPath } from '../api/index.ts';
import { type HttpRequest, type HttpResponse, METRICS_CONTENT_TYPE } from '../lib/index.ts';
import type { AuthorizedPath } from './authorization/authorize-request.ts';
import { type DashboardLinks, dashboardLinkResponse } from './dashboard-links.ts';
import type { DiscoveryDocuments } from './discovery/aggregated.ts';
import { groupResponse, resourcesResponse } from './discovery/groups.ts';
import { type ServerVersion, versionResponse } from './discovery/version.ts';
import { type HealthCheck, healthResponse } from './http/health.ts';
import { jsonResponse, textResponse } from './http/respond.ts';
import type { ServerMetrics } from './metrics.ts';
import type { OpenApiDocuments } from './openapi/respond.ts';
import { keySetResponse, openIdResponse } from './tokens/discovery.ts';
import type { ServerContext } from './call.ts';

export interface PathParts {
  readonly context: ServerContext;
  readonly metrics: ServerMetrics;
  readonly version: ServerVersion;
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiDocuments;
  readonly checks: readonly HealthCheck[];
  readonly dashboardLinks: DashboardLinks;
}

/** A GET or HEAD of a path, or another method that its delegate takes. */
export interface AskedPath {
  readonly request: HttpRequest;
  readonly info: AuthorizedPath;
  /** The path between its slashes; none of "/". */
  readonly parts: readonly string[];
}

type Answer = HttpResponse | Promise<HttpResponse>;

/** Answers a path below its root; undefined: there is no such path. */
export interface PathDelegate {
  /** The first parts of the paths that it answers for, as "/" shows them. */
  readonly roots: readonly string[];
  /** Absent: GET and HEAD. */
  readonly methods?: readonly string[];
  readonly answer: (asked: AskedPath) => Answer | undefined;
}

/** Every delegate of a server, in order. */
export function pathDelegates(parts: PathParts): readonly PathDelegate[] {
  const delegates = [
    healthDelegate(parts),
    versionDelegate(parts),
    metricsDelegate(parts),
    coreDelegate(parts),
    groupsDelegate(parts),
    openIdDelegate(parts),
    dashboardDelegate(parts),
    {
      roots: ['openapi'],
      answer: ({ request, info }: AskedPath) => parts.openApi.respond(info.path, request.headers['accept']),
    },
  ];
  return [...delegates, indexDelegate()];
}

const READS: readonly string[] = ['GET', 'HEAD'];

/** Throws 404 when none of them knows the path, 405 for a method that it does not take. */
export async function answerByDelegates(delegates: readonly PathDelegate[], asked: AskedPath): Promise<HttpResponse> {
  const [top = ''] = asked.parts;
  for (const { roots, answer, methods = READS } of delegates) {
    if (!roots.includes(top)) continue;
    if (!methods.includes(asked.info.method)) throw methodNotAllowed(undefined, asked.info.method);
    const answered = await answer(asked);
    if (answered !== undefined) return answered;
  }
  if (!READS.includes(asked.info.method)) throw methodNotAllowed(undefined, asked.info.method);
  throw notFoundPath();
}

function healthDelegate({ checks }: PathParts): PathDelegate {
  return { roots: ['healthz', 'livez', 'readyz'], answer: ({ info }) => healthResponse(info.path, info.query, checks) };
}

function versionDelegate({ version }: PathParts): PathDelegate {
  return { roots: ['version'], answer: ({ parts }) => (parts.length === 1 ? versionResponse(version) : undefined) };
}

function metricsDelegate({ metrics }: PathParts): PathDelegate {
  const headers = { 'content-type': METRICS_CONTENT_TYPE };
  const answer = ({ parts }: AskedPath) =>
    parts.length === 1 ? textResponse(200, metrics.registry.text(), headers) : undefined;
  return { roots: ['metrics'], answer };
}

function coreDelegate({ context, discovery }: PathParts): PathDelegate {
  const answer = ({ request, parts: [, version, ...rest] }: AskedPath) => {
    if (version === undefined)
      return discovery.groups(true, request.headers['accept'], request.headers['if-none-match']);
    return rest.length === 0 ? resourcesResponse(context.registry.rows(), '', version) : undefined;
  };
  return { roots: ['api'], answer };
}

function groupsDelegate({ context, discovery }: PathParts): PathDelegate {
  const answer = ({ request, parts: [, group, version, ...rest] }: AskedPath) => {
    if (group === undefined)
      return discovery.groups(false, request.headers['accept'], request.headers['if-none-match']);
    const rows = context.registry.rows();
    if (version === undefined) return groupResponse(rows, group);
    return rest.length === 0 ? resourcesResponse(rows, group, version) : undefined;
  };
  return { roots: ['apis'], answer };
}

function openIdDelegate({ context: { tokens } }: PathParts): PathDelegate {
  const answer = ({ info }: AskedPath) => {
    if (info.path === '/openid/v1/jwks') return keySetResponse(tokens);
    return info.path === '/.well-known/openid-configuration' ? openIdResponse(tokens) : undefined;
  };
  return { roots: ['openid', '.well-known'], answer };
}

function dashboardDelegate({ dashboardLinks }: PathParts): PathDelegate {
  const answer = ({ request, info }: AskedPath) =>
    info.path === DASHBOARD_PATH ? dashboardLinkResponse(dashboardLinks, request.user, request.body) : undefined;
  return { roots: ['mendlet'], methods: ['POST'], answer };
}

function indexDelegate(): PathDelegate {
  return { roots: [''], answer: () => jsonResponse(200, { paths: PATHS }) };
}

const PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/healthz',
  '/livez',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
];
