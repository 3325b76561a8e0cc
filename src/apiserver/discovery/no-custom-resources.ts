/**
 * The list of CustomResourceDefinitions: always empty, and not in discovery. kubectl asks for it before it creates objects
 * from a file that can only be created (a SubjectAccessReview, a TokenReview), and fails without an answer.
 */
import { notFoundPath, type ResourceRow } from '../../api/index.ts';
import { jsonResponse } from '../http/respond.ts';
import type { ServedKind } from '../call.ts';

const KIND = 'CustomResourceDefinition';

const CUSTOM_RESOURCE_DEFINITIONS: ResourceRow = {
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

/** Its kind, until there is one. */
export const NO_CUSTOM_RESOURCES: ServedKind = {
  row: CUSTOM_RESOURCE_DEFINITIONS,
  isHidden: true,
  answer: ({ info }) => {
    if (info.verb !== 'list' || info.name !== undefined) throw notFoundPath();
    const { listKind, group, version } = CUSTOM_RESOURCE_DEFINITIONS;
    return jsonResponse(200, { kind: listKind, apiVersion: `${group}/${version}`, metadata: {}, items: [] });
  },
};
