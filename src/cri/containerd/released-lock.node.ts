/** Waits for a lock whose owner has ended, but is not quite gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { lockHolder, readProcess } from './proc.node.ts';

const POLL_MS = 20;

/**
 * Resolves to `undefined` as soon as nobody holds a lock on `path`, and to the holder's pid as soon as a living process holds
 * it. A process that was killed counts as dead before its last thread has closed its files, and a child between fork and exec
 * has them, too: the lock of a dead holder is waited for, up to `limitMs`, after which its pid is the answer.
 */
export async function untilReleased(path: string, limitMs: number): Promise<number | undefined> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const holder = lockHolder(path);
    if (holder === undefined || readProcess(holder) !== undefined || waitedMs >= limitMs) return holder;
    await sleep(POLL_MS);
  }
}
