/** The machine's cgroups: v1 (also hybrid) and v2, by the file system itself or, on v2 under systemd, as slices. */
import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, statfs, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../lib/index.ts';
import {
  cgroupCpuNanoseconds,
  cgroupCpuPeriods,
  cgroupFigures,
  cgroupMemoryEvents,
  type ReadCgroupFile,
} from './cgroup-figures.ts';
import { cgroupWrites } from './cgroup-files.ts';
import { cgroupReader, groupFolder, pidsBelow } from './cgroup-reader.node.ts';
import {
  changeSliceCall,
  nameOfSlice,
  sliceFolder,
  sliceName,
  startSliceCall,
  stopSliceCall,
} from './cgroup-slices.ts';
import type { CgroupLimits, CgroupName, Cgroups } from './ports.ts';
import type { CgroupFigures, CpuPeriods, MemoryEvents } from './figures.ts';

const MOUNT = '/sys/fs/cgroup';
const CGROUP2_MAGIC = 0x63677270;
/** A group stays busy for a moment after its last process was killed. */
const REMOVE_TIMEOUT_MS = 10_000;
const REMOVE_POLL_MS = 10;

/**
 * The cgroups of this machine under the root `mendlet-ID`: v2 under systemd through systemd, everything else through the file
 * system. Rejects when no cgroups are mounted.
 */
export async function openCgroups(options: {
  readonly instanceId: string;
  readonly process: Process;
}): Promise<Cgroups> {
  const root = `mendlet-${options.instanceId}`;
  const version = (await statfs(MOUNT)).type === CGROUP2_MAGIC ? 'v2' : 'v1';
  if (version === 'v2' && (await hasSystemd())) return new SystemdCgroups(root, options.process);
  const mounts = version === 'v2' ? [{ folder: MOUNT, controllers: V2_CONTROLLERS }] : await v1Mounts();
  return new FileCgroups(version, root, mounts);
}

const V2_CONTROLLERS = ['cpu', 'memory', 'pids'] as const;

interface CgroupMount {
  readonly folder: string;
  readonly controllers: readonly string[];
}

async function hasSystemd(): Promise<boolean> {
  const path = (process.env['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  const busctl = await Promise.all(path.map((folder) => exists(join(folder, 'busctl'))));
  return busctl.some(Boolean) && (await exists('/run/systemd/system'));
}

function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Every v1 hierarchy, the named and the unified one of a hybrid too: runc makes groups in all of them. */
async function v1Mounts(): Promise<readonly CgroupMount[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const mounts = lines.flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type, , options = ''] = after.split(' ');
    const folder = before.split(' ')[4];
    if (folder === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    return [{ folder, controllers: type === 'cgroup' ? options.split(',') : [] }];
  });
  if (mounts.length === 0) throw new Error(`no cgroups are mounted under ${MOUNT}`);
  return mounts;
}

class FileCgroups implements Cgroups {
  readonly version: 'v1' | 'v2';
  readonly driver = 'cgroupfs';
  readonly #root: string;
  readonly #mounts: readonly CgroupMount[];

  constructor(version: 'v1' | 'v2', root: string, mounts: readonly CgroupMount[]) {
    this.version = version;
    this.#root = root;
    this.#mounts = mounts;
  }

