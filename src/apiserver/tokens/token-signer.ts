/** The port that signs and checks service account tokens. */

/** The payload of a token (upstream: pkg/serviceaccount, `privateClaims`). Times are seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  /** "system:serviceaccount:NAMESPACE:NAME" */
  readonly sub: string;
  readonly aud: readonly string[];
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  /** Unique for each token. */
  readonly jti: string;
  readonly 'kubernetes.io': KubernetesClaims;
}

export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

export interface KubernetesClaims {
  readonly namespace: string;
  readonly serviceaccount: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
  /** From here on a use of the token is worth a warning: it lives longer than was asked for. */
  readonly warnafter?: number;
}

export interface TokenSigner {
  sign(claims: TokenClaims): Promise<string>;
  /** The payload of a token that this signer made; undefined for every other text. Times are not looked at. */
  verify(token: string): Promise<unknown>;
  /** The keys that tokens are checked with: an RFC 7517 key set without private parts. */
  readonly keySet: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** JWA names of the signatures, for discovery. */
  readonly algorithms: readonly string[];
}
