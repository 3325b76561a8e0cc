import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import {
  attachmentName,
  CSI_DRIVERS,
  type CSIDriverSpec,
  NODES,
  type PersistentVolume,
  type Pod,
  type TokenRequestStatus,
  VOLUME_ATTACHMENTS,
} from '../../api/index.ts';
import type { CsiDriver, NodeCapability, PublishRequest, StageRequest } from '../../csi/index.ts';
import { ConnectionError, silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { CsiVolumes } from '../csi/csi-volumes.ts';
import { Drivers } from '../csi/drivers.ts';
import { NoteStore } from '../csi/note-store.ts';
import { VolumesInUse } from '../csi/volumes-in-use.ts';
import { type CsiSupport, type CsiWish, setUpCsi } from './csi-volume.ts';

let root = '';
let api: InMemoryApi;
let mounts: Set<string>;
let staged: StageRequest[];
let published: PublishRequest[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-csi-volume-'));
  api = await createInMemoryApi();
  mounts = new Set();
  staged = [];
  published = [];
});
afterEach(() => rm(root, { recursive: true, force: true }));

const POD: Pod = {
  metadata: { name: 'p', namespace: 'default', uid: 'u' },
  spec: { containers: [], serviceAccountName: 'sa' },
};
const SOURCE = { driver: 'd', volumeHandle: 'h', volumeAttributes: { color: 'blue' } };
const VOLUME: PersistentVolume = { metadata: { name: 'pv' }, spec: { accessModes: ['ReadWriteOnce'], csi: SOURCE } };
const CLAIMED: CsiWish = { pod: POD, volumeName: 'v', volume: VOLUME, readOnly: false };
const INLINE: CsiWish = { pod: POD, volumeName: 'v', readOnly: true };

/** A node with the driver "d", unless it is told otherwise. */
function node(capabilities?: readonly NodeCapability[]): CsiSupport {
  const drivers = new Drivers();
  const unasked = (): Promise<never> => Promise.reject(new Error('not asked'));
  const calls: CsiDriver = {
    info: unasked,
    capabilities: unasked,
    stats: unasked,
    expand: unasked,
    unstage: unasked,
    unpublish: unasked,
    stage: async (request) => void staged.push(request),
    publish: async (request) => {
      published.push(request);
      mounts.add(request.targetPath);
    },
    close: () => {},
  };
  if (capabilities !== undefined) {
    const info = { nodeId: 'n', maxVolumes: 0, topology: {} };
    drivers.register({ name: 'd', endpoint: '/d', info, capabilities: new Set(capabilities), calls });
  }
  const table = {
    isMounted: async (path: string) => mounts.has(path),
    mountedUnder: async () => [],
    unmountAll: async () => {},
  };
  const ports = { fs: systemFileSystem, logger: silentLogger, mounts: table };
  const notes = new NoteStore(systemFileSystem, root, sha256Hex);
  return {
    client: api.client,
    clock: api.clock,
    events: { pod: () => {}, claim: () => {} },
    kubeletDir: join(root, 'kubelet'),
    nodeName: 'n',
    drivers,
    volumes: new CsiVolumes(ports, drivers, notes),
    inUse: new VolumesInUse(silentLogger, notes, () => {}),
    hash: sha256Hex,
    secrets: {
      secret: async (_, name) => (name === 'key' ? { data: { pass: btoa('word') } } : undefined),
    },
    tokens: {
      status: async (_, audience): Promise<TokenRequestStatus> => ({
        token: `for ${audience ?? 'the server'}`,
        expirationTimestamp: '2026-01-01T00:00:00Z',
      }),
    },
  };
}

const driver = (spec: CSIDriverSpec): Promise<unknown> =>
  api.client.create(CSI_DRIVERS, { metadata: { name: 'd' }, spec });

