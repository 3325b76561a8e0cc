/** The path of every request: it finds the user, authorizes, answers, and turns any exception into an answer. */
import {
  badRequest,
  deprecationOf,
  internalError,
  notFoundPath,
  PODS,
  serviceUnavailable,
  StatusError,
  methodNotAllowed,
  RESOURCE_QUOTAS,
  unauthorized,
} from '../api/index.ts';
import {
  type HttpRequest,
  type HttpResponse,
  isWebSocketRequest,
  type UpgradeResponse,
  withBody,
} from '../lib/index.ts';
import { bearerToken } from './edge/authentication.ts';
import {
  type AuthorizedPath,
  type AuthorizedRequest,
  type AuthorizedResource,
  judgeRequest,
} from './authorization/authorize-request.ts';
import { MASTERS } from './authorization/authorizer.ts';
import { isStranger } from './authorization/refuse.ts';
import { prefersYaml, toYaml } from './http/yaml.ts';
import { impersonate, isImpersonating, withoutImpersonation } from './http/impersonate.ts';
import { placeRequest } from './http/place-request.ts';
import { parseRequestInfo, type RequestInfo } from './http/request-info.ts';
import { errorResponse, withWarnings } from './http/respond.ts';
import type { ServerMetrics } from './metrics.ts';
import type { Connection, UserInfo } from './ports.ts';
import { mayBeCounted } from './quota/quotas.ts';
import { refuseBadSegment } from './http/bad-segment.ts';
import { logOverWebSocket } from './subresources/log-websocket.ts';
import { authenticateToken } from './tokens/authenticate-token.ts';
import type { Asked, Call, ServerContext } from './call.ts';
import { answerByDelegates, type PathDelegate } from './path-delegates.ts';
import { dispatch, dispatchUpgrade } from './verbs/dispatch.ts';
import { watchOverWebSocket } from './verbs/watch-websocket.ts';

export interface HandlerOptions {
  readonly context: ServerContext;
  readonly metrics: ServerMetrics;
  /** What answers the paths that name no resource. */
  readonly paths: readonly PathDelegate[];
  readonly isClosed: () => boolean;
  /** Something that quotas count was written in this namespace. */
  readonly onWrite: (namespace: string) => void;
}

export type Handler = Connection;

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** The request's user, and the request that may be answered: this very value is answered. */
interface Admitted {
  readonly user: UserInfo | undefined;
  readonly info: AuthorizedRequest;
}

export function createHandler(options: HandlerOptions): Handler {
  const { context, metrics } = options;
  const observed = async <T>(
    request: HttpRequest,
    isUpgrade: boolean,
    answer: (info: AuthorizedRequest, request: HttpRequest) => Promise<T>,
    codeOf: (value: T) => number,
    failed: (error: StatusError) => T,
  ): Promise<T> => {
    const began = context.ports.clock.now().mono;
    const asked = parseRequestInfo(request.method, request.url, isUpgrade);
    let value: T;
    try {
      if (options.isClosed()) throw serviceUnavailable('the server is shutting down');
      const { user, info } = await admit(options, request, asked);
      const headers = withoutImpersonation(request.headers);
      // The body is read only now, so that an unauthorized client cannot fill our memory.
      const whole = await withBody(request);
      value = await answer(info, user === undefined ? whole : { ...whole, headers, user });
    } catch (error) {
      value = failed(asStatusError(options, request, error));
    }
    metrics.observe(asked, codeOf(value), (context.ports.clock.now().mono - began) / 1000);
    return value;
  };
  return {
    request: (request) =>
      observed(
        request,
        false,
        (info, effective) => answerRequest(options, effective, info),
        (response) => response.status,
        errorResponse,
      ),
    upgrade: (request) =>
      observed<UpgradeResponse>(
        request,
        true,
        (info, effective) => answerUpgrade(options, effective, info),
        (answer) => (answer.upgraded ? answer.status : answer.response.status),
        (error) => ({ upgraded: false, response: errorResponse(error) }),
      ),
  };
}

/**
 * Finds the user, then checks that such a resource exists (404, the same for all known users), then that he may ask for it.
 * Throws 400, 401, 403 or 404.
 */
async function admit(options: HandlerOptions, request: HttpRequest, asked: RequestInfo): Promise<Admitted> {
  const { context, metrics } = options;
  const { authorizer } = context;
  const asking = await userOf(context, request);
  const behind = isPowerful(asking, request) ? undefined : authorizer.fresh?.();
  if (behind !== undefined) await behind;
  // A stranger cannot impersonate.
  const user = isStranger(asking) ? asking : impersonate(authorizer, asking, request.headers);
  // A stranger does not learn which resources exist.
  const isRefused = isStranger(user) && asked.kind === 'resource';
  const verdict = isRefused
    ? ({ ok: false, refusal: unauthorized() } as const)
    : judgeRequest(authorizer, user, placeRequest(context.registry, asked));
  metrics.authorizations.inc({ result: verdict.ok ? 'allowed' : 'denied' });
  if (!verdict.ok) throw verdict.refusal;
  return { user, info: verdict.info };
}

