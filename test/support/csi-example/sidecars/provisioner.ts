/**
 * Makes volumes for claims that wait for the driver, removes those whose claims are gone, and tells how much room there is, as
 * external-provisioner does: over the API, by the annotations that the binder and the scheduler write.
 */
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { Identity, PluginCapability_Service_Type as Service } from '../../../../src/csi/gen/csi_pb.js';
import {
  Controller,
  type CreateVolumeRequestSchema,
  VolumeCapability_AccessMode_Mode as Mode,
} from '../gen/csi-controller_pb.js';
import { clientAt } from '../serve.ts';
import { settings } from '../settings.ts';
import { reportCapacity } from './capacity.ts';
import { Cluster, type KubeObject } from './cluster.ts';
import { say } from './events.ts';
import { lead } from './leader.ts';
import { each, Loop } from './loop.ts';
import { affinityOf, segmentsOf, type Sight } from './sight.ts';
import {
  type Attachment,
  bytesOf,
  type Claim,
  CORE,
  type CsiNode,
  pathOf,
  quantityOf,
  setFinalizers,
  SNAPSHOTS,
  STORAGE,
  type StorageClass,
  type Volume,
} from './objects.ts';

const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const PROVISIONERS = ['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'];
const OWN_PARAMETERS = 'csi.storage.k8s.io/';

const MODES: Readonly<Record<string, Mode>> = {
  ReadWriteOnce: Mode.SINGLE_NODE_WRITER,
  ReadWriteOncePod: Mode.SINGLE_NODE_SINGLE_WRITER,
  ReadOnlyMany: Mode.MULTI_NODE_READER_ONLY,
  ReadWriteMany: Mode.MULTI_NODE_MULTI_WRITER,
};

type Request = MessageInitShape<typeof CreateVolumeRequestSchema>;

export async function provisioner(): Promise<void> {
  const cluster = new Cluster();
  const controller = clientAt(Controller, settings.socket);
  const { capabilities } = await clientAt(Identity, settings.socket).getPluginCapabilities({});
  const hasTopology = capabilities.some(
    ({ type }) => type.case === 'service' && type.value.type === Service.VOLUME_ACCESSIBILITY_CONSTRAINTS,
  );
  await lead(cluster, settings.driver.replaceAll('.', '-'));
  const loop = new Loop();
  const sight: Sight = {
    claims: await cluster.follow<Claim>(`${CORE}/persistentvolumeclaims`, loop.changed),
    volumes: await cluster.follow<Volume>(`${CORE}/persistentvolumes`, loop.changed),
    classes: await cluster.follow<StorageClass>(`${STORAGE}/storageclasses`, loop.changed),
    nodes: await cluster.follow<KubeObject>(`${CORE}/nodes`, loop.changed),
    csiNodes: await cluster.follow<CsiNode>(`${STORAGE}/csinodes`, loop.changed),
    attachments: await cluster.follow<Attachment>(`${STORAGE}/volumeattachments`, loop.changed),
  };
  const work = new Provisioner(cluster, controller, sight, hasTopology);
  await loop.run(() => work.round());
}

class Provisioner {
  readonly #cluster: Cluster;
  readonly #controller: Client<typeof Controller>;
  readonly #sight: Sight;
  readonly #hasTopology: boolean;

  constructor(cluster: Cluster, controller: Client<typeof Controller>, sight: Sight, hasTopology: boolean) {
    this.#cluster = cluster;
    this.#controller = controller;
    this.#sight = sight;
    this.#hasTopology = hasTopology;
  }

