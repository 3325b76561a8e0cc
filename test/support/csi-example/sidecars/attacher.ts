/** Attaches and detaches what VolumeAttachments of the driver ask for, as external-attacher does. */
import { Controller, VolumeCapability_AccessMode_Mode as Mode } from '../gen/csi-controller_pb.js';
import { clientAt } from '../serve.ts';
import { settings } from '../settings.ts';
import { Cluster, type Followed } from './cluster.ts';
import { lead } from './leader.ts';
import { each, Loop } from './loop.ts';
import { type Attachment, CORE, type CsiNode, pathOf, setFinalizers, STORAGE, type Volume } from './objects.ts';

const FINALIZER = `external-attacher/${settings.driver.replaceAll('.', '-')}`;
const NODE_ID = 'csi.alpha.kubernetes.io/node-id';

const SHARED_MODES: Readonly<Record<string, Mode>> = {
  ReadOnlyMany: Mode.MULTI_NODE_READER_ONLY,
  ReadWriteMany: Mode.MULTI_NODE_MULTI_WRITER,
};

export async function attacher(): Promise<void> {
  const cluster = new Cluster();
  await lead(cluster, `external-attacher-leader-${settings.driver.replaceAll('.', '-')}`);
  const loop = new Loop();
  const attachments = await cluster.follow<Attachment>(`${STORAGE}/volumeattachments`, loop.changed);
  const volumes = await cluster.follow<Volume>(`${CORE}/persistentvolumes`, loop.changed);
  const csiNodes = await cluster.follow<CsiNode>(`${STORAGE}/csinodes`, loop.changed);
  const work = new Attacher(cluster, attachments, volumes, csiNodes);
  await loop.run(() => work.round());
}

class Attacher {
  readonly #cluster: Cluster;
  readonly #controller = clientAt(Controller, settings.socket);
  readonly #attachments: Followed<Attachment>;
  readonly #volumes: Followed<Volume>;
  readonly #csiNodes: Followed<CsiNode>;

  constructor(
    cluster: Cluster,
    attachments: Followed<Attachment>,
    volumes: Followed<Volume>,
    csiNodes: Followed<CsiNode>,
  ) {
    this.#cluster = cluster;
    this.#attachments = attachments;
    this.#volumes = volumes;
    this.#csiNodes = csiNodes;
  }

  async round(): Promise<boolean> {
    const ours = this.#attachments.list().filter(({ spec }) => spec.attacher === settings.driver);
    const again = await each(
      ours,
      (attachment) =>
        attachment.metadata.deletionTimestamp === undefined ? this.#attach(attachment) : this.#detach(attachment),
      (attachment, message) => this.#tell(attachment, message),
    );
    const released = this.#volumes
      .list()
      .filter(
        ({ metadata }) =>
          metadata.deletionTimestamp !== undefined &&
          metadata.finalizers?.includes(FINALIZER) === true &&
          !ours.some(({ spec }) => spec.source.persistentVolumeName === metadata.name),
      );
    return (await each(released, (volume) => this.#unmark('persistentvolumes', CORE, volume))) || again;
  }

  async #attach(attachment: Attachment): Promise<void> {
    if (attachment.status?.attached === true) return;
    const path = pathOf(STORAGE, 'volumeattachments', attachment);
    const volume = this.#volumeOf(attachment);
    if (volume?.spec.csi === undefined) throw new Error('there is no such volume');
    const nodeId = this.#nodeId(attachment);
    if (nodeId === undefined) throw new Error(`node "${attachment.spec.nodeName}" has no NodeID annotation`);
    const { finalizers = [] } = attachment.metadata;
    if (!finalizers.includes(FINALIZER)) {
      const annotations = { [NODE_ID]: nodeId };
      await this.#cluster.patch(path, { metadata: { finalizers: [...finalizers, FINALIZER], annotations } });
    }
    await this.#mark(volume);
    const mode = volume.spec.accessModes.map((each) => SHARED_MODES[each]).find((each) => each !== undefined);
    const { publishContext } = await this.#controller.controllerPublishVolume({
      volumeId: volume.spec.csi.volumeHandle,
      nodeId,
      volumeCapability: {
        accessType: volume.spec.volumeMode === 'Block' ? { case: 'block', value: {} } : { case: 'mount', value: {} },
        accessMode: { mode: mode ?? Mode.SINGLE_NODE_WRITER },
      },
      volumeContext: { ...volume.spec.csi.volumeAttributes },
    });
    const status = { attached: true, attachmentMetadata: publishContext, attachError: null };
    await this.#cluster.patch(`${path}/status`, { status });
  }

  async #detach(attachment: Attachment): Promise<void> {
    const { finalizers = [], annotations = {} } = attachment.metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const volume = this.#volumeOf(attachment);
    const nodeId = annotations[NODE_ID] ?? this.#nodeId(attachment);
    if (volume?.spec.csi !== undefined && nodeId !== undefined)
      await this.#controller.controllerUnpublishVolume({ volumeId: volume.spec.csi.volumeHandle, nodeId });
    await this.#unmark('volumeattachments', STORAGE, attachment);
  }

  async #tell(attachment: Attachment, message: string): Promise<void> {
    const problem = { message, time: new Date().toISOString() };
    const isEnding = attachment.metadata.deletionTimestamp !== undefined;
    const status = isEnding ? { detachError: problem } : { attached: false, attachError: problem };
    await this.#cluster.patch(`${pathOf(STORAGE, 'volumeattachments', attachment)}/status`, { status });
  }

  #volumeOf({ spec }: Attachment): Volume | undefined {
    return this.#volumes.list().find(({ metadata }) => metadata.name === spec.source.persistentVolumeName);
  }

  #nodeId({ spec }: Attachment): string | undefined {
    const node = this.#csiNodes.list().find(({ metadata }) => metadata.name === spec.nodeName);
    return (node?.spec.drivers ?? []).find(({ name }) => name === settings.driver)?.nodeID;
  }

  /** A volume that may be attached is not forgotten before it is detached. */
  async #mark(volume: Volume): Promise<void> {
    const { finalizers = [], deletionTimestamp } = volume.metadata;
    if (finalizers.includes(FINALIZER)) return;
    if (deletionTimestamp !== undefined) throw new Error(`volume ${volume.metadata.name} is being deleted`);
    const marked = setFinalizers(volume, [...finalizers, FINALIZER]);
    await this.#cluster.patch(pathOf(CORE, 'persistentvolumes', volume), marked, 'json');
  }

  async #unmark(resource: string, base: string, object: Attachment | Volume): Promise<void> {
    const rest = (object.metadata.finalizers ?? []).filter((each) => each !== FINALIZER);
    await this.#cluster.patch(pathOf(base, resource, object), setFinalizers(object, rest), 'json');
  }
}
