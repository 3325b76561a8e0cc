/**
 * Our kinds as CustomResourceDefinitions, for other API servers: `deploy/crds.yaml`, made from the schema, its descriptions
 * and `cel-rules.ts`.
 */
import { dump } from 'js-yaml';
import { HEALING_POLICIES, POD_RESTARTS, type ResourceRow } from '../../src/api/index.ts';
import { crdSchema } from './crd-schema.ts';

interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: 'string' | 'integer' | 'date';
  /** 1: with `-o wide` only. */
  readonly priority?: number;
}

const AGE: Column = { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' };

/** The columns of our own tables, as far as a path can express them. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  PodRestart: [
    { name: 'Pod', jsonPath: '.spec.podName', type: 'string' },
    { name: 'Scope', jsonPath: '.spec.scope', type: 'string' },
    { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
    { name: 'Reason', jsonPath: '.status.reason', type: 'string' },
    { name: 'By', jsonPath: '.spec.requestedBy', type: 'string' },
    AGE,
    { name: 'Node', jsonPath: '.status.nodeName', type: 'string', priority: 1 },
    { name: 'Message', jsonPath: '.status.message', type: 'string', priority: 1 },
  ],
  HealingPolicy: [
    { name: 'MaxPodRestarts', jsonPath: '.spec.maxPodRestarts', type: 'integer' },
    { name: 'Pods', jsonPath: '.status.pods', type: 'integer' },
    AGE,
  ],
};

const SELECTABLE: Readonly<Record<string, readonly string[]>> = { PodRestart: ['.spec.podName', '.status.phase'] };

function definition(row: ResourceRow): object {
  const { group, version, resource, kind, listKind, singular, shortNames } = row;
  const selectable = SELECTABLE[kind] ?? [];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: resource, singular, kind, listKind, shortNames },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: COLUMNS[kind],
          ...(selectable.length === 0 ? {} : { selectableFields: selectable.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: crdSchema(`mendlet.${version}.${kind}`) },
        },
      ],
    },
  };
}

export const CRDS: readonly object[] = [HEALING_POLICIES, POD_RESTARTS].map((row) => definition(row as ResourceRow));

/** All definitions as one text. */
export function crdsYaml(): string {
  const head = '# Made by "npm run manifests" of src/api/schema/own-schema.ts and own-docs.ts: change those.\n';
  return `${head}${CRDS.map((crd) => `---\n${dump(crd, { lineWidth: -1, noRefs: true })}`).join('')}`;
}
