/** Acting as somebody else (`kubectl --as`): the Impersonate-* headers of somebody who may do all. */
import { badRequest, forbidden } from '../../api/index.ts';
import type { Headers, UserInfo } from '../../lib/index.ts';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
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
  const uid = headers['impersonate-uid'] ?? '';
  const extra = extraOf(headers);
  return {
    name,
    groups: [...new Set([...asked, ...impliedGroups(name)])],
    ...(uid === '' ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function extraOf(headers: Headers): Record<string, readonly string[]> | undefined {
  const entries = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA_PREFIX))
    .map(
      ([name, value]) =>
        [decoded(name.slice(EXTRA_PREFIX.length)), value.split(',').map((each) => each.trim())] as const,
    );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Keys are percent-encoded where a header's name cannot hold them; one that is not stays as it is. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function impliedGroups(name: string): readonly string[] {
  if (name === ANONYMOUS_NAME) return [UNAUTHENTICATED];
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  if (namespace === undefined) return [AUTHENTICATED];
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED];
}
