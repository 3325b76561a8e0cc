/** JSON Merge Patch (RFC 7396). The input is never changed. */
import { setOwn } from '../schema/set-own.ts';
import { checkDepth, isRecord } from './patch-error.ts';

/** The patched document. Throws `PatchError` for a patch that nests too deep. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  checkDepth(patch);
  return merge(target, patch);
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, merge(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}