  async round(): Promise<boolean> {
    const { claims, volumes } = this.#sight;
    const made = await each(claims.list().filter(isWaiting), (claim) => this.#provision(claim), this.#refuse);
    const removed = await each(
      volumes.list().filter((volume) => isOurs(volume)),
      (volume) => this.#release(volume),
      (volume, message) => this.#say(volume, 'PersistentVolume', ['Warning', 'VolumeFailedDelete', message]),
    );
    const told = this.#hasTopology && (await reportCapacity(this.#cluster, this.#controller, this.#sight));
    return made || removed || told;
  }

  #say(about: KubeObject, kind: string, what: Parameters<typeof say>[3]): Promise<void> {
    return say(this.#cluster, 'provisioner', { ...about, kind }, what);
  }

  /** A node without room is given back to the scheduler. */
  readonly #refuse = async (claim: Claim, message: string): Promise<void> => {
    await this.#say(claim, 'PersistentVolumeClaim', ['Warning', 'ProvisioningFailed', message]);
    const isFull = message.includes('[resource_exhausted]');
    if (!isFull || claim.metadata.annotations?.[SELECTED_NODE] === undefined) return;
    const { [SELECTED_NODE]: _, ...annotations } = claim.metadata.annotations;
    await this.#cluster.replace(pathOf(CORE, 'persistentvolumeclaims', claim), {
      ...claim,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...claim.metadata, annotations },
    });
  };

  async #provision(claim: Claim): Promise<void> {
    const { classes, volumes } = this.#sight;
    const name = `pvc-${claim.metadata.uid}`;
    if (volumes.list().some(({ metadata }) => metadata.name === name)) return;
    const storageClass = classes.list().find(({ metadata }) => metadata.name === claim.spec.storageClassName);
    if (storageClass === undefined || storageClass.provisioner !== settings.driver) return;
    const node = claim.metadata.annotations?.[SELECTED_NODE];
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && node === undefined) return;
    const text = `External provisioner is provisioning volume for claim "${claim.metadata.namespace}/${claim.metadata.name}"`;
    await this.#say(claim, 'PersistentVolumeClaim', ['Normal', 'Provisioning', text]);
    const answer = await this.#controller.createVolume(await this.#request(claim, storageClass, name, node));
    const { volumeId = '', capacityBytes = 0n, volumeContext = {}, accessibleTopology = [] } = answer.volume ?? {};
    await this.#cluster.create(`${CORE}/persistentvolumes`, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, annotations: { [PROVISIONED_BY]: settings.driver }, finalizers: [FINALIZER] },
      spec: {
        capacity: { storage: quantityOf(capacityBytes) },
        accessModes: claim.spec.accessModes,
        volumeMode: claim.spec.volumeMode ?? 'Filesystem',
        persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
        storageClassName: claim.spec.storageClassName,
        ...(storageClass.mountOptions && { mountOptions: storageClass.mountOptions }),
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: claim.metadata.namespace,
          name: claim.metadata.name,
          uid: claim.metadata.uid,
          resourceVersion: claim.metadata.resourceVersion,
        },
        ...affinityOf(accessibleTopology),
        csi: {
          driver: settings.driver,
          volumeHandle: volumeId,
          ...(claim.spec.volumeMode !== 'Block' && { fsType: fsTypeOf(storageClass) }),
          volumeAttributes: { ...volumeContext, 'storage.kubernetes.io/csiProvisionerIdentity': settings.pod },
        },
      },
    });
    const done = `Successfully provisioned volume ${name}`;
    await this.#say(claim, 'PersistentVolumeClaim', ['Normal', 'ProvisioningSucceeded', done]);
  }

  async #request(claim: Claim, storageClass: StorageClass, name: string, node: string | undefined): Promise<Request> {
    const bytes = bytesOf(claim.spec.resources.requests['storage'] ?? '0');
    const { parameters = {} } = storageClass;
    const block = { case: 'block' as const, value: {} };
    const mount = { case: 'mount' as const, value: { fsType: fsTypeOf(storageClass) } };
    const source = await this.#source(claim);
    const topology = this.#hasTopology ? this.#topology(node) : undefined;
    return {
      name,
      capacityRange: { requiredBytes: BigInt(bytes) },
      parameters: Object.fromEntries(Object.entries(parameters).filter(([key]) => !key.startsWith(OWN_PARAMETERS))),
      volumeCapabilities: claim.spec.accessModes.map((mode) => ({
        accessType: claim.spec.volumeMode === 'Block' ? block : mount,
        accessMode: { mode: MODES[mode] ?? Mode.UNKNOWN },
      })),
      ...(source && { volumeContentSource: source }),
      ...(topology && { accessibilityRequirements: topology }),
    };
  }

  /** What the volume begins with: a claim's volume, or a snapshot. */
  async #source({ spec, metadata }: Claim) {
    const { kind, name } = spec.dataSource ?? {};
    const { namespace = 'default' } = metadata;
    if (kind === 'PersistentVolumeClaim') {
      const from = await this.#cluster.get<Claim>(`${CORE}/namespaces/${namespace}/persistentvolumeclaims/${name}`);
      const volume = this.#sight.volumes.list().find((each) => each.metadata.name === from.spec.volumeName);
      if (volume?.spec.csi?.driver !== settings.driver) throw new Error(`claim ${name} has no volume of this driver`);
      return { type: { case: 'volume' as const, value: { volumeId: volume.spec.csi.volumeHandle } } };
    }
    if (kind !== 'VolumeSnapshot') return undefined;
    interface WithStatus {
      readonly status?: { readonly boundVolumeSnapshotContentName?: string; readonly snapshotHandle?: string };
    }
    const path = `${SNAPSHOTS}/namespaces/${namespace}/volumesnapshots/${name}`;
    const content = (await this.#cluster.get<WithStatus>(path)).status?.boundVolumeSnapshotContentName;
    if (content === undefined) throw new Error(`snapshot ${name} is not bound`);
    const bound = await this.#cluster.get<WithStatus>(`${SNAPSHOTS}/volumesnapshotcontents/${content}`);
    const snapshotId = bound.status?.snapshotHandle;
    if (snapshotId === undefined) throw new Error(`snapshot ${name} is not ready`);
    return { type: { case: 'snapshot' as const, value: { snapshotId } } };
  }

  /** Where the volume may be: the chosen node first. @throws where a node does not have the driver yet */
  #topology(chosen: string | undefined) {
    const all = segmentsOf(this.#sight);
    const preferred = all.filter(({ node }) => node === chosen).map(({ segments }) => ({ segments }));
    if (chosen !== undefined && preferred.length === 0)
      throw new Error(`node ${chosen} has no driver ${settings.driver}`);
    const requisite = chosen === undefined ? all.map(({ segments }) => ({ segments })) : preferred;
    return { requisite, preferred };
  }

  async #release(volume: Volume): Promise<void> {
    const { deletionTimestamp, finalizers = [], name } = volume.metadata;
    const { persistentVolumeReclaimPolicy: policy, csi } = volume.spec;
    const isReleased = volume.status.phase === 'Released' || volume.status.phase === 'Failed';
    if (policy !== 'Delete' || !(isReleased || deletionTimestamp !== undefined)) {
      // What is kept is given up with the object alone.
      if (deletionTimestamp !== undefined && policy === 'Retain') await this.#letGo(volume);
      return;
    }
    // A bound volume is not removed, and what is attached is detached first.
    if (!isReleased && volume.status.phase === 'Bound') return;
    const isAttached = this.#sight.attachments.list().some(({ spec }) => spec.source.persistentVolumeName === name);
    if (isAttached) return;
    if (finalizers.includes(FINALIZER) || deletionTimestamp === undefined)
      await this.#controller.deleteVolume({ volumeId: csi?.volumeHandle ?? '' });
    if (deletionTimestamp === undefined) await this.#cluster.remove(pathOf(CORE, 'persistentvolumes', volume));
    else await this.#letGo(volume);
  }

  async #letGo(volume: Volume): Promise<void> {
    const { finalizers = [] } = volume.metadata;
    if (!finalizers.includes(FINALIZER)) return;
    const rest = finalizers.filter((each) => each !== FINALIZER);
    await this.#cluster.patch(pathOf(CORE, 'persistentvolumes', volume), setFinalizers(volume, rest), 'json');
  }
}

const fsTypeOf = ({ parameters }: StorageClass): string => parameters?.[`${OWN_PARAMETERS}fstype`] ?? 'ext4';

function isWaiting({ metadata, spec }: Claim): boolean {
  const { annotations = {}, deletionTimestamp } = metadata;
  return (
    deletionTimestamp === undefined &&
    (spec.volumeName ?? '') === '' &&
    PROVISIONERS.some((key) => annotations[key] === settings.driver)
  );
}

const isOurs = ({ metadata, spec }: Volume): boolean =>
  metadata.annotations?.[PROVISIONED_BY] === settings.driver && spec.csi?.driver === settings.driver;
