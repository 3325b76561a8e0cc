/** RuntimeService over CRI v1: containerd first, any CRI socket. Thin: mapping is in `to-cri.ts` and `from-cri.ts`. */
import { type Client, createClient } from '@connectrpc/connect';
import { RuntimeService as CriService } from '../gen/runtime_pb.js';
import { CALL_TIMEOUT_MS, EXEC_MARGIN_MS, MAX_EXEC_OUTPUT_BYTES } from '../limits.ts';
import {
  type CallOptions,
  type Container,
  type ContainerConfig,
  type ContainerStats,
  type ContainerStatus,
  type ExecRequest,
  type ExecResult,
  type ExecSession,
  type LinuxResources,
  type ListFilter,
  RuntimeError,
  type RuntimeEvent,
  type RuntimeService,
  type RuntimeStatus,
  type RuntimeVersion,
  type Sandbox,
  type SandboxConfig,
  type SandboxStatus,
} from '../runtime.ts';
import { AnnouncedEnds, withTaskEnd } from './announced-ends.ts';
import { onceCriKnows } from './once-cri-knows.node.ts';
import { runtimeEvents } from './cri-events.node.ts';
import {
  containerFromCri,
  containerStatusFromCri,
  runtimeStatusFromCri,
  sandboxFromCri,
  sandboxStatusFromCri,
  statsFromCri,
} from './from-cri.ts';
import type { GrpcSocket } from './grpc.node.ts';
import { isLostTask, removeLostTask } from './lost-tasks.node.ts';
import { NativeExec, type NativeExecOptions } from './native-exec.node.ts';
import { readTaskEnd } from './task-end.node.ts';
import { SandboxOfContainer } from './sandbox-of-container.ts';
import { containerToCri, resourcesToCri, sandboxToCri } from './to-cri.ts';

export class CriRuntime implements RuntimeService {
  readonly #grpc: GrpcSocket;
  readonly #cri: Client<typeof CriService>;
  readonly #sandboxes = new SandboxOfContainer();
  readonly #ends = new AnnouncedEnds();
  readonly #execs: NativeExec | undefined;
  #isContainerd: boolean | undefined;

  /** `execs` absent: commands in containers go CRI's way. */
  constructor(grpc: GrpcSocket, execs?: NativeExecOptions) {
    this.#grpc = grpc;
    this.#cri = createClient(CriService, grpc.transport);
    this.#execs = execs && new NativeExec(grpc, execs);
  }

  async version(options?: CallOptions): Promise<RuntimeVersion> {
    const found = await this.#grpc.call((call) => this.#cri.version({ version: 'v1' }, call), options);
    return {
      runtimeName: found.runtimeName,
      runtimeVersion: found.runtimeVersion,
      apiVersion: found.runtimeApiVersion,
    };
  }

  async status(options?: CallOptions): Promise<RuntimeStatus> {
    return runtimeStatusFromCri(await this.#grpc.call((call) => this.#cri.status({}, call), options));
  }

  async runSandbox(config: SandboxConfig, options?: CallOptions): Promise<string> {
    const request = { config: sandboxToCri(config), runtimeHandler: config.runtimeHandler ?? '' };
    return (await this.#grpc.call((call) => this.#cri.runPodSandbox(request, call), options)).podSandboxId;
  }

  async stopSandbox(id: string, options?: CallOptions): Promise<void> {
    await onceCriKnows(() => this.#unlessGone((call) => this.#cri.stopPodSandbox({ podSandboxId: id }, call), options));
  }

  async removeSandbox(id: string, options?: CallOptions): Promise<void> {
    await this.#unlessGone((call) => this.#cri.removePodSandbox({ podSandboxId: id }, call), options);
  }

  async listSandboxes(filter: ListFilter = {}, options?: CallOptions): Promise<readonly Sandbox[]> {
    const request = { filter: { id: filter.id ?? '', labelSelector: { ...filter.labels } } };
    const { items } = await this.#grpc.call((call) => this.#cri.listPodSandbox(request, call), options);
    return items.map(sandboxFromCri);
  }

  async sandboxStatus(id: string, options?: CallOptions): Promise<SandboxStatus | undefined> {
    const found = await this.#unlessGone((call) => this.#cri.podSandboxStatus({ podSandboxId: id }, call), options);
    return found?.status && sandboxStatusFromCri(found.status);
  }

  async createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: SandboxConfig,
    options?: CallOptions,
  ): Promise<string> {
    const request = {
      podSandboxId: sandboxId,
      config: containerToCri(config),
      sandboxConfig: sandboxToCri(sandbox),
    };
    const { containerId } = await this.#grpc.call((call) => this.#cri.createContainer(request, call), options);
    this.#sandboxes.learn(containerId, sandboxId);
    return containerId;
  }

  async startContainer(id: string, options?: CallOptions): Promise<void> {
    await this.#grpc.call((call) => this.#cri.startContainer({ containerId: id }, call), options);
  }

  async stopContainer(id: string, graceSeconds: number, options?: CallOptions): Promise<void> {
    const timeout = BigInt(Math.max(0, Math.ceil(graceSeconds)));
    const timeoutMs = options?.timeoutMs ?? CALL_TIMEOUT_MS + Number(timeout) * 1000;
    const stop = () =>
      this.#unlessGone((call) => this.#cri.stopContainer({ containerId: id, timeout }, call), {
        ...options,
        timeoutMs,
      });
    await onceCriKnows(stop);
  }

