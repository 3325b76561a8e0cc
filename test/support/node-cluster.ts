/** A cluster for tests about nodes: the API server in memory, the controllers, and kubelets that only report their nodes. */
import { createInMemoryApi, type InMemoryApi, until } from './in-memory-api.ts';
import {
  EVENTS,
  findCondition,
  type Lease,
  LEASES,
  type Node,
  NODES,
  type Pod,
  PODS,
  type Toleration,
} from '../../src/api/index.ts';
import { createKubeClient } from '../../src/client/index.ts';
import {
  type Connection,
  ConnectionError,
  createMetrics,
  formatMicroTime,
  formatTime,
  type MetricsRegistry,
  seededRandom,
  silentLogger,
} from '../../src/lib/index.ts';
import { settle } from '../../src/lib/manual-clock.node.ts';
import { runControllers } from '../../src/controllers/run-controllers.ts';
import type { ControllersSettings } from '../../src/controllers/controller-setup.ts';
import { DEFAULT_NODE_LIFECYCLE, type NodeLifecycleSettings } from '../../src/controllers/node-lifecycle/settings.ts';

export interface TestKubelet {
  readonly name: string;
  /** False: the node is dead or cut off. */
  alive: boolean;
}

export class TestCluster {
  readonly api: InMemoryApi;
  readonly metrics: MetricsRegistry = createMetrics();
  readonly kubelets: TestKubelet[] = [];
  /** The controllers are cut off from the API server. */
  cut = false;
  /** All writes fail, as with a broken store. */
  readOnly = false;
  leaseSeconds = 40;
  #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #lives = 0;

  private constructor(api: InMemoryApi) {
    this.api = api;
  }

  static async start(
    lifecycle: Partial<NodeLifecycleSettings> = {},
    settings: Partial<ControllersSettings> = {},
  ): Promise<TestCluster> {
    const cluster = new TestCluster(await createInMemoryApi({ taintNewNodes: true }));
    cluster.startControllers(lifecycle, settings);
    return cluster;
  }

  startControllers(lifecycle: Partial<NodeLifecycleSettings> = {}, settings: Partial<ControllersSettings> = {}): void {
    const { clock } = this.api;
    this.#lives += 1;
    this.#stop = new AbortController();
    const random = seededRandom(`life ${this.#lives}`);
    const client = createKubeClient(
      this.#connection(() => this.cut),
      { clock },
    );
    this.#running = runControllers(
      { client, clock, random, logger: silentLogger, metrics: this.metrics },
      { caCertificate: 'PEM', nodeLifecycle: { ...DEFAULT_NODE_LIFECYCLE, ...lifecycle }, ...settings },
      this.#stop.signal,
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('enough'));
    await this.#running;
  }

  #connection(isCut: () => boolean): Connection {
    const { connection } = this.api;
    return {
      upgrade: (request) => connection.upgrade(request),
      request: async (request) => {
        if (isCut()) throw new ConnectionError('cut');
        if (this.readOnly && request.method !== 'GET') throw new ConnectionError('the store is read-only');
        return connection.request(request);
      },
    };
  }

  /** Adds a kubelet that registers, is Ready, and renews its lease each quarter of its duration. */
  async addNode(name: string, labels: Record<string, string> = {}): Promise<TestKubelet> {
    const kubelet: TestKubelet = { name, alive: true };
    this.kubelets.push(kubelet);
    const client = createKubeClient(
      this.#connection(() => !kubelet.alive),
      { clock: this.api.clock },
    );
    await client.create<Node>(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
    const beat = async (): Promise<void> => {
      const { wall } = this.api.clock.now();
      const spec = {
        holderIdentity: name,
        leaseDurationSeconds: this.leaseSeconds,
        renewTime: formatMicroTime(wall),
      };
      const metadata = { namespace: 'kube-node-lease', name };
      const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      await client
        .patch<Lease>(LEASES, metadata.namespace, name, 'merge', { spec })
        .catch(() => client.create<Lease>(LEASES, lease));
      const node = await client.get<Node>(NODES, undefined, name);
      if (findCondition(node.status?.conditions, 'Ready')?.status === 'True') return;
      await this.sayReady(name, 'True');
    };
    const loop = (): void => {
      beat().catch(() => {});
      this.api.clock.setTimer(this.leaseSeconds * 250, loop);
    };
    loop();
    await until(async () => (await this.readyOf(name)) === 'True KubeletReady', `${name} is Ready`);
    return kubelet;
  }

  /** Writes the Ready condition as the kubelet. */
  async sayReady(name: string, status: 'True' | 'False'): Promise<void> {
    const now = formatTime(this.api.clock.now().wall);
    const conditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
      type,
      status: type === 'Ready' ? status : 'False',
      reason: status === 'True' ? 'KubeletReady' : 'KubeletNotReady',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
    await this.api.client.patch(NODES, undefined, name, 'strategic', { status: { conditions } }, 'status');
  }

  /** Adds a running, ready pod. */
  async addPod(name: string, nodeName: string, tolerations: Toleration[] = []): Promise<void> {
    await this.api.client.create<Pod>(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name },
      spec: { nodeName, tolerations, containers: [{ name: 'c', image: 'x' }] },
    });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await this.api.client.patch(PODS, 'default', name, 'strategic', { status }, 'status');
  }

  node(name: string): Promise<Node> {
    return this.api.client.get<Node>(NODES, undefined, name);
  }

  async readyOf(name: string): Promise<string> {
    const ready = findCondition((await this.node(name)).status?.conditions, 'Ready');
    return `${ready?.status} ${ready?.reason}`;
  }

  async taintsOf(name: string): Promise<readonly string[]> {
    const taints = (await this.node(name)).spec?.taints ?? [];
    return taints.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  }

  async isEmptied(name: string): Promise<boolean> {
    return (await this.taintsOf(name)).some((taint) => taint.endsWith(':NoExecute'));
  }

  async emptied(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const { name } of this.kubelets) if (await this.isEmptied(name)) names.push(name);
    return names;
  }

  pod(name: string): Promise<Pod> {
    return this.api.client.get<Pod>(PODS, 'default', name);
  }

  async podReady(name: string): Promise<string | undefined> {
    return findCondition((await this.pod(name)).status?.conditions, 'Ready')?.status;
  }

  async isEnding(name: string): Promise<boolean> {
    return (await this.pod(name)).metadata?.deletionTimestamp !== undefined;
  }

  async told(): Promise<readonly string[]> {
    const { items } = await this.api.client.list(EVENTS);
    return items.map(({ involvedObject, reason, message }) => `${involvedObject.name} ${reason} ${message}`);
  }

  /** Lets virtual time pass, with enough turns of the loop for its effects. */
  async pass(ms: number): Promise<void> {
    await this.api.clock.advance(ms);
    await calm();
  }
}

export async function calm(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await settle();
}
