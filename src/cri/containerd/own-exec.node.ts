/** A command that runs in a container, its streams in our hands, until it and its outputs have ended. */
import { EXEC_DRAIN_MS } from '../limits.ts';
import { type ExecRequest, type ExecSession, RuntimeError } from '../runtime.ts';
import type { ExecCalls } from './exec-calls.node.ts';
import type { ExecPipes } from './exec-pipes.node.ts';
import type { FifoReader } from './fifo.node.ts';

export class OwnExec implements ExecSession {
  readonly exit: Promise<number>;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly #pipes: ExecPipes;
  readonly #calls: ExecCalls;
  readonly #closed = Promise.withResolvers<never>();
  #hasInput: boolean;

  /**
   * @param pipes the other side has opened them
   * @param onEnd the command has ended and its shim has forgotten it
   */
  constructor(request: ExecRequest, pipes: ExecPipes, calls: ExecCalls, onEnd: () => void) {
    this.#pipes = pipes;
    this.#calls = calls;
    this.#hasInput = request.stdin;
    this.stdout = outputOf(pipes.stdout, request.stdout);
    this.stderr = outputOf(pipes.stderr, request.stderr);
    const code = calls.exitCode();
    this.exit = Promise.race([code, this.#closed.promise]);
    this.exit.catch(() => {});
    this.#closed.promise.catch(() => {});
    void this.#end(code).finally(onEnd);
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (!this.#hasInput || this.#pipes.stdin === undefined) throw new RuntimeError('FailedPrecondition', 'no input');
    await this.#pipes.stdin.write(chunk);
  }

  endInput(): void {
    if (!this.#hasInput) return;
    this.#hasInput = false;
    this.#pipes.stdin?.destroy();
    // The shim has a writing end, too. A command that has just ended is none of its any more.
    this.#calls.endInput().catch(() => {});
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#calls.resize(columns, rows).catch(() => {});
  }

  close(): void {
    this.endInput();
    this.#pipes.close();
    this.#closed.reject(new RuntimeError('Cancelled', 'the streams of the command were closed'));
  }

  async #end(code: Promise<number>): Promise<void> {
    try {
      await code;
      // An input that waits for room waits in vain.
      this.#hasInput = false;
      this.#pipes.stdin?.destroy();
      await this.#outputsEnd();
    } catch {
      // It is unknown how it ended: `exit` says so.
    }
    this.#pipes.close();
    this.#pipes.remove();
    await this.#calls.remove().catch(() => {});
  }

  /** Processes that the command left behind may hold them open. */
  async #outputsEnd(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, EXEC_DRAIN_MS);
    timer.unref();
    const { stdout, stderr } = this.#pipes;
    const ends = Promise.all([stdout.closed, stderr?.closed ?? Promise.resolve()]);
    this.#pipes.release();
    await Promise.race([ends, promise]);
    clearTimeout(timer);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

/** An unwanted output is thrown away as it comes. */
function outputOf(reader: FifoReader | undefined, isWanted: boolean): AsyncIterable<Uint8Array> {
  if (reader === undefined) return nothing();
  if (isWanted) return reader.chunks;
  reader.discard();
  return nothing();
}
