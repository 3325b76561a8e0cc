/**
 * The lock of a data folder: one mendlet at a time. Node has no flock, so SQLite takes the kernel's lock for us (an
 * exclusive transaction on an empty database that is never written). The kernel drops it when the process dies, however it
 * dies, and no pid has to be guessed at. Who holds it stands in a text file beside, for the message only.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
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

/** Takes the lock of a data folder or says who has it. Never waits. */
export function lockDataDir(paths: DataPaths, me: Holder): LockResult {
  const database = new DatabaseSync(paths.lock);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return { held: false, holder: readHolder(paths.holder) };
    throw error;
  }
  chmodSync(paths.lock, 0o600);
  writeFileSync(paths.holder, `${JSON.stringify(me)}\n`, { mode: 0o600 });
  return {
    held: true,
    release: () => {
      rmSync(paths.holder, { force: true });
      database.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
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
