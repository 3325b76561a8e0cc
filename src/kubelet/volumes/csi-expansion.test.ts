import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CsiNode } from '../../../test/support/csi-node.ts';
import {
  CSI_DRIVERS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimStatus,
  type Pod,
  PODS,
} from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { CsiError, type NodeCapability } from '../../csi/index.ts';
import { type CsiSupport, type PublishedByDriver, setUpCsi } from './csi-volume.ts';

let node: CsiNode;
beforeEach(async () => {
  node = await CsiNode.create();
  await node.api.client.create(CSI_DRIVERS, { metadata: { name: 'd' }, spec: { attachRequired: false } });
});
afterEach(() => node.remove());

const POD: Pod = { metadata: { name: 'p', namespace: 'default', uid: 'u' }, spec: { containers: [] } };
const SOURCE = { driver: 'd', volumeHandle: 'h', nodeExpandSecretRef: { namespace: 's', name: 'grow' } };
const volume = (storage: string, volumeMode = 'Filesystem'): PersistentVolume => ({
  metadata: { name: 'pv' },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage }, csi: SOURCE, volumeMode },
});
const STAGES: readonly NodeCapability[] = ['stage', 'expand'];
const PENDING: PersistentVolumeClaimStatus = {
  allocatedResources: { storage: '32Mi' },
  allocatedResourceStatuses: { storage: 'NodeResizePending' },
  conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
};
const FINISHED = { phase: 'Bound', capacity: { storage: '32Mi' }, allocatedResources: { storage: '32Mi' } };

async function claimOf(rest: PersistentVolumeClaimStatus = {}): Promise<PersistentVolumeClaim> {
  const spec = { accessModes: ['ReadWriteOnce'], volumeName: 'pv', resources: { requests: { storage: '32Mi' } } };
  const made = await node.api.client.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'c', namespace: 'default' },
    spec,
  });
  return await change(made, rest);
}

async function change(claim: PersistentVolumeClaim, rest: PersistentVolumeClaimStatus): Promise<PersistentVolumeClaim> {
  const status = { phase: 'Bound', capacity: { storage: '16Mi' }, ...rest };
  return await node.api.client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status }, 'status');
}

const seen = (): Promise<PersistentVolumeClaim> => node.api.client.get(PERSISTENT_VOLUME_CLAIMS, 'default', 'c');

/** One look of an agent at the pod's volume. */
async function look(csi: CsiSupport, of: PersistentVolume, readOnly = false): Promise<PublishedByDriver> {
  return await setUpCsi(csi, { pod: POD, volumeName: 'v', volume: of, claim: await seen(), readOnly }, SOURCE);
}

const fails = (code: string): void =>
  void node.orders.set('expand', () => Promise.reject(new CsiError(code, `rpc error: code = ${code} desc = told to`)));

