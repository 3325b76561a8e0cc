/** The kubelet's API as the network sees it: every request is checked before it is read and answered. */
import { StatusError } from '../../api/index.ts';
import {
  type Connection,
  type GuardedConnection,
  type HttpRequest,
  type HttpResponse,
  type UserInfo,
  withBody,
} from '../../lib/index.ts';
import type { AccessControl } from './access-control.ts';
import { nodeAttributes } from './request-attributes.ts';
import { RequestError, textResponse } from './responses.ts';
import { parseCall, type RouteCall, urlOf } from './routes.ts';

const UNAUTHENTICATED = 'system:unauthenticated';

/** The request that may be answered, in the spelling that was authorized, or the refusal. */
type Verdict = { readonly request: HttpRequest } | { readonly refusal: HttpResponse };

/** `connection` behind `access`. The edge has found the user (`request.user`). Nothing is open to strangers. */
export function guardConnection(connection: Connection, access: Pick<AccessControl, 'authorize'>): GuardedConnection {
  return {
    readsBodies: true,
    request: async (request) => {
      const verdict = await judge(request, access, false);
      return 'refusal' in verdict ? verdict.refusal : answerWhole(verdict.request, connection);
    },
    upgrade: async (request) => {
      const verdict = await judge(request, access, true);
      if ('refusal' in verdict) return { upgraded: false, response: verdict.refusal };
      return connection.upgrade(verdict.request);
    },
  };
}

/** The answer to a request that may be made: its body is read now. */
async function answerWhole(request: HttpRequest, connection: Connection): Promise<HttpResponse> {
  let whole: HttpRequest;
  try {
    whole = await withBody(request);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const answer = textResponse(error.code, error.message);
    const seconds = error.status.details?.retryAfterSeconds;
    return seconds === undefined
      ? answer
      : { ...answer, headers: { ...answer.headers, 'retry-after': String(seconds) } };
  }
  return connection.request(whole);
}

async function judge(
  request: HttpRequest,
  access: Pick<AccessControl, 'authorize'>,
  isUpgrade: boolean,
): Promise<Verdict> {
  const { user } = request;
  if (user === undefined || user.groups.includes(UNAUTHENTICATED)) {
    return { refusal: textResponse(401, 'Unauthorized') };
  }
  let call: RouteCall;
  try {
    call = parseCall(request);
  } catch (error) {
    if (error instanceof RequestError) return { refusal: textResponse(error.status, error.message) };
    throw error;
  }
  const { verbs, subresources } = nodeAttributes(request.method, call.parts, isUpgrade);
  for (const verb of verbs) {
    const refusal = await refuse(access, user, verb, subresources);
    if (refusal !== undefined) return { refusal };
  }
  return { request: { ...request, url: urlOf(call) } };
}

async function refuse(
  access: Pick<AccessControl, 'authorize'>,
  user: UserInfo,
  verb: string,
  subresources: readonly string[],
): Promise<HttpResponse | undefined> {
  const what = `(user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])`;
  let isUnknown = false;
  for (const subresource of subresources) {
    const decision = await access.authorize(user, verb, subresource);
    if (decision === 'allowed') return undefined;
    isUnknown ||= decision === 'unknown';
  }
  return isUnknown ? textResponse(500, `Authorization error ${what}`) : textResponse(403, `Forbidden ${what}`);
}
