/** The columns of deployments, replica sets and replication controllers (upstream: printDeployment and its siblings). */
import {
  type Deployment,
  formatLabelSelector,
  type LabelSelector,
  labelSelectorOf,
  type PodTemplateSpec,
  type ReplicaSet,
  type ReplicationController,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, type Cell, column, nameColumn, since, type TableKind } from './table.ts';

const containerColumns = [
  column('Containers', { wide: true, description: 'Names of the containers of its pods.' }),
  column('Images', { wide: true, description: 'Their images.' }),
];
const selectorColumn = column('Selector', { wide: true, description: 'Which pods it looks at.' });

/** What both wide columns say of a template. */
export function containerCells(template: PodTemplateSpec | undefined): readonly [names: string, images: string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

/** A selector as text, "<none>" for an empty one. */
export function selectorCell(selector: LabelSelector | undefined): string {
  return formatLabelSelector(labelSelectorOf(selector) ?? []) || '<none>';
}

export const deploymentTable: TableKind = {
  columns: [
    nameColumn,
    column('Ready', { description: 'Pods that are ready, of those wanted.' }),
    column('Up-to-date', { type: 'integer', description: 'Pods of its template as it is now.' }),
    column('Available', { type: 'integer', description: 'Pods that have been ready for long enough.' }),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  cells: (object, now) => {
    const { metadata, spec, status = {} } = object as Deployment;
    return [
      metadata?.name ?? '',
      `${status.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
      status.updatedReplicas ?? 0,
      status.availableReplicas ?? 0,
      since(metadata?.creationTimestamp, now),
      ...containerCells(spec?.template),
      selectorCell(spec?.selector),
    ];
  },
};

const countedColumns = [
  nameColumn,
  column('Desired', { type: 'integer', description: 'How many pods are wanted.' }),
  column('Current', { type: 'integer', description: 'How many there are.' }),
  column('Ready', { type: 'integer', description: 'How many of them are ready.' }),
  ageColumn,
  ...containerColumns,
  selectorColumn,
];

function countedTable(selectorOf: (object: ApiObject) => LabelSelector | undefined): TableKind {
  return {
    columns: countedColumns,
    cells: (object, now): readonly Cell[] => {
      const { metadata, spec, status } = object as Pick<ReplicaSet, 'metadata' | 'status'> & {
        readonly spec?: { readonly replicas?: number; readonly template?: PodTemplateSpec };
      };
      return [
        metadata?.name ?? '',
        spec?.replicas ?? 0,
        status?.replicas ?? 0,
        status?.readyReplicas ?? 0,
        since(metadata?.creationTimestamp, now),
        ...containerCells(spec?.template),
        selectorCell(selectorOf(object)),
      ];
    },
  };
}

export const replicaSetTable = countedTable((object) => (object as ReplicaSet).spec?.selector);

export const replicationControllerTable = countedTable((object) => ({
  matchLabels: (object as ReplicationController).spec?.selector ?? {},
}));
