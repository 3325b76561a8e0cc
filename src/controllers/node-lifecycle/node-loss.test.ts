import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import { LEASES, NODES } from '../../api/index.ts';
import type { ControllersSettings } from '../controller-setup.ts';
import type { NodeLifecycleSettings } from './settings.ts';
import { calm, TestCluster, type TestKubelet } from '../../../test/support/node-cluster.ts';

let cluster: TestCluster;
let a: TestKubelet;
let b: TestKubelet;
let c: TestKubelet;

async function start(lifecycle: Partial<NodeLifecycleSettings> = {}, settings: Partial<ControllersSettings> = {}) {
  cluster = await TestCluster.start(lifecycle, settings);
  a = await cluster.addNode('a');
  b = await cluster.addNode('b');
  c = await cluster.addNode('c');
  await cluster.pass(0);
}

afterEach(async () => {
  await cluster.stop();
});

const unreachable = (tolerationSeconds?: number) => ({
  key: 'node.kubernetes.io/unreachable',
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

describe('a node that dies', () => {
  it('is Unknown after its grace, its pods are not ready and leave when they no longer tolerate it', async () => {
    await start();
    await cluster.addPod('usual', 'a');
    await cluster.addPod('hasty', 'a', [unreachable(0)]);
    await cluster.addPod('daemon', 'a', [unreachable()]);
    await cluster.addPod('elsewhere', 'b');
    // Not a list of none: upstream's nodes have no such field then.
    expect((await cluster.node('a')).spec).not.toHaveProperty('taints');
    await cluster.pass(60_000);
    a.alive = false;
    // Its last heartbeat was at most ten seconds ago.
    await cluster.pass(39_900);
    expect(await cluster.readyOf('a')).toBe('True KubeletReady');
    await cluster.pass(10_200);
    expect(await cluster.readyOf('a')).toBe('Unknown NodeStatusUnknown');
    expect(await cluster.taintsOf('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    expect((await cluster.node('a')).spec?.taints?.map(({ timeAdded }) => typeof timeAdded)).toEqual([
      'string',
      'string',
    ]);
    expect([await cluster.podReady('usual'), await cluster.podReady('elsewhere')]).toEqual(['False', 'True']);
    expect([await cluster.isEnding('hasty'), await cluster.isEnding('usual')]).toEqual([true, false]);
    await cluster.pass(299_000);
    expect(await cluster.isEnding('usual')).toBe(false);
    await cluster.pass(1_500);
    expect([await cluster.isEnding('usual'), await cluster.isEnding('daemon')]).toEqual([true, false]);
    // Nobody confirms the end: it stays.
    await cluster.pass(900_000);
    expect(await cluster.isEnding('usual')).toBe(true);
    const told = await cluster.told();
    expect(told).toContain('a NodeNotReady Node a status is now: NodeNotReady');
    expect(told).toContain('usual NodeNotReady Node is not ready');
    expect(told).toContain('usual TaintManagerEviction Marking for deletion Pod default/usual');
    expect(told.filter((line) => line.startsWith('a NodeNotReady')).length).toBe(1);
    expect(told.some((line) => line.includes('elsewhere'))).toBe(false);
  });

  it('returns: Ready, without taints, and the pods that were to leave later stay', async () => {
    await start();
    await cluster.addPod('usual', 'a');
    await cluster.pass(60_000);
    a.alive = false;
    await cluster.pass(120_000);
    expect(await cluster.isEmptied('a')).toBe(true);
    a.alive = true;
    await cluster.pass(11_000);
    expect([await cluster.readyOf('a'), await cluster.taintsOf('a')]).toEqual(['True KubeletReady', []]);
    await cluster.pass(600_000);
    expect(await cluster.isEnding('usual')).toBe(false);
    expect(await cluster.told()).toContain('usual TaintManagerEviction Cancelling deletion of Pod default/usual');
  });

  it('is not taken for dead while only its lease is renewed, or only its status told', async () => {
    await start();
    await cluster.pass(600_000);
    expect([await cluster.readyOf('a'), await cluster.emptied()]).toEqual(['True KubeletReady', []]);
  });

  it('is swapped from not ready to unreachable without waiting for a turn', async () => {
    await start();
    await cluster.addPod('usual', 'a');
    await cluster.pass(60_000);
    await cluster.sayReady('a', 'False');
    await calm();
    expect(await cluster.taintsOf('a')).toEqual(['not-ready:NoSchedule', 'not-ready:NoExecute']);
    a.alive = false;
    await cluster.pass(61_000);
    expect(await cluster.taintsOf('a')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
    // Its pods’ time goes on where it was.
    await cluster.pass(240_000);
    expect(await cluster.isEnding('usual')).toBe(true);
  });

  it('that never told of itself has the startup grace', async () => {
    await start();
    await cluster.api.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mute' } });
    await cluster.pass(59_000);
    expect(await cluster.taintsOf('mute')).toEqual(['not-ready:NoSchedule']);
    await cluster.pass(2_000);
    expect(await cluster.readyOf('mute')).toBe('Unknown NodeStatusNeverUpdated');
    expect(await cluster.taintsOf('mute')).toEqual(['unreachable:NoSchedule', 'unreachable:NoExecute']);
  });

  it('is quickly empty with short times', async () => {
    await start({ nodeMonitorGracePeriodMs: 10_000 });
    cluster.leaseSeconds = 3;
    await cluster.addPod('hasty', 'a', [unreachable(0)]);
    await cluster.pass(30_000);
    a.alive = false;
    await cluster.pass(9_000);
    expect(await cluster.isEnding('hasty')).toBe(false);
    await cluster.pass(1_100);
    expect(await cluster.isEnding('hasty')).toBe(true);
  });

  it('leaves no trace when it is deleted, and is new when it comes again', async () => {
    await start();
    await cluster.pass(60_000);
    a.alive = false;
    await cluster.pass(60_000);
    await cluster.api.client.delete(NODES, undefined, 'a');
    await calm();
    await cluster.api.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } });
    await calm();
    expect(await cluster.taintsOf('a')).toEqual(['not-ready:NoSchedule']);
    const told = (await cluster.told()).filter((line) => /^a (Re|Removing)/.test(line)).toSorted();
    expect(told).toEqual([
      'a RegisteredNode Registered Node a in Controller',
      'a RegisteredNode Registered Node a in Controller',
      'a RemovingNode Removing Node a from Controller',
    ]);
  });
});