  async ensure(path: readonly string[], limits: CgroupLimits): Promise<void> {
    const parts = [this.#root, ...path];
    const writes = cgroupWrites(this.version, limits);
    for (const { folder, controllers } of this.#mounts) {
      const here = writes.filter(({ controller }) => controllers.includes(controller));
      if (here.length === 0) continue;
      if (this.version === 'v2') await enableControllers(folder, parts);
      await mkdir(join(folder, ...parts), { recursive: true });
      for (const { file, value } of here) await writeLimit(join(folder, ...parts, file), value);
    }
  }

  async remove(path: readonly string[]): Promise<void> {
    for (const { folder } of this.#mounts) await removeGroup(join(folder, this.#root, ...path));
  }

  async list(path: readonly string[]): Promise<readonly string[]> {
    const names = await Promise.all(this.#mounts.map(({ folder }) => subfolders(join(folder, this.#root, ...path))));
    return [...new Set(names.flat())].toSorted();
  }

  cgroupParent(path: readonly string[]): string {
    return `/${[this.#root, ...path].join('/')}`;
  }

  async cpuNanoseconds(group: CgroupName): Promise<number | undefined> {
    return cgroupCpuNanoseconds(this.version, this.#reader(group));
  }

  async memoryEvents(group: CgroupName): Promise<MemoryEvents | undefined> {
    return cgroupMemoryEvents(this.version, this.#reader(group));
  }

  async cpuPeriods(group: CgroupName): Promise<CpuPeriods | undefined> {
    return cgroupCpuPeriods(this.#reader(group));
  }

  async figures(group: CgroupName): Promise<CgroupFigures | undefined> {
    return cgroupFigures(this.version, this.#reader(group));
  }

  async processes(group: CgroupName): Promise<readonly number[]> {
    const folder = this.#folder(this.version === 'v2' ? 'cpu' : 'cpuacct', group);
    return folder === undefined ? [] : pidsBelow(folder);
  }

  async kill(group: CgroupName): Promise<void> {
    const folder = this.#folder(this.version === 'v2' ? 'cpu' : 'cpuacct', group);
    if (folder !== undefined) await emptyGroup(folder);
  }

  #reader(group: CgroupName): ReadCgroupFile {
    return cgroupReader((controller) => this.#folder(controller, group));
  }

  #folder(controller: string, { path, containerId }: CgroupName): string | undefined {
    const mount = this.#mounts.find(({ controllers }) => this.version === 'v2' || controllers.includes(controller));
    return mount && groupFolder(join(mount.folder, this.#root, ...path), containerId);
  }
}

class SystemdCgroups implements Cgroups {
  readonly version = 'v2';
  readonly driver = 'systemd';
  readonly #root: string;
  readonly #process: Process;

  constructor(root: string, process: Process) {
    this.#root = root;
    this.#process = process;
  }

  async ensure(path: readonly string[], limits: CgroupLimits): Promise<void> {
    const name = sliceName([this.#root, ...path]);
    if (await exists(this.#folder(path))) {
      if ((await this.#busctl(changeSliceCall(name, limits))).code === 0) return;
    }
    const started = await this.#busctl(startSliceCall(name, limits));
    if (started.code === 0) {
      await this.#until(path, true);
      return;
    }
    const changed = await this.#busctl(changeSliceCall(name, limits));
    if (changed.code !== 0) throw new Error(`systemd does not start ${name}: ${started.stderr.trim()}`);
  }

  async remove(path: readonly string[]): Promise<void> {
    const name = sliceName([this.#root, ...path]);
    if (!(await exists(this.#folder(path)))) return;
    await killGroup(this.#folder(path));
    const stopped = await this.#busctl(stopSliceCall(name));
    if (stopped.code !== 0) await removeGroup(this.#folder(path));
    await this.#until(path, false);
  }

  async list(path: readonly string[]): Promise<readonly string[]> {
    const folders = await subfolders(this.#folder(path));
    return folders
      .map(nameOfSlice)
      .filter((name) => name !== undefined)
      .toSorted();
  }

  cgroupParent(path: readonly string[]): string {
    return sliceFolder([this.#root, ...path]);
  }

  async cpuNanoseconds(group: CgroupName): Promise<number | undefined> {
    return cgroupCpuNanoseconds(this.version, this.#reader(group));
  }

  async memoryEvents(group: CgroupName): Promise<MemoryEvents | undefined> {
    return cgroupMemoryEvents(this.version, this.#reader(group));
  }

  async cpuPeriods(group: CgroupName): Promise<CpuPeriods | undefined> {
    return cgroupCpuPeriods(this.#reader(group));
  }

  async figures(group: CgroupName): Promise<CgroupFigures | undefined> {
    return cgroupFigures(this.version, this.#reader(group));
  }

  async processes(group: CgroupName): Promise<readonly number[]> {
    return pidsBelow(groupFolder(this.#folder(group.path), group.containerId));
  }

  async kill(group: CgroupName): Promise<void> {
    await emptyGroup(groupFolder(this.#folder(group.path), group.containerId));
  }

  #reader(group: CgroupName): ReadCgroupFile {
    return cgroupReader(() => groupFolder(this.#folder(group.path), group.containerId));
  }

  #folder(path: readonly string[]): string {
    return join(MOUNT, sliceFolder([this.#root, ...path]));
  }

  #busctl(args: readonly string[]): ReturnType<Process['run']> {
    return this.#process.run('busctl', args, { timeoutMs: REMOVE_TIMEOUT_MS });
  }

  /** systemd answers when its job is queued; the folder follows. */
  async #until(path: readonly string[], there: boolean): Promise<void> {
    for (let waited = 0; waited < REMOVE_TIMEOUT_MS; waited += REMOVE_POLL_MS) {
      if ((await exists(this.#folder(path))) === there) return;
      await sleep(REMOVE_POLL_MS);
    }
    throw new Error(`systemd left ${this.#folder(path)} ${there ? 'unmade' : 'behind'}`);
  }
}

/** On v2 a controller reaches a group only if every group above passes it on. */
async function enableControllers(mount: string, parts: readonly string[]): Promise<void> {
  const wanted = V2_CONTROLLERS.map((name) => `+${name}`).join(' ');
  for (let depth = 0; depth < parts.length; depth++) {
    const folder = join(mount, ...parts.slice(0, depth));
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'cgroup.subtree_control');
    const enabled = (await readFile(file, 'utf8')).trim().split(' ');
    if (V2_CONTROLLERS.every((name) => enabled.includes(name))) continue;
    try {
      await writeFile(file, wanted);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
      // In a container the root of our view is an ordinary group, and may not hold processes and pass controllers on.
      await evacuate(folder);
      await writeFile(file, wanted);
    }
  }
}

async function evacuate(folder: string): Promise<void> {
  const leaf = join(folder, 'mendlet-host');
  await mkdir(leaf, { recursive: true });
  for (const pid of await pidsIn(folder)) {
    await writeFile(join(leaf, 'cgroup.procs'), String(pid)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ESRCH') throw error;
    });
  }
}

/** A kernel without the file has no such limit (no swap accounting, no pids controller): ENOENT is fine, all else is not. */
async function writeLimit(file: string, value: string): Promise<void> {
  try {
    await writeFile(file, value, { flag: constants.O_WRONLY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Kills what is inside, then removes the group with its children, the deepest first. A missing one is removed. */
async function removeGroup(folder: string): Promise<void> {
  if (!(await exists(folder))) return;
  for (let waited = 0; ; waited += REMOVE_POLL_MS) {
    await killGroup(folder);
    try {
      await removeFolders(folder);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || waited >= REMOVE_TIMEOUT_MS) throw error;
    }
    await sleep(REMOVE_POLL_MS);
  }
}

/** Kills what is inside until nothing is. */
async function emptyGroup(folder: string): Promise<void> {
  for (let waited = 0; pidsBelow(folder).length > 0; waited += REMOVE_POLL_MS) {
    if (waited >= REMOVE_TIMEOUT_MS) throw new Error(`processes in ${folder} outlive SIGKILL`);
    await killGroup(folder);
    await sleep(REMOVE_POLL_MS);
  }
}

async function removeFolders(folder: string): Promise<void> {
  for (const name of await subfolders(folder)) await removeFolders(join(folder, name));
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** SIGKILL to all inside, children included: at once where the kernel can (v2 since 5.14), else one by one. */
async function killGroup(folder: string): Promise<void> {
  const atOnce = await writeFile(join(folder, 'cgroup.kill'), '1', { flag: constants.O_WRONLY }).then(
    () => true,
    () => false,
  );
  if (atOnce) return;
  for (const name of await subfolders(folder)) await killGroup(join(folder, name));
  for (const pid of await pidsIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Pids of our own namespace: 0 stands for a process outside of it. */
async function pidsIn(folder: string): Promise<readonly number[]> {
  const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
