/**
 * The CustomResourceDefinitions of our own kinds, made of their types (`schema/own-schema.ts`), what is said of these (`own-docs.ts`) and
 * `cel-rules.ts`. Our server begins with them; `deploy/crds.yaml` is the same for other servers. Pure.
 */
import type { CustomResourceDefinition, PrinterColumn } from '../custom-resources/definition.ts';
import type { ResourceRow } from '../resource.ts';
import { CLUSTER_NOTIFICATIONS, HEALING_POLICIES, NOTIFICATIONS, POD_RESTARTS } from '../resources.ts';
import { StructuralSchema } from '../structural/structural-schema.ts';
import { definitionSchema } from './definition-schema.ts';

const AGE: PrinterColumn = { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' };

const RESTART_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Pod', jsonPath: '.spec.podName', type: 'string' },
  { name: 'Scope', jsonPath: '.spec.scope', type: 'string' },
  { name: 'Phase', jsonPath: '.status.phase', type: 'string' },
  { name: 'Reason', jsonPath: '.status.reason', type: 'string' },
  { name: 'By', jsonPath: '.spec.requestedBy', type: 'string' },
  AGE,
  { name: 'Node', jsonPath: '.status.nodeName', type: 'string', priority: 1 },
  { name: 'Message', jsonPath: '.status.message', type: 'string', priority: 1 },
];

const POLICY_COLUMNS: readonly PrinterColumn[] = [
  { name: 'MaxPodRestarts', jsonPath: '.spec.maxPodRestarts', type: 'integer' },
  { name: 'Pods', jsonPath: '.status.pods', type: 'integer' },
  AGE,
];

const NOTIFICATION_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Type', jsonPath: '.spec.target.type', type: 'string' },
  { name: 'Delivered', jsonPath: '.status.conditions[?(@.type=="Delivered")].status', type: 'string' },
  { name: 'Open', jsonPath: '.status.open', type: 'integer' },
  { name: 'Sent', jsonPath: '.status.sent', type: 'integer' },
  { name: 'Failed', jsonPath: '.status.failed', type: 'integer' },
  { name: 'Last', jsonPath: '.status.lastSentTime', type: 'date' },
  AGE,
  { name: 'Problem', jsonPath: '.status.lastProblem', type: 'string', priority: 1 },
];

/** What a definition says beside names and schema. */
interface Rest {
  readonly columns: readonly PrinterColumn[];
  /** Paths of fields that selectors may name. */
  readonly selectable?: readonly string[];
}

type OwnRow = Pick<
  ResourceRow,
  'group' | 'version' | 'resource' | 'kind' | 'listKind' | 'singular' | 'shortNames' | 'namespaced'
>;

function definition(row: OwnRow, { columns, selectable = [] }: Rest): CustomResourceDefinition {
  const { group, version, resource, kind, listKind, singular, shortNames, namespaced } = row;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: definitionNameOf(row) },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural: resource, singular, kind, listKind, shortNames },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          ...(selectable.length === 0 ? {} : { selectableFields: selectable.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: definitionSchema(`mendlet.${version}.${kind}`) },
        },
      ],
    },
  };
}

/** The name of the definition of a kind: "podrestarts.mendlet.dev". */
export function definitionNameOf({ group, resource }: Pick<ResourceRow, 'group' | 'resource'>): string {
  return `${resource}.${group}`;
}

let made: readonly CustomResourceDefinition[] | undefined;

/** Made when they are asked for: most commands need none. */
export function ownDefinitions(): readonly CustomResourceDefinition[] {
  made ??= [
    definition(HEALING_POLICIES, { columns: POLICY_COLUMNS }),
    definition(NOTIFICATIONS, { columns: NOTIFICATION_COLUMNS }),
    definition(CLUSTER_NOTIFICATIONS, { columns: NOTIFICATION_COLUMNS }),
    definition(POD_RESTARTS, { columns: RESTART_COLUMNS, selectable: ['.spec.podName', '.status.phase'] }),
  ];
  return made;
}

/** The row of a kind of ours with its schema, for who checks objects without a server; undefined: it is none of ours. */
export function ownRowOf(group: string, version: string, kind: string): ResourceRow | undefined {
  const row = OWN_ROWS.find((each) => each.group === group && each.version === version && each.kind === kind);
  if (row === undefined) return undefined;
  const { spec } = ownDefinitions().find(({ metadata }) => metadata?.name === definitionNameOf(row)) ?? {};
  return { ...row, schema: new StructuralSchema(spec?.versions[0]?.schema?.openAPIV3Schema, row.namespaced) };
}

/** The kinds that definitions of ours bring to every server of ours. */
export const OWN_ROWS: readonly ResourceRow[] = [HEALING_POLICIES, POD_RESTARTS, NOTIFICATIONS, CLUSTER_NOTIFICATIONS];
