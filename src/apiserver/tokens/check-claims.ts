/** Reads the payload of a token, and decides whether it holds now. Pure; the caller looks up the objects that it names. */
import type { UserInfo } from '../ports.ts';
import { isRecord } from '../registry/object.ts';
import { TOKEN_LEEWAY_SECONDS } from './limits.ts';
import type { KubernetesClaims, ObjectClaim, TokenClaims } from './token-signer.ts';

const PREFIX = 'system:serviceaccount:';

/** The claims of a payload that a signer confirmed; undefined for one of another make. */
export function readClaims(payload: unknown): TokenClaims | undefined {
  if (!isRecord(payload)) return undefined;
  const { iss, sub, aud, iat, nbf, exp, jti } = payload;
  const own = payload['kubernetes.io'];
  const isList = Array.isArray(aud) && aud.every((entry) => typeof entry === 'string');
  if (!isList || typeof iss !== 'string' || typeof sub !== 'string' || typeof jti !== 'string') return undefined;
  if (typeof iat !== 'number' || typeof nbf !== 'number' || typeof exp !== 'number') return undefined;
  if (!isRecord(own) || typeof own['namespace'] !== 'string') return undefined;
  const serviceaccount = objectClaim(own['serviceaccount']);
  if (serviceaccount === undefined) return undefined;
  return {
    iss,
    sub,
    aud,
    iat,
    nbf,
    exp,
    jti,
    'kubernetes.io': {
      namespace: own['namespace'],
      serviceaccount,
      ...namedClaim('pod', own['pod']),
      ...namedClaim('secret', own['secret']),
      ...namedClaim('node', own['node']),
      ...(typeof own['warnafter'] === 'number' ? { warnafter: own['warnafter'] } : {}),
    },
  };
}

function namedClaim(name: 'pod' | 'secret' | 'node', value: unknown): Partial<KubernetesClaims> {
  const claim = objectClaim(value);
  return claim === undefined ? {} : { [name]: claim };
}

function objectClaim(value: unknown): ObjectClaim | undefined {
  if (!isRecord(value)) return undefined;
  const { name, uid } = value;
  return typeof name === 'string' && typeof uid === 'string' ? { name, uid } : undefined;
}

/** The reason why the claims do not hold at `wall` (ms) for a reader that expects one of `audiences`; undefined when they do. */
export function problemOfClaims(
  claims: TokenClaims,
  {
    issuer,
    audiences,
    wall,
  }: { readonly issuer: string; readonly audiences: readonly string[]; readonly wall: number },
): string | undefined {
  const now = wall / 1000;
  const { namespace, serviceaccount } = claims['kubernetes.io'];
  if (claims.iss !== issuer) return 'the token is of another issuer';
  if (claims.sub !== subjectOf(namespace, serviceaccount.name)) return 'the subject of the token is not its account';
  if (now > claims.exp) return 'service account token has expired';
  if (now + TOKEN_LEEWAY_SECONDS < claims.nbf) return 'service account token is not valid yet';
  if (!claims.aud.some((audience) => audiences.includes(audience))) {
    return `token audiences ${JSON.stringify(claims.aud)} is invalid for the target audiences ${JSON.stringify(audiences)}`;
  }
  return undefined;
}

/** "system:serviceaccount:NAMESPACE:NAME" */
export function subjectOf(namespace: string, name: string): string {
  return `${PREFIX}${namespace}:${name}`;
}

/** The user that a token stands for (upstream: serviceaccount.UserInfo). */
export function userOfClaims(claims: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  return {
    name: subjectOf(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
      ...(pod === undefined
        ? {}
        : {
            'authentication.kubernetes.io/pod-name': [pod.name],
            'authentication.kubernetes.io/pod-uid': [pod.uid],
          }),
      ...(node === undefined
        ? {}
        : {
            'authentication.kubernetes.io/node-name': [node.name],
            'authentication.kubernetes.io/node-uid': [node.uid],
          }),
    },
  };
}
