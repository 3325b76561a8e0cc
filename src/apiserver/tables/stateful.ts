/** The columns of stateful and daemon sets and their revisions (upstream: printStatefulSet, printDaemonSet, printControllerRevision). */
import {
  type ControllerRevision,
  controllerOf,
  type DaemonSet,
  type DaemonSetStatus,
  parseApiVersion,
  type StatefulSet,
} from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';
import {
  containerCells,
  containersColumn,
  imagesColumn,
  labelsText,
  selectorColumn,
  selectorText,
} from './workload-cells.ts';

export const statefulSetTable: TableKind = {
  columns: [
    nameColumn,
    column('Ready', { description: 'Pods that are ready, of those that are wanted.' }),
    ageColumn,
    containersColumn,
    imagesColumn,
  ],
  cells: (object, now) => {
    const { spec, status } = object as StatefulSet;
    return [
      object.metadata.name ?? '',
      `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
      since(object.metadata.creationTimestamp, now),
      ...containerCells(spec?.template),
    ];
  },
};

const count = (name: string, description: string): ReturnType<typeof column> =>
  column(name, { type: 'integer', description });

export const daemonSetTable: TableKind = {
  columns: [
    nameColumn,
    count('Desired', 'Nodes that should run its pod.'),
    count('Current', 'Nodes that have its pod, and should.'),
    count('Ready', 'Nodes on which it is ready.'),
    count('Up-to-date', 'Nodes on which it is made from the newest template.'),
    count('Available', 'Nodes on which it has been ready for long enough.'),
    column('Node Selector', { description: 'Labels of the nodes that it is for.' }),
    ageColumn,
    containersColumn,
    imagesColumn,
    selectorColumn,
  ],
  cells: (object, now) => {
    const { spec } = object as DaemonSet;
    const status: Partial<DaemonSetStatus> = (object as DaemonSet).status ?? {};
    return [
      object.metadata.name ?? '',
      status.desiredNumberScheduled ?? 0,
      status.currentNumberScheduled ?? 0,
      status.numberReady ?? 0,
      status.updatedNumberScheduled ?? 0,
      status.numberAvailable ?? 0,
      labelsText(spec?.template?.spec?.nodeSelector),
      since(object.metadata.creationTimestamp, now),
      ...containerCells(spec?.template),
      selectorText(spec?.selector),
    ];
  },
};

export const controllerRevisionTable: TableKind = {
  columns: [
    nameColumn,
    column('Controller', { description: 'Whose history it belongs to.' }),
    column('Revision', { type: 'integer', description: 'Its place in the history.' }),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    controllerText(object as unknown as ControllerRevision),
    (object as unknown as ControllerRevision).revision,
    since(object.metadata.creationTimestamp, now),
  ],
};

/** "statefulset.apps/web". */
function controllerText(revision: ControllerRevision): string {
  const controller = controllerOf(revision);
  if (controller === undefined) return '<none>';
  const { group } = parseApiVersion(controller.apiVersion);
  const kind = controller.kind.toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${controller.name}`;
}
