/** Acting as another user (`kubectl --as`): the Impersonate-* headers of a user who may "impersonate" each part of them. */
import { badRequest } from '../../api/index.ts';
import type { Headers, UserInfo } from '../../lib/index.ts';
import { type ResourceAccess, resourceAccess } from '../authorization/access-request.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import { refusal } from '../authorization/refuse.ts';

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS_NAME = 'system:anonymous';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * The user that the request counts as: the one behind it, or the one that its headers name (upstream: the impersonation
 * filter). Ignored headers would give more rights than the caller asked for. Throws 400 for headers that name no user, and
 * 403 when `user` may not.
 */
export function impersonate(
  authorizer: Authorizer,
  user: UserInfo | undefined,
  headers: Headers,
): UserInfo | undefined {
  if (user === undefined || !isImpersonating(headers)) return user;
  const name = headers['impersonate-user'] ?? '';
  if (name === '') throw badRequest('impersonation headers without Impersonate-User');
  const asked = {
    name,
    groups: listOf(headers['impersonate-group']),
    uid: headers['impersonate-uid'] ?? '',
    extra: extraOf(headers),
  };
  for (const access of accessesOf(asked)) {
    const decision = authorizer.authorize(user, access);
    if (!decision.allowed) throw refusal(user, access, decision.reason);
  }
  return {
    name,
    groups: groupsOf(asked),
    ...(asked.uid === '' ? {} : { uid: asked.uid }),
    ...(Object.keys(asked.extra).length === 0 ? {} : { extra: asked.extra }),
  };
}

/** True when a request wants to act as another user. */
export function isImpersonating(headers: Headers): boolean {
  return Object.keys(headers).some((name) => name.startsWith(PREFIX));
}

/** Without the headers that were used here: the target of a proxied request must not act on them again. */
export function withoutImpersonation(headers: Headers): Headers {
  if (!isImpersonating(headers)) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(PREFIX)));
}

interface Asked {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid: string;
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** The rights that are needed to impersonate: the user, and each group, uid and extra value on its own. */
function accessesOf({ name, groups, uid, extra }: Asked): readonly ResourceAccess[] {
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  const verb = 'impersonate';
  return [
    namespace === undefined || account === undefined
      ? resourceAccess({ verb, resource: 'users', name })
      : resourceAccess({ verb, resource: 'serviceaccounts', namespace, name: account }),
    ...groups.map((group) => resourceAccess({ verb, resource: 'groups', name: group })),
    ...(uid === '' ? [] : [resourceAccess({ verb, group: AUTHENTICATION_GROUP, resource: 'uids', name: uid })]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) =>
        resourceAccess({ verb, group: AUTHENTICATION_GROUP, resource: 'userextras', subresource: key, name: value }),
      ),
    ),
  ];
}

/** A service account without named groups has its own; all known users are among the authenticated. */
function groupsOf({ name, groups }: Asked): readonly string[] {
  const namespace = SERVICE_ACCOUNT.exec(name)?.[1];
  const own =
    namespace !== undefined && groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
      : groups;
  const implied = name === ANONYMOUS_NAME ? UNAUTHENTICATED : AUTHENTICATED;
  const isSaid = own.includes(UNAUTHENTICATED) || own.includes(implied);
  return [...new Set(isSaid ? own : [...own, implied])];
}

function listOf(text = ''): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function extraOf(headers: Headers): Record<string, readonly string[]> {
  const entries = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA_PREFIX))
    .map(
      ([name, value]) =>
        [decoded(name.slice(EXTRA_PREFIX.length)), value.split(',').map((each) => each.trim())] as const,
    );
  return Object.fromEntries(entries);
}

/** Keys are percent-encoded where a header's name cannot hold them; one that is not stays as it is. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
