/** Other programs (mount, ip, ctr) as a port. */
export interface RunResult {
  /** Exit code; 128 + signal when killed; 127 when the program does not exist. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: Uint8Array | string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Output past this many bytes (each stream; default 1 MiB) is dropped. */
  readonly maxOutputBytes?: number;
}

export interface Process {
  /** Runs to the end; never rejects for a failing program, only for an aborted signal. */
  run(file: string, args: readonly string[], options?: RunOptions): Promise<RunResult>;
}
