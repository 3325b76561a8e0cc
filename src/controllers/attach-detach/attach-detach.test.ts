import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { startWorkloads, type WorkloadCluster } from '../../../test/support/workload-cluster.ts';
import {
  attachmentName,
  CONTROLLER_MANAGED_ATTACH,
  CSI_DRIVERS,
  EVENTS,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '../../api/index.ts';
import { createEventRecorder, Informers } from '../../client/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { CONTROLLER_INDEXES } from '../indexes.ts';
import { runController } from '../run-controller.ts';
import { attachDetachController } from './attach-detach-controller.ts';
import type { AttachDetachSettings } from './settings.ts';

const DRIVER = 'd.example';
const NAME = `kubernetes.io/csi/${DRIVER}^h1`;
const MINUTE_MS = 60_000;

let cluster: WorkloadCluster;
let stopped = false;

async function start(settings: Partial<AttachDetachSettings> = {}): Promise<void> {
  stopped = false;
  cluster = await startWorkloads((setup) => [
    attachDetachController(
      { ...setup, events: setup.events('attachdetach-controller') },
      { hash: sha256Hex, ...settings },
    ),
  ]);
  await node('a');
  await node('b');
}
const stop = async (): Promise<void> => {
  if (!stopped) await cluster.stop();
  stopped = true;
};
afterEach(stop);

async function node(name: string, annotations: Record<string, string> = { [CONTROLLER_MANAGED_ATTACH]: 'true' }) {
  await cluster.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } });
  await status(name, { conditions: [{ type: 'Ready', status: 'True' }] });
}
async function status(name: string, patch: object): Promise<void> {
  await cluster.client.patch(NODES, undefined, name, 'merge', { status: patch }, 'status');
}
const uses = (name: string, ...volumesInUse: string[]): Promise<void> => status(name, { volumesInUse });
const falls = (name: string, ready: string): Promise<void> =>
  status(name, { conditions: [{ type: 'Ready', status: ready }] });
const attachmentOn = (nodeName: string): string =>
  attachmentName(sha256Hex, { driver: DRIVER, handle: 'h1' }, nodeName);

