/** What the scheduler knows of CSI drivers and their volumes. */
import type { CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment } from '../../api/index.ts';

export interface DriverFacts {
  /** The drivers of the node, and how many volumes each of them can have there. */
  csiNode(nodeName: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  /** What drivers say they have left for volumes of the class. */
  capacities(className: string): readonly CSIStorageCapacity[];
  /** The volumes that are attached to the node, or are to be, or are not detached yet. */
  attachments(nodeName: string): readonly VolumeAttachment[];
}

/** A cluster without CSI drivers. */
export const NO_DRIVERS: DriverFacts = {
  csiNode: () => undefined,
  csiDriver: () => undefined,
  capacities: () => [],
  attachments: () => [],
};
