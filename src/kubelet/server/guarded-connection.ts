/** The kubelet's API as the network sees it: every request is checked before it is read and answered. */
import { StatusError } from '../../api/index.ts';
import {
  type Connection,
  type GuardedConnection,
  type HttpRequest,
  type HttpResponse,
  withBody,
} from '../../lib/index.ts';
import type { AccessControl } from './access-control.ts';
import { nodeAttributes } from './request-attributes.ts';
import { RequestError, textResponse } from './responses.ts';
import { parseCall } from './routes.ts';

const UNAUTHENTICATED = 'system:unauthenticated';

/** `connection` behind `access`; who asks was found out by the edge (`request.user`). Nothing is open to strangers. */
export function guardConnection(connection: Connection, access: Pick<AccessControl, 'authorize'>): GuardedConnection {
  return {
    readsBodies: true,
    request: async (request) => (await refusal(request, access)) ?? answerWhole(request, connection),
    upgrade: async (request) => {
      const response = await refusal(request, access);
      return response === undefined ? connection.upgrade(request) : { upgraded: false, response };
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

async function refusal(
  request: HttpRequest,
  access: Pick<AccessControl, 'authorize'>,
): Promise<HttpResponse | undefined> {
  const { user } = request;
  if (user === undefined || user.groups.includes(UNAUTHENTICATED)) return textResponse(401, 'Unauthorized');
  let root: string;
  try {
    root = parseCall(request).parts[0] ?? '';
  } catch (error) {
    if (error instanceof RequestError) return textResponse(error.status, error.message);
    throw error;
  }
  const { verb, subresources } = nodeAttributes(request.method, root);
  const what = `(user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])`;
  let isUnknown = false;
  for (const subresource of subresources) {
    const decision = await access.authorize(user, verb, subresource);
    if (decision === 'allowed') return undefined;
    isUnknown ||= decision === 'unknown';
  }
  return isUnknown ? textResponse(500, `Authorization error ${what}`) : textResponse(403, `Forbidden ${what}`);
}
