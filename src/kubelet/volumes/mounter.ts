/**
 * Mounts and unmounts through the machine's own tools, and reads what is mounted from the kernel. A tool that hangs is
 * killed; one that even then does not end (its file system is dead) stays the only one at its mount point.
 */
import {
  type Clock,
  decodeText,
  errorMessage,
  FileError,
  type FileSystem,
  type Process,
  type RunResult,
  Semaphore,
  withDeadline,
} from '../../lib/index.ts';
import { MAX_MOUNTINFO_BYTES, MOUNT_KILL_WAIT_MS, MOUNT_TIMEOUT_MS } from './limits.ts';
import { mountStates } from './health/mount-states.ts';
import { mountPointOf, mountsUnder, parseMountPoints, parseSharedPoints } from './mount-table.ts';

export interface MounterOptions {
  readonly fs: FileSystem;
  readonly process: Process;
  readonly clock: Clock;
}

export interface TmpfsWishes {
  /** Absent: the kernel's half of memory. */
  readonly sizeBytes?: number | undefined;
  /** Further mount options: mode, gid. */
  readonly ownership?: readonly string[];
}

export interface RemoteMount {
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** A mount point that is left, and why. */
export class UnmountError extends Error {
  override readonly name = 'UnmountError';
  readonly point: string;
  constructor(point: string, message: string) {
    super(message);
    this.point = point;
  }
}

/** Linux 6.4: tmpfs can be kept out of the swap. */
const NOSWAP_SINCE = [6, 4] as const;

export class Mounter {
  readonly #options: MounterOptions;
  /** By mount point: the tool that works on it. */
  readonly #running = new Map<string, Promise<RunResult>>();
  readonly #sharing = new Semaphore(1);
  #noswap: boolean | undefined;

  constructor(options: MounterOptions) {
    this.#options = options;
  }

  /** Mount points at or below `dir`, in the order to unmount them. A machine without a mount table has none. */
  async mountedUnder(dir: string): Promise<readonly string[]> {
    try {
      const table = await this.#options.fs.readFile('/proc/self/mountinfo', { maxBytes: MAX_MOUNTINFO_BYTES });
      return mountsUnder(parseMountPoints(decodeText(table)), dir);
    } catch (error) {
      if (error instanceof FileError && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Whether both paths are on the same mount, and so on the same file system. */
  async isSameMount(one: string, other: string): Promise<boolean> {
    const points = (await this.mountedUnder('')).concat('/');
    return mountPointOf(points, one) === mountPointOf(points, other);
  }

  async isMounted(path: string): Promise<boolean> {
    return (await this.mountedUnder(path)).includes(path);
  }

  /** What is mounted at the path cannot be written to: the mount is read-only, or the file system. */
  async isReadOnly(path: string): Promise<boolean> {
    const table = await this.#options.fs.readFile('/proc/self/mountinfo', { maxBytes: MAX_MOUNTINFO_BYTES });
    return mountStates(decodeText(table), new Set([path])).get(path)?.readOnly === true;
  }

  /** Mounts a tmpfs on `path` unless something is mounted there already. Its content never reaches the disk. */
  async ensureTmpfs(path: string, { sizeBytes, ownership = [] }: TmpfsWishes): Promise<void> {
    if (await this.isMounted(path)) return;
    const size = sizeBytes === undefined ? [] : [`size=${sizeBytes}`];
    const wishes = [...size, ...ownership, ...((await this.#knowsNoswap()) ? ['noswap'] : [])];
    const flags = wishes.length === 0 ? [] : ['-o', wishes.join(',')];
    await this.#mustRun(path, 'mount', ['-t', 'tmpfs', ...flags, 'tmpfs', path]);
  }

  /** Mounts another machine's files. `source` and `options` may be hostile: none of them is taken for a flag. */
  async mount(point: string, { type, source, options }: RemoteMount): Promise<void> {
    const flags = options.length === 0 ? [] : ['-o', options.join(',')];
    await this.#mustRun(point, 'mount', ['-t', type, ...flags, '--', source, point]);
  }

  /** Unmounts everything at or below `dir`, also when its server is gone: requests that it never answered are given up. */
  async unmountRemote(dir: string): Promise<void> {
    for (const point of await this.mountedUnder(dir)) {
      try {
        await this.#mustRun(point, 'umount', [point]);
      } catch {
        await this.#mustRun(point, 'umount', ['-f', point]);
      }
    }
  }

  /**
   * Mounts what `source` is now at `point` as well. `source` is taken as it is, so that a /proc/PID/fd/N means what is open
   * there, wherever its path leads by now.
   */
  async bind(source: string, point: string): Promise<void> {
    await this.#mustRun(point, 'mount', ['--no-canonicalize', '--bind', source, point]);
  }

  /** Makes `dir` a place whose mounts are seen by containers that ask for it (mountPropagation), and theirs by this machine. */
  ensureShared(dir: string): Promise<void> {
    // Volumes of one pod ask for it at once.
    return this.#sharing.run(() => this.#share(dir));
  }

  async #share(dir: string): Promise<void> {
    const table = await this.#options.fs.readFile('/proc/self/mountinfo', { maxBytes: MAX_MOUNTINFO_BYTES });
    const text = decodeText(table);
    const point = mountPointOf(parseMountPoints(text), dir) ?? '/';
    if (parseSharedPoints(text).has(point)) return;
    if (point !== dir) await this.bind(dir, dir);
    await this.#mustRun(dir, 'mount', ['--make-shared', dir]);
  }

  /** Unmounts everything at or below `dir`, as far as it goes. Rejects with `UnmountError` when something stays mounted. */
  async unmountAll(dir: string): Promise<void> {
    let problem: UnmountError | undefined;
    for (const point of await this.mountedUnder(dir)) {
      try {
        await this.#mustRun(point, 'umount', [point]);
      } catch (error) {
        problem ??= new UnmountError(point, errorMessage(error));
      }
    }
    const [left] = await this.mountedUnder(dir);
    if (left === undefined) return;
    throw problem ?? new UnmountError(left, `${left} is still mounted`);
  }

  async #mustRun(point: string, program: string, args: readonly string[]): Promise<void> {
    const { clock, process } = this.#options;
    if (this.#running.has(point)) throw new Error(`an earlier mount or umount of ${point} still hangs`);
    const running = process.run(program, args, { timeoutMs: MOUNT_TIMEOUT_MS });
    this.#running.set(point, running);
    const over = (): void => void this.#running.delete(point);
    running.then(over, over);
    const timeoutMs = MOUNT_TIMEOUT_MS + MOUNT_KILL_WAIT_MS;
    const result = await withDeadline({ clock, timeoutMs }, () => running);
    if (result.kind !== 'done') throw new Error(`${program} of ${point} hangs, and cannot be killed`);
    const { code, stderr } = result.value;
    if (code !== 0) throw new Error(`${program} failed: ${stderr.trim() || `exit status ${code}`}`);
  }

  async #knowsNoswap(): Promise<boolean> {
    this.#noswap ??= await this.#isNewKernel();
    return this.#noswap;
  }

  async #isNewKernel(): Promise<boolean> {
    try {
      const release = decodeText(await this.#options.fs.readFile('/proc/sys/kernel/osrelease', { maxBytes: 256 }));
      const [major = 0, minor = 0] = release.split(/[.-]/).map(Number);
      return major > NOSWAP_SINCE[0] || (major === NOSWAP_SINCE[0] && minor >= NOSWAP_SINCE[1]);
    } catch {
      return false;
    }
  }
}
