/** The columns of CSI's kinds, of flow control, of dynamic resources and of component statuses (upstream: pkg/printers/internalversion). */
import type {
  ComponentStatus,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  FlowSchema,
  PriorityLevelConfiguration,
  ResourceResourceClaim,
  ResourceSlice,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, type Cell, column, type ColumnDefinition, nameColumn, since, type TableKind } from './table.ts';

const NONE = '<none>';
const UNSET = '<unset>';

/** `after`: columns that stand behind the age. */
function table(
  columns: readonly ColumnDefinition[],
  middle: (object: ApiObject) => readonly Cell[],
  after: readonly ColumnDefinition[] = [],
  end: (object: ApiObject) => readonly Cell[] = () => [],
): TableKind {
  return {
    columns: [nameColumn, ...columns, ageColumn, ...after],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...middle(object),
      since(object.metadata.creationTimestamp, now),
      ...end(object),
    ],
  };
}

/** Name and age. */
export const namedTable = table([], () => []);

export const csiDriverTable = table(
  [
    column('AttachRequired', { type: 'boolean', description: 'Volumes must be attached to a node first.' }),
    column('PodInfoOnMount', { type: 'boolean', description: 'Mounting is told about the pod.' }),
    column('StorageCapacity', { type: 'boolean', description: 'Scheduling heeds the capacities that it publishes.' }),
    column('TokenRequests', { description: 'Audiences of the tokens that mounting gets.' }),
    column('RequiresRepublish', { type: 'boolean', description: 'Volumes are published again and again.' }),
    column('Modes', { description: 'Which sorts of volumes it has.' }),
  ],
  (object) => {
    const { spec } = object as unknown as CSIDriver;
    const audiences = (spec.tokenRequests ?? []).map(({ audience }) => audience);
    return [
      spec.attachRequired ?? true,
      spec.podInfoOnMount ?? false,
      spec.storageCapacity ?? false,
      audiences.length === 0 ? UNSET : audiences.join(','),
      spec.requiresRepublish ?? false,
      (spec.volumeLifecycleModes ?? []).join(',') || NONE,
    ];
  },
);

export const csiNodeTable = table(
  [column('Drivers', { type: 'integer', description: 'How many drivers are on the node.' })],
  (object) => [(object as unknown as CSINode).spec.drivers?.length ?? 0],
);

/** Without an age, as upstream's. */
export const csiStorageCapacityTable: TableKind = {
  columns: [
    nameColumn,
    column('StorageClassName', { description: 'The class of volumes that it is about.' }),
    column('Capacity', { description: 'What is left.' }),
  ],
  cells: (object) => {
    const { storageClassName, capacity } = object as unknown as CSIStorageCapacity;
    return [object.metadata.name ?? '', storageClassName, capacity ?? NONE];
  },
};

export const volumeAttachmentTable = table(
  [
    column('Attacher', { format: 'name', description: 'The driver that attaches it.' }),
    column('PV', { description: 'The volume.' }),
    column('Node', { description: 'The node that it is attached to.' }),
    column('Attached', { type: 'boolean', description: 'Whether it is.' }),
  ],
  (object) => {
    const { spec, status } = object as unknown as VolumeAttachment;
    return [spec.attacher, spec.source.persistentVolumeName ?? '', spec.nodeName, status?.attached ?? false];
  },
);

export const volumeAttributesClassTable = table(
  [column('DriverName', { description: 'The driver that knows the parameters.' })],
  (object) => [(object as unknown as VolumeAttributesClass).driverName],
);

const flowSchemaColumns = table(
  [
    column('PriorityLevel', { description: 'Where its requests queue.' }),
    column('MatchingPrecedence', { type: 'integer', description: 'Lower ones are tried first.' }),
    column('DistinguisherMethod', { description: 'What tells flows apart.' }),
  ],
  (object) => {
    const { spec } = object as FlowSchema;
    const method = spec?.distinguisherMethod?.type ?? NONE;
    return [spec?.priorityLevelConfiguration.name ?? '', spec?.matchingPrecedence ?? 0, method];
  },
  [column('MissingPL', { description: 'Whether its priority level is not there.' })],
  (object) => {
    const { status } = object as FlowSchema;
    return [status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?'];
  },
);

/** As requests would be matched: by precedence. */
export const flowSchemaTable: TableKind = {
  ...flowSchemaColumns,
  order: (a, b) => precedenceOf(a) - precedenceOf(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
};

function precedenceOf(object: ApiObject): number {
  return (object as FlowSchema).spec?.matchingPrecedence ?? 0;
}

export const priorityLevelTable = table(
  [
    column('Type', { description: 'Whether its requests are limited.' }),
    column('NominalConcurrencyShares', { description: 'Its part of the requests at a time.' }),
    column('Queues', { description: 'How many queues it has.' }),
    column('HandSize', { description: 'Queues among which a flow chooses.' }),
    column('QueueLengthLimit', { description: 'Requests that may wait in a queue.' }),
  ],
  (object) => {
    const { type = '', limited } = (object as PriorityLevelConfiguration).spec ?? {};
    const { queues, handSize, queueLengthLimit } = limited?.limitResponse?.queuing ?? {};
    return [
      type,
      ...[limited?.nominalConcurrencyShares, queues, handSize, queueLengthLimit].map((each) => each ?? NONE),
    ];
  },
);

export const resourceClaimTable = table(
  [column('State', { description: 'Whether it is allocated and in use.' })],
  (object) => [stateOf(object as unknown as ResourceResourceClaim)],
);

function stateOf({ metadata, status }: ResourceResourceClaim): string {
  const isGoing = metadata?.deletionTimestamp !== undefined;
  if (status?.allocation === undefined) return isGoing ? 'deleted' : 'pending';
  const isReserved = (status.reservedFor ?? []).length > 0;
  return [...(isGoing ? ['deleted'] : []), 'allocated', ...(isReserved ? ['reserved'] : [])].join(',');
}

export const resourceSliceTable = table(
  [
    column('Node', { description: 'The node whose devices these are.' }),
    column('Driver', { description: 'The driver of the devices.' }),
    column('Pool', { description: 'The pool that they belong to.' }),
  ],
  (object) => {
    const { nodeName = '', driver, pool } = (object as unknown as ResourceSlice).spec;
    return [nodeName, driver, pool.name];
  },
);

export const componentStatusTable: TableKind = {
  columns: [
    nameColumn,
    column('Status', { description: 'Whether it is well.' }),
    column('Message', { description: 'What it says.' }),
    column('Error', { description: 'Why it is not.' }),
  ],
  cells: (object) => {
    const condition = (object as unknown as ComponentStatus).conditions?.find(({ type }) => type === 'Healthy');
    const text = condition?.status === 'True' ? 'Healthy' : condition?.status === 'False' ? 'Unhealthy' : 'Unknown';
    return [object.metadata.name ?? '', text, condition?.message ?? '', condition?.error ?? ''];
  },
};
