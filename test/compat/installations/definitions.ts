/** CustomResourceDefinitions of any size with one object of each. */
import type { Manifest } from './manifest.ts';
import { structure } from './schema-shapes.ts';

export interface DefinitionSize {
  readonly kind: string;
  readonly kilobytes: number;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Versions, the last one is stored. Default: v1. */
  readonly versions?: readonly string[];
  /** Words of a description on average. */
  readonly wordiness?: number;
  readonly hasScale?: true;
}

export interface Definition {
  readonly definition: Manifest;
  readonly object: Manifest;
}

const CONDITION = {
  type: 'object',
  required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
  properties: {
    type: { type: 'string', maxLength: 316, pattern: '^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$' },
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
    lastTransitionTime: { type: 'string', format: 'date-time' },
    reason: { type: 'string', minLength: 1, maxLength: 1024 },
    message: { type: 'string', maxLength: 32_768 },
  },
};

const STATUS = {
  type: 'object',
  properties: {
    conditions: {
      type: 'array',
      items: CONDITION,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    observedGeneration: { type: 'integer', format: 'int64' },
    replicas: { type: 'integer', format: 'int32' },
    selector: { type: 'string' },
  },
};

/** The definition of `size` in `group`, with the marks that generators leave in it, and an object for `namespace`. */
export function definition(group: string, namespace: string, size: DefinitionSize): Definition {
  const { kind, kilobytes, scope = 'Namespaced', versions = ['v1'], wordiness = 24 } = size;
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const seed = Buffer.from(`${group}/${kind}`).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7);
  const spec = structure(seed, (kilobytes * 1024) / versions.length, wordiness);
  const version = (name: string, at: number): object => ({
    name,
    served: true,
    storage: at === versions.length - 1,
    additionalPrinterColumns: [
      { jsonPath: '.status.conditions[?(@.type=="Ready")].status', name: 'Ready', type: 'string' },
      { jsonPath: '.spec.fieldA', name: 'First', type: 'string', priority: 1 },
      { jsonPath: '.metadata.creationTimestamp', name: 'Age', type: 'date' },
    ],
    schema: {
      openAPIV3Schema: {
        description: `${kind} is what ${group} has for a ${singular}.`,
        type: 'object',
        required: ['spec'],
        properties: {
          apiVersion: { description: 'The version of this form of the object.', type: 'string' },
          kind: { description: 'The kind of the object.', type: 'string' },
          metadata: { type: 'object' },
          spec: withReplicas(spec.schema),
          status: STATUS,
        },
      },
    },
    subresources: {
      status: {},
      ...(size.hasScale && {
        scale: {
          specReplicasPath: '.spec.replicas',
          statusReplicasPath: '.status.replicas',
          labelSelectorPath: '.status.selector',
        },
      }),
    },
  });
  return {
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {
        annotations: { 'generator.example.com/version': 'v0.17.0' },
        // Generators of code leave it.
        creationTimestamp: null,
        name: `${plural}.${group}`,
      },
      spec: {
        group,
        names: { categories: [`all-of-${namespace}`], kind, listKind: `${kind}List`, plural, singular },
        scope,
        versions: versions.map(version),
      },
    },
    object: {
      apiVersion: `${group}/${versions[0]}`,
      kind,
      metadata: { name: `example-${singular}`, ...(scope === 'Namespaced' && { namespace }) },
      spec: { ...(spec.value as object), replicas: 1 },
    },
  };
}

function withReplicas(schema: Readonly<Record<string, unknown>>): object {
  const replicas = { type: 'integer', format: 'int32', default: 1, minimum: 0 };
  return { ...schema, properties: { ...(schema['properties'] as object), replicas } };
}
