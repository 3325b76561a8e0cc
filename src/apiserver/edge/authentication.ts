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

const BEARER_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/** What a WebSocket handshake's subprotocols say: clients in browsers can set no other header. */
export interface ProtocolToken {
  /** Undefined: there is none. "": there is one that cannot be valid. */
  readonly token: string | undefined;
  /** The header without it; undefined: nothing is left. */
  readonly rest: string | undefined;
}

/**
 * The token among the subprotocols of a handshake (upstream: websocket.ProtocolAuthenticator): unpadded base64url of its text, once, and
 * beside another subprotocol, which the answer can name.
 *
 * @param protocols the header Sec-WebSocket-Protocol
 */
export function protocolToken(protocols: string): ProtocolToken {
  const offered = protocols.split(',').map((each) => each.trim());
  const others = offered.filter((each) => !each.startsWith(BEARER_PROTOCOL));
  const rest = others.some((each) => each !== '') ? others.join(', ') : undefined;
  const encoded = offered
    .filter((each) => each.startsWith(BEARER_PROTOCOL))
    .map((each) => each.slice(BEARER_PROTOCOL.length));
  const [only, ...more] = encoded;
  if (only === undefined) return { token: undefined, rest };
  if (more.length > 0 || rest === undefined || !/^[A-Za-z0-9_-]+$/.test(only)) return { token: '', rest };
  // Tokens are ASCII without spaces; anything else is none that we made.
  const text = Buffer.from(only, 'base64url').toString('latin1');
  return { token: /^[\x21-\x7e]+$/.test(text) ? text : '', rest };
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
 *
 * @param inProtocol the token of a WebSocket's subprotocol, which counts where the header has none
 */
export async function authenticate(
  peer: PeerCertificate,
  authorization: string | undefined,
  tokens: TokenAuthenticator,
  inProtocol?: string,
): Promise<UserInfo | undefined> {
  const certified = certificateUser(peer);
  if (certified !== undefined) return certified;
  const token = bearerToken(authorization) ?? inProtocol;
  if (token === '') return undefined;
  if (token !== undefined) {
    const user = await tokens(token);
    return user === undefined ? undefined : authenticated(user);
  }
  return peer.kind === 'none' ? ANONYMOUS : undefined;
}
