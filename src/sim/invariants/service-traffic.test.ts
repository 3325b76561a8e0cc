/** The invariants about services notice what they are for. */
import { describe, expect, it } from 'vitest';
import type { Service } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import { type Fact, Facts } from '../facts.ts';
import { runKubelet } from '../kubelet-agent.ts';
import { SimCluster } from '../sim-cluster.ts';
import type { RunAgent, SimNode } from '../sim-node.ts';
import { Sim } from '../sim.ts';
import { SERVICE_TABLE } from '../sim-routing.ts';
import { PODS, SERVICES } from '../../api/index.ts';
import { container, probe } from '../workloads/patients.ts';
import { checkInvariants } from './all.ts';
import { leadsToTheLiving } from './service-traffic.ts';
import { Calm } from './traffic/calm.ts';
import { TrafficWatch } from './traffic/traffic-watch.ts';
import { sharesNoAddress } from './distinct-addresses.ts';
import { signalsAfterTraffic } from './signal-after-traffic.ts';
import { tablesDiffer } from './table-equals-plan.ts';
import { judgeTraffic, servedBeside, type TruePod, type Way } from './traffic/judge-traffic.ts';
import { BOUNDS, Patience } from './traffic/patience.ts';

const MONO = 1_000_000;
const pod = (uid: string, more: Partial<TruePod> = {}): TruePod => ({
  uid,
  ip: `ip-${uid}`,
  node: 'n',
  isAlive: true,
  isReady: true,
  isDeleting: false,
  wellSince: 0,
  ...more,
});
const ILL = { isAlive: false, wellSince: undefined };
const UNREADY = { isReady: false, wellSince: undefined };
const ENDING = { isDeleting: true, wellSince: undefined };

function judge(pods: readonly TruePod[], to: readonly string[], more: Partial<Way> = {}) {
  const way: Way = {
    node: 'n',
    service: 's',
    client: 'pod',
    isLocal: false,
    publishesUnready: false,
    pods,
    to: new Set(to.map((uid) => `ip-${uid}`)),
    before: new Set(),
    ...more,
  };
  const nodes = {
    podAt: (ip: string) => pods.find((each) => each.ip === ip),
    ownerOf: (ip: string) => (ip.startsWith('ip-far') ? 'far' : 'n'),
  };
  return judgeTraffic([way], nodes, MONO).map(({ message, promise }) => `${promise}: ${message}`);
}

describe('traffic', () => {
  it.each<[string, readonly TruePod[], readonly string[], Partial<Way>, readonly RegExp[]]>([
    ['to all that are well', [pod('a'), pod('b')], ['a', 'b'], {}, []],
    ['to a pod without a network', [pod('a')], ['a', 'x'], {}, [/withdrawn: .*network is gone \(ip-x\)/]],
    ['to one of another node', [pod('a')], ['a', 'far'], {}, [/told: .*network is gone \(ip-far\)/]],
    ['to a dead pod beside a good one', [pod('a'), pod('b', ILL)], ['a', 'b'], {}, [/withdrawn: .*dead pod.*ip-b/]],
    ['to a dead pod alone', [pod('b', ILL)], ['b'], {}, []],
    ['to an unready pod', [pod('a'), pod('b', UNREADY)], ['a', 'b'], {}, [/told: .*unready pod.*ip-b/]],
    ['to an unready pod that is published', [pod('a'), pod('b', UNREADY)], ['a', 'b'], { publishesUnready: true }, []],
    ['not to a ready pod', [pod('a'), pod('b')], ['a'], {}, [/told: .*not lead to a ready pod \(ip-b\)/]],
    [
      'no more to a ready pod',
      [pod('a'), pod('b')],
      ['a'],
      { before: new Set(['ip-b']) },
      [/told: .*ready pod \(ip-b\)/, /kept: .*no more \(ip-b\)/],
    ],
    ['refused though one serves on', [pod('a', ENDING)], [], {}, [/told: .*last pod.*ip-a/]],
    ['to the last that serves on', [pod('a', ENDING)], ['a'], {}, []],
    ['of the policy Local', [pod('a'), pod('far', { node: 'far' })], ['a'], { isLocal: true }, []],
  ])('%s', (_, pods, to, more, wanted) => {
    const found = judge(pods, to, more);
    expect(found).toHaveLength(wanted.length);
    wanted.forEach((pattern, at) => expect(found[at]).toMatch(pattern));
  });

  it('may be wrong for a while, and longer after a disturbance', () => {
    const complaint = { key: 'k', message: 'wrong', promise: 'withdrawn' as const, nodes: ['n'] };
    const [hints] = BOUNDS.withdrawn;
    const { withinMs = 0, settleMs = 0 } = hints ?? {};
    const check = (complainsAt: number, calmSince: number, mono: number) => () => {
      const patience = new Patience();
      patience.set([complaint], complainsAt);
      patience.set([complaint], complainsAt + 1);
      patience.check((_, part) => (part === 'hints' ? calmSince : Number.POSITIVE_INFINITY), mono);
    };
    expect(check(MONO, 0, MONO + withinMs)).not.toThrow();
    expect(check(MONO, 0, MONO + withinMs + 1)).toThrow(/traffic: wrong, for 1.0 s/);
    expect(check(MONO, MONO, MONO + settleMs)).not.toThrow();
    expect(check(MONO, MONO, MONO + settleMs + 1)).toThrow(/wrong/);
    expect(check(MONO, Number.POSITIVE_INFINITY, MONO * 10)).not.toThrow();
  });

  it('is beside a pod if a service leads to it and to a good one', () => {
    const pods = [pod('a'), pod('b', ENDING)];
    const nodes = { podAt: (ip: string) => pods.find((each) => each.ip === ip), ownerOf: () => 'n' };
    const way = { node: 'n', service: 's', to: new Set(['ip-a', 'ip-b']) } as unknown as Way;
    expect(servedBeside({ ways: [way], nodes }, 'b')).toBe('s');
    expect(servedBeside({ ways: [{ ...way, to: new Set(['ip-b']) }], nodes }, 'b')).toBeUndefined();
  });
});

