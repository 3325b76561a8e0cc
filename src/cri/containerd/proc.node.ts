/**
 * Processes as /proc shows them: which are alive, which are children of which, which hold a lock. Small pseudo-files, read at
 * once.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** Clock ticks since boot: with the pid, a process's identity until the next boot. */
  readonly startTicks: number;
  readonly args: readonly string[];
}

/** `undefined` for a process that is gone, or dead and not yet reaped. */
export function readProcess(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, parentheses included.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    return { pid, parent: Number(fields[1]), startTicks: Number(fields[19]), args };
  } catch {
    return undefined;
  }
}

/** All living processes of the machine that `matches` takes. */
export function findProcesses(matches: (process: ProcessFacts) => boolean): readonly ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((process) => process !== undefined)
    .filter(matches);
}

/** True while the same process (not a later one of the same number) lives. */
export function isAlive({ pid, startTicks }: Pick<ProcessFacts, 'pid' | 'startTicks'>): boolean {
  return readProcess(pid)?.startTicks === startTicks;
}

/** Sends `signal` if it is still the same process. */
export function signalProcess(target: ProcessFacts, signal: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

const POLL_MS = 20;

/** SIGTERM, and SIGKILL after `graceMs`; resolves when it is gone. */
export async function endProcess(target: ProcessFacts, graceMs: number): Promise<void> {
  signalProcess(target, 'SIGTERM');
  for (let waited = 0; isAlive(target); waited += POLL_MS) {
    if (waited >= graceMs) signalProcess(target, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** The pid that holds a lock on `path`, from /proc/locks; `undefined` when there is none or there is no such file. */
export function lockHolder(path: string): number | undefined {
  let inode: bigint;
  try {
    inode = statSync(path, { bigint: true }).ino;
  } catch {
    return undefined;
  }
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, , , , pid, file] = line.split(/\s+/);
    if (file?.endsWith(`:${inode}`) && Number(pid) > 0) return Number(pid);
  }
  return undefined;
}

/** Whether these are a shim's arguments, of the containerd at `socket`. */
export function isShimOf(args: readonly string[], socket: string): boolean {
  const at = args.indexOf('-address');
  return (args[0]?.includes('containerd-shim') ?? false) && at > 0 && args[at + 1] === socket;
}

/** All that runs under a process, among `all`. */
export function descendants(pid: number, all: readonly ProcessFacts[]): readonly ProcessFacts[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendants(child.pid, all)]);
}
