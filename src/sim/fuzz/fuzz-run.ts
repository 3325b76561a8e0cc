/**
 * Sends random manifests to a whole simulated cluster. For each of them the server must answer with an object or a refusal, no
 * worker may break, the node must still start pods, and everything must be deletable.
 */
import { apiVersionOf, isNotFound, type Pod, PODS, RESOURCES, StatusError } from '../../api/index.ts';
import { createKubelet, type Kubelet } from '../../kubelet/index.ts';
import { type Logger, type Random, silentLogger } from '../../lib/index.ts';
import type { EventLoop } from '../event-loop.ts';
import { commandOf } from '../runtime/behaviour.ts';
import { SimCluster } from '../sim-cluster.ts';
import { Sim } from '../sim.ts';
import { dropFields } from './drop-fields.ts';
import { randomObject, randomPod } from './random-manifest.ts';
import { pick } from './vocabulary.ts';

export interface FuzzReport {
  readonly seed: number;
  readonly accepted: number;
  readonly refused: number;
  /** The problems that were found; empty: none. */
  readonly problems: readonly string[];
}

const SETTLE_MS = 10_000;
const LIVE_MS = 60_000;
const CLEAN_UP_MS = 10 * 60_000;
const STEP_MS = 1000;
/** Tries to create one pod, each without the fields that were refused. */
const MAX_TRIES = 4;
/** The name of a pod that every node can start. */
const SENTINEL = 'sentinel';

