/** The registration of CustomResourceDefinitions (upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition). */
import {
  CLEANUP_FINALIZER,
  CUSTOM_RESOURCE_DEFINITIONS,
  type CustomResourceDefinition,
  setCondition,
  storageVersionOf,
} from '../../api/index.ts';
import { checkDefinitionRules } from '../custom-resources/check-rules.ts';
import { changesOfOwn, isOwnSpec, refuseDeletionOfOwn } from '../custom-resources/own-definitions.ts';
import { withFormerMetadata } from '../registry/object-meta.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration, Strategy } from '../registry/registration.ts';
import { defaultTable } from '../tables/table.ts';

const strategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => {
    const storage = storageVersionOf(definitionOf(object));
    const storedVersions = storage === undefined ? [] : [storage];
    return { ...object, status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions } };
  },
  prepareForUpdate: (object, old) => {
    const definition = definitionOf(object);
    const { status } = definitionOf(old);
    const storage = storageVersionOf(definition);
    const stored = status?.storedVersions ?? [];
    if (storage === undefined || stored.includes(storage)) return object;
    return { ...object, status: { ...status, storedVersions: [...stored, storage] } };
  },
  prepareForStatusUpdate: withFormerMetadata,
  refuseDelete: refuseDeletionOfOwn,
  // The first request to delete it only begins: the objects of its kind go first.
  isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
  markDeleting: (object) => {
    const { finalizers = [], deletionTimestamp = '' } = object.metadata;
    const held = finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER];
    const { status } = definitionOf(object);
    const terminating = {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    };
    return {
      ...object,
      metadata: { ...object.metadata, finalizers: held },
      status: { ...status, conditions: setCondition(status?.conditions, terminating, deletionTimestamp) },
    };
  },
};

function definitionOf(object: ApiObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition;
}

export const DEFINITION_REGISTRATIONS: readonly Registration[] = [
  {
    row: CUSTOM_RESOURCE_DEFINITIONS,
    keyPrefix: '/registry/apiextensions.k8s.io/customresourcedefinitions/',
    table: defaultTable,
    strategy,
    checkMore: async (object, old, engine) => {
      const definition = definitionOf(object);
      const kept = changesOfOwn(definition, old === undefined ? undefined : definitionOf(old));
      // The rules of our own definitions are checked by a test.
      return kept.length > 0 || isOwnSpec(definition) ? kept : checkDefinitionRules(object, old, engine);
    },
  },
];
