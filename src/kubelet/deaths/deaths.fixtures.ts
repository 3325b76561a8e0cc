/** Builders for tests of the black box. Used by tests alone. */
import { encodeText, FileError, type FileSystem } from '../../lib/index.ts';
import type { NewDeath } from './death-book.ts';

export const NAMES = { namespace: 'default', name: 'web', uid: 'u1' };

/** Ends at second `n` of the year. */
export function testDeath(n: number, change: Partial<NewDeath> = {}): NewDeath {
  return {
    containerId: `c${n}`,
    restartCount: n - 1,
    finishedAt: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
    exitCode: 1,
    reason: 'Error',
    ...change,
  };
}

export interface MemoryFiles {
  readonly fs: FileSystem;
  /** Path → content. */
  readonly files: Map<string, string>;
  /** Writes fail while this is set. */
  failure: string | undefined;
  writes: number;
}

/** Files in memory. */
export function memoryFiles(now: () => number = () => 0): MemoryFiles {
  const files = new Map<string, string>();
  const times = new Map<string, number>();
  const need = (path: string): Uint8Array => {
    const text = files.get(path);
    if (text === undefined) throw new FileError('ENOENT', path, `ENOENT: ${path}`);
    return encodeText(text);
  };
  const state: MemoryFiles = { files, failure: undefined, writes: 0, fs: undefined as unknown as FileSystem };
  const mayWrite = (path: string): void => {
    if (state.failure !== undefined) throw new FileError(state.failure, path, `${state.failure}: ${path}`);
  };
  const fs = {
    mkdir: async (path: string) => mayWrite(path),
    readFile: async (path: string) => need(path),
    readAt: async (path: string, offset: number, length: number) => need(path).subarray(offset, offset + length),
    openFileBelow: async (root: string, below: string) => {
      const path = `${root === '/' ? '' : root}/${below}`;
      return files.has(path)
        ? {
            size: async () => need(path).length,
            readAt: async (offset: number, length: number) => need(path).subarray(offset, offset + length),
            close: async () => {},
          }
        : undefined;
    },
    openBelow: async (root: string, below: string) => {
      const path = `${root === '/' ? '' : root}/${below}`;
      return { path, type: 'directory', close: async () => {} };
    },
    stat: async (path: string) => {
      const text = files.get(path);
      if (text === undefined) return undefined;
      return { type: 'file', size: encodeText(text).length, mode: 0, uid: 0, gid: 0, mtimeMs: times.get(path) ?? 0 };
    },
    readdir: async (dir: string) =>
      [...files.keys()].filter((path) => path.startsWith(`${dir}/`)).map((path) => path.slice(dir.length + 1)),
    writeFile: async (path: string, data: Uint8Array | string) => {
      mayWrite(path);
      state.writes += 1;
      files.set(path, typeof data === 'string' ? data : new TextDecoder().decode(data));
      times.set(path, now());
    },
    rename: async (from: string, to: string) => {
      const text = files.get(from);
      if (text === undefined) throw new FileError('ENOENT', from, `ENOENT: ${from}`);
      files.delete(from);
      files.set(to, text);
      times.set(to, now());
    },
    remove: async (path: string) => void files.delete(path),
  };
  return Object.assign(state, { fs: fs as unknown as FileSystem });
}
