/**
 * Named pipes between a shim and us. They are opened for both directions before any other process knows them, so that no open
 * waits. The event loop reads and writes them: a command that is silent for hours takes no thread of the pool.
 */
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Process } from '../../lib/index.ts';

const { O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
const MKFIFO_TIMEOUT_MS = 10_000;

/** Rejects when one can't be made. */
export async function makeFifos(process: Process, paths: readonly string[]): Promise<void> {
  const { code, stderr } = await process.run('mkfifo', ['-m', '600', '--', ...paths], { timeoutMs: MKFIFO_TIMEOUT_MS });
  if (code !== 0) throw new Error(`mkfifo: ${stderr.trim()}`);
}

/** The end that we read. It does not come to its end before `release`: the other side may open it late. */
export class FifoReader {
  readonly #socket: Socket;
  /** A writer of our own. */
  #holder: number | undefined;

  /** Throws the system's error. */
  constructor(path: string) {
    this.#holder = openSync(path, O_RDWR | O_NONBLOCK);
    try {
      this.#socket = socketOf(() => openSync(path, O_RDONLY | O_NONBLOCK), { readable: true, writable: false });
    } catch (error) {
      this.release();
      throw error;
    }
  }

  get chunks(): AsyncIterable<Uint8Array> {
    return this.#socket;
  }

  /** Resolves when it was read to its end, or destroyed. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) resolve();
      else this.#socket.once('close', () => resolve());
    });
  }

  /** Throws away what comes. */
  discard(): void {
    this.#socket.resume();
  }

  /** From now on it ends when the other side has closed it. */
  release(): void {
    if (this.#holder !== undefined) closeSync(this.#holder);
    this.#holder = undefined;
  }

  destroy(): void {
    this.release();
    this.#socket.destroy();
  }
}

/** The end that we write. */
export class FifoWriter {
  readonly #socket: Socket;

  /** Throws the system's error. */
  constructor(path: string) {
    this.#socket = socketOf(() => openSync(path, O_RDWR | O_NONBLOCK), { readable: false, writable: true });
  }

  /** Resolves when all of it is in the pipe. Rejects after `destroy`. */
  write(chunk: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Written data stays in the pipe for a process that has it open. */
  destroy(): void {
    this.#socket.destroy();
  }
}

function socketOf(open: () => number, directions: { readonly readable: boolean; readonly writable: boolean }): Socket {
  const fd = open();
  try {
    const socket = new Socket({ fd, ...directions });
    // Readers and writers are notified as well.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
