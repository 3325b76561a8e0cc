/** The seam between who asks and who decides. */
import type { PolicyRule } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { AccessRequest } from './access-request.ts';

/** `reason` tells what led to it; a refusal may have none: nothing allowed it. */
export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason?: string };

export const noOpinion: Decision = { allowed: false };

export interface Authorizer {
  /**
   * Resolves when what this server itself wrote of roles and bindings counts; undefined when it already does. Nobody has to
   * wait for it but those who want to see their own writes.
   */
  fresh?(): Promise<void> | undefined;
  authorize(user: UserInfo, request: AccessRequest): Decision;
  /** What a user may do in a namespace, as far as it can be listed. */
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** There may be more than is listed, and why. */
  readonly incomplete: boolean;
  readonly problem?: string;
}

export const MASTERS = 'system:masters';
