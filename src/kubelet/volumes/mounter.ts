/** Mounts and unmounts through the machine's own tools, and reads what is mounted from the kernel. */
import { decodeText, FileError, type FileSystem, type Process } from '../../lib/index.ts';
import { MAX_MOUNTINFO_BYTES, MOUNT_TIMEOUT_MS } from './limits.ts';
import { mountsUnder, parseMountPoints } from './mount-table.ts';

export interface MounterOptions {
  readonly fs: FileSystem;
  readonly process: Process;
}

/** Mount points at or below `dir`, in the order to unmount them. A machine without a mount table has none. */
export async function mountedUnder(options: MounterOptions, dir: string): Promise<string[]> {
  try {
    const table = await options.fs.readFile('/proc/self/mountinfo', { maxBytes: MAX_MOUNTINFO_BYTES });
    return mountsUnder(parseMountPoints(decodeText(table)), dir);
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Mounts a tmpfs on `path` unless something is mounted there already. `sizeBytes` absent: the kernel's half of memory. */
export async function ensureTmpfs(
  options: MounterOptions,
  path: string,
  sizeBytes: number | undefined,
  ownership: readonly string[] = [],
): Promise<void> {
  if ((await mountedUnder(options, path)).includes(path)) return;
  const wishes = [...(sizeBytes === undefined ? [] : [`size=${sizeBytes}`]), ...ownership];
  const flags = wishes.length === 0 ? [] : ['-o', wishes.join(',')];
  await mustRun(options.process, 'mount', ['-t', 'tmpfs', ...flags, 'tmpfs', path]);
}

/** Unmounts everything at or below `dir`; rejects when something stays mounted. */
export async function unmountAll(options: MounterOptions, dir: string): Promise<void> {
  for (const point of await mountedUnder(options, dir)) await mustRun(options.process, 'umount', [point]);
  const left = await mountedUnder(options, dir);
  if (left.length > 0) throw new Error(`still mounted: ${left.join(', ')}`);
}

async function mustRun(process: Process, program: string, args: readonly string[]): Promise<void> {
  const result = await process.run(program, args, { timeoutMs: MOUNT_TIMEOUT_MS });
  if (result.code === 0) return;
  const said = result.stderr.trim() || `exit status ${result.code}`;
  throw new Error(`${program} failed: ${said}`);
}
