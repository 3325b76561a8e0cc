/**
 * Takes snapshots. As with the projects' own programs there are two: the controller binds each VolumeSnapshot to a content, for
 * all drivers; the sidecar has its driver make what the contents of that driver ask for.
 */
import { Controller } from '../gen/csi-controller_pb.js';
import { clientAt } from '../serve.ts';
import { settings } from '../settings.ts';
import { Cluster, type Followed, type KubeObject } from './cluster.ts';
import { lead } from './leader.ts';
import { each, Loop } from './loop.ts';
import { type Claim, CORE, pathOf, setFinalizers, SNAPSHOTS, type Strings, type Volume } from './objects.ts';

const BOUND = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection';
const CONTENT_BOUND = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';

interface Snapshot extends KubeObject {
  readonly spec: {
    readonly volumeSnapshotClassName?: string;
    readonly source: { readonly persistentVolumeClaimName?: string };
  };
  readonly status?: { readonly boundVolumeSnapshotContentName?: string; readonly readyToUse?: boolean };
}

interface Content extends KubeObject {
  readonly spec: {
    readonly driver: string;
    readonly deletionPolicy: string;
    readonly source: { readonly volumeHandle?: string };
    readonly volumeSnapshotRef: { readonly uid?: string };
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    readonly readyToUse?: boolean;
    readonly creationTime?: number;
    readonly restoreSize?: number;
  };
}

interface SnapshotClass extends KubeObject {
  readonly driver: string;
  readonly deletionPolicy: string;
  readonly parameters?: Strings;
}

export async function snapshotController(): Promise<void> {
  const cluster = new Cluster();
  await lead(cluster, 'snapshot-controller-leader');
  const loop = new Loop();
  const snapshots = await cluster.follow<Snapshot>(`${SNAPSHOTS}/volumesnapshots`, loop.changed);
  const contents = await cluster.follow<Content>(`${SNAPSHOTS}/volumesnapshotcontents`, loop.changed);
  const classes = await cluster.follow<SnapshotClass>(`${SNAPSHOTS}/volumesnapshotclasses`, loop.changed);
  await loop.run(() =>
    each(snapshots.list(), (snapshot) => bindSnapshot(cluster, snapshot, contents.list(), classes.list())),
  );
}

async function bindSnapshot(
  cluster: Cluster,
  snapshot: Snapshot,
  contents: readonly Content[],
  classes: readonly SnapshotClass[],
): Promise<void> {
  const { metadata, spec, status } = snapshot;
  const path = pathOf(SNAPSHOTS, 'volumesnapshots', snapshot);
  const content = contents.find((each) => each.spec.volumeSnapshotRef.uid === metadata.uid);
  const { finalizers = [] } = metadata;
  if (metadata.deletionTimestamp !== undefined) {
    if (content?.spec.deletionPolicy === 'Delete') {
      if (content.metadata.deletionTimestamp === undefined)
        await cluster.remove(pathOf(SNAPSHOTS, 'volumesnapshotcontents', content));
      return;
    }
    if (finalizers.includes(BOUND)) {
      const rest = finalizers.filter((each) => each !== BOUND);
      await cluster.patch(path, setFinalizers(snapshot, rest), 'json');
    }
    return;
  }
  if (!finalizers.includes(BOUND)) {
    await cluster.patch(path, setFinalizers(snapshot, [...finalizers, BOUND]), 'json');
    return;
  }
  if (content === undefined) {
    await makeContent(
      cluster,
      snapshot,
      classes.find((each) => each.metadata.name === spec.volumeSnapshotClassName),
    );
    return;
  }
  const { readyToUse = false, creationTime, restoreSize } = content.status ?? {};
  if (status?.boundVolumeSnapshotContentName === content.metadata.name && status.readyToUse === readyToUse) return;
  await cluster.patch(`${path}/status`, {
    status: {
      boundVolumeSnapshotContentName: content.metadata.name,
      readyToUse,
      ...(creationTime !== undefined && { creationTime: new Date(creationTime / 1e6).toISOString() }),
      ...(restoreSize !== undefined && { restoreSize: String(restoreSize) }),
    },
  });
}

async function makeContent(cluster: Cluster, snapshot: Snapshot, chosen: SnapshotClass | undefined): Promise<void> {
  const { namespace = 'default', name, uid, resourceVersion } = snapshot.metadata;
  if (chosen === undefined) throw new Error(`there is no class ${snapshot.spec.volumeSnapshotClassName}`);
  const claims = `${CORE}/namespaces/${namespace}/persistentvolumeclaims`;
  const claim = await cluster.get<Claim>(`${claims}/${snapshot.spec.source.persistentVolumeClaimName}`);
  const volume = await cluster.get<Volume>(`${CORE}/persistentvolumes/${claim.spec.volumeName}`);
  const volumeHandle = volume.spec.csi?.driver === chosen.driver ? volume.spec.csi.volumeHandle : undefined;
  if (volumeHandle === undefined) throw new Error(`the volume is none of driver ${chosen.driver}`);
  await cluster.create(`${SNAPSHOTS}/volumesnapshotcontents`, {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: `snapcontent-${uid}`, finalizers: [CONTENT_BOUND] },
    spec: {
      driver: chosen.driver,
      deletionPolicy: chosen.deletionPolicy,
      source: { volumeHandle },
      volumeSnapshotClassName: chosen.metadata.name,
      volumeSnapshotRef: {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        namespace,
        name,
        uid,
        resourceVersion,
      },
    },
  });
}

export async function snapshotter(): Promise<void> {
  const cluster = new Cluster();
  const controller = clientAt(Controller, settings.socket);
  await lead(cluster, `external-snapshotter-leader-${settings.driver.replaceAll('.', '-')}`);
  const loop = new Loop();
  const contents: Followed<Content> = await cluster.follow<Content>(
    `${SNAPSHOTS}/volumesnapshotcontents`,
    loop.changed,
  );
  await loop.run(() =>
    each(
      contents.list().filter(({ spec }) => spec.driver === settings.driver),
      async (content) => {
        const path = pathOf(SNAPSHOTS, 'volumesnapshotcontents', content);
        const { deletionTimestamp, finalizers = [] } = content.metadata;
        const { snapshotHandle } = content.status ?? {};
        if (deletionTimestamp !== undefined) {
          if (!finalizers.includes(CONTENT_BOUND)) return;
          if (content.spec.deletionPolicy === 'Delete' && snapshotHandle !== undefined)
            await controller.deleteSnapshot({ snapshotId: snapshotHandle });
          const rest = finalizers.filter((each) => each !== CONTENT_BOUND);
          await cluster.patch(path, setFinalizers(content, rest), 'json');
          return;
        }
        if (snapshotHandle !== undefined) return;
        const { snapshot } = await controller.createSnapshot({
          sourceVolumeId: content.spec.source.volumeHandle ?? '',
          name: `snapshot-${content.spec.volumeSnapshotRef.uid}`,
        });
        await cluster.patch(`${path}/status`, {
          status: {
            snapshotHandle: snapshot?.snapshotId,
            // In nanoseconds.
            creationTime: Number(snapshot?.creationTime?.seconds ?? 0n) * 1e9,
            readyToUse: snapshot?.readyToUse === true,
            restoreSize: Number(snapshot?.sizeBytes ?? 0n),
          },
        });
      },
    ),
  );
}
