/** containerd's task service about one command in a container. All reject with `RuntimeError` only. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@connectrpc/connect';
import { Tasks } from '../gen/containerd-tasks_pb.js';
import { EXEC_WAIT_RETRY_MS, EXEC_WAIT_TRIES } from '../limits.ts';
import { type CallOptions, RuntimeError } from '../runtime.ts';
import { CONTAINERD_HEADERS } from './containerd-events.ts';
import { isSilence } from './exec-failure.ts';
import type { ExecPipePaths } from './exec-pipes.node.ts';
import type { TypedJson } from './exec-process.ts';
import type { GrpcSocket } from './grpc.node.ts';

const SIGKILL = 9;
const NO_TIMEOUT = 0;

export interface ExecId {
  readonly containerId: string;
  readonly execId: string;
}

export class ExecCalls {
  readonly #grpc: GrpcSocket;
  readonly #tasks: Client<typeof Tasks>;
  readonly #id: ExecId;

  constructor(grpc: GrpcSocket, id: ExecId) {
    this.#grpc = grpc;
    this.#tasks = createClient(Tasks, grpc.transport);
    this.#id = id;
  }

  async create(paths: ExecPipePaths, spec: TypedJson, terminal: boolean, options?: CallOptions): Promise<void> {
    const value = new Uint8Array(spec.value);
    const request = { ...this.#id, ...paths, terminal, spec: { typeUrl: spec.typeUrl, value } };
    await this.#call((call) => this.#tasks.exec(request, call), options);
  }

  async start(options?: CallOptions): Promise<void> {
    await this.#call((call) => this.#tasks.start(this.#id, call), options);
  }

  /** Its exit code, when it has ended. The command outlives a restart of containerd, and so does this call. */
  async exitCode(): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        const { exitStatus } = await this.#call((call) => this.#tasks.wait(this.#id, call), { timeoutMs: NO_TIMEOUT });
        return exitStatus;
      } catch (error) {
        if (!isSilence(error) || this.#grpc.isClosed() || tries === EXEC_WAIT_TRIES) throw error;
        await sleep(EXEC_WAIT_RETRY_MS, undefined, { ref: false });
      }
    }
  }

  async endInput(): Promise<void> {
    await this.#call((call) => this.#tasks.closeIO({ ...this.#id, stdin: true }, call));
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#call((call) => this.#tasks.resizePty({ ...this.#id, width, height }, call));
  }

  async kill(): Promise<void> {
    await this.#call((call) => this.#tasks.kill({ ...this.#id, signal: SIGKILL }, call));
  }

  /** The shim forgets it. */
  async remove(): Promise<void> {
    await this.#call((call) => this.#tasks.deleteProcess(this.#id, call));
  }

  async #call<T>(
    make: (options: { signal?: AbortSignal; timeoutMs?: number; headers: Record<string, string> }) => Promise<T>,
    options?: CallOptions,
  ): Promise<T> {
    // A command may end after everything else: that must not open the connection again.
    if (this.#grpc.isClosed()) throw new RuntimeError('Cancelled', 'the connection to the container runtime is closed');
    return this.#grpc.call((call) => make({ ...call, headers: CONTAINERD_HEADERS }), options);
  }
}
