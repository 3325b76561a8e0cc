/** One kubelet on a simulated machine and runtime, with the real API server on memory: for tests of the node agent alone. */
import { setMaxListeners } from 'node:events';
import { type Pod, type PodSpec, PODS } from '../../src/api/index.ts';
import { createApiServer } from '../../src/apiserver/index.ts';
import { createKubeClient, type KubeClient } from '../../src/client/index.ts';
import { createKubelet, type Kubelet } from '../../src/kubelet/index.ts';
import { type Logger, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { realEventLoop } from '../../src/sim/event-loop.node.ts';
import { type Fact, Facts } from '../../src/sim/facts.ts';
import { Life } from '../../src/sim/life.ts';
import { type Behaviour, commandOf } from '../../src/sim/runtime/behaviour.ts';
import { noRuntimeFaults, type RuntimeFaults } from '../../src/sim/runtime/runtime-faults.ts';
import { SimImages } from '../../src/sim/runtime/sim-images.ts';
import { createSimImageService, createSimRuntimeService } from '../../src/sim/runtime/sim-runtime-service.ts';
import { SimRuntime } from '../../src/sim/runtime/sim-runtime.ts';
import { createSimClock, WallClock } from '../../src/sim/sim-clock.ts';
import { SimDisk } from '../../src/sim/sim-disk.ts';
import { createSimFileSystem } from '../../src/sim/sim-file-system.ts';
import { createSimCgroups, createSimMachine, createSimProcess, simStreams } from '../../src/sim/sim-machine.ts';
import { Sim } from '../../src/sim/sim.ts';
import { createMemoryStore } from '../../src/store/index.ts';

export interface HappenedFact {
  readonly at: number;
  readonly fact: Fact;
}

export interface SimulatedNode {
  readonly sim: Sim;
  readonly client: KubeClient;
  readonly runtime: SimRuntime;
  readonly images: SimImages;
  readonly faults: RuntimeFaults;
  readonly wall: WallClock;
  readonly disk: SimDisk;
  readonly facts: readonly HappenedFact[];
  kubelet(): Kubelet;
  /** Lets `ms` of virtual time pass. */
  run(ms: number): Promise<void>;
  /** Lets time pass until `condition` holds; rejects after `ms`. */
  until(what: string, condition: () => boolean | Promise<boolean>, ms?: number): Promise<void>;
  /** SIGKILL: nothing reaches the old agent any more. */
  killAgent(): void;
  startAgent(): Promise<void>;
  createPod(name: string, behaviour: Behaviour, spec?: Partial<PodSpec>): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  /** Of one kind, in order. */
  happened<K extends Fact['kind']>(
    kind: K,
  ): readonly { readonly at: number; readonly fact: Extract<Fact, { kind: K }> }[];
}

const NODE_NAME = 'node';
/** One signal ends everything; that many parts listen to it is no leak. */
setMaxListeners(0);

export async function createSimulatedNode(
  seed: number | string,
  logger: Logger = silentLogger,
): Promise<SimulatedNode> {
  const sim = new Sim({ seed, loop: realEventLoop });
  const wall = new WallClock(sim);
  const truth = new Facts(sim);
  const facts: HappenedFact[] = [];
  truth.listen((fact, at) => facts.push({ at, fact }));
  const runtime = new SimRuntime(sim, wall, truth, sim.random.split('runtime'));
  const images = new SimImages();
  const faults = noRuntimeFaults();
  const disk = new SimDisk(sim, 1e9);
  const cgroups = new Set<string>();
  const mounts: string[] = [];
  const server = new Life(sim, 'server');
  const serverClock = createSimClock(sim, wall, server);
  const store = createMemoryStore({ clock: serverClock });
  const api = createApiServer({
    store,
    clock: serverClock,
    random: seededRandom(`server ${seed}`),
    logger: silentLogger,
    version: { gitVersion: 'v1.36.0' },
  });
  const run = async (ms: number): Promise<void> => sim.run(sim.mono + ms);
  await Promise.all([api.ready, run(1000)]);
  await run(1000);
  const client = createKubeClient(api.as({ name: 'admin', groups: ['system:masters'] }), { clock: serverClock });
  let life = new Life(sim, 'agent');
  let kubelet: Kubelet | undefined;
  let incarnation = 0;

  const startAgent = async (): Promise<void> => {
    incarnation += 1;
    life = new Life(sim, `agent-${incarnation}`);
    const random = sim.random.split(life.name);
    const wiring = { sim, life, runtime, images, faults, random: random.split('calls') };
    const clock = createSimClock(sim, wall, life);
    kubelet = createKubelet(
      {
        clock,
        random,
        logger,
        fs: createSimFileSystem({ sim, life, disk, mounts, random: random.split('fs') }),
        process: createSimProcess(mounts),
        runtime: createSimRuntimeService(wiring),
        images: createSimImageService(wiring),
        client: createKubeClient(api.as({ name: `system:node:${NODE_NAME}`, groups: ['system:masters'] }), { clock }),
        cgroups: createSimCgroups(cgroups),
        machine: createSimMachine({ name: NODE_NAME, bootId: 'boot', address: '192.0.2.1', disk }),
        probeTransport: {
          http: async () => ({ result: 'success', output: '' }),
          tcp: async () => ({ result: 'success', output: '' }),
        },
        streams: simStreams,
      },
      {
        nodeName: NODE_NAME,
        instanceId: 'test',
        rootDir: '/agent',
        podLogsDir: '/var/log/pods',
        podCidr: '10.244.0.0/16',
        apiServer: { host: '10.244.0.1', port: 6443 },
        maxPods: 110,
        version: 'v1.36.0+mendlet.test',
        clusterDns: [],
        clusterDomain: 'cluster.local',
      },
    );
    kubelet.run(life.signal).catch((error: unknown) => sim.fail(error));
    await run(500);
  };

  const until: SimulatedNode['until'] = async (what, condition, ms = 30_000) => {
    const end = sim.mono + ms;
    for (;;) {
      let held = false;
      const look = Promise.resolve(condition()).then((answer) => {
        held = answer;
      });
      await run(1);
      await look;
      if (held) return;
      if (sim.mono >= end) throw new Error(`never came within ${ms} ms: ${what}`);
      await run(10);
    }
  };
  const call = async <T>(work: Promise<T>): Promise<T> => {
    const [result] = await Promise.all([work, run(5)]);
    return result;
  };
  await startAgent();
  return {
    sim,
    client,
    runtime,
    images,
    faults,
    wall,
    disk,
    facts,
    kubelet: () => kubelet as Kubelet,
    run,
    until,
    killAgent: () => life.kill(),
    startAgent,
    createPod: (name, behaviour, spec = {}) =>
      call(
        client.create<Pod>(PODS, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: 'default' },
          spec: {
            nodeName: NODE_NAME,
            containers: [{ name: 'main', image: 'busybox', command: commandOf(behaviour) }],
            automountServiceAccountToken: false,
            ...spec,
          },
        }),
      ),
    pod: (name) => call(client.get<Pod>(PODS, 'default', name)),
    happened: (kind) =>
      facts.filter(
        (each): each is { at: number; fact: Extract<Fact, { kind: typeof kind }> } => each.fact.kind === kind,
      ),
  };
}
