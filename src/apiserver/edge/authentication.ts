/**
 * Finds the user of a request: by client certificate, then by bearer token, else anonymous (upstream: the union
 * authenticator's order).
 */
import type { UserInfo } from '../../lib/index.ts';

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
/** Upstream's groups: the first may do everything, the second are the agents. */
export const MASTERS_GROUP = 'system:masters';
export const NODES_GROUP = 'system:nodes';
const AUTHENTICATED_GROUP = 'system:authenticated';

/** The TLS layer's knowledge of the client. */
export type PeerCertificate =
  | { readonly kind: 'none' }
  /** Not signed by our authority, expired, or not for clients. */
  | { readonly kind: 'untrusted' }
  | { readonly kind: 'trusted'; readonly commonName: string; readonly organizations: readonly string[] };

/** Looks up a bearer token; `undefined`: not known (or no longer). */
export type TokenAuthenticator = (token: string) => Promise<UserInfo | undefined>;

/** Knows no token: every one presented is refused. */
export const noTokens: TokenAuthenticator = () => Promise.resolve(undefined);

/** The token of an Authorization header; `undefined` when it carries none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const match = /^bearer +(\S+)\s*$/i.exec(authorization ?? '');
  return match?.[1];
}

function authenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}

/** The user of a certificate; undefined: no certificate, or one that is not trusted. */
export function certificateUser(peer: PeerCertificate): UserInfo | undefined {
  if (peer.kind !== 'trusted' || peer.commonName === '') return undefined;
  return authenticated({ name: peer.commonName, groups: peer.organizations });
}

/**
 * The user of a request; `undefined`: credentials were presented and are invalid (401). A request without credentials is
 * `system:anonymous`, who may see only health.
 */
export async function authenticate(
  peer: PeerCertificate,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
): Promise<UserInfo | undefined> {
  const certified = certificateUser(peer);
  if (certified !== undefined) return certified;
  const token = bearerToken(authorization);
  if (token !== undefined) {
    const user = await tokens(token);
    return user === undefined ? undefined : authenticated(user);
  }
  return peer.kind === 'none' ? ANONYMOUS : undefined;
}