/** Plays facts at their times (s). @returns the message of the first violation, or '' */
async function play(
  install: (facts: Facts, sim: Sim) => void,
  steps: readonly (readonly [number, Fact])[],
): Promise<string> {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const facts = new Facts(sim);
  install(facts, sim);
  for (const [at, fact] of steps) sim.after(at * 1000, 'fact', () => facts.tell(fact));
  for (let at = 0; at < 100; at++) sim.after(at * 1000, 'time passes', () => {});
  return sim.run(100_000).then(
    () => '',
    (error: unknown) => String(error),
  );
}

describe('addresses', () => {
  const service = (uid: string, clusterIP: string, nodePort?: number): Service => ({
    metadata: { uid, name: uid },
    spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80, ...(nodePort !== undefined && { nodePort }) }] },
  });
  const written = (...of: Parameters<typeof service>): Fact => ({ kind: 'service-written', service: service(...of) });
  it.each<[string, readonly Fact[], RegExp]>([
    ['of one service', [written('a', '10.96.0.1', 30_000), written('a', '10.96.0.1', 30_000)], /^$/],
    ['of two', [written('a', '10.96.0.1'), written('b', '10.96.0.1')], /b has address 10.96.0.1/],
    ['ports of two', [written('a', '10.96.0.1', 30_000), written('b', '10.96.0.2', 30_000)], /b has port 30000/],
    [
      'of one after the other',
      [
        written('a', '10.96.0.1'),
        { kind: 'service-deleted', service: service('a', '10.96.0.1') },
        written('b', '10.96.0.1'),
      ],
      /^$/,
    ],
    ['none', [written('a', 'None'), written('b', 'None')], /^$/],
  ])('%s', async (_, facts, wanted) => {
    expect(
      await play(
        sharesNoAddress,
        facts.map((fact, at) => [at, fact] as const),
      ),
    ).toMatch(wanted);
  });
});

