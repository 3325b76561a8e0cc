/**
 * The one place where a request becomes one that may be answered. The verbs get the very value that the authorizer was asked
 * about, frozen; its type is made nowhere else, and a changed copy no longer has that type. So the request that is answered
 * is the one that was authorized.
 */
import type { StatusError } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { PlacedRequest, PlacedResource } from '../http/place-request.ts';
import type { PathRequest } from '../http/request-info.ts';
import type { Authorizer } from './authorizer.ts';
import { refuse } from './refuse.ts';

/** Only in types: a private member makes them nominal, and spreading an object leaves it behind. */
declare class AuthorizedMark {
  // oxlint-disable-next-line eslint/no-unused-private-class-members
  #isAuthorized: true;
}

export type AuthorizedPath = PathRequest & AuthorizedMark;
export type AuthorizedResource = PlacedResource & AuthorizedMark;
export type AuthorizedRequest = AuthorizedPath | AuthorizedResource;

export type Verdict =
  | { readonly ok: true; readonly info: AuthorizedRequest }
  /** 401 or 403. */
  | { readonly ok: false; readonly refusal: StatusError };

/** Whether `user` may ask for this, and then the value that is answered. */
export function judgeRequest(authorizer: Authorizer, user: UserInfo | undefined, placed: PlacedRequest): Verdict {
  const info = Object.freeze({ ...placed });
  const refusal = refuse(authorizer, user, info);
  return refusal === undefined ? { ok: true, info: info as AuthorizedRequest } : { ok: false, refusal };
}