describe('an expansion while nothing is mounted', () => {
  it.each([
    ['of a driver that stages', STAGES, ['stage', 'expand', 'publish'], 'globalmount', 'globalmount'],
    ['of one that does not', ['expand'] as const, ['publish', 'expand'], '/pv/mount', undefined],
  ])('%s has its place before the pod has the volume', async (_, capabilities, methods, volumePath, stagingPath) => {
    await claimOf(PENDING);
    await look(node.agent(capabilities), volume('32Mi'));
    expect(node.methods()).toEqual(methods);
    const expanded = node.calls.find(({ method }) => method === 'expand')?.request;
    expect(expanded).toMatchObject({
      handle: 'h',
      volumePath: expect.stringMatching(`${volumePath}$`),
      stagingPath: stagingPath === undefined ? '' : expect.stringMatching(`${stagingPath}$`),
      requiredBytes: 32 << 20,
      capability: { mode: 'single-node-writer', mount: { fsType: '', flags: [] } },
      secrets: { of: 's/grow' },
    });
    expect((await seen()).status).toEqual(FINISHED);
    const said = 'Normal FileSystemResizeSuccessful MountVolume.NodeExpandVolume succeeded for volume "pv" n';
    expect(node.events).toEqual([`pod ${said}`, `claim ${said}`]);
  });

  it('of a block device names the device', async () => {
    await claimOf(PENDING);
    await look(node.agent(STAGES), volume('32Mi', 'Block'));
    await look(node.agent(STAGES), volume('64Mi', 'Block'));
    const [stage, first] = node.calls;
    expect(first?.request).toMatchObject({ capability: { mode: 'single-node-writer' } });
    expect(stage?.request).toMatchObject({ stagingPath: first?.method === 'expand' && first.request.volumePath });
  });

  it('that fails keeps the pod waiting, until it succeeds', async () => {
    await claimOf(PENDING);
    fails('Internal');
    const csi = node.agent(STAGES);
    await expect(look(csi, volume('32Mi'))).rejects.toMatchObject({
      message: 'Expander.NodeExpand failed to expand the volume: rpc error: code = Internal desc = told to',
      operation: 'MountVolume.NodeExpandVolume',
      eventReason: 'FailedMount',
    });
    expect((await seen()).status).toMatchObject({
      allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
      conditions: [
        { type: 'FileSystemResizePending' },
        {
          type: 'NodeResizeError',
          message: 'failed to expand pvc with rpc error: code = Internal desc = told to',
        },
      ],
    });
    node.orders.clear();
    await look(csi, volume('32Mi'));
    expect(node.methods()).toEqual(['stage', 'expand', 'expand', 'publish']);
    expect((await seen()).status).toEqual(FINISHED);
  });

  it('that the driver refuses while the volume is used does not keep the pod waiting', async () => {
    await claimOf(PENDING);
    fails('FailedPrecondition');
    const csi = node.agent(STAGES);
    await look(csi, volume('32Mi'));
    await look(csi, volume('32Mi'));
    await look(node.agent(STAGES), volume('32Mi'));
    expect(node.methods()).toEqual(['stage', 'expand', 'publish']);
    expect((await seen()).status?.capacity).toEqual({ storage: '16Mi' });
    expect(node.events).toEqual([
      'pod Warning VolumeResizeFailed NodeExpandVolume.NodeExpandVolume failed for volume "pv" : rpc error: code = FailedPrecondition desc = told to',
    ]);
    // When it was away from this node it is asked for again.
    await csi.volumes.tearDown('u');
    node.orders.clear();
    await look(csi, volume('32Mi'));
    expect(node.methods().slice(-3)).toEqual(['stage', 'expand', 'publish']);
    expect((await seen()).status).toEqual(FINISHED);
  });
});