export async function fuzzSeed(options: {
  readonly seed: number;
  readonly pods: number;
  readonly loop: EventLoop;
  readonly logger?: Logger;
}): Promise<FuzzReport> {
  const { seed, pods, loop, logger = silentLogger } = options;
  const sim = new Sim({ seed: `fuzz ${seed}`, loop });
  let kubelet: Kubelet | undefined;
  const cluster = new SimCluster({
    sim,
    nodes: 1,
    logger,
    runAgent: (ports, config, signal) => {
      kubelet = createKubelet(ports, config);
      return kubelet.run(signal);
    },
  });
  const run = new FuzzRun(cluster, sim.random.split('fuzz'));
  try {
    cluster.start();
    await sim.run(SETTLE_MS);
    await run.createAll(pods);
    await run.changeSome();
    await run.after(LIVE_MS);
    await run.sentinelRuns();
    run.noPanics(kubelet?.metrics.text() ?? '');
    await run.deleteAll();
    await run.askForAnything(2 * pods);
  } catch (error) {
    run.problems.push(
      `the simulation ended: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  return { seed, accepted: run.accepted.length, refused: run.refused, problems: run.problems };
}

/** The fields that a refusal names; none for other errors. */
function fieldsOf(error: unknown): readonly string[] {
  if (!(error instanceof StatusError)) return [];
  return (error.status.details?.causes ?? []).flatMap(({ field }) => (field === undefined ? [] : [field]));
}

class FuzzRun {
  readonly problems: string[] = [];
  readonly accepted: string[] = [];
  refused = 0;
  readonly #cluster: SimCluster;
  readonly #random: Random;

  constructor(cluster: SimCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  async after(ms: number): Promise<void> {
    const { sim } = this.#cluster;
    await sim.run(sim.mono + ms);
  }

  async createAll(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const name = `pod-${i}`;
      // Half of the pods name their node and bypass the scheduler.
      const node = this.#random.next() < 0.5 ? undefined : this.#cluster.nodes[0]?.name;
      await this.#createPod(randomPod(this.#random, name, node), name);
    }
  }

  /** Creates a pod; a refused one is tried again without the named fields, so that more of the schema passes validation. */
  async #createPod(given: Pod, name: string): Promise<void> {
    let pod = given;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      let named: readonly string[] = [];
      await this.#ask(`create ${JSON.stringify(pod)}`, async () => {
        const created = await this.#cluster.admin.create<Pod>(PODS, pod).catch((error: unknown) => {
          named = fieldsOf(error);
          throw error;
        });
        this.accepted.push(created.metadata?.name ?? name);
      });
      if (named.length === 0) return;
      pod = dropFields(pod, named);
    }
  }

  /** Changes labels and images, which is allowed for a running pod. */
  async changeSome(): Promise<void> {
    for (const name of this.accepted) {
      if (this.#random.next() < 0.5) continue;
      const patch = { metadata: { labels: { a: 'changed' }, annotations: { b: null } } };
      await this.#ask(`patch ${name}`, async () => {
        await this.#cluster.admin.patch(PODS, 'default', name, 'strategic', patch);
      });
    }
  }

  async sentinelRuns(): Promise<void> {
    const container = { name: 'main', image: 'registry.sim/app:1', command: commandOf({}) };
    const nodeName = this.#cluster.nodes[0]?.name ?? '';
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: SENTINEL, namespace: 'default' },
      spec: { nodeName, containers: [container] },
    };
    await this.#ask('create the sentinel', async () => {
      await this.#cluster.admin.create(PODS, pod);
      this.accepted.push(SENTINEL);
    });
    await this.after(LIVE_MS);
    const found = this.#pod(SENTINEL);
    if (found?.status?.phase !== 'Running') {
      this.problems.push(`the node starts no pod any more: ${JSON.stringify(found?.status)}`);
    }
  }

  noPanics(metrics: string): void {
    const panics = /^mendlet_kubelet_pod_worker_panics_total (\d+)/m.exec(metrics)?.[1] ?? '0';
    if (panics === '0') return;
    const events = JSON.stringify(this.#brokenPods());
    this.problems.push(`${panics} passes over a pod broke: ${events}`);
  }

  async deleteAll(): Promise<void> {
    for (const name of this.accepted) {
      await this.#ask(`delete ${name}`, async () => {
        await this.#cluster.admin.delete(PODS, 'default', name, { gracePeriodSeconds: 1 }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      });
    }
    const until = this.#cluster.sim.mono + CLEAN_UP_MS;
    while (this.#left() !== undefined && this.#cluster.sim.mono < until) await this.after(STEP_MS);
    const left = this.#left();
    if (left !== undefined) this.problems.push(`left after all was deleted: ${left}`);
  }

  /** Creates objects of every kind from the schema alone, which the server may accept or refuse. */
  async askForAnything(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const row = pick(this.#random, RESOURCES);
      const object = randomObject(this.#random, apiVersionOf(row), row.kind);
      await this.#ask(`create ${JSON.stringify(object)}`, async () => {
        await this.#cluster.admin.create(row, object);
      });
    }
  }

  #left(): string | undefined {
    const finalizers = [...this.#cluster.pods.values()].filter(
      ({ metadata }) => (metadata?.finalizers ?? []).length === 0,
    );
    const [pod] = finalizers;
    return pod === undefined
      ? undefined
      : `pod ${pod.metadata?.name}: ${JSON.stringify(pod.spec)} ${JSON.stringify(pod.status)}`;
  }

  #pod(name: string): Pod | undefined {
    return [...this.#cluster.pods.values()].find(({ metadata }) => metadata?.name === name);
  }

  #brokenPods(): readonly unknown[] {
    return [...this.#cluster.pods.values()].map(({ metadata }) => metadata?.name);
  }

  /** Sends a request. A refusal is a valid answer; a failure of the server is a problem. */
  async #ask(what: string, work: () => Promise<void>): Promise<void> {
    const state = { done: false };
    const asked = work()
      .catch((error: unknown) => {
        if (!(error instanceof StatusError)) throw error;
        this.refused += 1;
        if ((error.status.code ?? 500) >= 500) this.problems.push(`${what}: ${error.message}`);
      })
      .finally(() => {
        state.done = true;
      });
    while (!state.done) await this.after(10);
    await asked;
  }
}
