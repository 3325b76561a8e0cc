/** The interface between the handler and the authorizer. */
import type { PolicyRule } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { AccessRequest } from './access-request.ts';

/** `reason` gives the cause; a refusal may have none: nothing allowed it. */
export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason?: string };

export const noOpinion: Decision = { allowed: false };

export interface Authorizer {
  /**
   * Resolves when this server's own writes of roles and bindings are in force; undefined when they already are. Only clients
   * that want to see their own writes have to wait for it.
   */
  fresh?(): Promise<void> | undefined;
  authorize(user: UserInfo, request: AccessRequest): Decision;
  /** The rights of a user in a namespace, as far as they can be listed. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** There may be more than is listed, and why. */
  readonly incomplete: boolean;
  readonly problem?: string;
}

export const MASTERS = 'system:masters';
