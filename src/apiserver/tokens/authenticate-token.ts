/**
 * Finds the user of a bearer token. A service account's token is valid until it expires, or until its account, or the pod,
 * secret or node that it is bound to, is gone: each is looked up for every request (upstream: pkg/serviceaccount,
 * `validator.Validate`). A bootstrap token is valid while its secret in kube-system is.
 */
import {
  BOOTSTRAP_TOKEN_NAMESPACE,
  BOOTSTRAP_USER_PREFIX,
  bootstrapSecretName,
  checkBootstrapToken,
  parseBootstrapToken,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { UserInfo } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import type { ServerContext } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';
import { problemOfClaims, readClaims, userOfClaims } from './check-claims.ts';
import { MAX_TOKEN_CHARACTERS, TOKEN_ISSUER, TOKEN_LEEWAY_SECONDS } from './limits.ts';
import type { KubernetesClaims, ObjectClaim } from './token-signer.ts';

export type TokenVerdict =
  | { readonly ok: true; readonly user: UserInfo; readonly audiences: readonly string[] }
  /** `reason` is for users who may ask about tokens, not for the client that presents one. */
  | { readonly ok: false; readonly reason: string };

const UNKNOWN: TokenVerdict = { ok: false, reason: 'invalid bearer token' };

/** `audiences`: one of them must be among the token's; default: this server's own. */
export async function authenticateToken(
  server: ServerContext,
  token: string,
  audiences: readonly string[] = [TOKEN_ISSUER],
): Promise<TokenVerdict> {
  const bootstrap = parseBootstrapToken(token);
  if (bootstrap !== undefined) return authenticateBootstrap(server, bootstrap, audiences);
  if (server.tokens === undefined || token.length > MAX_TOKEN_CHARACTERS) return UNKNOWN;
  const claims = readClaims(await server.tokens.verify(token));
  if (claims === undefined) return UNKNOWN;
  const { wall } = server.ports.clock.now();
  const reason =
    problemOfClaims(claims, { issuer: TOKEN_ISSUER, audiences, wall }) ??
    (await problemOfObjects(server, claims['kubernetes.io'], wall));
  if (reason !== undefined) return { ok: false, reason };
  const accepted = audiences.filter((audience) => claims.aud.includes(audience));
  return { ok: true, user: userOfClaims(claims), audiences: accepted };
}

async function authenticateBootstrap(
  server: ServerContext,
  token: { readonly id: string; readonly secret: string },
  audiences: readonly string[],
): Promise<TokenVerdict> {
  // It has no audiences of its own, so it is meant for this server alone.
  if (!audiences.includes(TOKEN_ISSUER)) return UNKNOWN;
  const found = await readCurrent(server, 'secrets', BOOTSTRAP_TOKEN_NAMESPACE, bootstrapSecretName(token.id));
  const verdict = checkBootstrapToken(token, found, server.ports.clock.now().wall);
  if (!verdict.ok) {
    server.ports.logger.debug('bootstrap token refused', { reason: verdict.reason });
    return UNKNOWN;
  }
  const groups = [...verdict.groups, 'system:authenticated'];
  return { ok: true, user: { name: `${BOOTSTRAP_USER_PREFIX}${verdict.id}`, groups }, audiences: [TOKEN_ISSUER] };
}

async function problemOfObjects(
  server: ServerContext,
  { namespace, serviceaccount, pod, secret, node }: KubernetesClaims,
  wall: number,
): Promise<string | undefined> {
  const bound: readonly (readonly [string, string, string | undefined, ObjectClaim | undefined])[] = [
    ['serviceaccounts', 'service account', namespace, serviceaccount],
    ['secrets', 'secret', namespace, secret],
    ['pods', 'pod', namespace, pod],
    // The node of a pod's token is only informative; it binds if nothing else does.
    ['nodes', 'node', undefined, pod === undefined ? node : undefined],
  ];
  for (const [resource, word, place, claim] of bound) {
    if (claim === undefined) continue;
    const object = await readCurrent(server, resource, place, claim.name);
    if (!isThere(object, claim.uid, wall)) return `${word} ${JSON.stringify(claim.name)} has been invalidated`;
  }
  return undefined;
}

/** The same object still; one that should be gone since a minute counts as gone. */
function isThere(object: ApiObject | undefined, uid: string, wall: number): boolean {
  if (object === undefined || object.metadata.uid !== uid) return false;
  const ends = parseTime(object.metadata.deletionTimestamp);
  return ends === undefined || ends >= wall - TOKEN_LEEWAY_SECONDS * 1000;
}
