/** The way of every request: who asks, may they, what do they ask for; and an answer whatever happens on the way. */
import {
  badRequest,
  deprecationOf,
  findResource,
  internalError,
  notFoundPath,
  serviceUnavailable,
  StatusError,
  methodNotAllowed,
  unauthorized,
} from '../api/index.ts';
import {
  type HttpRequest,
  type HttpResponse,
  isWebSocketRequest,
  METRICS_CONTENT_TYPE,
  type UpgradeResponse,
  withBody,
} from '../lib/index.ts';
import { groupResponse, groupsResponse, resourcesResponse } from './discovery/groups.ts';
import { noCustomResources } from './discovery/no-custom-resources.ts';
import { type ServerVersion, versionResponse } from './discovery/version.ts';
import { bearerToken } from './edge/authentication.ts';
import { MASTERS } from './authorization/authorizer.ts';
import { refuse } from './authorization/refuse.ts';
import { type HealthCheck, healthResponse } from './http/health.ts';
import { prefersYaml, toYaml } from './http/yaml.ts';
import { impersonate, isImpersonating, withoutImpersonation } from './http/impersonate.ts';
import { parseRequestInfo, type PathRequest, type RequestInfo, type ResourceRequest } from './http/request-info.ts';
import { errorResponse, jsonResponse, textResponse, withWarnings } from './http/respond.ts';
import { answerMetrics } from './metrics-api/answer-metrics.ts';
import type { NodeFiguresCache } from './metrics-api/node-figures-cache.ts';
import { findMetricsRow } from './metrics-api/rows.ts';
import type { ServerMetrics } from './metrics.ts';
import { openApiResponse } from './openapi/respond.ts';
import type { Connection, UserInfo } from './ports.ts';
import { mayBeCounted } from './quota/quotas.ts';
import { findRegistration } from './registry/rows.ts';
import { findReview } from './reviews/reviews.ts';
import { bind } from './subresources/binding.ts';
import { logOverWebSocket } from './subresources/log-websocket.ts';
import { nodeUpgrade } from './subresources/node-stream.ts';
import { authenticateToken } from './tokens/authenticate-token.ts';
import { keySetResponse, openIdResponse } from './tokens/discovery.ts';
import { proxyUpgrade } from './subresources/proxy.ts';
import type { Call, ServerContext } from './verbs/call.ts';
import { dispatch } from './verbs/dispatch.ts';

export interface HandlerOptions {
  readonly context: ServerContext;
  readonly nodeFigures: NodeFiguresCache;
  readonly metrics: ServerMetrics;
  readonly version: ServerVersion;
  readonly checks: readonly HealthCheck[];
  readonly isClosed: () => boolean;
  /** Something that quotas count was written in this namespace. */
  readonly onWrite: (namespace: string) => void;
}

export type Handler = Connection;

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export function createHandler(options: HandlerOptions): Handler {
  const { context, metrics } = options;
  const observed = async <T>(
    request: HttpRequest,
    answer: (info: RequestInfo, request: HttpRequest) => Promise<T>,
    codeOf: (value: T) => number,
    failed: (error: StatusError) => T,
  ): Promise<T> => {
    const began = context.clock.now().mono;
    const info = parseRequestInfo(request.method, request.url);
    let value: T;
    try {
      if (options.isClosed()) throw serviceUnavailable('the server is shutting down');
      const user = await admitUser(options, request, info);
      const headers = withoutImpersonation(request.headers);
      // Not before: whoever may not ask this does not get to fill our memory either.
      const whole = await withBody(request);
      value = await answer(info, user === undefined ? whole : { ...whole, headers, user });
    } catch (error) {
      value = failed(asStatusError(options, request, error));
    }
    metrics.observe(info, codeOf(value), (context.clock.now().mono - began) / 1000);
    return value;
  };
  return {
    request: (request) =>
      observed(
        request,
        (info, effective) => answerRequest(options, effective, info),
        (response) => response.status,
        errorResponse,
      ),
    upgrade: (request) =>
      observed<UpgradeResponse>(
        request,
        (info, effective) => answerUpgrade(options, effective, info),
        (answer) => (answer.upgraded ? answer.status : answer.response.status),
        (error) => ({ upgraded: false, response: errorResponse(error) }),
      ),
  };
}