  async removeContainer(id: string, options?: CallOptions): Promise<void> {
    const remove = () =>
      onceCriKnows(() => this.#unlessGone((call) => this.#cri.removeContainer({ containerId: id }, call), options));
    try {
      await remove();
    } catch (error) {
      if (!isLostTask(error)) throw error;
      await removeLostTask(this.#grpc, id, options);
      await remove();
    }
    this.#sandboxes.forget(id);
  }

  async listContainers(filter: ListFilter = {}, options?: CallOptions): Promise<readonly Container[]> {
    const request = {
      filter: {
        id: filter.id ?? '',
        podSandboxId: filter.sandboxId ?? '',
        labelSelector: { ...filter.labels },
      },
    };
    const { containers } = await this.#grpc.call((call) => this.#cri.listContainers(request, call), options);
    for (const one of containers) this.#sandboxes.learn(one.id, one.podSandboxId);
    return containers.map(containerFromCri);
  }

  async containerStatus(id: string, options?: CallOptions): Promise<ContainerStatus | undefined> {
    const [found, end] = await Promise.all([
      this.#unlessGone((call) => this.#cri.containerStatus({ containerId: id }, call), options),
      this.#ends.has(id) ? readTaskEnd(this.#grpc, id, options) : undefined,
    ]);
    if (found?.status === undefined) return undefined;
    if (this.#sandboxes.of(id) === undefined) await this.listContainers({ id }, options);
    const status = containerStatusFromCri(found.status, this.#sandboxes.of(id));
    if (status.state === 'exited') this.#ends.forget(id);
    return withTaskEnd(status, end);
  }

  async updateContainerResources(id: string, resources: LinuxResources, options?: CallOptions): Promise<void> {
    const request = { containerId: id, linux: resourcesToCri(resources) };
    await this.#grpc.call((call) => this.#cri.updateContainerResources(request, call), options);
  }

  async reopenContainerLog(id: string, options?: CallOptions): Promise<void> {
    await this.#grpc.call((call) => this.#cri.reopenContainerLog({ containerId: id }, call), options);
  }

  async containerStats(filter: ListFilter = {}, options?: CallOptions): Promise<readonly ContainerStats[]> {
    const request = {
      filter: {
        id: filter.id ?? '',
        podSandboxId: filter.sandboxId ?? '',
        labelSelector: { ...filter.labels },
      },
    };
    const { stats } = await this.#grpc.call((call) => this.#cri.listContainerStats(request, call), options);
    return stats.map(statsFromCri);
  }

  /**
   * CRI counts whole seconds: `timeoutMs` is rounded up. DeadlineExceeded is the runtime's word that the command ran too
   * long; a runtime that doesn't answer at all within 10 s more is Unavailable, which says nothing of the command.
   */
  async execSync(
    id: string,
    command: readonly string[],
    timeoutMs: number,
    options: CallOptions = {},
  ): Promise<ExecResult> {
    const seconds = Math.max(1, Math.ceil(timeoutMs / 1000));
    const request = { containerId: id, cmd: [...command], timeout: BigInt(seconds) };
    const deadline = AbortSignal.timeout(options.timeoutMs ?? seconds * 1000 + EXEC_MARGIN_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    try {
      const { stdout, stderr, exitCode } = await this.#cri.execSync(request, { signal });
      return { exitCode, stdout: keep(stdout), stderr: keep(stderr) };
    } catch (thrown) {
      if (deadline.aborted && !options.signal?.aborted) {
        throw new RuntimeError('Unavailable', 'the container runtime did not answer an exec', { cause: thrown });
      }
      throw this.#grpc.error(thrown, options.signal);
    }
  }

  async exec({ containerId, command, ...streams }: ExecRequest, options?: CallOptions): Promise<string> {
    const request = { containerId, cmd: [...command], ...streams };
    return (await this.#grpc.call((call) => this.#cri.exec(request, call), options)).url;
  }

  async openExec(request: ExecRequest, options?: CallOptions): Promise<ExecSession | undefined> {
    if (this.#execs === undefined) return undefined;
    try {
      this.#isContainerd ??= (await this.version(options)).runtimeName === 'containerd';
    } catch {
      return undefined;
    }
    return this.#isContainerd ? this.#execs.open(request, options) : undefined;
  }

  async attach(request: Omit<ExecRequest, 'command'>, options?: CallOptions): Promise<string> {
    return (await this.#grpc.call((call) => this.#cri.attach({ ...request }, call), options)).url;
  }

  async portForward(sandboxId: string, ports: readonly number[], options?: CallOptions): Promise<string> {
    const request = { podSandboxId: sandboxId, port: [...ports] };
    return (await this.#grpc.call((call) => this.#cri.portForward(request, call), options)).url;
  }

  async updatePodCidr(cidr: string, options?: CallOptions): Promise<void> {
    const request = { runtimeConfig: { networkConfig: { podCidr: cidr } } };
    await this.#grpc.call((call) => this.#cri.updateRuntimeConfig(request, call), options);
  }

  async *events(signal: AbortSignal, onConnected: () => void): AsyncIterable<RuntimeEvent> {
    for await (const event of runtimeEvents(this.#grpc, signal, onConnected)) {
      this.#ends.heard(event);
      yield event;
    }
  }

  /** The call's answer, or `undefined` when the runtime has no such thing (any more). */
  async #unlessGone<T>(
    make: (options: { signal?: AbortSignal; timeoutMs?: number }) => Promise<T>,
    options: CallOptions | undefined,
  ): Promise<T | undefined> {
    try {
      return await this.#grpc.call(make, options);
    } catch (error) {
      if (error instanceof RuntimeError && error.code === 'NotFound') return undefined;
      throw error;
    }
  }
}

function keep(output: Uint8Array): string {
  return new TextDecoder().decode(output.subarray(0, MAX_EXEC_OUTPUT_BYTES));
}
