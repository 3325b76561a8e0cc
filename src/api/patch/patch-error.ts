/** Why a patch is refused, as data. */
import { exceedsDepth, MAX_JSON_DEPTH } from '../json-depth.ts';

/** Why a patch can't be applied. */
export type PatchErrorCode =
  /** Not a well-formed patch: 400. */
  | 'malformed'
  /** Well-formed, but it doesn't fit the object (a failed test, a missing path): 422. */
  | 'inapplicable'
  /** More work than a request may cause: 413. */
  | 'too-large';

export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code: PatchErrorCode;
  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws "malformed" for a patch that nests so deep that applying it could exhaust the stack. */
export function checkDepth(patch: unknown): void {
  if (exceedsDepth(patch, MAX_JSON_DEPTH)) throw new PatchError('malformed', 'the patch nests too deep');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
