/**
 * Finds the resource and the scope of a request from its path and the kinds that are served, before it is authorized: a cluster-wide
 * kind is in no namespace, and an object of a namespaced kind is in one. Pure.
 */
import { NAMESPACES, notFoundPath, type ResourceRow } from '../../api/index.ts';
import type { AccessRequest } from '../authorization/access-request.ts';
import type { ServedRows } from '../registry/served-rows.ts';
import { canonicalPath, type PathRequest, type RequestInfo, type ResourceRequest } from './request-info.ts';

/** A request on a resource whose path can name something. */
export interface PlacedResource extends ResourceRequest {
  /** Absent: no such kind is served; an authorized user is told so. */
  readonly row: ResourceRow | undefined;
}

export type PlacedRequest = PlacedResource | PathRequest;

/** Throws 404 for a path that can name nothing, whatever exists. */
export function placeRequest(registry: ServedRows, info: RequestInfo): PlacedRequest {
  if (info.kind === 'path') return info;
  const row = registry.rowOf(info);
  if (!isPlaced(info, row)) throw notFoundPath();
  return { ...info, row };
}

/**
 * A question about a request, in the terms of the request itself: a cluster-wide kind is in no namespace (kubectl names its
 * own namespace whatever the kind), and a namespace is in itself.
 */
export function placeAccess(registry: ServedRows, access: AccessRequest): AccessRequest {
  if (access.kind === 'path') return { ...access, path: canonicalPath(access.path) };
  const { group, resource, verb, namespace, name } = access;
  const row = registry.rows().find((each) => each.group === group && each.resource === resource);
  if (row === undefined || row.namespaced || !REQUEST_VERBS.has(verb)) return access;
  if (row !== NAMESPACES || !NAMED_VERBS.has(verb)) return { ...access, namespace: '' };
  return { ...access, namespace: name === '' ? namespace : name };
}

const NAMED_VERBS: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);
/** Other verbs exist only in questions ("impersonate", "approve"); the caller knows their scope. */
const REQUEST_VERBS: ReadonlySet<string> = new Set([
  ...NAMED_VERBS,
  'list',
  'watch',
  'create',
  'deletecollection',
  '*',
]);
function isPlaced(
  { verb, namespace, name, subresource, rest }: ResourceRequest,
  row: ResourceRow | undefined,
): boolean {
  // Only what is proxied has paths of its own below; a slash at the end says nothing.
  if (subresource !== 'proxy' && !/^\/*$/.test(rest)) return false;
  if (verb === 'watch' && subresource !== undefined) return false;
  if (row === undefined) return true;
  if (row.namespaced) return name === undefined || namespace !== undefined;
  // Only a namespace is in itself: a user with rights in it may have them on it (upstream's RequestInfo).
  return row === NAMESPACES ? namespace === name : namespace === undefined;
}
