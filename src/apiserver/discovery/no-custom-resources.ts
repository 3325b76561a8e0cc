/**
 * The list of CustomResourceDefinitions: always empty, and told by no discovery. kubectl asks for it before it creates from a
 * file what can only be created (a SubjectAccessReview, a TokenReview), and fails when there is no answer.
 */
import type { HttpResponse } from '../../lib/index.ts';
import type { ResourceRequest } from '../http/request-info.ts';
import { jsonResponse } from '../http/respond.ts';

/** `undefined`: something else is asked for. */
export function noCustomResources({ group, version, resource, verb, name }: ResourceRequest): HttpResponse | undefined {
  const isList = verb === 'list' && name === undefined && version === 'v1';
  if (!isList || group !== 'apiextensions.k8s.io' || resource !== 'customresourcedefinitions') return undefined;
  const kind = 'CustomResourceDefinitionList';
  return jsonResponse(200, { kind, apiVersion: 'apiextensions.k8s.io/v1', metadata: {}, items: [] });
}