describe('many nodes that die', () => {
  it('are emptied one after another at the zone’s rate', async () => {
    await start();
    for (const name of ['d', 'e', 'f']) await cluster.addNode(name);
    await cluster.pass(60_000);
    a.alive = false;
    b.alive = false;
    await cluster.pass(55_000);
    expect((await cluster.emptied()).length).toBe(1);
    await cluster.pass(10_000);
    expect((await cluster.emptied()).length).toBe(2);
    expect(cluster.metrics.text()).toContain('node_collector_evictions_total{zone=""} 2');
    expect(cluster.metrics.text()).toContain('node_collector_unhealthy_nodes_in_zone{zone=""} 2');
  });

  it('are all of a zone: it is emptied, while the other lives', async () => {
    await start();
    const zone = { 'topology.kubernetes.io/zone': 'z' };
    const far = [await cluster.addNode('x', zone), await cluster.addNode('y', zone)];
    await cluster.pass(60_000);
    for (const each of far) each.alive = false;
    await cluster.pass(70_000);
    expect(await cluster.emptied()).toEqual(['x', 'y']);
  });

  it('are most of a small zone: none is emptied until it is better', async () => {
    await start();
    await cluster.pass(60_000);
    const more = [await cluster.addNode('d'), await cluster.addNode('e')];
    await cluster.pass(60_000);
    for (const each of [a, b, c]) each.alive = false;
    await cluster.pass(600_000);
    // The first one goes before it is known how many more will.
    expect((await cluster.emptied()).length).toBeLessThanOrEqual(2);
    const before = (await cluster.emptied()).length;
    await cluster.pass(3_600_000);
    expect((await cluster.emptied()).length).toBe(before);
    expect(more.length).toBe(2);
  });

  it('are all there are: none is emptied, and their taints go', async () => {
    await start();
    await cluster.addPod('hasty', 'a', [unreachable(0)]);
    await cluster.addPod('usual', 'b');
    await cluster.pass(60_000);
    for (const each of [a, b, c]) each.alive = false;
    await cluster.pass(3_600_000);
    expect(await cluster.readyOf('b')).toBe('Unknown NodeStatusUnknown');
    expect(await cluster.podReady('usual')).toBe('False');
    expect([await cluster.emptied(), await cluster.isEnding('hasty'), await cluster.isEnding('usual')]).toEqual([
      [],
      false,
      false,
    ]);
    // One is back: the others have a grace before anything is said against them.
    c.alive = true;
    await cluster.pass(45_000);
    expect(await cluster.emptied()).toEqual([]);
    await cluster.pass(30_000);
    expect(await cluster.emptied()).toEqual(['a', 'b']);
    expect((await cluster.told()).filter((line) => line.includes('NodeGraceRestarted')).length).toBe(1);
  });
});

