/** The registrations of CSI's kinds, of flow control, and of dynamic resources: kinds on which others act. */
import {
  CSI_DRIVERS,
  CSI_NODES,
  CSI_STORAGE_CAPACITIES,
  type CSIDriver,
  DEVICE_CLASSES,
  equalJson,
  FLOW_SCHEMAS,
  PRIORITY_LEVELS,
  RESOURCE_CLAIM_TEMPLATES,
  RESOURCE_CLAIMS,
  RESOURCE_SLICES,
  VOLUME_ATTACHMENTS,
  VOLUME_ATTRIBUTES_CLASSES,
} from '../../api/index.ts';
import { flowControlStrategy } from '../registry/flow-control.ts';
import { type ApiObject, omit } from '../registry/object.ts';
import type { Registration, Strategy } from '../registry/registration.ts';
import {
  csiDriverTable,
  csiNodeTable,
  csiStorageCapacityTable,
  flowSchemaTable,
  namedTable,
  priorityLevelTable,
  resourceClaimTable,
  resourceSliceTable,
  volumeAttachmentTable,
  volumeAttributesClassTable,
} from '../tables/devices.ts';

/** Its generation counts changes of what must be done again for volumes that are mounted (upstream: csiDriverStrategy). */
const csiDriverStrategy: Strategy = {
  returnsDeleted: true,
  prepareForUpdate: (object, old) => {
    const [next, last] = [(object as unknown as CSIDriver).spec, (old as unknown as CSIDriver).spec];
    const isSame =
      equalJson(next?.tokenRequests, last?.tokenRequests) && next?.requiresRepublish === last?.requiresRepublish;
    const generation = (old.metadata.generation ?? 0) + (isSame ? 0 : 1);
    return generation === 0 ? object : { ...object, metadata: { ...object.metadata, generation } };
  },
};

/** Its status comes later. */
const withStatus: Strategy = { returnsDeleted: true, prepareForCreate: withoutStatus };

function withoutStatus(object: ApiObject): ApiObject {
  return omit(object, 'status') as ApiObject;
}

const counted: Strategy = { hasGeneration: true, returnsDeleted: true };

export const DEVICE_REGISTRATIONS: readonly Registration[] = [
  { row: CSI_DRIVERS, keyPrefix: '/registry/csidrivers/', table: csiDriverTable, strategy: csiDriverStrategy },
  { row: CSI_NODES, keyPrefix: '/registry/csinodes/', table: csiNodeTable, strategy: { returnsDeleted: true } },
  {
    row: CSI_STORAGE_CAPACITIES,
    keyPrefix: '/registry/csistoragecapacities/',
    table: csiStorageCapacityTable,
    strategy: {},
  },
  {
    row: VOLUME_ATTACHMENTS,
    keyPrefix: '/registry/volumeattachments/',
    table: volumeAttachmentTable,
    strategy: withStatus,
  },
  {
    row: VOLUME_ATTRIBUTES_CLASSES,
    keyPrefix: '/registry/volumeattributesclasses/',
    table: volumeAttributesClassTable,
    strategy: { returnsDeleted: true },
  },
  { row: FLOW_SCHEMAS, keyPrefix: '/registry/flowschemas/', table: flowSchemaTable, strategy: flowControlStrategy },
  {
    row: PRIORITY_LEVELS,
    keyPrefix: '/registry/prioritylevelconfigurations/',
    table: priorityLevelTable,
    strategy: flowControlStrategy,
  },
  { row: DEVICE_CLASSES, keyPrefix: '/registry/deviceclasses/', table: namedTable, strategy: counted },
  { row: RESOURCE_CLAIMS, keyPrefix: '/registry/resourceclaims/', table: resourceClaimTable, strategy: withStatus },
  {
    row: RESOURCE_CLAIM_TEMPLATES,
    keyPrefix: '/registry/resourceclaimtemplates/',
    table: namedTable,
    strategy: { returnsDeleted: true },
  },
  { row: RESOURCE_SLICES, keyPrefix: '/registry/resourceslices/', table: resourceSliceTable, strategy: counted },
];