async function volume(modes: string[] = ['ReadWriteOnce'], name = 'v', handle = 'h1'): Promise<void> {
  const { client } = cluster;
  const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'team', name },
    spec: { accessModes: modes, storageClassName: '', volumeName: name, resources: { requests: { storage: '1Gi' } } },
  });
  await client.create(PERSISTENT_VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: modes,
      storageClassName: '',
      claimRef: { namespace: 'team', name, uid: claim.metadata?.uid ?? '' },
      csi: { driver: DRIVER, volumeHandle: handle },
    },
  });
  await client.patch(PERSISTENT_VOLUME_CLAIMS, 'team', name, 'merge', { status: { phase: 'Bound' } }, 'status');
}
async function pod(name: string, nodeName: string, claimName = 'v'): Promise<void> {
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'team', name },
    spec: {
      nodeName,
      containers: [{ name: 'c', image: 'busybox' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
}
const gone = (name: string): Promise<unknown> => cluster.client.delete(PODS, 'team', name, { gracePeriodSeconds: 0 });

async function attachments(): Promise<readonly VolumeAttachment[]> {
  return (await cluster.client.list(VOLUME_ATTACHMENTS)).items;
}
const nodesOf = async (): Promise<string> =>
  (await attachments())
    .map(({ spec, status: said, metadata }) => {
      const state =
        metadata?.deletionTimestamp !== undefined ? 'going' : said?.attached === true ? 'attached' : 'asked';
      return `${spec.nodeName} ${state}`;
    })
    .toSorted()
    .join();
const untilNodes = (expected: string): Promise<void> =>
  until(async () => (await nodesOf()) === expected, `attachments "${expected}"`);
/** The driver's attacher does what is asked. */
async function attach(nodeName: string): Promise<void> {
  const finalizers = [`external-attacher/${DRIVER}`];
  const name = attachmentOn(nodeName);
  await cluster.client.patch(VOLUME_ATTACHMENTS, undefined, name, 'merge', { metadata: { finalizers } });
  await cluster.client.patch(VOLUME_ATTACHMENTS, undefined, name, 'merge', { status: { attached: true } }, 'status');
}
const detach = (nodeName: string): Promise<unknown> =>
  cluster.client.patch(VOLUME_ATTACHMENTS, undefined, attachmentOn(nodeName), 'merge', {
    metadata: { finalizers: null },
  });
const listed = async (nodeName: string): Promise<readonly string[]> => {
  const { status: said } = await cluster.client.get<Node>(NODES, undefined, nodeName);
  return (said?.volumesAttached ?? []).map(({ name }) => name);
};
const untilListed = (nodeName: string, ...names: string[]): Promise<void> =>
  until(async () => (await listed(nodeName)).join() === names.join(), `${nodeName} lists ${names.join()}`);
async function told(podName: string): Promise<readonly string[]> {
  const { items } = await cluster.client.list(EVENTS, { namespace: 'team' });
  return items
    .filter(({ involvedObject }) => involvedObject.name === podName)
    .map(({ reason, message }) => `${reason} ${message}`);
}
const untilTold = (podName: string, text: string): Promise<void> =>
  until(async () => (await told(podName)).some((each) => each.includes(text)), `pod ${podName} is told "${text}"`);
/** A pod uses the volume on node a, all the way. */
async function usedOnA(modes?: string[]): Promise<void> {
  await volume(modes);
  await pod('p', 'a');
  await untilNodes('a asked');
  await attach('a');
  await untilListed('a', NAME);
  await uses('a', NAME);
}

beforeEach(() => start());

describe('attaching', () => {
  it('asks for it under upstream’s name, and lists it once it is attached', async () => {
    await usedOnA();
    const [attachment] = await attachments();
    expect(attachment?.metadata?.name).toBe(`csi-${sha256Hex(`h1${DRIVER}a`)}`);
    expect(attachment?.spec).toEqual({ attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'v' } });
    await untilTold('p', 'SuccessfulAttachVolume AttachVolume.Attach succeeded for volume "v"');
    const text = cluster.metrics.text();
    expect(text).toContain(
      `attachdetach_controller_total_volumes{plugin_name="kubernetes.io/csi:${DRIVER}",state="desired_state_of_world"} 1`,
    );
    expect(text).toContain(
      `storage_count_attachable_volumes_in_use{node="a",volume_plugin="kubernetes.io/csi:${DRIVER}"} 1`,
    );
  });

  it('does not for a driver that needs none, nor for a node that manages itself', async () => {
    await cluster.client.create(CSI_DRIVERS, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { attachRequired: false },
    });
    await volume();
    await pod('p', 'a');
    await cluster.rest();
    expect(await nodesOf()).toBe('');
    await cluster.client.delete(CSI_DRIVERS, undefined, DRIVER);
    await untilNodes('a asked');
    await node('old', {});
    await gone('p');
    await untilNodes('');
    await pod('q', 'old');
    await cluster.rest();
    expect(await nodesOf()).toBe('');
  });

  it('tells what the attacher says, ever more seldom, and that it says nothing', async () => {
    await volume();
    await pod('p', 'a');
    await untilNodes('a asked');
    await cluster.clock.advance(2 * MINUTE_MS);
    const late = `timed out waiting for external-attacher of ${DRIVER} CSI driver to attach volume h1`;
    await untilTold('p', `FailedAttachVolume AttachVolume.Attach failed for volume "v" : ${late}`);
    await cluster.client.patch(
      VOLUME_ATTACHMENTS,
      undefined,
      attachmentOn('a'),
      'merge',
      { status: { attached: false, attachError: { message: 'the disk is in another zone' } } },
      'status',
    );
    await cluster.clock.advance(MINUTE_MS);
    await untilTold('p', 'AttachVolume.Attach failed for volume "v" : the disk is in another zone');
  });

  it.each([
    ['attached', 'p'],
    ['detached', 'q'],
  ])('tells in time that it is not %s, also after the clock was set back', async (what, name) => {
    if (what === 'attached') {
      await volume();
      await pod('p', 'a');
      await untilNodes('a asked');
    } else {
      await usedOnA();
      await gone('p');
      await uses('a');
      await untilNodes('a going');
      await pod('q', 'b');
      await cluster.rest();
    }
    const before = (await told(name)).length;
    cluster.clock.stepWall(-24 * 60 * MINUTE_MS);
    // Any news of the attachment makes the controller look, with the clock as it is now.
    const labels = { looked: 'again' };
    const at = attachmentOn('a');
    await cluster.client.patch(VOLUME_ATTACHMENTS, undefined, at, 'merge', { metadata: { labels } });
    await cluster.rest();
    await cluster.clock.advance(2 * MINUTE_MS + 1000);
    await cluster.clock.advance(2 * MINUTE_MS + 1000);
    await until(async () => (await told(name)).length > before, 'an event about the volume');
  });

  it('lets several nodes have a volume whose modes allow it', async () => {
    await usedOnA(['ReadWriteMany']);
    await pod('q', 'b');
    await untilNodes('a attached,b asked');
  });
});

