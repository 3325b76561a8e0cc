/** The refusal of a request that may not be made, in upstream's words. */
import { forbidden, type StatusError, unauthorized } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { type AccessRequest, accessesOf } from './access-request.ts';
import type { Authorizer } from './authorizer.ts';

const UNAUTHENTICATED = 'system:unauthenticated';

/** Requests that are answered without a known user. */
export function isPublic(info: RequestInfo): boolean {
  return info.kind === 'path' && /^\/(healthz|livez|readyz)(\/|$)/.test(info.path);
}

export function isStranger(user: UserInfo | undefined): user is undefined {
  return user === undefined || user.groups.includes(UNAUTHENTICATED);
}

/** `undefined`: the user may. Unknown users see only health. */
export function refuse(authorizer: Authorizer, user: UserInfo | undefined, info: RequestInfo): StatusError | undefined {
  if (isPublic(info)) return undefined;
  if (isStranger(user)) return unauthorized();
  for (const access of accessesOf(info)) {
    const decision = authorizer.authorize(user, access);
    if (!decision.allowed) return refusal(user, access, decision.reason);
  }
  return undefined;
}

/** 403: "User … cannot …". */
export function refusal(user: UserInfo, access: AccessRequest, why?: string): StatusError {
  const reason = why === undefined ? '' : `: ${why}`;
  const who = `User ${JSON.stringify(user.name)} cannot ${access.verb}`;
  if (access.kind === 'path') return forbidden(undefined, '', `${who} path ${JSON.stringify(access.path)}${reason}`);
  const { group, resource, subresource, namespace, name } = access;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(full)} in API group ${JSON.stringify(group)} ${where}`;
  return forbidden({ group, resource }, name, `${who} ${what}${reason}`);
}
