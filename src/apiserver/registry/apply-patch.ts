/** Patches by their media type. */
import { type ResourceRow, unsupportedMediaType } from '../../api/index.ts';
import type { HttpRequest } from '../../lib/index.ts';
import type { ApiObject } from './object.ts';

export interface Patch {
  readonly value: unknown;
  readonly problems: readonly string[];
}

export function readPatch(_request: HttpRequest, _row: ResourceRow): Patch {
  throw unsupportedMediaType([]);
}

export function applyPatch(_patch: Patch, _row: ResourceRow, old: ApiObject): unknown {
  return old;
}
