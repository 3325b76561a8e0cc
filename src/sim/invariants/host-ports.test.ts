/** The invariant about host ports notices what it is for. */
import { describe, expect, it } from 'vitest';
import { PODS } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import type { PodHostPorts } from '../../kubelet/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import { runKubelet } from '../kubelet-agent.ts';
import { SimCluster } from '../sim-cluster.ts';
import type { SimNode } from '../sim-node.ts';
import { POD_TABLE } from '../sim-routing.ts';
import { Sim } from '../sim.ts';
import { container } from '../workloads/patients.ts';
import { HostPortWatch, type HostPortWay, judgeHostPorts, leadsToItsSandbox, wrongHostPorts } from './host-ports.ts';
import { Calm } from './traffic/calm.ts';

describe('a host port', () => {
  const A = '10.1.0.2:80';
  const B = '10.1.0.3:80';
  it.each<[string, Partial<HostPortWay>, readonly string[]]>([
    ['that leads to its sandbox', { to: A, wanted: A, hasLed: true }, []],
    ['of nobody', {}, []],
    ['of nobody that leads to a pod', { to: A }, ['withdrawn: leads to what is not its sandbox']],
    ['that leads to another', { to: B, wanted: A, hasLed: true }, ['withdrawn: leads to what is not its sandbox']],
    ['that does not lead yet', { wanted: A }, ['withdrawn: does not lead to its sandbox']],
    [
      'that leads no more',
      { wanted: A, hasLed: true },
      ['withdrawn: does not lead to its sandbox', 'kept: leads to its sandbox no more'],
    ],
  ])('%s', (_, way, wanted) => {
    const whole: HostPortWay = {
      node: 'n',
      port: 9000,
      client: 'stranger',
      to: undefined,
      wanted: undefined,
      hasLed: false,
      ...way,
    };
    const said = judgeHostPorts([whole]).map(({ promise, message }) => `${promise}: ${message}`);
    expect(said.map((each) => each.replace(/host port 9000 of n for a stranger | \(.*\)/g, ''))).toEqual(wanted);
  });
});

describe('a cluster', () => {
  async function world(damage: (port: PodHostPorts) => Partial<PodHostPorts> = () => ({})) {
    const sim = new Sim({ seed: 1, loop: realEventLoop });
    const cluster = new SimCluster({
      sim,
      nodes: 1,
      runAgent: (ports, config, signal, offer) => {
        const { hostPorts, ...pods } = ports.pods;
        if (hostPorts === undefined) throw new Error('no host ports here');
        const damaged: PodHostPorts = {
          map: (uid, sandbox) => hostPorts.map(uid, sandbox),
          settled: () => hostPorts.settled(),
          ...damage(hostPorts),
        };
        return runKubelet({ ...ports, pods: { ...pods, hostPorts: damaged } }, config, signal, offer);
      },
      logger: silentLogger,
    });
    const watch = new HostPortWatch(cluster);
    leadsToItsSandbox(cluster, watch, new Calm(cluster));
    cluster.start();
    await sim.run(10_000);
    void cluster.admin.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'web' },
      spec: { containers: [container('main', {}, { ports: [{ containerPort: 8080, hostPort: 9000 }] })] },
    });
    await sim.run(40_000);
    const node = cluster.nodes[0] as SimNode;
    const endSandboxes = (): void => {
      for (const { id } of node.runtime.listSandboxes()) node.runtime.stopSandbox(id);
    };
    return { sim, cluster, node, watch, endSandboxes, wrong: () => wrongHostPorts(cluster, watch) };
  }

  it('leads to the sandbox, and to the next one when it ends', async () => {
    const { sim, node, watch, endSandboxes, wrong } = await world();
    const [before] = watch.look();
    expect([before?.to, wrong()]).toEqual([before?.wanted, undefined]);
    endSandboxes();
    await sim.run(60_000);
    const [after] = watch.look();
    expect(after?.to).toMatch(/:8080$/);
    expect([after?.to, wrong()]).toEqual([after?.wanted, undefined]);
    expect(after?.to).not.toBe(before?.to);
    expect(node.filter.table(POD_TABLE)?.sets.get('open-targets')?.elements.size).toBe(1);
  });

  it('whose agent was killed while the sandbox ended has no rule to the old one', async () => {
    const { sim, node, endSandboxes, wrong } = await world();
    node.killAgent();
    endSandboxes();
    await sim.run(45_000);
    node.startAgent();
    await sim.run(90_000);
    expect(wrong()).toBeUndefined();
  });

  it.each<[string, (port: PodHostPorts) => Partial<PodHostPorts>, RegExp]>([
    ['whole', () => ({}), /^undefined$/],
    ['that never settles', () => ({ settled: () => {} }), /leads to what is not its sandbox/],
  ])('an agent %s begins after a pod went without one', async (_, damage, wanted) => {
    const { sim, cluster, node, endSandboxes, wrong } = await world(damage);
    node.killAgent();
    endSandboxes();
    for (const { id } of node.runtime.listSandboxes()) node.runtime.removeSandbox(id);
    void cluster.admin.delete(PODS, 'default', 'web', { gracePeriodSeconds: 0 });
    await sim.run(45_000);
    node.startAgent();
    await sim.run(55_000);
    expect(String(wrong())).toMatch(wanted);
  });

  it.each<[string, (port: PodHostPorts) => Partial<PodHostPorts>, RegExp]>([
    ['never tells', () => ({ map: () => {} }), /traffic: host port 9000 of .* does not lead to its sandbox/],
    [
      'never withdraws',
      (port) => ({ map: (uid, sandbox) => sandbox && port.map(uid, { ...sandbox, addresses: ['10.9.9.9'] }) }),
      /traffic: host port 9000 of .* leads to what is not its sandbox/,
    ],
  ])('with a node agent that %s is noticed', async (_, damage, wanted) => {
    const run = async (): Promise<void> => {
      const { sim, endSandboxes } = await world(damage);
      endSandboxes();
      await sim.run(120_000);
    };
    await expect(run()).rejects.toThrow(wanted);
  });

  it('whose table somebody changed is noticed', async () => {
    const { sim, node, wrong } = await world();
    const text = `add element ip ${POD_TABLE} open-targets { tcp . 9 : 10.244.0.9 . 80 }`;
    expect(node.filter.apply(text, sim.mono)).toBeUndefined();
    expect(wrong()).toMatch(/has rules for 2 host ports, not for 1/);
  });

  it('has its rules back soon after somebody removed them', async () => {
    const { sim, node, wrong } = await world();
    node.flushFilter();
    await sim.run(41_000);
    expect(wrong()).toBeUndefined();
  });
});
