/**
 * A lock that the kernel releases when its holder dies for any reason, so that no pid file can be stale. Node has no flock, so
 * SQLite takes the kernel's lock (an exclusive transaction on an empty database that is never written).
 */
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

export interface KernelLock {
  release(): void;
}

/** Takes the lock at `path`, a file that is made with mode 0600 and stays. `undefined`: another holder has it. Never waits. */
export function takeKernelLock(path: string): KernelLock | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  chmodSync(path, 0o600);
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

const POLL_MS = 20;

/**
 * Waits for the lock at `path`, until its holder releases it or dies.
 *
 * @param onWait called once if another holder has it
 * @returns `undefined` when `stop` is aborted first
 */
export async function waitForKernelLock(
  path: string,
  { stop, onWait }: { readonly stop?: AbortSignal; readonly onWait?: () => void } = {},
): Promise<KernelLock | undefined> {
  for (let tries = 1; ; tries++) {
    if (stop?.aborted === true) return undefined;
    const lock = takeKernelLock(path);
    if (lock !== undefined) return lock;
    if (tries === 1) onWait?.();
    await sleep(POLL_MS);
  }
}
