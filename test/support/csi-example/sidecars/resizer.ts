/** Grows volumes whose claims ask for more than they have, and leaves the node's part to the node, as external-resizer does. */
import { Controller } from '../gen/csi-controller_pb.js';
import { clientAt } from '../serve.ts';
import { settings } from '../settings.ts';
import { Cluster, type Followed } from './cluster.ts';
import { say } from './events.ts';
import { lead } from './leader.ts';
import { each, Loop } from './loop.ts';
import { bytesOf, type Claim, CORE, pathOf, quantityOf, type Volume } from './objects.ts';

export async function resizer(): Promise<void> {
  const cluster = new Cluster();
  await lead(cluster, `external-resizer-${settings.driver.replaceAll('.', '-')}`);
  const loop = new Loop();
  const claims = await cluster.follow<Claim>(`${CORE}/persistentvolumeclaims`, loop.changed);
  const volumes = await cluster.follow<Volume>(`${CORE}/persistentvolumes`, loop.changed);
  const work = new Resizer(cluster, volumes);
  await loop.run(() =>
    each(
      claims.list(),
      (claim) => work.look(claim),
      (claim, message) => work.say(claim, 'Warning', 'VolumeResizeFailed', message),
    ),
  );
}

class Resizer {
  readonly #cluster: Cluster;
  readonly #controller = clientAt(Controller, settings.socket);
  readonly #volumes: Followed<Volume>;

  constructor(cluster: Cluster, volumes: Followed<Volume>) {
    this.#cluster = cluster;
    this.#volumes = volumes;
  }

  say(claim: Claim, type: 'Normal' | 'Warning', reason: string, message: string): Promise<void> {
    return say(this.#cluster, 'resizer', { ...claim, kind: 'PersistentVolumeClaim' }, [type, reason, message]);
  }

  async look(claim: Claim): Promise<void> {
    const volume = this.#volumes.list().find(({ metadata }) => metadata.name === claim.spec.volumeName);
    if (claim.status.phase !== 'Bound' || volume?.spec.csi?.driver !== settings.driver) return;
    if (claim.metadata.deletionTimestamp !== undefined) return;
    const wanted = claim.spec.resources.requests['storage'] ?? '0';
    const bytes = bytesOf(wanted);
    // Older servers have the condition alone.
    const isNodesTurn =
      claim.status.allocatedResourceStatuses?.['storage']?.startsWith('NodeResize') === true ||
      claim.status.conditions?.some(({ type }) => type === 'FileSystemResizePending') === true;
    const isGrown = bytesOf(volume.spec.capacity['storage'] ?? '0') >= bytes;
    if (bytes <= bytesOf(claim.status.capacity?.['storage'] ?? '0') || (isNodesTurn && isGrown)) return;
    await this.#status(claim, {
      allocatedResources: { storage: wanted },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
      conditions: [condition('Resizing')],
    });
    await this.say(claim, 'Normal', 'Resizing', `External resizer is resizing volume ${volume.metadata.name}`);
    const { capacityBytes, nodeExpansionRequired } = await this.#controller.controllerExpandVolume({
      volumeId: volume.spec.csi.volumeHandle,
      capacityRange: { requiredBytes: BigInt(bytes) },
    });
    const capacity = { storage: quantityOf(capacityBytes) };
    await this.#cluster.patch(pathOf(CORE, 'persistentvolumes', volume), { spec: { capacity } });
    if (nodeExpansionRequired) {
      await this.#status(claim, {
        allocatedResourceStatuses: { storage: 'NodeResizePending' },
        conditions: [condition('FileSystemResizePending')],
      });
      await this.say(claim, 'Normal', 'FileSystemResizeRequired', 'Require file system resize of volume on node');
      return;
    }
    await this.#status(claim, { capacity, allocatedResourceStatuses: null, conditions: [] });
    await this.say(claim, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded');
  }

  async #status(claim: Claim, status: object): Promise<void> {
    await this.#cluster.patch(`${pathOf(CORE, 'persistentvolumeclaims', claim)}/status`, { status });
  }
}

function condition(type: 'Resizing' | 'FileSystemResizePending'): object {
  return { type, status: 'True', lastTransitionTime: new Date().toISOString() };
}
