/** The kubelet's API as the network sees it: every request is checked before it is answered. */
import type { Connection, HttpRequest, HttpResponse } from '../../lib/index.ts';
import type { AccessControl } from './access-control.ts';
import { nodeAttributes } from './request-attributes.ts';
import { RequestError, textResponse } from './responses.ts';
import { parseCall } from './routes.ts';

const UNAUTHENTICATED = 'system:unauthenticated';

/** `connection` behind `access`; who asks was found out by the edge (`request.user`). Nothing is open to strangers. */
export function guardConnection(connection: Connection, access: Pick<AccessControl, 'authorize'>): Connection {
  return {
    request: async (request) => (await refusal(request, access)) ?? connection.request(request),
    upgrade: async (request) => {
      const response = await refusal(request, access);
      return response === undefined ? connection.upgrade(request) : { upgraded: false, response };
    },
  };
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
