/** Acting as somebody else (`kubectl --as`): the Impersonate-* headers of somebody who may do all. */
import { badRequest, forbidden } from '../../api/index.ts';
import type { Headers, UserInfo } from '../../lib/index.ts';

const PREFIX = 'impersonate-';
const MASTERS = 'system:masters';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS_NAME = 'system:anonymous';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * Whom the request counts as: the user behind it, or whom its headers name (upstream: the impersonation filter). Headers
 * that were ignored would give more rights than the caller asked for. Throws 400 for headers that name nobody, and 403 when
 * `user` may not.
 */
export function impersonate(user: UserInfo | undefined, headers: Headers): UserInfo | undefined {
  if (user === undefined || !Object.keys(headers).some((name) => name.startsWith(PREFIX))) return user;
  const name = headers['impersonate-user'] ?? '';
  if (name === '') throw badRequest('impersonation headers without Impersonate-User');
  if (!user.groups.includes(MASTERS)) {
    const text = `User ${JSON.stringify(user.name)} cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw forbidden({ group: '', resource: 'users' }, name, text);
  }
  const asked = (headers['impersonate-group'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  return { name, groups: [...new Set([...asked, ...impliedGroups(name)])] };
}

function impliedGroups(name: string): readonly string[] {
  if (name === ANONYMOUS_NAME) return [UNAUTHENTICATED];
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  if (namespace === undefined) return [AUTHENTICATED];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED];
}
