/** Which changes of CSI's objects may help a pod that fitted nowhere. Pure. Upstream: the queueing hints of its volume plugins. */
import { compareQuantities, type CSIDriver, type CSINode, type CSIStorageCapacity } from '../../api/index.ts';
import type { Change } from '../../client/index.ts';
import { volumeLimits } from '../filter/volume-limits.ts';
import type { DriverNews } from './cluster-event.ts';

/** A driver can have more volumes on the node. One without a limit can have any number. */
export function newsOfNode(change: Change<CSINode>): DriverNews | undefined {
  if (change.type === 'delete') return volumeLimits(change.object).size > 0 ? 'CSINodeDelete' : undefined;
  if (change.previous === undefined) return 'CSINodeAdd';
  const [now, before] = [volumeLimits(change.object), volumeLimits(change.previous)];
  const grew = [...before].some(([driver, limit]) => (now.get(driver) ?? Number.POSITIVE_INFINITY) > limit);
  return grew ? 'CSINodeUpdate' : undefined;
}

/** The driver does not say any more how much room it has where, so none of its classes is refused for that. */
export function newsOfDriver(change: Change<CSIDriver>): DriverNews | undefined {
  const said = (driver: CSIDriver | undefined): boolean => driver?.spec.storageCapacity === true;
  const stopped = change.type === 'delete' ? said(change.object) : said(change.previous) && !said(change.object);
  return stopped ? 'CSIDriverUpdate' : undefined;
}

/** There is more room. */
export function newsOfCapacity(change: Change<CSIStorageCapacity>): DriverNews | undefined {
  if (change.type === 'delete') return undefined;
  const { object, previous } = change;
  if (previous === undefined) return 'CSIStorageCapacityAdd';
  const [now, before] = [roomOf(object), roomOf(previous)];
  return compareQuantities(now, before) > 0 ? 'CSIStorageCapacityUpdate' : undefined;
}

function roomOf({ maximumVolumeSize, capacity }: CSIStorageCapacity): string {
  return maximumVolumeSize ?? capacity ?? '0';
}