/** Whom the request counts as. Throws 400, 401 or 403 when it may not be made. */
async function admitUser(
  { context, metrics }: HandlerOptions,
  request: HttpRequest,
  info: RequestInfo,
): Promise<UserInfo | undefined> {
  const { authorizer } = context;
  const asking = await userOf(context, request);
  const behind = isPowerful(asking, request) ? undefined : authorizer.fresh?.();
  if (behind !== undefined) await behind;
  const user = impersonate(authorizer, asking, request.headers);
  const refusal = refuse(authorizer, user, info);
  metrics.authorizations.inc({ result: refusal === undefined ? 'allowed' : 'denied' });
  if (refusal !== undefined) throw refusal;
  return user;
}

/** No role can add to what masters may: they need not wait for any. */
function isPowerful(user: UserInfo | undefined, { headers }: HttpRequest): boolean {
  return user?.groups.includes(MASTERS) === true && !isImpersonating(headers);
}

/** Whom the edge (or `as`) has set; a client in this process may also bring a bearer token. Throws 401. */
async function userOf(context: ServerContext, request: HttpRequest): Promise<UserInfo | undefined> {
  if (request.user !== undefined) return request.user;
  const token = bearerToken(request.headers['authorization']);
  if (token === undefined) return undefined;
  const verdict = await authenticateToken(context, token);
  if (!verdict.ok) throw unauthorized();
  return verdict.user;
}

/** A bug in one handler is that request's 500 and a line in the log, never the end of the process. */
function asStatusError({ context }: HandlerOptions, request: HttpRequest, error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  context.logger.error('request failed', { method: request.method, url: request.url, error });
  return internalError('the request could not be handled; the server has logged why');
}

async function answerRequest(options: HandlerOptions, request: HttpRequest, info: RequestInfo): Promise<HttpResponse> {
  const response = await answerAsJson(options, request, info);
  const isProxied = info.kind !== 'path' && info.verb === 'connect';
  return prefersYaml(request.headers['accept']) && !isProxied ? toYaml(response) : response;
}

async function answerAsJson(options: HandlerOptions, request: HttpRequest, info: RequestInfo): Promise<HttpResponse> {
  if (info.kind === 'path') return answerPath(options, request, info);
  if (isBindings(info)) return bind(callOf(options, request, { ...info }, 'pods'));
  const review = findReview(info);
  if (review !== undefined) {
    const warnings: string[] = [];
    const { context: server } = options;
    return withWarnings(await review({ server, request, info, user: request.user ?? ANONYMOUS, warnings }), warnings);
  }
  const row = findMetricsRow(info.group, info.version, info.resource);
  if (row !== undefined) {
    const { context, nodeFigures: figures } = options;
    return answerMetrics({ context, figures, request, info, row });
  }
  const none = noCustomResources(info);
  if (none !== undefined) return none;
  const call = callOf(options, request, info, info.resource);
  const deprecation = deprecationOf(call.registration.row);
  const response = await dispatch(call);
  if (deprecation !== undefined) call.warnings.push(deprecation);
  if (isWrite(info) && response.status < 300 && mayBeCounted(call.registration)) options.onWrite(info.namespace ?? '');
  return withWarnings(response, call.warnings);
}

async function answerUpgrade(
  options: HandlerOptions,
  request: HttpRequest,
  info: RequestInfo,
): Promise<UpgradeResponse> {
  if (info.kind !== 'path' && info.resource === 'pods' && info.subresource === 'log' && isWebSocketRequest(request)) {
    return logOverWebSocket(request, options.context.clock, () => answerRequest(options, request, info));
  }
  if (info.kind === 'path' || info.verb !== 'connect') {
    // Nothing to upgrade to: the answer is the ordinary one.
    return { upgraded: false, response: await answerRequest(options, request, info) };
  }
  const call = callOf(options, request, info, info.resource);
  return info.subresource === 'proxy' && info.resource !== 'nodes' ? proxyUpgrade(call) : nodeUpgrade(call);
}

