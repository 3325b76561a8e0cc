/** Patches by their media type: reads one from a request, and applies it to an object. */
import {
  applyMergePatch,
  badRequest,
  conflict,
  jsonPatchSteps,
  PatchError,
  requestEntityTooLarge,
  type ResourceRow,
  schemaOf,
  StatusError,
  unsupportedMediaType,
} from '../../api/index.ts';
import type { Breather, HttpRequest } from '../../lib/index.ts';
import { bodyText, contentType, parseJson } from '../http/body.ts';
import { inSteps } from '../http/in-steps.ts';
import { type ApiObject, isRecord } from './object.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';
const PATCH_TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH];

export interface Patch {
  readonly type: string;
  readonly value: unknown;
  /** Fields that its text names twice. */
  readonly problems: readonly string[];
}

/**
 * Not for apply patches. Throws 415 for other kinds of patches and 400 for what is no patch at all. `row`: a kind
 * without merge keys, as custom resources are, knows no strategic merge patch.
 */
export function readPatch(request: HttpRequest, row?: ResourceRow): Patch {
  const types =
    row === undefined || schemaOf(row).patchSteps !== undefined
      ? PATCH_TYPES
      : PATCH_TYPES.filter((each) => each !== STRATEGIC_PATCH);
  const type = contentType(request);
  if (!types.includes(type)) throw unsupportedMediaType(types);
  const { value, problems } = parseJson(bodyText(request));
  if (type !== JSON_PATCH && !isRecord(value)) throw badRequest('the patch must be a JSON object');
  return { type, value, problems };
}

/** Whether a PATCH sends a configuration, from which the server works out the change. */
export function isApplyPatch(request: HttpRequest): boolean {
  return contentType(request) === APPLY_PATCH;
}

/** Whether a patch looks into the managed fields, or may. */
export function namesOwners({ type, value }: Patch): boolean {
  if (type !== JSON_PATCH) return metadataOf(value)['managedFields'] !== undefined;
  return (
    Array.isArray(value) &&
    value.some((step) => {
      if (!isRecord(step)) return false;
      const { path, from } = step;
      return [path, from].some((pointer) => pointer === '' || pointer === '/metadata' || isBelowOwners(pointer));
    })
  );
}

function isBelowOwners(pointer: unknown): boolean {
  return typeof pointer === 'string' && pointer.startsWith('/metadata/managedFields');
}

/** Metadata that no conversion between versions changes, and on which deletion and garbage collection depend. */
const FIXED_METADATA = ['finalizers', 'ownerReferences', 'resourceVersion', 'uid'];

/** Whether a patch changes finalizers and owners, and nothing else. */
export function isOfMetadata({ type, value }: Patch): boolean {
  if (type === MERGE_PATCH) {
    const names = isRecord(value) ? Object.keys(value) : [];
    return names.join() === 'metadata' && Object.keys(metadataOf(value)).every((name) => FIXED_METADATA.includes(name));
  }
  if (type !== JSON_PATCH || !Array.isArray(value)) return false;
  const isFixed = (pointer: unknown): boolean => {
    const [, root, name = ''] = typeof pointer === 'string' ? pointer.split('/') : [];
    return root === 'metadata' && FIXED_METADATA.includes(name);
  };
  return value.every((step) => isRecord(step) && isFixed(step['path']) && (!('from' in step) || isFixed(step['from'])));
}

/** The patched object, not yet checked. A long patch gives way to other requests between its steps. Throws 400, 413 or 422. */
export async function applyPatch(
  patch: Patch,
  { row, old, breather }: { readonly row: ResourceRow; readonly old: ApiObject; readonly breather: Breather },
): Promise<unknown> {
  const { resourceVersion } = metadataOf(patch.value);
  if (
    typeof resourceVersion === 'string' &&
    resourceVersion !== '' &&
    resourceVersion !== old.metadata.resourceVersion
  ) {
    throw conflict(row, old.metadata.name ?? '');
  }
  try {
    if (patch.type === MERGE_PATCH) return applyMergePatch(old, patch.value);
    const steps =
      patch.type === JSON_PATCH ? jsonPatchSteps(old, patch.value) : schemaOf(row).patchSteps?.(old, patch.value);
    if (steps === undefined) throw unsupportedMediaType(PATCH_TYPES.filter((each) => each !== STRATEGIC_PATCH));
    return await inSteps<unknown>(steps, breather);
  } catch (error) {
    if (error instanceof PatchError) throw patchFailure(error);
    throw error;
  }
}

function metadataOf(patch: unknown): Readonly<Record<string, unknown>> {
  return isRecord(patch) && isRecord(patch['metadata']) ? patch['metadata'] : {};
}

function patchFailure(error: PatchError): StatusError {
  switch (error.code) {
    case 'malformed':
      return badRequest(error.message);
    case 'too-large':
      return requestEntityTooLarge(error.message);
    case 'inapplicable':
      return new StatusError({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        reason: 'Invalid',
        message: `the server rejected our request due to an error in our request: ${error.message}`,
        details: {},
        code: 422,
      });
  }
}