describe('the signal', () => {
  const written: Fact = {
    kind: 'pod-written',
    revision: 1,
    pod: { metadata: { uid: 'u', deletionTimestamp: 'x', deletionGracePeriodSeconds: 30 }, spec: { containers: [] } },
  };
  const told: Fact = { kind: 'deletion-delivered', uid: 'u', node: 'n' };
  const stop: Fact = {
    kind: 'stop-sent',
    uid: 'u',
    container: 'main',
    id: 'c',
    attempt: 0,
    sandbox: 's',
    graceSeconds: 30,
  };
  it.each<[string, readonly (readonly [number, Fact])[], { served?: boolean; calmSince?: number }, RegExp]>([
    [
      'before its traffic went',
      [
        [1, told],
        [1.5, stop],
      ],
      { served: true },
      /got it while web led there/,
    ],
    [
      'after its traffic went',
      [
        [1, told],
        [1.5, stop],
      ],
      {},
      /^$/,
    ],
    [
      'at the bound',
      [
        [1, told],
        [3, stop],
      ],
      { served: true },
      /^$/,
    ],
    ['never', [[1, told]], {}, /still waits/],
    ['never, of an agent that is away', [[1, told]], { calmSince: Number.POSITIVE_INFINITY }, /^$/],
    [
      'for another reason before',
      [
        [0.5, stop],
        [1, told],
        [1.2, stop],
      ],
      { served: true },
      /^$/,
    ],
  ])('%s', async (_, steps, { served = false, calmSince = 0 }, wanted) => {
    const install = (facts: Facts, sim: Sim): void =>
      signalsAfterTraffic({
        facts,
        servedBeside: () => (served ? 'web' : undefined),
        calmSince: () => calmSince,
        isRunning: () => true,
        check: (check) => sim.check(check),
        now: () => sim.mono,
      });
    expect(await play(install, [[0, written], ...steps])).toMatch(wanted);
  });
});

describe('a cluster', () => {
  async function world(runAgent: RunAgent = runKubelet, install: (cluster: SimCluster) => unknown = checkInvariants) {
    const sim = new Sim({ seed: 1, loop: realEventLoop });
    const cluster = new SimCluster({ sim, nodes: 1, runAgent, logger: silentLogger });
    install(cluster);
    cluster.start();
    await sim.run(10_000);
    const metadata = { namespace: 'default', name: 'web' };
    const ports = [{ port: 80, targetPort: 8080 }];
    void cluster.admin.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: { app: 'web' }, ports },
    });
    for (const [name, behaviour] of [
      ['a', {}],
      ['b', { exitAfterMs: [20_000, 20_000], exitCode: 1 }],
    ] as const) {
      void cluster.admin.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace: 'default', name, labels: { app: 'web' } },
        spec: { containers: [container('main', behaviour, { readinessProbe: probe() })] },
      });
    }
    return { sim, cluster, node: cluster.nodes[0] as SimNode };
  }

  it('routes, and withdraws a pod that dies', async () => {
    const { sim, cluster } = await world();
    await sim.run(120_000);
    expect(tablesDiffer(cluster)).toBeUndefined();
  });

  it('with a node agent that never tells of the dead is noticed', async () => {
    const { sim, cluster } = await world((ports, config, signal, offer) => {
      const { routing, ...pods } = ports.pods;
      const deaf = { ...routing, judge: () => {} } as NonNullable<typeof routing>;
      return runKubelet({ ...ports, pods: { ...pods, routing: deaf } }, config, signal, offer);
    });
    // The server's news do not come, either.
    sim.after(35_000, 'partition', () => cluster.nodes[0]?.link.partition());
    await expect(sim.run(120_000)).rejects.toThrow(/traffic: .*dead pod beside a good one/);
  });

  // Found by seed 18: the verdict on the pod was lifted, and the slices named its old address.
  it('leads nobody to the old address of a pod whose sandbox was made anew while the server was away', async () => {
    // Nobody gives grace here.
    const { sim, node } = await world(runKubelet, (cluster) =>
      leadsToTheLiving(cluster, new TrafficWatch(cluster), new Calm(cluster)),
    );
    sim.after(35_000, 'partition', () => node.link.partition());
    sim.after(40_000, 'sandboxes end', () => {
      for (const { id } of node.runtime.listSandboxes()) node.runtime.stopSandbox(id);
    });
    await sim.run(52_000);
    expect([...node.runtime.sandboxesByAddress().values()].filter(({ running }) => running.size > 0)).not.toEqual([]);
  });

  it('whose table somebody changed is noticed', async () => {
    const { sim, cluster, node } = await world();
    await sim.run(40_000);
    expect(tablesDiffer(cluster)).toBeUndefined();
    expect(node.filter.apply(`add element ip ${SERVICE_TABLE} cluster-ips { 10.96.9.9 }`, sim.mono)).toBeUndefined();
    expect(tablesDiffer(cluster)).toMatch(/cluster-ips still has 10.96.9.9/);
  });

  it('has its rules back soon after somebody removed them', async () => {
    const { sim, cluster, node } = await world();
    await sim.run(40_000);
    node.flushFilter();
    await sim.run(41_000);
    expect(tablesDiffer(cluster)).toBeUndefined();
  });
});
