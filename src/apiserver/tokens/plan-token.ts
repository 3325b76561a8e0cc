/**
 * Computes the claims of a new token from the request, the account and the object that it is bound to (upstream:
 * TokenREST.Create). Pure.
 */
import { type FieldError, invalidValue, tooMany, type TokenRequest, type TokenRequestSpec } from '../../api/index.ts';
import {
  DEFAULT_TOKEN_SECONDS,
  EXTENDED_TOKEN_SECONDS,
  MAX_AUDIENCES,
  MAX_TOKEN_SECONDS,
  MIN_TOKEN_SECONDS,
  POD_TOKEN_SECONDS,
  TOKEN_ISSUER,
} from './limits.ts';
import { subjectOf } from './check-claims.ts';
import type { ObjectClaim, TokenClaims } from './token-signer.ts';

/** The request's wishes with their defaults. */
export function completeSpec(
  request: TokenRequest,
): TokenRequestSpec & { audiences: string[]; expirationSeconds: number } {
  const { audiences, expirationSeconds, boundObjectRef } = request.spec ?? {};
  return {
    audiences: audiences?.length ? audiences : [TOKEN_ISSUER],
    expirationSeconds: expirationSeconds ?? DEFAULT_TOKEN_SECONDS,
    ...((boundObjectRef ?? undefined) === undefined ? {} : { boundObjectRef }),
  };
}

export function validateTokenSpec(spec: TokenRequestSpec): FieldError[] {
  const expirationSeconds = spec.expirationSeconds ?? 0;
  const audiences = spec.audiences ?? [];
  const field = 'spec.expirationSeconds';
  const errors: FieldError[] = [];
  if (expirationSeconds < MIN_TOKEN_SECONDS)
    errors.push(invalidValue(field, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  if (expirationSeconds > MAX_TOKEN_SECONDS)
    errors.push(invalidValue(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  if (audiences.length > MAX_AUDIENCES) errors.push(tooMany('spec.audiences', audiences.length, MAX_AUDIENCES));
  return errors;
}

export interface TokenPlan {
  readonly claims: TokenClaims;
  /** The time when its holder should get a new one, wall ms: the answer contains it. */
  readonly expiresAt: number;
}

/** The objects that a token is bound to: without them it is worth nothing. */
export interface TokenBinding {
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

export interface TokenInputs {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound: TokenBinding;
  /** Wall ms. */
  readonly wall: number;
  readonly id: string;
}

export function planToken(inputs: TokenInputs): TokenPlan {
  const { namespace, account, audiences, expirationSeconds, bound, wall, id } = inputs;
  const { pod, secret, node } = bound;
  const now = Math.floor(wall / 1000);
  // A pod's own token outlives what was asked for: programs that never read it again go on for a year.
  const extended =
    expirationSeconds === POD_TOKEN_SECONDS && pod !== undefined && audiences.every((name) => name === TOKEN_ISSUER);
  return {
    expiresAt: (now + expirationSeconds) * 1000,
    claims: {
      iss: TOKEN_ISSUER,
      sub: subjectOf(namespace, account.name),
      aud: audiences,
      iat: now,
      nbf: now,
      exp: now + (extended ? EXTENDED_TOKEN_SECONDS : expirationSeconds),
      jti: id,
      'kubernetes.io': {
        namespace,
        ...(node === undefined ? {} : { node }),
        ...(pod === undefined ? {} : { pod }),
        ...(secret === undefined ? {} : { secret }),
        serviceaccount: account,
        ...(extended ? { warnafter: now + expirationSeconds } : {}),
      },
    },
  };
}
