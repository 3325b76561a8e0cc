/** A real `mendlet server` with its page, and nodes on paper: it needs no root. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Api } from '../support/api-over-https.ts';
import { freePort } from '../support/free-port.ts';
import { own, TEST_FOLDER_PREFIX } from '../support/mendlet-processes.ts';
import { Running } from '../support/running.ts';
import { PaperNode } from './paper-node.ts';

const PROGRAM = resolve(import.meta.dirname, '../../dist/mendlet.js');

export interface Deployed {
  readonly namespace: string;
  readonly name: string;
  readonly replicas?: number;
  /** Fields of the only container. */
  readonly container?: object;
}

export interface PageClusterWish {
  readonly nodes?: number;
  /** Of `mendlet server`. */
  readonly flags?: readonly string[];
}

export class PageCluster {
  readonly folder = mkdtempSync(join(tmpdir(), TEST_FOLDER_PREFIX));
  readonly dataDir = join(this.folder, 'data');
  readonly kubeconfig = join(this.dataDir, 'kubeconfig');
  readonly nodes: PaperNode[] = [];
  readonly #flags: readonly string[];
  #port = 0;
  #running: Running | undefined;
  #api: Api | undefined;

  private constructor(flags: readonly string[]) {
    this.#flags = flags;
  }

  /** Starts the server and its nodes. */
  static async start({ nodes = 1, flags = [] }: PageClusterWish = {}): Promise<PageCluster> {
    const cluster = new PageCluster(flags);
    own(cluster.folder);
    try {
      await cluster.startServer();
      for (let at = 1; at <= nodes; at += 1) cluster.nodes.push(await PaperNode.start(cluster.api, `paper-${at}`));
    } catch (error) {
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  /** A client of the administrator's. */
  get api(): Api {
    this.#api ??= new Api(this.kubeconfig);
    return this.#api;
  }

  /** The server's process; undefined: it does not run. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  get log(): string {
    return this.#running?.log ?? '';
  }

  async startServer(): Promise<void> {
    this.#port ||= await freePort();
    const where = ['--data-dir', this.dataDir, '--listen', `127.0.0.1:${this.#port}`];
    this.#running = new Running(process.execPath, [
      PROGRAM,
      'server',
      ...where,
      '--service-cidr',
      '10.121.0.0/16',
      ...this.#flags,
    ]);
    await this.#running.ready('mendlet server ready');
  }

  async stopServer(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#running?.end(signal);
  }

  /** Holds the server still, as a machine does that is cut off: its sockets stay open and say nothing. */
  hold(): void {
    if (this.pid !== undefined) process.kill(this.pid, 'SIGSTOP');
  }

  release(): void {
    if (this.pid !== undefined) process.kill(this.pid, 'SIGCONT');
  }

  /** Creates deployments, and waits until each of their pods runs. */
  async deploy(...deployments: readonly Deployed[]): Promise<void> {
    for (const namespace of new Set(deployments.map((each) => each.namespace))) {
      const { code } = await this.api.send('GET', `/api/v1/namespaces/${namespace}`);
      if (code === 404) await this.api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }
    for (const each of deployments) await this.api.create(deployment(each));
    const wanted = new Map(deployments.map(({ namespace, name, replicas = 1 }) => [`${namespace}/${name}`, replicas]));
    const all = this.api.watch<DeploymentStatus>('/apis/apps/v1/deployments');
    try {
      await all.until(
        'all pods of the deployments',
        (items) =>
          items.filter(
            ({ metadata, status }) =>
              wanted.get(`${metadata.namespace}/${metadata.name}`) === (status?.readyReplicas ?? 0),
          ).length >= wanted.size || undefined,
        ({ metadata, status }) => `${metadata.name}: ${status?.readyReplicas ?? 0}`,
      );
    } finally {
      all.stop();
    }
  }

  /** A pod whose name begins so, and its node. @throws when no node has it */
  find(
    namespace: string,
    prefix: string,
  ): { readonly node: PaperNode; readonly pod: ReturnType<PaperNode['podsOf']>[number] } {
    for (const node of this.nodes) {
      const [pod] = node.podsOf(namespace, prefix);
      if (pod !== undefined) return { node, pod };
    }
    throw new Error(`no node has a pod ${namespace}/${prefix}…`);
  }

  /** Lets a pod's container die. @returns the wall time of the write, in ms */
  async kill(namespace: string, prefix: string, how: Parameters<PaperNode['kill']>[1] = {}): Promise<number> {
    const { node, pod } = this.find(namespace, prefix);
    const at = Date.now();
    await node.kill(pod, how);
    return at;
  }

  /** CPU time that the server has used so far, in ms: user and system. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.pid ?? 0}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Ticks of 10 ms: Linux on x86 and Arm has a hundred of them a second for programs.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    this.release();
    await this.stopServer();
    this.#api?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface DeploymentStatus {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: { readonly readyReplicas?: number };
}

function deployment({ namespace, name, replicas = 1, container = {} }: Deployed): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'docker.io/library/busybox:latest', ...container }] },
      },
    },
  };
}
