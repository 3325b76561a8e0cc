/** The columns of deployments, replica sets and replication controllers (upstream: printDeployment and its siblings). */
import type { Deployment, LabelSelector, PodTemplateSpec, ReplicaSet, ReplicationController } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, type Cell, column, nameColumn, since, type TableKind } from './table.ts';
import { containerCells, containersColumn, imagesColumn, selectorColumn, selectorText } from './workload-cells.ts';

const templateColumns = [containersColumn, imagesColumn, selectorColumn];

export const deploymentTable: TableKind = {
  columns: [
    nameColumn,
    column('Ready', { description: 'Pods that are ready, of those wanted.' }),
    column('Up-to-date', { type: 'integer', description: 'Pods of its template as it is now.' }),
    column('Available', { type: 'integer', description: 'Pods that have been ready for long enough.' }),
    ageColumn,
    ...templateColumns,
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
      selectorText(spec?.selector),
    ];
  },
};

const countedColumns = [
  nameColumn,
  column('Desired', { type: 'integer', description: 'How many pods are wanted.' }),
  column('Current', { type: 'integer', description: 'How many there are.' }),
  column('Ready', { type: 'integer', description: 'How many of them are ready.' }),
  ageColumn,
  ...templateColumns,
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
        selectorText(selectorOf(object)),
      ];
    },
  };
}

export const replicaSetTable = countedTable((object) => (object as ReplicaSet).spec?.selector);

export const replicationControllerTable = countedTable((object) => ({
  matchLabels: (object as ReplicationController).spec?.selector ?? {},
}));