/** No role can add to what masters may: they need not wait for any. */
function isPowerful(user: UserInfo | undefined, { headers }: HttpRequest): boolean {
  return user?.groups.includes(MASTERS) === true && !isImpersonating(headers);
}

/** The user whom the edge (or `as`) has set; a client in this process may also bring a bearer token. Throws 401. */
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
  context.ports.logger.error('request failed', { method: request.method, url: request.url, error });
  return internalError('the request could not be handled; the server has logged why');
}

async function answerRequest(
  options: HandlerOptions,
  request: HttpRequest,
  info: AuthorizedRequest,
): Promise<HttpResponse> {
  const response = await answerAsJson(options, request, info);
  const isProxied = info.kind !== 'path' && info.verb === 'connect';
  return prefersYaml(request.headers['accept']) && !isProxied ? toYaml(response) : response;
}

async function answerAsJson(
  options: HandlerOptions,
  request: HttpRequest,
  info: AuthorizedRequest,
): Promise<HttpResponse> {
  if (info.kind === 'path') return answerPath(options, request, info);
  const asked = askedOf(options, request, info);
  for (const delegate of RESOURCE_DELEGATES) {
    const response = await delegate(options, asked);
    if (response !== undefined) return withWarnings(response, asked.warnings);
  }
  throw notFoundPath();
}

/** Answers a request on a resource; undefined: it is the next one's. */
type ResourceDelegate = (
  options: HandlerOptions,
  asked: Asked,
) => HttpResponse | undefined | Promise<HttpResponse | undefined>;

/** In order: what a kind answers by itself, then the verbs on stored objects. */
const RESOURCE_DELEGATES: readonly ResourceDelegate[] = [answerOwn, answerStored];

function answerOwn({ context }: HandlerOptions, asked: Asked): ReturnType<ResourceDelegate> {
  const { row } = asked.info;
  return row === undefined ? undefined : context.registry.kindOf(row)?.answer?.(asked);
}

async function answerStored(options: HandlerOptions, asked: Asked): Promise<HttpResponse> {
  const call = callOf(asked);
  const deprecation = deprecationOf(call.registration.row);
  const response = await dispatch(call);
  if (deprecation !== undefined) call.warnings.push(deprecation);
  if (changesCounts(call) && response.status < 300) options.onWrite(asked.info.namespace ?? '');
  return response;
}

async function answerUpgrade(
  options: HandlerOptions,
  request: HttpRequest,
  info: AuthorizedRequest,
): Promise<UpgradeResponse> {
  if (info.kind === 'path' || info.row === undefined || info.verb !== 'connect') {
    const isLog = info.kind !== 'path' && info.row === PODS && info.subresource === 'log';
    const answer = (of: HttpRequest): Promise<HttpResponse> => answerRequest(options, of, info);
    const { clock } = options.context.ports;
    if (isLog && isWebSocketRequest(request)) return logOverWebSocket(request, clock, answer);
    const isWatch = info.kind !== 'path' && info.verb === 'watch';
    if (isWatch && isWebSocketRequest(request)) return watchOverWebSocket(request, clock, answer);
    // Nothing to upgrade to: the answer is the ordinary one.
    return { upgraded: false, response: await answer(request) };
  }
  return dispatchUpgrade(callOf(askedOf(options, request, info)));
}

/** Whether counted objects may be more or fewer after it. A quota's own status reports the count and changes none. */
function changesCounts({ info, registration }: Call): boolean {
  if (info.resource === RESOURCE_QUOTAS.resource && info.subresource === 'status') return false;
  return isWrite(info) && mayBeCounted(registration);
}

function isWrite({ verb, namespace }: AuthorizedResource): boolean {
  return namespace !== undefined && verb !== 'get' && verb !== 'list' && verb !== 'watch' && verb !== 'connect';
}

function askedOf({ context }: HandlerOptions, request: HttpRequest, info: AuthorizedResource): Asked {
  return { server: context, request, info, user: request.user ?? ANONYMOUS, warnings: [] };
}

/** Throws 404 for what is not served and 405 for what nothing is stored of. */
function callOf(asked: Asked): Call {
  const { server, info } = asked;
  if (info.row === undefined) throw notFoundPath();
  const registration = server.registry.find(info.row);
  if (registration === undefined) throw methodNotAllowed(info.row, info.verb);
  refuseBadSegment('Namespace', info.namespace);
  refuseBadSegment('Name', info.name);
  return { ...asked, registration, storage: server.storageOf(registration) };
}

function answerPath(options: HandlerOptions, request: HttpRequest, info: AuthorizedPath): Promise<HttpResponse> {
  if (info.isMalformed === true) throw badRequest('invalid percent-encoding in the path');
  const parts = info.path === '/' ? [] : info.path.slice(1).split('/');
  return answerByDelegates(options.paths, { request, info, parts });
}
