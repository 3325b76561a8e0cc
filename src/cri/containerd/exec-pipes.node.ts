/** The three pipes of one command. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Process } from '../../lib/index.ts';
import type { ExecRequest } from '../runtime.ts';
import { FifoReader, FifoWriter, makeFifos } from './fifo.node.ts';

export interface ExecPipePaths {
  /** Empty: it has none. */
  readonly stdin: string;
  readonly stdout: string;
  readonly stderr: string;
}

export class ExecPipes {
  readonly paths: ExecPipePaths;
  readonly stdin: FifoWriter | undefined;
  readonly stdout: FifoReader;
  readonly stderr: FifoReader | undefined;

  /** They exist. Throws the system's error; then none is open. */
  private constructor(paths: ExecPipePaths) {
    this.paths = paths;
    const opened: (FifoReader | FifoWriter)[] = [];
    const keep = <T extends FifoReader | FifoWriter>(end: T): T => {
      opened.push(end);
      return end;
    };
    try {
      this.stdin = paths.stdin === '' ? undefined : keep(new FifoWriter(paths.stdin));
      this.stdout = keep(new FifoReader(paths.stdout));
      this.stderr = paths.stderr === '' ? undefined : keep(new FifoReader(paths.stderr));
    } catch (error) {
      for (const end of opened) end.destroy();
      throw error;
    }
  }

  /** Makes and opens them in `folder`, called after `name`. Rejects when that can't be; then nothing is left. */
  static async create(
    process: Process,
    folder: string,
    name: string,
    { stdin, tty }: Pick<ExecRequest, 'stdin' | 'tty'>,
  ): Promise<ExecPipes> {
    const path = (end: string): string => join(folder, `${name}.${end}`);
    // A command without a reader would stop at a full pipe: unwanted outputs get a pipe, too. A terminal has one.
    const paths = { stdin: stdin ? path('in') : '', stdout: path('out'), stderr: tty ? '' : path('err') };
    try {
      await makeFifos(process, filesOf(paths));
      return new ExecPipes(paths);
    } catch (error) {
      removeFiles(paths);
      throw error;
    }
  }

  /** Outputs end when the other side has closed them. */
  release(): void {
    this.stdout.release();
    this.stderr?.release();
  }

  /** Closes our ends. */
  close(): void {
    this.stdin?.destroy();
    this.stdout.destroy();
    this.stderr?.destroy();
  }

  /** Nothing opens them any more. */
  remove(): void {
    removeFiles(this.paths);
  }
}

function filesOf({ stdin, stdout, stderr }: ExecPipePaths): readonly string[] {
  return [stdin, stdout, stderr].filter((path) => path !== '');
}

function removeFiles(paths: ExecPipePaths): void {
  for (const file of filesOf(paths)) rmSync(file, { force: true });
}
