/** The FileSystem port of one process on a simulated disk: reads take no time, writes take some, and fsync takes more. */
import { FileError, type FileSystem, type OpenFile, type Random, encodeText } from '../lib/index.ts';
import type { Life } from './life.ts';
import { remoteCall } from './remote-call.ts';
import { type DiskNode, type SimDisk, parentOf } from './sim-disk.ts';
import { mountInfo } from './sim-machine.ts';
import type { Sim } from './sim.ts';

const WATCH_DELAY_MS = 1;

const MOUNT_INFO = '/proc/self/mountinfo';
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

export interface FileSystemWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly disk: SimDisk;
  /** Mount points of the machine. */
  readonly mounts: readonly string[];
  readonly random: Random;
  /** Of the machine; absent: nobody asks. */
  readonly bootId?: string;
}

export function createSimFileSystem({ sim, life, disk, mounts, random, bootId = '' }: FileSystemWiring): FileSystem {
  const need = (path: string): DiskNode => {
    const found = disk.resolve(path);
    if (found === undefined) throw new FileError('ENOENT', path, `ENOENT: no such file or directory, '${path}'`);
    return found.node;
  };
  /** Answers within the event, if the process still lives. */
  const read = async <T>(work: () => T): Promise<T> => {
    if (!life.alive) await new Promise(() => {});
    return work();
  };
  const write = (label: string, maxMs: number, work: () => void): Promise<void> =>
    remoteCall(sim, life, `${label} by ${life.name}`, { thereMs: random.next() * maxMs, backMs: 0 }, work);

  return {
    readFile: (path, options) =>
      read(() => {
        if (path === MOUNT_INFO) return encodeText(mountInfo(mounts));
        if (path === BOOT_ID) return encodeText(`${bootId}\n`);
        const { type, data } = need(path);
        if (type === 'directory') throw new FileError('EISDIR', path, `EISDIR: is a directory, '${path}'`);
        return data.slice(0, options?.maxBytes ?? data.length);
      }),
    readAt: (path, offset, length) => read(() => need(path).data.slice(offset, offset + length)),
    writeFile: (path, data, options = {}) => {
      const bytes = typeof data === 'string' ? encodeText(data) : data.slice();
      const sync = options.sync === true;
      return write('write', sync ? 20 : 2, () => {
        // A process that died in the middle of a plain write leaves half a file.
        const torn = !life.alive && options.atomic !== true;
        disk.writeFile(path, torn ? bytes.slice(0, bytes.length >> 1) : bytes, options.mode, sync && !torn);
      });
    },
    mkdir: (path, options) => write('mkdir', 1, () => disk.mkdir(path, options?.mode ?? 0o755)),
    readdir: (path) => read(() => disk.names(path)),
    stat: (path, options) =>
      read(() => {
        const node = options?.follow === true ? disk.resolve(path)?.node : (disk.get(path) ?? disk.resolve(path)?.node);
        return node === undefined ? undefined : disk.info(node);
      }),
    remove: (path, options) => write('remove', 2, () => disk.remove(path, options?.sync)),
    rename: (from, to, options) =>
      write('rename', options?.sync === true ? 10 : 1, () => disk.rename(from, to, options?.sync)),
    symlink: (target, path) => write('symlink', 1, () => disk.symlink(target, path)),
    readlink: (path) =>
      read(() => {
        const node = disk.get(path);
        if (node?.type !== 'symlink') throw new FileError('EINVAL', path, `EINVAL: invalid argument, '${path}'`);
        return node.target;
      }),
    // Simulated programs are not hostile, and nothing changes between this call and the mount.
    openBelow: async (folder, below, { folderMode }) => {
      const path = `${folder}/${below}`;
      if (disk.get(path) === undefined && folderMode !== undefined)
        await write('mkdir', 1, () => disk.mkdir(path, folderMode & 0o777));
      return await read(() => ({ path, type: disk.info(need(path)).type, close: async () => {} }));
    },
    openFileBelow: (folder, below) => read(() => openSimFile(disk, `${folder}/${below}`, read)),
    chmod: (path, mode) => write('chmod', 1, () => disk.change(path, { mode })),
    chown: (path, uid, gid) => write('chown', 1, () => disk.change(path, { uid, gid })),
    giveToGroup: (path, gid) => write('chown', 1, () => disk.change(path, { gid, mode: need(path).mode | 0o2770 })),
    statfs: (path) =>
      read(() => {
        need(path);
        const { capacityBytes: bytes, freeBytes } = disk;
        return { bytes, freeBytes, usedBytes: bytes - freeBytes, inodes: 1_000_000, freeInodes: 900_000 };
      }),
    watch: (path, onChange) => {
      let planned = false;
      const stop = disk.onChange((changed) => {
        if (planned || (changed !== path && parentOf(changed) !== path)) return;
        planned = true;
        sim.after(WATCH_DELAY_MS, `watch ${life.name}`, () => {
          planned = false;
          life.deliver(onChange);
        });
      });
      return { close: stop };
    },
  };
}

/** Opens a file by its name. Growing files of a simulated disk are replaced, so the open file is always the one of that name. */
function openSimFile(disk: SimDisk, path: string, read: <T>(work: () => T) => Promise<T>): OpenFile | undefined {
  const now = (): DiskNode | undefined => disk.resolve(path)?.node;
  const found = now();
  if (found === undefined) return undefined;
  if (found.type !== 'file') throw new FileError('EINVAL', path, `"${path}" is not a regular file`);
  return {
    path,
    mtimeMs: found.mtimeMs,
    size: () => read(() => now()?.data.length ?? 0),
    readAt: (offset, length) => read(() => now()?.data.slice(offset, offset + length) ?? new Uint8Array()),
    isInPlace: () => read(() => now() !== undefined),
    close: async () => {},
  };
}
