/**
 * Removes the folder of each volume that is done with, on its node, and lets the volume go afterwards. A node that is away does
 * it when it is back; of one that is gone for good, the volume says so. Keys are volumes.
 */
import {
  hasReason,
  isNotFound,
  isVolumeOnNode,
  LOCAL_VOLUME_FINALIZER,
  GIVE_UP_ANNOTATION,
  nameOf,
  type Node,
  NODES,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  uidOf,
  volumeHost,
} from '../../api/index.ts';
import { type EventRecorder, type KubeClient, type Lister, referenceTo } from '../../client/index.ts';
import { errorMessage, exponentialDelay } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { NODE_VOLUME_BACK_OFF } from '../limits.ts';
import { handleOf, isHeard } from './local-volume.ts';
import type { NodeVolumes } from './node-volumes.ts';
import { planDeletion } from './plan-deletion.ts';
import type { LocalVolumesOptions } from './provisioning-controller.ts';

export function deletionController(options: LocalVolumesOptions): Controller {
  const volumes = options.informers.lister(PERSISTENT_VOLUMES);
  const worker = new Deleter(options);
  return {
    name: 'local-volume-deleter',
    sources: [
      source(PERSISTENT_VOLUMES, ({ type, object }) => {
        if (type === 'apply' && planDeletion(object) !== 'keep') return [nameOf(object)];
        worker.forget(object);
        return [];
      }),
      source(NODES, (change) => {
        const before = change.type === 'apply' ? change.previous : undefined;
        if (change.type === 'apply' && before !== undefined && isHeard(before) === isHeard(change.object)) return [];
        return volumes
          .list()
          .filter((volume) => planDeletion(volume) !== 'keep' && isVolumeOnNode(volume, change.object))
          .map(nameOf);
      }),
    ],
    reconcile: (name, context) => worker.reconcile(name, context),
  };
}

interface Memory {
  told?: string;
  failures: number;
}

class Deleter {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #nodeVolumes: NodeVolumes;
  readonly #volumes: Lister<PersistentVolume>;
  readonly #nodes: Lister<Node>;
  /** By UID of volumes that are being deleted. */
  readonly #memories = new Map<string, Memory>();

  constructor({ client, informers, events, nodeVolumes }: LocalVolumesOptions) {
    this.#client = client;
    this.#events = events;
    this.#nodeVolumes = nodeVolumes;
    this.#volumes = informers.lister(PERSISTENT_VOLUMES);
    this.#nodes = informers.lister(NODES);
  }

  forget(volume: PersistentVolume): void {
    this.#memories.delete(uidOf(volume));
  }

  async reconcile(name: string, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const known = this.#volumes.get(undefined, name);
    if (known === undefined || planDeletion(known) === 'keep') return undefined;
    // A folder is never removed for what a cache shows: a person may have chosen Retain meanwhile.
    const volume = await this.#volumeNow(known, context);
    if (volume === undefined) return undefined;
    switch (planDeletion(volume)) {
      case 'keep':
        return undefined;
      case 'delete': {
        const resourceVersion = volume.metadata?.resourceVersion;
        const options = { uid: uidOf(volume), ...(resourceVersion !== undefined && { resourceVersion }) };
        await context.write({ verb: 'delete', resource: PERSISTENT_VOLUMES, name, options });
        // The deletion of exactly this version: one that was refused is decided again.
        return { requeueAfterMs: NODE_VOLUME_BACK_OFF.baseMs };
      }
      case 'let-go':
        await this.#letGo(volume, context);
        return undefined;
      case 'remove-folder':
        return this.#remove(volume, context);
    }
  }

  async #remove(volume: PersistentVolume, context: ReconcileContext): Promise<ReconcileResult | undefined> {
    const memory = this.#memoryOf(volume);
    const why = await this.#ask(volume, context);
    if (why === undefined) {
      await this.#letGo(volume, context);
      return undefined;
    }
    if (memory.told !== why) this.#events.event(referenceTo(volume), 'Warning', 'VolumeFailedDelete', why);
    memory.told = why;
    memory.failures += 1;
    return { requeueAfterMs: exponentialDelay(NODE_VOLUME_BACK_OFF, memory.failures) };
  }

  /** @returns why the folder is still there; undefined: it is gone */
  async #ask(volume: PersistentVolume, { signal }: ReconcileContext): Promise<string | undefined> {
    const node = this.#nodes.list().find((each) => isVolumeOnNode(volume, each));
    const host = volumeHost(volume);
    const givingUp = `kubectl annotate pv ${nameOf(volume)} ${GIVE_UP_ANNOTATION}=true`;
    const later = `The folder is removed when the node is back. To delete the volume and leave the folder there: ${givingUp}`;
    if (node === undefined) return `node "${host}" does not exist any more. ${later}`;
    if (!isHeard(node)) return `node "${nameOf(node)}" is not ready. ${later}`;
    try {
      await this.#nodeVolumes.remove(nameOf(node), { name: nameOf(volume), handle: handleOf(volume) }, signal);
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      const isUsed = hasReason(error, 'VolumeInUse');
      const what = isUsed
        ? `persistentvolume ${nameOf(volume)} is still attached to node ${nameOf(node)}`
        : `node "${nameOf(node)}" did not remove the folder`;
      return `${what}: ${errorMessage(error)}`;
    }
  }

  async #volumeNow(known: PersistentVolume, { signal }: ReconcileContext): Promise<PersistentVolume | undefined> {
    try {
      const volume = await this.#client.get(PERSISTENT_VOLUMES, undefined, nameOf(known), signal);
      return uidOf(volume) === uidOf(known) ? volume : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #letGo(volume: PersistentVolume, context: ReconcileContext): Promise<void> {
    const { finalizers = [], resourceVersion } = volume.metadata ?? {};
    const left = finalizers.filter((name) => name !== LOCAL_VOLUME_FINALIZER);
    await context.write({
      verb: 'patch',
      resource: PERSISTENT_VOLUMES,
      name: nameOf(volume),
      type: 'merge',
      patch: { metadata: { uid: uidOf(volume), resourceVersion, finalizers: left } },
    });
  }

  #memoryOf(volume: PersistentVolume): Memory {
    const uid = uidOf(volume);
    const known = this.#memories.get(uid) ?? { failures: 0 };
    this.#memories.set(uid, known);
    return known;
  }
}