describe('detaching', () => {
  it('waits until the node has unmounted it, and no longer', async () => {
    await usedOnA();
    await gone('p');
    await cluster.clock.advance(60 * MINUTE_MS);
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
    await uses('a');
    await untilNodes('a going');
    expect(await listed('a')).toEqual([]);
    await detach('a');
    await untilNodes('');
  });

  it('asks the node itself: what the listers show may be old', async () => {
    await usedOnA();
    await gone('p');
    await uses('a');
    await untilNodes('a going');
    await detach('a');
    await untilNodes('');
    // The next pod's node says that it uses the volume before the controller looks at the end of the pod.
    await pod('q', 'a');
    await untilNodes('a asked');
    await attach('a');
    await untilListed('a', NAME);
    await Promise.all([uses('a', NAME), gone('q')]);
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
  });

  it('moves a volume from node to node, and says meanwhile who has it', async () => {
    await usedOnA();
    await pod('q', 'b');
    await untilTold('q', 'FailedAttachVolume Multi-Attach error for volume "v" Volume is already used by pod(s) p');
    await gone('p');
    await uses('a');
    await untilNodes('a going');
    await cluster.clock.advance(2 * MINUTE_MS + 1000);
    await untilTold('q', "Volume is already exclusively attached to one node and can't be attached to another");
    await detach('a');
    await untilNodes('b asked');
    await attach('b');
    await untilListed('b', NAME);
    await untilTold('q', 'SuccessfulAttachVolume');
  });

  it('forces it from a node that has not been heard for six minutes', async () => {
    await usedOnA();
    await falls('a', 'Unknown');
    await pod('q', 'b');
    await gone('p');
    await cluster.rest();
    await cluster.clock.advance(5 * MINUTE_MS);
    await falls('a', 'True');
    await cluster.rest();
    await falls('a', 'Unknown');
    await cluster.rest();
    await cluster.clock.advance(6 * MINUTE_MS - 1000);
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
    await cluster.clock.advance(2000);
    await untilNodes('a going');
    await detach('a');
    await untilNodes('b asked');
    expect(cluster.metrics.text()).toContain(
      'attach_detach_controller_attachdetach_controller_forced_detaches{reason="timeout"} 1',
    );
  });

  it('forces it at once from a node that is out of service, once its pods are gone', async () => {
    await usedOnA();
    await falls('a', 'Unknown');
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await cluster.client.patch(NODES, undefined, 'a', 'merge', { spec: { taints } });
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
    await gone('p');
    await untilNodes('a going');
    expect(cluster.metrics.text()).toContain('forced_detaches{reason="out-of-service"} 1');
  });

  it('detaches from a node that is gone, once its pods are', async () => {
    await usedOnA();
    await cluster.client.delete(NODES, undefined, 'a');
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
    await gone('p');
    await untilNodes('a going');
  });

  it('goes by what the node says when the volume itself is gone', async () => {
    await usedOnA();
    await cluster.client.delete(PERSISTENT_VOLUMES, undefined, 'v');
    await cluster.client.patch(PERSISTENT_VOLUMES, undefined, 'v', 'merge', { metadata: { finalizers: null } });
    await gone('p');
    await cluster.rest();
    expect(await nodesOf()).toBe('a attached');
    await uses('a');
    await untilNodes('a going');
    await untilListed('a');
  });

  it('keeps attachments of other names, and removes its own whose volume is gone', async () => {
    const make = (name: string): Promise<unknown> =>
      cluster.client.create(VOLUME_ATTACHMENTS, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name },
        spec: { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'unknown' } },
      });
    await make('by-hand');
    await make(attachmentOn('a'));
    await until(async () => (await attachments()).length === 1, 'the end of one');
    expect((await attachments())[0]?.metadata?.name).toBe('by-hand');
  });
});

it('forces nothing by time when it is told not to', async () => {
  await stop();
  await start({ forceDetachOnTimeout: false });
  await usedOnA();
  await gone('p');
  await falls('a', 'Unknown');
  await cluster.clock.advance(20 * MINUTE_MS);
  await cluster.rest();
  expect(await nodesOf()).toBe('a attached');
});

it('goes on from the objects alone after a restart', async () => {
  await usedOnA();
  await stop();
  const stale = `kubernetes.io/csi/${DRIVER}^h2`;
  await volume(['ReadWriteOnce'], 'w', 'h2');
  await status('b', { volumesAttached: [{ name: stale, devicePath: '' }] });
  await status('a', { volumesAttached: null });
  const { client, clock } = cluster;
  const shared = { client, clock, logger: silentLogger, metrics: createMetrics(), random: seededRandom(1) };
  const informers = new Informers({ ...shared, indexes: CONTROLLER_INDEXES });
  const events = createEventRecorder({ ...shared, component: 'attachdetach-controller' });
  const controller = attachDetachController({ ...shared, informers, events }, { hash: sha256Hex });
  const again = new AbortController();
  const running = Promise.all([
    informers.run(again.signal),
    runController(controller, { ...shared, informers }, again.signal),
  ]);
  await untilListed('a', NAME);
  await untilListed('b');
  await gone('p');
  await uses('a');
  await untilNodes('a going');
  again.abort(new Error('enough'));
  await running;
});