function isWrite({ verb, namespace }: ResourceRequest): boolean {
  return namespace !== undefined && verb !== 'get' && verb !== 'list' && verb !== 'watch' && verb !== 'connect';
}

function isBindings(info: ResourceRequest): boolean {
  return info.group === '' && info.resource === 'bindings' && info.verb === 'create' && info.name === undefined;
}

function callOf({ context }: HandlerOptions, request: HttpRequest, info: ResourceRequest, resource: string): Call {
  const registration = findRegistration(info.group, info.version, resource);
  if (registration === undefined) throw refusalOfUnstored(info);
  if (registration.row.namespaced && info.namespace === undefined && info.name !== undefined) throw notFoundPath();
  refuseBadSegment('Namespace', info.namespace);
  refuseBadSegment('Name', info.name);
  const scoped = registration.row.namespaced ? info : { ...info, namespace: undefined };
  const storage = context.storageOf(registration);
  return {
    server: context,
    request,
    info: scoped,
    registration,
    storage,
    user: request.user ?? ANONYMOUS,
    warnings: [],
  };
}

/** Names become parts of keys (upstream: IsValidPathSegmentName). Throws 400. */
function refuseBadSegment(what: string, value: string | undefined): void {
  if (value === undefined) return;
  const problem =
    value === '.' || value === '..'
      ? `may not be '${value}'`
      : value.includes('\0')
        ? 'may not contain NUL'
        : ['/', '%']
            .filter((character) => value.includes(character))
            .map((character) => `may not contain '${character}'`)[0];
  if (problem !== undefined) throw badRequest(`${what} parameter invalid: ${JSON.stringify(value)}: ${problem}`);
}

function refusalOfUnstored(info: ResourceRequest): StatusError {
  const row = findResource(info.group, info.version, info.resource);
  return row === undefined ? notFoundPath() : methodNotAllowed(row, info.verb);
}

/** Parts of the longest path under each top; those that look themselves are not here. */
const longestPath: Readonly<Record<string, number>> = { version: 1, metrics: 1, api: 2, apis: 3 };

async function answerPath(options: HandlerOptions, request: HttpRequest, info: PathRequest): Promise<HttpResponse> {
  const accept = request.headers['accept'];
  if (info.isMalformed === true) throw badRequest('invalid percent-encoding in the path');
  const parts = info.path.split('/').filter((part) => part !== '');
  const [top = '', second, third] = parts;
  if (info.method !== 'GET' && info.method !== 'HEAD') throw methodNotAllowed(undefined, info.method);
  if (parts.length > (longestPath[top] ?? parts.length)) throw notFoundPath();
  switch (top) {
    case 'healthz':
    case 'livez':
    case 'readyz':
      return healthResponse(info.path, info.query, options.checks);
    case 'version':
      return versionResponse(options.version);
    case 'metrics':
      return textResponse(200, options.metrics.registry.text(), { 'content-type': METRICS_CONTENT_TYPE });
    case 'api':
      return second === undefined ? groupsResponse(true, accept) : (resourcesResponse('', second) ?? notFound());
    case 'apis':
      if (second === undefined) return groupsResponse(false, accept);
      return (third === undefined ? groupResponse(second) : resourcesResponse(second, third)) ?? notFound();
    case 'openid':
      return (info.path === '/openid/v1/jwks' ? keySetResponse(options.context.tokens) : undefined) ?? notFound();
    case '.well-known':
      if (info.path !== '/.well-known/openid-configuration') return notFound();
      return openIdResponse(options.context.tokens) ?? notFound();
    case 'openapi':
      return openApiResponse(info.path, accept, options.version) ?? notFound();
    case '':
      return jsonResponse(200, {
        paths: [
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
        ],
      });
    default:
      return notFound();
  }
}

function notFound(): never {
  throw notFoundPath();
}
