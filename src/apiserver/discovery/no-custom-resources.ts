/**
 * The list of CustomResourceDefinitions: always empty, and not in discovery. kubectl asks for it before it creates objects
 * from a file that can only be created (a SubjectAccessReview, a TokenReview), and fails without an answer.
 */
import type { ResourceRow } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { ResourceRequest } from '../http/request-info.ts';
import { jsonResponse } from '../http/respond.ts';

const KIND = 'CustomResourceDefinition';

/** Its scope, for requests on it. */
export const CUSTOM_RESOURCE_DEFINITIONS: ResourceRow = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: KIND,
  namespaced: false,
  singular: KIND.toLowerCase(),
  listKind: `${KIND}List`,
  shortNames: [],
  categories: [],
  verbs: ['list'],
  subresources: [],
};

/** `undefined`: something else is asked for. */
export function noCustomResources(
  { verb, name }: ResourceRequest,
  row: ResourceRow | undefined,
): HttpResponse | undefined {
  if (row !== CUSTOM_RESOURCE_DEFINITIONS || verb !== 'list' || name !== undefined) return undefined;
  return jsonResponse(200, { kind: row.listKind, apiVersion: `${row.group}/v1`, metadata: {}, items: [] });
}