describe('an expansion while a pod has the volume', () => {
  async function running(capabilities: readonly NodeCapability[] = STAGES): Promise<CsiSupport> {
    await claimOf();
    const csi = node.agent(capabilities);
    await look(csi, volume('16Mi'));
    node.calls.length = 0;
    return csi;
  }

  it('is done at the pod’s path, and told', async () => {
    const csi = await running();
    const { republishAfterMs } = await look(csi, volume('16Mi'));
    expect(republishAfterMs).toBeGreaterThan(0);
    await change(await seen(), PENDING);
    const { path, problem } = await look(csi, volume('32Mi'));
    expect(problem).toBe(undefined);
    expect(node.calls).toMatchObject([{ method: 'expand', request: { volumePath: path } }]);
    expect((await seen()).status).toEqual(FINISHED);
    await look(csi, volume('32Mi'));
    expect(node.methods()).toEqual(['expand']);
  });

  it('of a resizer that knows no states ends with the claim’s size', async () => {
    const csi = await running();
    await change(await seen(), { conditions: [{ type: 'FileSystemResizePending', status: 'True' }] });
    await look(csi, volume('32Mi'));
    expect((await seen()).status).toEqual({ phase: 'Bound', capacity: { storage: '32Mi' } });
  });

  it('that another node has told is done here, and not told again', async () => {
    const csi = await running();
    const before = await change(await seen(), FINISHED);
    await look(csi, volume('32Mi'));
    expect(node.methods()).toEqual(['expand']);
    expect((await seen()).metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
  });

  it('that fails is the claim’s and the pod’s problem, and the pod keeps the volume; also after a restart', async () => {
    await running();
    await change(await seen(), PENDING);
    fails('OutOfRange');
    const csi = node.agent(STAGES);
    expect(await look(csi, volume('32Mi'))).toMatchObject({
      problem: 'Expander.NodeExpand failed to expand the volume: rpc error: code = OutOfRange desc = told to',
      told: { operation: 'NodeExpandVolume.NodeExpandVolume', eventReason: 'VolumeResizeFailed' },
    });
    expect((await seen()).status?.allocatedResourceStatuses).toEqual({ storage: 'NodeResizeInfeasible' });
    // Nothing is asked until somebody decides anew.
    expect((await look(csi, volume('32Mi'))).problem).toBe(undefined);
    expect(node.methods()).toEqual(['expand']);
  });

  it.each(['DeadlineExceeded', 'Unavailable'])(
    'that ends with %s may yet succeed: the claim is not told',
    async (code) => {
      const csi = await running();
      await change(await seen(), PENDING);
      fails(code);
      expect((await look(csi, volume('32Mi'))).problem).toContain(code);
      expect((await seen()).status?.conditions).toMatchObject([{ type: 'FileSystemResizePending' }]);
    },
  );

  it.each([
    ['the cluster has not done its part', { allocatedResources: { storage: '32Mi' } }],
    ['the driver could not', { ...PENDING, allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } }],
  ])('is looked for again while %s', async (_, status) => {
    const csi = await running();
    await change(await seen(), status);
    expect((await look(csi, volume('32Mi'))).republishAfterMs).toBe(60_000);
    expect((await look(node.agent(), volume('32Mi'))).republishAfterMs).toBe(60_000);
    expect(node.methods()).toEqual([]);
    expect((await look(node.agent(['stage']), volume('32Mi'))).republishAfterMs).toBe(undefined);
  });

  it('is not asked of a driver that cannot, nor for a pod that only reads', async () => {
    const csi = await running(['stage']);
    await change(await seen(), PENDING);
    await look(csi, volume('32Mi'));
    await look(node.agent(STAGES), volume('32Mi'), true);
    expect(node.methods()).toEqual([]);
  });

  it.each([
    ['before the call', 1],
    ['after the call', 2],
    ['before the claim is told', 1],
  ])('is repeated, and told, by the next agent when this one is killed %s', async (dies, calls) => {
    await running();
    await change(await seen(), PENDING);
    const killed = (): Promise<never> => Promise.reject(new Error('killed'));
    const csi = node.agent(STAGES);
    let patches = 0;
    const patch: CsiSupport['client']['patch'] = (...given) => {
      patches += 1;
      const isLast = dies === 'before the claim is told' && patches > 1;
      return isLast || dies === 'before the call' ? killed() : csi.client.patch(...given);
    };
    if (dies === 'after the call') node.orders.set('expand', killed);
    expect((await look({ ...csi, client: { ...csi.client, patch } }, volume('32Mi'))).problem).toContain('killed');
    node.orders.clear();
    await look(node.agent(STAGES), volume('32Mi'));
    expect(node.methods()).toEqual(Array.from({ length: calls }, () => 'expand'));
    expect((await seen()).status).toEqual(FINISHED);
  });
});

it('is told with the rights of a node, for a claim that one of its pods uses', async () => {
  await claimOf(PENDING);
  const user = { name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] };
  const client = createKubeClient(node.api.as(user), { clock: node.api.clock });
  const csi = { ...node.agent(STAGES), client };
  await expect(look(csi, volume('32Mi'))).rejects.toThrow('no relationship found between node');
  expect(node.methods()).toEqual(['stage']);
  await node.api.client.create(PERSISTENT_VOLUMES, volume('32Mi'));
  await node.api.client.create(PODS, {
    metadata: { name: 'p', namespace: 'default' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
    },
  });
  await look(csi, volume('32Mi'));
  expect((await seen()).status).toEqual(FINISHED);
});
