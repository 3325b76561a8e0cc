/** The small ports of a simulated machine: its facts, its cgroups, its programs. */
import type { Cgroups, Machine, Meter, StreamDialer } from '../kubelet/index.ts';
import type { Process } from '../lib/index.ts';
import type { SimDisk } from './sim-disk.ts';

const GIB = 1024 ** 3;

export interface MachineState {
  readonly name: string;
  /** Changes with every boot. */
  bootId: string;
  readonly address: string;
  readonly disk: SimDisk;
}

export function createSimMachine(state: MachineState): Machine & Meter {
  return {
    facts: async () => ({
      machineId: `machine-${state.name}`,
      systemUuid: `system-${state.name}`,
      bootId: state.bootId,
      kernelVersion: '6.1.0-sim',
      osImage: 'Simulated',
      architecture: 'amd64',
      cpuCores: 8,
      memoryBytes: 16 * GIB,
      hostname: state.name,
      addresses: [state.address],
      maxPids: 32_768,
      swap: false,
    }),
    pressure: async () => {
      const fs = {
        bytes: state.disk.capacityBytes,
        freeBytes: state.disk.freeBytes,
        inodes: 1_000_000,
        freeInodes: 900_000,
      };
      return { memoryAvailableBytes: 12 * GIB, pids: 200, rootFs: fs, imageFs: fs };
    },
    usage: async () => ({
      bootedAt: 0,
      memory: {
        totalBytes: 16 * GIB,
        usageBytes: 4 * GIB,
        workingSetBytes: 4 * GIB,
        rssBytes: 2 * GIB,
        cacheBytes: 2 * GIB,
        swapTotalBytes: 0,
        swapFreeBytes: 0,
      },
      interfaces: [],
    }),
    process: () => undefined,
    networkOf: async () => undefined,
    diskUsage: async () => ({ bytes: 4096, inodes: 1 }),
  };
}

function key(path: readonly string[]): string {
  return path.join('/');
}

/** Cgroups survive the agent and end with the machine, so the caller shares the set and clears it at a boot. */
export function createSimCgroups(groups: Set<string>): Cgroups {
  return {
    version: 'v2',
    driver: 'cgroupfs',
    ensure: async (path) => {
      for (let i = 1; i <= path.length; i += 1) groups.add(key(path.slice(0, i)));
    },
    remove: async (path) => {
      for (const name of groups) if (name === key(path) || name.startsWith(`${key(path)}/`)) groups.delete(name);
    },
    list: async (path) => {
      const prefix = path.length === 0 ? '' : `${key(path)}/`;
      return [...groups]
        .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('/') && name !== '')
        .map((name) => name.slice(prefix.length));
    },
    cgroupParent: (path) => `/${key(path)}`,
    // Simulated groups have no counters.
    cpuNanoseconds: async () => undefined,
    memoryEvents: async () => undefined,
    cpuPeriods: async () => undefined,
    figures: async () => undefined,
    processes: async () => [],
    kill: async () => {},
  };
}

/** mount and umount change the machine's mount table; every other program succeeds without output. */
export function createSimProcess(mounts: string[]): Process {
  return {
    run: async (file, args) => {
      const path = args.at(-1) ?? '';
      if (file === 'mount') mounts.push(path);
      if (file !== 'umount') return { code: 0, stdout: '', stderr: '' };
      const index = mounts.lastIndexOf(path);
      if (index === -1) return { code: 32, stdout: '', stderr: `umount: ${path}: not mounted.` };
      mounts.splice(index, 1);
      return { code: 0, stdout: '', stderr: '' };
    },
  };
}

/** The mounts in the format of /proc/self/mountinfo. */
export function mountInfo(mounts: readonly string[]): string {
  return mounts.map((path, i) => `${100 + i} 1 0:${50 + i} / ${path} rw - tmpfs tmpfs rw\n`).join('');
}

/** No simulated workload attaches to a container. */
export const simStreams: StreamDialer = {
  upgrade: async () => ({
    upgraded: false,
    response: { status: 501, headers: {}, body: new Uint8Array() },
  }),
};
