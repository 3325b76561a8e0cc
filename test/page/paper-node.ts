/**
 * A node that is only on paper: it keeps its lease, and writes into the status of each of its pods what a kubelet would, Running and
 * Ready at once, and then what a test says. So a death has an exact time and costs nothing.
 */
import type { Api, ApiObject, Watched } from '../support/api-over-https.ts';

/** A heartbeat in a fifth of the time after which a node counts as silent. */
const HEARTBEAT_MS = 5000;
const MERGE = 'application/merge-patch+json';

interface PaperPod extends ApiObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
  readonly status?: { readonly phase?: string; readonly containerStatuses?: readonly ContainerState[] };
}

interface ContainerState {
  readonly name: string;
  readonly restartCount: number;
}

/** How a container ended. */
export interface PaperDeath {
  readonly exitCode?: number;
  readonly reason?: string;
  readonly message?: string;
  /** Seconds until the next start; absent: it runs again at once. */
  readonly backOffSeconds?: number;
}

export class PaperNode {
  readonly name: string;
  readonly #api: Api;
  readonly #pods: Watched<PaperPod>;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Set<string>();
  readonly #writes = new Set<Promise<unknown>>();
  /** The first refusal of a write, which fails the next call of a test. */
  #problem: string | undefined;

  private constructor(api: Api, name: string) {
    this.#api = api;
    this.name = name;
    this.#pods = api.watch<PaperPod>('/api/v1/pods', `fieldSelector=spec.nodeName%3D${name}`);
    this.#pods.onChange(() => this.#look());
    this.#timer = setInterval(() => this.#do(this.#beat()), HEARTBEAT_MS);
  }

  /** Registers the node, Ready. */
  static async start(api: Api, name: string): Promise<PaperNode> {
    await api.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    });
    const now = new Date().toISOString();
    const size = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };
    await patch(api, `/api/v1/nodes/${name}/status`, {
      status: {
        capacity: size,
        allocatable: size,
        conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
          type,
          status: type === 'Ready' ? 'True' : 'False',
          reason: 'OnPaper',
          message: 'on paper',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        })),
        // Where nothing listens.
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: 9 } },
        nodeInfo: {
          architecture: 'amd64',
          bootID: 'b',
          machineID: 'm',
          systemUUID: 's',
          kernelVersion: '6.1.0',
          operatingSystem: 'linux',
          osImage: 'paper',
          containerRuntimeVersion: 'containerd://2.1.0',
          kubeletVersion: 'v1.36.0-mendlet',
          kubeProxyVersion: '',
        },
      },
    });
    await api.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
    });
    return new PaperNode(api, name);
  }

  /** The pods that the node was told of, by name. */
  podsOf(namespace: string, prefix: string): readonly PaperPod[] {
    return this.#pods.items.filter(
      ({ metadata }) =>
        metadata.namespace === namespace &&
        metadata.name.startsWith(prefix) &&
        metadata.deletionTimestamp === undefined,
    );
  }

  /** Lets the first container of a pod end and, without a back-off, run again. Resolves when it is written. */
  async kill(
    pod: PaperPod,
    { exitCode = 1, reason = 'Error', message, backOffSeconds }: PaperDeath = {},
  ): Promise<void> {
    this.#check();
    const now = new Date().toISOString();
    const name = pod.spec.containers[0]?.name ?? '';
    const restarts = (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) + 1;
    const terminated = {
      exitCode,
      reason,
      ...(message === undefined ? {} : { message }),
      startedAt: now,
      finishedAt: now,
      containerID: `containerd://${pod.metadata.uid}-${restarts}`,
    };
    const again = backOffSeconds === undefined;
    const words = `back-off ${backOffSeconds}s restarting failed container=${name} pod=${pod.metadata.name}`;
    const state = again ? { running: { startedAt: now } } : { waiting: { reason: 'CrashLoopBackOff', message: words } };
    await this.#write(pod, again, {
      state,
      lastState: { terminated },
      restartCount: restarts,
      ready: again,
      started: again,
    });
  }

  /** Lets a pod run and be ready. */
  async run(pod: PaperPod): Promise<void> {
    this.#check();
    const started = { running: { startedAt: new Date().toISOString() } };
    const restartCount = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
    await this.#write(pod, true, { state: started, restartCount, ready: true, started: true });
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#pods.stop();
    await Promise.allSettled(this.#writes);
  }

  async #write(pod: PaperPod, ready: boolean, first: object): Promise<void> {
    const status = ready ? 'True' : 'False';
    const now = new Date().toISOString();
    const running = { running: { startedAt: now } };
    await patch(this.#api, `/api/v1/namespaces/${pod.metadata.namespace}/pods/${pod.metadata.name}/status`, {
      status: {
        phase: 'Running',
        startTime: now,
        podIP: '192.0.2.7',
        podIPs: [{ ip: '192.0.2.7' }],
        conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
          type,
          status: type === 'Ready' || type === 'ContainersReady' ? status : 'True',
          lastTransitionTime: now,
        })),
        containerStatuses: pod.spec.containers.map(({ name, image }, at) => ({
          name,
          image,
          imageID: image,
          containerID: `containerd://${pod.metadata.uid}-${at}`,
          ...(at === 0 ? first : { state: running, restartCount: 0, ready: true, started: true }),
        })),
      },
    });
  }

  #look(): void {
    for (const pod of this.#pods.items) {
      const { uid, namespace, name, deletionTimestamp } = pod.metadata;
      if (deletionTimestamp !== undefined) {
        if (!this.#seen.delete(uid)) continue;
        const path = `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`;
        this.#do(this.#api.send('DELETE', path).then(() => undefined));
      } else if (!this.#seen.has(uid)) {
        this.#seen.add(uid);
        if (pod.status?.phase !== 'Running') this.#do(this.run(pod));
      }
    }
  }

  async #beat(): Promise<void> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${this.name}`;
    await patch(this.#api, path, { spec: { renewTime: microTime() } });
  }

  #do(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        // A pod may be gone, and the server may be away in a test that says so.
        const text = String(error);
        if (!/\b404\b|ECONN|socket hang up|no answer/.test(text)) this.#problem ??= text;
      })
      .finally(() => this.#writes.delete(done));
    this.#writes.add(done);
  }

  #check(): void {
    if (this.#problem !== undefined) throw new Error(`the node ${this.name} on paper: ${this.#problem}`);
  }
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}

async function patch(api: Api, path: string, change: object): Promise<void> {
  const { code, body } = await api.send('PATCH', path, change, MERGE);
  if (code >= 300) throw new Error(`PATCH ${path}: ${code} ${JSON.stringify(body)}`);
}
