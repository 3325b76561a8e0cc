/** Builds the paths and queries of requests for resources. */
import type { Resource } from '../api/index.ts';
import type { ListQuery } from './kube-client.ts';

/** `/api/v1/namespaces/NS/pods/NAME/SUB`; without a namespace the path covers all namespaces. */
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

/** `?a=b&c=d` with the values that are set, or an empty text. */
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
    metricLabelSelector: query.metricLabelSelector,
    limit: query.limit,
    continue: query.continue,
    resourceVersion: query.resourceVersion,
    ...more,
  });
}
