/** From a resource to the path and query of its requests. */
import type { Resource } from '../api/index.ts';
import type { ListQuery } from './kube-client.ts';

/** `/api/v1/namespaces/NS/pods/NAME/SUB`; without a namespace a namespaced resource is meant in all of them. */
export function resourcePath(
  resource: Pick<Resource<unknown>, 'group' | 'version' | 'resource' | 'namespaced'>,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const parts = [root];
  if (resource.namespaced && namespace !== undefined) parts.push('namespaces', encodeURIComponent(namespace));
  parts.push(resource.resource);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join('/');
}

/** `?a=b&c=d` of what is set, or nothing. */
export function queryText(query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parts.push(`${name}=${encodeURIComponent(String(value))}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export function listQueryText(
  query: ListQuery,
  more: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  return queryText({
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    limit: query.limit,
    continue: query.continue,
    resourceVersion: query.resourceVersion,
    ...more,
  });
}