describe('a controller that doubts itself', () => {
  const nothingHappened = async (): Promise<void> => {
    for (const name of ['a', 'b', 'c']) expect(await cluster.readyOf(name)).toBe('True KubeletReady');
    expect(await cluster.emptied()).toEqual([]);
  };

  it('was asleep: everybody has a new grace', async () => {
    await start();
    await cluster.pass(60_000);
    for (const each of [a, b, c]) each.alive = false;
    await cluster.api.clock.suspend(600_000);
    await cluster.pass(30_000);
    await nothingHappened();
    for (const each of [a, b, c]) each.alive = true;
    await cluster.pass(120_000);
    await nothingHappened();
    const told = await cluster.told();
    expect(
      told.some((line) =>
        line.includes('NodeEvictionsSuspended Nothing is evicted from lost nodes: the controller did not run'),
      ),
    ).toBe(true);
    expect(told.some((line) => line.includes('NodeGraceRestarted'))).toBe(true);
    expect(cluster.metrics.text()).toContain('mendlet_node_lifecycle_suspicions_total{cause="asleep"} 1');
  });

  it('was asleep while a pod’s time on a lost node ran out: the node may come back first', async () => {
    await start();
    await cluster.addPod('usual', 'a');
    await cluster.pass(60_000);
    a.alive = false;
    await cluster.pass(60_000);
    expect(await cluster.isEmptied('a')).toBe(true);
    await cluster.api.clock.suspend(600_000);
    await cluster.pass(1_000);
    a.alive = true;
    await cluster.pass(60_000);
    expect([await cluster.isEnding('usual'), await cluster.readyOf('a')]).toEqual([false, 'True KubeletReady']);
  });

  it('was cut off: it judges nobody, and a node that died meanwhile has its grace from then', async () => {
    await start();
    await cluster.pass(60_000);
    cluster.cut = true;
    a.alive = false;
    await cluster.pass(300_000);
    cluster.cut = false;
    await cluster.pass(45_000);
    await nothingHappened();
    await cluster.pass(40_000);
    expect(await cluster.emptied()).toEqual(['a']);
  });

  it('lives on a store that takes no writes: the nodes are not to blame', async () => {
    await start();
    await cluster.pass(60_000);
    cluster.readOnly = true;
    // It heals just when the first node’s grace would be over.
    await cluster.pass(48_000);
    cluster.readOnly = false;
    await cluster.pass(120_000);
    await nothingHappened();
    expect(cluster.metrics.text()).toContain('mendlet_node_lifecycle_suspicions_total{cause="api"} 1');
  });

  it('hears of nobody but its own node: the others are not emptied at once', async () => {
    await start({}, { ownNodeName: 'a' });
    await cluster.addPod('hasty', 'b', [unreachable(0)]);
    await cluster.pass(60_000);
    b.alive = false;
    c.alive = false;
    await cluster.pass(80_000);
    expect(await cluster.readyOf('b')).toBe('Unknown NodeStatusUnknown');
    expect([await cluster.emptied(), await cluster.isEnding('hasty')]).toEqual([[], false]);
    b.alive = true;
    c.alive = true;
    await cluster.pass(20_000);
    await nothingHappened();
  });

  it('does not care for a small step of the clock, and judges nobody by a large one', async () => {
    await start();
    await cluster.pass(60_000);
    for (const step of [2_000, 86_400_000, -7 * 86_400_000]) {
      cluster.api.clock.stepWall(step);
      await cluster.pass(120_000);
      await nothingHappened();
    }
    a.alive = false;
    await cluster.pass(61_000);
    expect(await cluster.emptied()).toEqual(['a']);
  });

  it('was started anew: nothing happens before a grace, then pods go on where they were', async () => {
    await start();
    await cluster.addPod('usual', 'a');
    await cluster.addPod('patient', 'a', [unreachable(600)]);
    await cluster.pass(60_000);
    a.alive = false;
    await cluster.pass(60_000);
    expect(await cluster.isEmptied('a')).toBe(true);
    await cluster.stop();
    await cluster.pass(400_000);
    cluster.startControllers();
    await cluster.pass(45_000);
    expect(await cluster.isEnding('usual')).toBe(false);
    await cluster.pass(10_000);
    expect([await cluster.isEnding('usual'), await cluster.isEnding('patient')]).toEqual([true, false]);
    await cluster.pass(150_000);
    expect(await cluster.isEnding('patient')).toBe(true);
  });

  it('asks the server before its verdict: a lease that was renewed unseen is news of us', async () => {
    await start();
    await cluster.pass(60_000);
    // The lease is gone and comes again, unseen by nobody; the node itself stays silent for less than its grace.
    await cluster.api.client.delete(LEASES, 'kube-node-lease', 'a');
    await cluster.pass(60_000);
    await nothingHappened();
    await until(async () => (await cluster.readyOf('a')) === 'True KubeletReady', 'still Ready');
  });
});
