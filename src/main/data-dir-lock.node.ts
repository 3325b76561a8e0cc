/** The lock of a data folder: one mendlet at a time. A text file beside it names the holder, for the message only. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { takeKernelLock } from '../lib/kernel-lock.node.ts';
import type { DataPaths } from './data-dir-path.ts';

export interface Holder {
  readonly pid: number;
  /** The verb, e.g. "up". */
  readonly verb: string;
  /** RFC 3339. */
  readonly since: string;
}

export type LockResult =
  | { readonly held: true; release(): void }
  /** `holder` is unknown for a moment after the other one took the lock. */
  | { readonly held: false; readonly holder: Holder | undefined };

/** Takes the lock of a data folder or returns its holder. Never waits. */
export function lockDataDir(paths: DataPaths, me: Holder): LockResult {
  const lock = takeKernelLock(paths.lock);
  if (lock === undefined) return { held: false, holder: readHolder(paths.holder) };
  try {
    writeFileSync(paths.holder, `${JSON.stringify(me)}\n`, { mode: 0o600 });
  } catch {
    // On a full disk pods must heal, too: the lock is held all the same, and only a second mendlet's message is poorer.
    rmSync(paths.holder, { force: true });
  }
  return {
    held: true,
    release: () => {
      rmSync(paths.holder, { force: true });
      lock.release();
    },
  };
}

function readHolder(path: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('verb' in value) || !('since' in value)) {
      return undefined;
    }
    return { pid: Number(value.pid), verb: String(value.verb), since: String(value.since) };
  } catch {
    return undefined;
  }
}
