/** Runs other programs without a shell, with bounded output, and in a process group that a time-out kills as a whole. */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Process, RunOptions, RunResult } from './process.ts';

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
/** Time after a program's exit for a pipe that one of its daemons still holds open. */
const PIPE_GRACE_MS = 1000;
/** Exit codes of a shell. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

class BoundedOutput {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    const room = this.#maxBytes - this.#bytes;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has no member left.
  }
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  return 128 + (signal === null ? constants.signals.SIGKILL : constants.signals[signal]);
}

function startChild(file: string, args: readonly string[], options: RunOptions): ChildProcess {
  return spawn(file, args, {
    // A separate group, because Ctrl-C in the terminal must not interrupt a mount or an ip command.
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    ...(options.env === undefined ? {} : { env: { ...process.env, ...options.env } }),
  });
}

function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const maxBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  if (options.signal?.aborted) return Promise.reject(options.signal.reason);
  let child: ChildProcess;
  try {
    child = startChild(file, args, options);
  } catch (error) {
    // spawn throws, instead of emitting an error, for arguments that are too long or without free descriptors.
    return Promise.resolve({ code: NOT_EXECUTABLE, stdout: '', stderr: `${file}: ${String(error)}` });
  }
  const stdout = new BoundedOutput(maxBytes);
  const stderr = new BoundedOutput(maxBytes);
  const timers: NodeJS.Timeout[] = [];
  let note = '';
  const finish = (code: number): void => {
    for (const timer of timers) clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    child.stdout?.destroy();
    child.stderr?.destroy();
    resolve({ code, stdout: stdout.text(), stderr: stderr.text() + note });
  };
  const onAbort = (): void => {
    killGroup(child);
    reject(options.signal?.reason);
  };
  options.signal?.addEventListener('abort', onAbort, { once: true });
  child.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  child.on('error', (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return;
    note = `${file}: ${error.message}`;
    finish(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
  });
  child.on('exit', (code, signal) => timers.push(setTimeout(() => finish(exitCode(code, signal)), PIPE_GRACE_MS)));
  child.on('close', (code, signal) => finish(exitCode(code, signal)));
  if (options.timeoutMs !== undefined) {
    timers.push(
      setTimeout(() => {
        note = `${file}: killed after ${options.timeoutMs} ms`;
        killGroup(child);
      }, options.timeoutMs),
    );
  }
  // A program may end without reading its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input);
  return promise;
}

/** Programs of this machine, looked up on PATH. `env` is added to mendlet's own environment. */
export const systemProcess: Process = { run };
