/**
 * Runs commands in containers through containerd's own task service. CRI's streaming server ends a command's input as soon as
 * one of its outputs ends, and may never report the status of one that ends with input unread; here the streams are
 * independent. As long as the command has not been started, any doubt leads back to CRI's way, because nothing has happened.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { createClient } from '@connectrpc/connect';
import { errorMessage, type Logger, type Process } from '../../lib/index.ts';
import { Containers } from '../gen/containerd-containers_pb.js';
import { MAX_OWN_EXECS } from '../limits.ts';
import type { CallOptions, ExecRequest, ExecSession } from '../runtime.ts';
import { CONTAINERD_HEADERS } from './containerd-events.ts';
import { ExecCalls } from './exec-calls.node.ts';
import { isRefusedStart, isSilence } from './exec-failure.ts';
import { ExecPipes } from './exec-pipes.node.ts';
import { execProcess, type TypedJson } from './exec-process.ts';
import type { GrpcSocket } from './grpc.node.ts';
import { OwnExec } from './own-exec.node.ts';

export interface NativeExecOptions {
  /** The folder of our pipes alone: files that an earlier run left there are removed. */
  readonly folder: string;
  readonly process: Process;
  readonly logger: Logger;
}

/** The shim that is known to open its pipes before a start is answered. Others (virtual machines) go CRI's way. */
const KNOWN_SHIM = 'io.containerd.runc.v2';

export class NativeExec {
  readonly #grpc: GrpcSocket;
  readonly #options: NativeExecOptions;
  #open = 0;
  #hasFolder = false;
  /** A start failed as none should: the next ones go CRI's way. */
  #isBroken = false;

  constructor(grpc: GrpcSocket, options: NativeExecOptions) {
    this.#grpc = grpc;
    this.#options = options;
  }

  /** As `RuntimeService.openExec`. */
  async open(request: ExecRequest, options: CallOptions | undefined): Promise<ExecSession | undefined> {
    if (this.#isBroken || this.#open >= MAX_OWN_EXECS) return undefined;
    this.#open += 1;
    try {
      return await this.#begin(request, options);
    } catch (error) {
      this.#open -= 1;
      if (error instanceof MaybeStarted) throw error.cause;
      this.#options.logger.debug("a command goes CRI's way", {
        container: request.containerId,
        because: errorMessage(error),
      });
      return undefined;
    }
  }

  /** Rejects with `MaybeStarted`, or with what was in the way. */
  async #begin(request: ExecRequest, options: CallOptions | undefined): Promise<ExecSession> {
    const { containerId, tty } = request;
    const spec = await this.#process(request, options);
    const execId = randomBytes(32).toString('hex');
    this.#ensureFolder();
    const pipes = await ExecPipes.create(this.#options.process, this.#options.folder, execId, request);
    const calls = new ExecCalls(this.#grpc, { containerId, execId });
    try {
      await calls.create(pipes.paths, spec, tty, options);
      await calls.start(options).catch((error: unknown) => {
        if (isRefusedStart(error)) throw error;
        if (!isSilence(error)) this.#break(error);
        throw new MaybeStarted('', { cause: error });
      });
    } catch (error) {
      pipes.close();
      pipes.remove();
      void forget(calls);
      throw error;
    }
    const onEnd = (): void => void (this.#open -= 1);
    return new OwnExec(request, pipes, calls, onEnd);
  }

  async #process(request: ExecRequest, options: CallOptions | undefined): Promise<TypedJson> {
    const containers = createClient(Containers, this.#grpc.transport);
    const headers = { headers: CONTAINERD_HEADERS };
    const { container } = await this.#grpc.call(
      (call) => containers.get({ id: request.containerId }, { ...call, ...headers }),
      options,
    );
    const shim = container?.runtime?.name;
    if (shim !== KNOWN_SHIM) throw new Error(`the shim is ${shim}`);
    const process = container?.spec && execProcess(container.spec, request);
    if (process === undefined) throw new Error(`a spec of type ${container?.spec?.typeUrl}`);
    return process;
  }

  #break(error: unknown): void {
    this.#isBroken = true;
    this.#options.logger.warn("commands in containers go CRI's way from now on", { because: errorMessage(error) });
  }

  #ensureFolder(): void {
    if (this.#hasFolder) return;
    const { folder } = this.#options;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#hasFolder = true;
  }
}

/** The start failed, and the command perhaps runs. The caller is told the cause. */
class MaybeStarted extends Error {}

/** A command that was created and not started, or whose state is unknown. */
async function forget(calls: ExecCalls): Promise<void> {
  await calls.kill().catch(() => {});
  await calls.remove().catch(() => {});
}
