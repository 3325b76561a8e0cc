/** A simulated cluster of one node with the real kubelet, for tests of the node agent step by step. */
import { setMaxListeners } from 'node:events';
import { type Pod, type PodSpec, PODS } from '../../src/api/index.ts';
import type { KubeClient } from '../../src/client/index.ts';
import { createKubelet, type Kubelet } from '../../src/kubelet/index.ts';
import { type Logger, silentLogger } from '../../src/lib/index.ts';
import { realEventLoop } from '../../src/sim/event-loop.node.ts';
import type { Fact } from '../../src/sim/facts.ts';
import { type Behaviour, commandOf } from '../../src/sim/runtime/behaviour.ts';
import { SimCluster } from '../../src/sim/sim-cluster.ts';
import type { SimNode } from '../../src/sim/sim-node.ts';
import { Sim } from '../../src/sim/sim.ts';

export interface HappenedFact {
  readonly at: number;
  readonly fact: Fact;
}

export interface SimulatedNode {
  readonly sim: Sim;
  readonly cluster: SimCluster;
  readonly machine: SimNode;
  readonly client: KubeClient;
  readonly facts: readonly HappenedFact[];
  /** The agent's newest incarnation. */
  kubelet(): Kubelet;
  /** Lets `ms` of virtual time pass. */
  run(ms: number): Promise<void>;
  /** Lets time pass until `work` is done. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass until `condition` holds; rejects after `ms`. */
  until(what: string, condition: () => boolean, ms?: number): Promise<void>;
  createPod(name: string, behaviour: Behaviour, spec?: Partial<PodSpec>): Promise<Pod>;
  /** The stored pod; `undefined`: it is gone. */
  pod(name: string): Pod | undefined;
  deletePod(name: string, gracePeriodSeconds?: number): Promise<void>;
  /** The facts of one kind, in order. */
  happened<K extends Fact['kind']>(
    kind: K,
  ): readonly { readonly at: number; readonly fact: Extract<Fact, { kind: K }> }[];
}

const NAMESPACE = 'default';
const STEP_MS = 20;
// Many parts listen to the one signal that ends everything, which is no leak.
setMaxListeners(0);

export async function createSimulatedNode(
  seed: number | string,
  logger: Logger = silentLogger,
): Promise<SimulatedNode> {
  const sim = new Sim({ seed, loop: realEventLoop });
  let kubelet: Kubelet | undefined;
  const runAgent: ConstructorParameters<typeof SimCluster>[0]['runAgent'] = (ports, config, signal) => {
    kubelet = createKubelet(ports, config);
    return kubelet.run(signal);
  };
  const cluster = new SimCluster({ sim, nodes: 1, runAgent, logger });
  const facts: HappenedFact[] = [];
  cluster.facts.listen((fact, at) => facts.push({ at, fact }));
  const machine = cluster.nodes[0] as SimNode;
  const client = cluster.admin;

  const run = async (ms: number): Promise<void> => sim.run(sim.mono + ms);
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const state = { settled: false };
    const end = (): void => {
      state.settled = true;
    };
    work.then(end, end);
    for (let i = 0; i < 1000 && !state.settled; i += 1) await run(STEP_MS);
    return work;
  };
  const until: SimulatedNode['until'] = async (what, condition, ms = 30_000) => {
    const end = sim.mono + ms;
    while (!condition()) {
      if (sim.mono >= end) throw new Error(`never came within ${ms} ms: ${what}`);
      await run(STEP_MS);
    }
  };
  cluster.start();
  await until('the node is ready', () => kubelet?.ready() === true);
  await run(1000);
  return {
    sim,
    cluster,
    machine,
    client,
    facts,
    kubelet: () => kubelet as Kubelet,
    run,
    during,
    until,
    createPod: (name, behaviour, spec = {}) =>
      during(
        client.create<Pod>(PODS, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name, namespace: NAMESPACE },
          spec: {
            nodeName: machine.name,
            containers: [{ name: 'main', image: 'busybox:1', command: commandOf(behaviour) }],
            automountServiceAccountToken: false,
            ...spec,
          },
        }),
      ),
    pod: (name) => [...cluster.pods.values()].find(({ metadata }) => metadata?.name === name),
    deletePod: async (name, gracePeriodSeconds) => {
      const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
      await during(client.delete(PODS, NAMESPACE, name, options));
    },
    happened: (kind) =>
      facts.filter(
        (each): each is { at: number; fact: Extract<Fact, { kind: typeof kind }> } => each.fact.kind === kind,
      ),
  };
}