describe('a volume that cannot be had', () => {
  it('of a driver that is not there, in upstream’s words', async () => {
    await driver({ attachRequired: false });
    await expect(setUpCsi(node(), CLAIMED, SOURCE)).rejects.toMatchObject({
      message:
        'kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name d not found in the list of registered CSI drivers',
      operation: 'MountVolume.SetUp',
    });
  });

  it('inline, of a driver for claims alone', async () => {
    await driver({ attachRequired: false });
    await expect(setUpCsi(node([]), INLINE, SOURCE)).rejects.toThrow(
      'volume mode "Ephemeral" not supported by driver d (only supports ["Persistent"])',
    );
  });

  it('whose secret is not there', async () => {
    await driver({ attachRequired: false });
    const source = { ...SOURCE, nodePublishSecretRef: { namespace: 'x', name: 'none' } };
    await expect(setUpCsi(node([]), CLAIMED, source)).rejects.toThrow(
      'fetching NodePublishSecretRef x/none failed: kubernetes.io/csi: secrets "none" not found',
    );
  });

  it('of a driver whose name would be a path', async () => {
    await expect(setUpCsi(node([]), CLAIMED, { ...SOURCE, driver: '../../etc' })).rejects.toThrow(
      '"../../etc" is no name of a CSI driver',
    );
  });

  it('until the node has said that it uses it, and it is attached; with what the attacher says', async () => {
    const csi = node([]);
    const tell = async (list: { inUse?: string[]; attached?: string[] }): Promise<void> => {
      const volumesAttached = (list.attached ?? []).map((each) => ({ name: each, devicePath: '' }));
      const patch = { status: { volumesInUse: list.inUse ?? [], volumesAttached } };
      await api.client.patch(NODES, undefined, 'n', 'merge', patch, 'status');
    };
    const waits = (why: string): Promise<void> =>
      expect(setUpCsi(csi, CLAIMED, SOURCE)).rejects.toMatchObject({
        message: why,
        operation: 'MountVolume.WaitForAttach',
        isUnattached: true,
      });
    await api.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    const used = ['kubernetes.io/csi/d^h'];
    await tell({ inUse: used, attached: used });
    await waits("it is not on the list of volumes in the node's status yet");
    expect(await csi.inUse.toReport([])).toEqual(used);
    await waits("it is not on the list of volumes in the node's status yet");
    csi.inUse.reported(used);
    await tell({ attached: used });
    await waits("it is not on the list of volumes in the node's status any more");
    await tell({ inUse: used });
    await waits('volume not attached according to node status');
    await tell({ inUse: used, attached: used });
    const name = attachmentName(sha256Hex, { handle: 'h', driver: 'd' }, 'n');
    await expect(setUpCsi(csi, CLAIMED, SOURCE)).rejects.toMatchObject({
      message: `volume h has GET error for volume attachment ${name}: volumeattachments.storage.k8s.io "${name}" not found`,
      operation: 'MountVolume.WaitForAttach',
      isUnattached: false,
    });
    const spec = { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'pv' } };
    const made = await api.client.create(VOLUME_ATTACHMENTS, { metadata: { name }, spec });
    await waits(`VolumeAttachment ${name} waits for the driver's attacher`);
    const status = { attached: false, attachError: { message: 'no such disk' } };
    const failed = await api.client.update(VOLUME_ATTACHMENTS, { ...made, status }, 'status');
    await expect(setUpCsi(csi, CLAIMED, SOURCE)).rejects.toThrow('no such disk');
    const attached = { attached: true, attachmentMetadata: { device: '/dev/x' } };
    await api.client.update(VOLUME_ATTACHMENTS, { ...failed, status: attached }, 'status');
    await setUpCsi(csi, CLAIMED, SOURCE);
    expect(published[0]?.publishContext).toEqual({ device: '/dev/x' });
    // The note outlasts the pod's wish: what may be mounted stays on the list.
    const later = node([]);
    expect(await later.inUse.toReport([])).toEqual(used);
  });
});

describe('what the driver is asked', () => {
  it('for a claim: stage, then publish, at upstream’s paths, with the secrets of each', async () => {
    await driver({ attachRequired: false });
    const source = { ...SOURCE, fsType: 'ext4', nodeStageSecretRef: { namespace: 'default', name: 'key' } };
    const { path } = await setUpCsi(node(['stage']), CLAIMED, source);
    expect(path).toBe(`${root}/kubelet/pods/u/volumes/kubernetes.io~csi/pv/mount`);
    const stagingPath = `${root}/kubelet/plugins/kubernetes.io/csi/d/${sha256Hex('h')}/globalmount`;
    const capability = { mode: 'single-node-writer', mount: { fsType: 'ext4', flags: [] } };
    expect(staged).toMatchObject([{ handle: 'h', stagingPath, capability, secrets: { pass: 'word' } }]);
    expect(published).toMatchObject([{ targetPath: path, stagingPath, secrets: {}, volumeContext: { color: 'blue' } }]);
  });

  it('for an inline volume: publish alone, with the pod’s name and tokens', async () => {
    await driver({
      attachRequired: false,
      volumeLifecycleModes: ['Ephemeral'],
      podInfoOnMount: true,
      tokenRequests: [{ audience: 'a' }, { audience: '' }],
      requiresRepublish: true,
    });
    const csi = node(['stage']);
    const source = { driver: 'd', volumeAttributes: { color: 'blue' } };
    const { path, republishAfterMs } = await setUpCsi(csi, INLINE, source);
    expect(republishAfterMs).toBeGreaterThan(0);
    expect(staged).toEqual([]);
    expect(published).toMatchObject([{ handle: `csi-${sha256Hex('uv')}`, readOnly: true, targetPath: path }]);
    const { 'csi.storage.k8s.io/serviceAccount.tokens': tokens = '', ...context } = published[0]?.volumeContext ?? {};
    expect(context).toEqual({
      color: 'blue',
      'csi.storage.k8s.io/pod.name': 'p',
      'csi.storage.k8s.io/pod.namespace': 'default',
      'csi.storage.k8s.io/pod.uid': 'u',
      'csi.storage.k8s.io/serviceAccount.name': 'sa',
      'csi.storage.k8s.io/ephemeral': 'true',
    });
    expect(JSON.parse(tokens)).toMatchObject({ a: { token: 'for a' }, '': { token: 'for the server' } });
    // The next look publishes anew.
    await setUpCsi(csi, INLINE, source);
    expect(published).toHaveLength(2);
  });

  it('for a block device: no file system, at a path of its own', async () => {
    await driver({ attachRequired: false });
    const volume = { ...VOLUME, spec: { ...VOLUME.spec, volumeMode: 'Block' } };
    const { path } = await setUpCsi(node(['stage']), { ...CLAIMED, volume }, SOURCE);
    expect(path).toBe(`${root}/kubelet/plugins/kubernetes.io/csi/volumeDevices/publish/pv/u`);
    expect(published[0]?.capability).toEqual({ mode: 'single-node-writer' });
    expect(staged[0]?.stagingPath).toBe(`${root}/kubelet/plugins/kubernetes.io/csi/volumeDevices/staging/pv`);
  });
});

it('a pod keeps its volume while the API server and the driver are away', async () => {
  await driver({ attachRequired: false });
  const { path } = await setUpCsi(node([]), CLAIMED, SOURCE);
  const away = { get: () => Promise.reject(new ConnectionError('away')) } as unknown as CsiSupport['client'];
  expect(await setUpCsi({ ...node(), client: away }, CLAIMED, SOURCE)).toEqual({
    path,
    driver: 'd',
    republishAfterMs: 60_000,
  });
  expect(published).toHaveLength(1);
});
