/** The kubelet's API as the network sees it: every request is checked before it is answered. */
import type { Connection, HttpRequest, HttpResponse, UserInfo } from '../../lib/index.ts';
import type { AccessControl } from './access-control.ts';
import { nodeAttributes } from './request-attributes.ts';
import { RequestError, textResponse } from './responses.ts';
import { parseCall, type RouteCall, urlOf } from './routes.ts';

const UNAUTHENTICATED = 'system:unauthenticated';

/** What may be answered, in the spelling that was asked about, or why not. */
type Verdict = { readonly request: HttpRequest } | { readonly refusal: HttpResponse };

/** `connection` behind `access`; who asks was found out by the edge (`request.user`). Nothing is open to strangers. */
export function guardConnection(connection: Connection, access: Pick<AccessControl, 'authorize'>): Connection {
  return {
    request: async (request) => {
      const verdict = await judge(request, access, false);
      return 'refusal' in verdict ? verdict.refusal : connection.request(verdict.request);
    },
    upgrade: async (request) => {
      const verdict = await judge(request, access, true);
      if ('refusal' in verdict) return { upgraded: false, response: verdict.refusal };
      return connection.upgrade(verdict.request);
    },
  };
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
  const { verbs, subresources } = nodeAttributes(request.method, call.parts[0] ?? '', isUpgrade);
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
