/**
 * The floor of the benchmark: the same containerd, image and shell, called directly, without plan, API or status. Its pods have
 * no label of mendlet's, so mendlet ignores them.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriImages } from '../../src/cri/containerd/cri-images.node.ts';
import { CriRuntime } from '../../src/cri/containerd/cri-runtime.node.ts';
import { type GrpcSocket, openGrpcSocket } from '../../src/cri/containerd/grpc.node.ts';
import type { ContainerConfig, SandboxConfig } from '../../src/cri/index.ts';
import { type Mendlet, until } from '../e2e/harness.ts';
import { uptimeSeconds } from './figures.ts';

/** Calls at once, the number of the fastest burst on two cores. */
const BURST_CONCURRENCY = 8;

export class BareRuntime {
  readonly #grpc: GrpcSocket;
  readonly #runtime: CriRuntime;
  readonly #out: string;
  readonly #image: string;
  readonly #sandboxes: string[] = [];

  private constructor(grpc: GrpcSocket, runtime: CriRuntime, image: string, out: string) {
    this.#grpc = grpc;
    this.#runtime = runtime;
    this.#image = image;
    this.#out = out;
  }

  static async open(mendlet: Mendlet, out: string): Promise<BareRuntime> {
    const instance = readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
    const grpc = openGrpcSocket(`/run/mendlet/${instance}/containerd.sock`);
    const image = await new CriImages(grpc).status('docker.io/library/busybox:latest');
    if (image === undefined) throw new Error('the image of busybox is not there');
    return new BareRuntime(grpc, new CriRuntime(grpc), image.id, out);
  }

  /** Seconds from a container's last output to its successor's first: exit event, create, start and nothing else. */
  async crash(name: string): Promise<number> {
    const { id, config } = await this.#sandbox(name);
    const script = `echo s $(cat /proc/uptime) >>/out/${name}; [ $(wc -l </out/${name}) -gt 2 ] && exec sleep 600; sleep 0.5; echo e $(cat /proc/uptime) >>/out/${name}; exit 1`;
    const first = await this.#runtime.createContainer(id, this.#container(name, 0, script), config);
    const abort = new AbortController();
    const died = this.#died(first, abort.signal);
    await died.connected;
    await this.#runtime.startContainer(first);
    await died.event;
    const second = await this.#runtime.createContainer(id, this.#container(name, 1, script), config);
    await this.#runtime.startContainer(second);
    abort.abort();
    await until(`bare ${name} to run again`, async () =>
      this.#lines(name).length >= 3 ? { value: true } : { last: this.#lines(name).join() },
    );
    const at = this.#lines(name).map((line) => Number(line.split(' ')[1]));
    await this.#remove(id);
    return at[2]! - at[1]!;
  }

  /** Seconds until `count` sandboxes that are requested at once each run a container. */
  async burst(count: number): Promise<number> {
    const from = uptimeSeconds();
    const names = Array.from({ length: count }, (_, n) => `bare-burst-${n}`);
    const waiting = [...names];
    const worker = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const { id, config } = await this.#sandbox(name);
        const container = await this.#runtime.createContainer(
          id,
          this.#container(name, 0, `echo s $(cat /proc/uptime) >/out/${name}; exec sleep 36000`),
          config,
        );
        await this.#runtime.startContainer(container);
      }
    };
    await Promise.all(Array.from({ length: BURST_CONCURRENCY }, worker));
    await until('the bare burst to run', async () =>
      names.every((name) => this.#lines(name).length > 0) ? { value: true } : { last: '' },
    );
    const seconds = Math.max(...names.map((name) => Number(this.#lines(name)[0]!.split(' ')[1]))) - from;
    for (const id of this.#sandboxes) await this.#remove(id);
    return seconds;
  }

  async close(): Promise<void> {
    for (const id of this.#sandboxes) await this.#remove(id);
    this.#grpc.close();
  }

  /** Resolves `connected` once the event stream is open, `event` at the container's end. */
  #died(id: string, signal: AbortSignal): { connected: Promise<void>; event: Promise<void> } {
    let onConnected = (): void => {};
    const connected = new Promise<void>((done) => {
      onConnected = done;
    });
    const event = (async () => {
      for await (const { kind, id: whose } of this.#runtime.events(signal, onConnected))
        if (kind === 'stopped' && whose === id) return;
      throw new Error('the event stream ended');
    })();
    return { connected, event };
  }

  async #sandbox(name: string): Promise<{ id: string; config: SandboxConfig }> {
    const config: SandboxConfig = {
      metadata: { name, namespace: 'bare', uid: randomUUID(), attempt: 0 },
      hostname: name,
      logDirectory: join(this.#out, 'logs', name),
      portMappings: [],
      labels: {},
      annotations: {},
      cgroupParent: '',
      namespaces: { network: 'pod', pid: 'container', ipc: 'pod' },
      sysctls: {},
    };
    const id = await this.#runtime.runSandbox(config);
    this.#sandboxes.push(id);
    return { id, config };
  }

  #container(name: string, attempt: number, script: string): ContainerConfig {
    return {
      name: 'main',
      attempt,
      image: this.#image,
      userSpecifiedImage: 'docker.io/library/busybox:latest',
      command: ['/bin/sh', '-c', script],
      args: [],
      workingDir: '',
      env: [],
      mounts: [{ containerPath: '/out', hostPath: this.#out, readonly: false, propagation: 'private' }],
      labels: {},
      annotations: {},
      logPath: `${attempt}.log`,
      stdin: false,
      stdinOnce: false,
      tty: false,
      resources: { cpuPeriod: 0, cpuQuota: 0, cpuShares: 2, memoryLimitBytes: 0, oomScoreAdj: 1000 },
      security: {
        privileged: false,
        readonlyRootfs: false,
        noNewPrivileges: false,
        supplementalGroups: [],
        addCapabilities: [],
        dropCapabilities: [],
      },
    };
  }

  #lines(name: string): string[] {
    const path = join(this.#out, name);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  }

  async #remove(id: string): Promise<void> {
    await this.#runtime.stopSandbox(id);
    await this.#runtime.removeSandbox(id);
    this.#sandboxes.splice(this.#sandboxes.indexOf(id), 1);
  }
}
