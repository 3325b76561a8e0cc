/**
 * Tests a node that is lost and comes back, with the real kubelet, controllers and scheduler, by the containers that really
 * ran.
 */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { findCondition, NODES, type Pod, PODS, type Toleration } from '../api/index.ts';
import { silentLogger } from '../lib/index.ts';
import { realEventLoop } from './event-loop.node.ts';
import { checkInvariants } from './invariants/all.ts';
import { runKubelet } from './kubelet-agent.ts';
import { commandOf } from './runtime/behaviour.ts';
import { SimCluster } from './sim-cluster.ts';
import type { SimNode } from './sim-node.ts';
import { Sim } from './sim.ts';

setMaxListeners(0);

interface World {
  readonly sim: Sim;
  readonly cluster: SimCluster;
  /** The true order of `started NAME@NODE` and `exited NAME@NODE`. */
  readonly ran: string[];
  pass(ms: number): Promise<void>;
  pod(name: string): Pod | undefined;
  ready(name: string): string | undefined;
  node(name: string): Promise<string>;
}

async function world(seed: number, nodes: number): Promise<World> {
  const sim = new Sim({ seed, loop: realEventLoop });
  const cluster = new SimCluster({ sim, nodes, runAgent: runKubelet, logger: silentLogger });
  const ran: string[] = [];
  const names = new Map<string, string>();
  cluster.facts.on({
    'pod-written': ({ pod }) => names.set(pod.metadata?.uid ?? '', pod.metadata?.name ?? ''),
    started: ({ uid }) => ran.push(`started ${names.get(uid)}`),
    exited: ({ uid, cause }) => ran.push(`${cause} ${names.get(uid)}`),
  });
  checkInvariants(cluster);
  cluster.start();
  await sim.run(10_000);
  const pod = (name: string): Pod | undefined =>
    [...cluster.pods.values()].find(({ metadata }) => metadata?.name === name);
  return {
    sim,
    cluster,
    ran,
    pod,
    pass: (ms) => sim.run(sim.mono + ms),
    ready: (name) => findCondition(pod(name)?.status?.conditions, 'Ready')?.status,
    node: async (name) => {
      let found = '';
      void cluster.admin.get(NODES, undefined, name).then(({ status, spec }) => {
        const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key.split('/')[1]}:${effect}`);
        found = [findCondition(status?.conditions, 'Ready')?.status, ...taints].join(' ');
      });
      await sim.run(sim.mono + 100);
      return found;
    },
  };
}

function addPod(w: World, name: string, nodeName: string, seconds?: number): void {
  const tolerations: Toleration[] = [
    {
      key: 'node.kubernetes.io/unreachable',
      operator: 'Exists',
      effect: 'NoExecute',
      ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
    },
  ];
  void w.cluster.admin.create<Pod>(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': nodeName },
      tolerations,
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: 'main',
          image: 'registry.sim/app:1',
          command: commandOf({ stopMs: 100 }),
          readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 2 },
        },
      ],
    },
  });
}

const SEEDS = [1];
const nodeOf = (w: World, index: number): SimNode => w.cluster.nodes[index] as SimNode;

describe('a lost node', () => {
  it.each(SEEDS)(
    'that was cut off stops what was deleted meanwhile, and its other pods are ready again (seed %i)',
    async (seed) => {
      const w = await world(seed, 3);
      addPod(w, 'stays', 'node1');
      addPod(w, 'goes', 'node1', 0);
      await w.pass(60_000);
      expect([w.ready('stays'), w.ready('goes'), await w.node('node1')]).toEqual(['True', 'True', 'True']);
      const began = w.ran.length;
      nodeOf(w, 0).link.partition();
      await w.pass(62_000);
      expect(await w.node('node1')).toBe('Unknown unreachable:NoSchedule unreachable:NoExecute');
      expect([w.ready('stays'), w.pod('goes')?.metadata?.deletionTimestamp !== undefined]).toEqual(['False', true]);
      // The node does not know of its loss, and its pods keep running.
      expect(w.ran.slice(began)).toEqual([]);
      await w.pass(300_000);
      expect(w.pod('goes')?.status?.phase).toBe('Running');
      nodeOf(w, 0).link.heal();
      await w.pass(40_000);
      expect(w.ran.slice(began)).toEqual(['term goes']);
      expect([w.pod('goes'), w.ready('stays'), await w.node('node1')]).toEqual([undefined, 'True', 'True']);
      expect(w.pod('stays')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    },
  );

  it.each(SEEDS)('whose agent died does the same, and starts nothing twice (seed %i)', async (seed) => {
    const w = await world(seed, 3);
    addPod(w, 'stays', 'node1');
    addPod(w, 'goes', 'node1', 0);
    await w.pass(60_000);
    const began = w.ran.length;
    nodeOf(w, 0).killAgent();
    await w.pass(120_000);
    expect([w.ready('stays'), w.pod('goes')?.metadata?.deletionTimestamp !== undefined]).toEqual(['False', true]);
    nodeOf(w, 0).startAgent();
    await w.pass(40_000);
    expect(w.ran.slice(began)).toEqual(['term goes']);
    expect([w.pod('goes'), w.ready('stays'), await w.node('node1')]).toEqual([undefined, 'True', 'True']);
  });

  it.each(SEEDS)('that lost its power starts what is still its own, and nothing else (seed %i)', async (seed) => {
    const w = await world(seed, 3);
    addPod(w, 'stays', 'node1');
    addPod(w, 'goes', 'node1', 0);
    await w.pass(60_000);
    const began = w.ran.length;
    nodeOf(w, 0).losePower();
    await w.pass(120_000);
    nodeOf(w, 0).boot();
    nodeOf(w, 0).startAgent();
    await w.pass(60_000);
    expect(w.ran.slice(began).toSorted()).toEqual(['lost goes', 'lost stays', 'started stays']);
    expect([w.pod('goes'), w.ready('stays'), await w.node('node1')]).toEqual([undefined, 'True', 'True']);
  });
});

describe('all nodes at once', () => {
  it.each(SEEDS)('are not emptied, whether they are cut off or the server is (seed %i)', async (seed) => {
    const w = await world(seed, 3);
    for (const [index, name] of ['a', 'b', 'c'].entries()) addPod(w, name, `node${index + 1}`, 0);
    await w.pass(60_000);
    const began = w.ran.length;
    for (const node of w.cluster.nodes) node.link.partition();
    await w.pass(300_000);
    expect(await w.node('node1')).toBe('Unknown unreachable:NoSchedule');
    for (const node of w.cluster.nodes) node.link.heal();
    await w.pass(60_000);
    w.cluster.controlPlane.stopServer(w.cluster.nodes.map(({ link }) => link));
    await w.pass(300_000);
    w.cluster.controlPlane.startServer();
    await w.pass(120_000);
    expect(w.ran.slice(began)).toEqual([]);
    for (const name of ['a', 'b', 'c']) expect([name, w.ready(name)]).toEqual([name, 'True']);
    for (const name of ['node1', 'node2', 'node3']) expect(await w.node(name)).toBe('True');
  });
});
