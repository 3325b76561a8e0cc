/** Finds out from /proc and the cgroup file system whether a container's processes are held from running. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hold, StoppedProcess } from '../api/index.ts';
import type { HeldProcesses } from './ports.ts';
import { processName } from './process-name.node.ts';

const MOUNT = '/sys/fs/cgroup';
/** Bytes of such a file that are read. */
const MAX_BYTES = 16 * 1024;
/** Processes of one container that are looked at, oldest first. */
const MAX_PROCESSES = 64;

export function openHeldProcesses(): HeldProcesses {
  return { of: holdOf, stopped: stoppedOf };
}

async function holdOf(pids: readonly number[]): Promise<Hold | undefined> {
  const pid = Math.min(...pids);
  if (!Number.isFinite(pid)) return undefined;
  const [stat, groups] = await Promise.all([text(`/proc/${pid}/stat`), text(`/proc/${pid}/cgroup`)]);
  if (groups !== undefined && (await isFrozen(groups))) return 'frozen';
  return stat === undefined ? undefined : holdInStat(stat);
}

async function stoppedOf(pids: readonly number[]): Promise<StoppedProcess | undefined> {
  for (const pid of pids.toSorted((a, b) => a - b).slice(0, MAX_PROCESSES)) {
    const stat = await text(`/proc/${pid}/stat`);
    if (stat === undefined || holdInStat(stat) !== 'stopped') continue;
    // The last of its numbers is that of the innermost namespace.
    const own = /^NSpid:(?:\s+\d+)*\s+(\d+)$/m.exec((await text(`/proc/${pid}/status`)) ?? '')?.[1];
    const name = processName(pid);
    if (own !== undefined && name !== undefined) return { process: name, pid: Number(own) };
  }
  return undefined;
}

/** The state stands after the name, which may hold any character. */
export function holdInStat(stat: string): Hold | undefined {
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
  return state === 'T' ? 'stopped' : state === 't' ? 'traced' : undefined;
}

async function isFrozen(groups: string): Promise<boolean> {
  for (const line of groups.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined || path.split('/').includes('..')) continue;
    if (controllers === '') {
      const events = await text(join(MOUNT, path, 'cgroup.events'));
      if (/^frozen 1$/m.test(events ?? '')) return true;
    } else if (controllers === 'freezer') {
      const state = await text(join(MOUNT, 'freezer', path, 'freezer.state'));
      if (state?.startsWith('FROZEN') === true) return true;
    }
  }
  return false;
}

async function text(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    // It has ended, or this machine has no such controller.
    return undefined;
  }
}
