/** The machine as the node object shows it, from /proc, /sys and os-release. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { arch, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { diskUsage } from './disk-usage.node.ts';
import {
  defaultInterface,
  type InterfaceAddress,
  meminfoBytes,
  nodeAddresses,
  osImage,
  processCount,
} from './machine-facts.ts';
import type { Machine, Meter } from './ports.ts';
import type { InterfaceFigures, MachineFacts, MachinePressure, MachineUsage, ProcessFigures } from './figures.ts';
import { bootTime, interfaceFigures, machineUsage, processFigures } from './proc-figures.ts';

/** Node's names of processors in Go's words, which Kubernetes labels nodes with. */
const ARCHITECTURE: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

export interface MachineOptions {
  /** The agent's own folder; it need not exist yet. */
  readonly rootDir: string;
  /** The folder of images and writable layers; it need not exist yet. */
  readonly imageDir: string;
  /** The container runtime's process, where it is known. */
  readonly runtimePid?: () => number | undefined;
}

export function openMachine(options: MachineOptions): Machine & Meter {
  return {
    facts,
    usage,
    process: (which) => {
      const pid = which === 'kubelet' ? process.pid : options.runtimePid?.();
      return pid === undefined ? undefined : processOf(pid);
    },
    networkOf,
    diskUsage,
    async pressure(): Promise<MachinePressure> {
      const [meminfo, loadavg] = await Promise.all([text('/proc/meminfo'), text('/proc/loadavg')]);
      return {
        memoryAvailableBytes: meminfoBytes(meminfo, 'MemAvailable'),
        pids: processCount(loadavg),
        rootFs: await fileSystemOf(options.rootDir),
        imageFs: await fileSystemOf(options.imageDir),
      };
    },
  };
}

async function facts(): Promise<MachineFacts> {
  const machineId = (await firstText('/etc/machine-id', '/var/lib/dbus/machine-id')).trim();
  const route = await firstText('/proc/net/route');
  const interfaces = networkInterfaces() as Readonly<Record<string, readonly InterfaceAddress[] | undefined>>;
  const pidMax = Number(await text('/proc/sys/kernel/pid_max'));
  const threadsMax = Number(await text('/proc/sys/kernel/threads-max'));
  return {
    machineId,
    systemUuid: (await firstText('/sys/class/dmi/id/product_uuid')).trim() || machineId,
    bootId: (await text('/proc/sys/kernel/random/boot_id')).trim(),
    kernelVersion: release(),
    osImage: osImage(await firstText('/etc/os-release', '/usr/lib/os-release')),
    architecture: ARCHITECTURE[arch()] ?? arch(),
    cpuCores: cpus().length,
    memoryBytes: totalmem(),
    hostname: hostname().toLowerCase(),
    addresses: nodeAddresses(interfaces, defaultInterface(route)),
    maxPids: Math.min(pidMax, threadsMax),
    swap: (await firstText('/proc/swaps')).trim().split('\n').length > 1,
  };
}

/** Files of /proc are answered from memory: read at once, they cost less than a turn of the thread pool. */
async function usage(): Promise<MachineUsage> {
  const route = defaultInterface(procText('/proc/net/route') ?? '');
  return machineUsage({
    stat: procText('/proc/stat') ?? '',
    meminfo: procText('/proc/meminfo') ?? '',
    vmstat: procText('/proc/vmstat') ?? '',
    netDev: procText('/proc/self/net/dev') ?? '',
    pressure: {
      ...withText('cpu', '/proc/pressure/cpu'),
      ...withText('memory', '/proc/pressure/memory'),
      ...withText('io', '/proc/pressure/io'),
    },
    ...(route !== undefined && { defaultInterface: route }),
  });
}

function withText<K extends string>(key: K, path: string): Partial<Record<K, string>> {
  const found = procText(path);
  return found === undefined ? {} : ({ [key]: found } as Partial<Record<K, string>>);
}

function procText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // A process that ended, or a file that this kernel does not have.
    return undefined;
  }
}

function processOf(pid: number): ProcessFigures | undefined {
  const folder = `/proc/${pid}`;
  const stat = procText(join(folder, 'stat'));
  const status = procText(join(folder, 'status'));
  if (stat === undefined || status === undefined) return undefined;
  const limits = procText(join(folder, 'limits'));
  return processFigures({
    stat,
    status,
    bootedAt: bootTime(procText('/proc/stat') ?? ''),
    ...(limits !== undefined && { limits }),
    ...openFilesOf(folder),
  });
}

function openFilesOf(folder: string): { readonly openFiles?: number } {
  try {
    return { openFiles: readdirSync(join(folder, 'fd')).length };
  } catch {
    return {};
  }
}

async function networkOf(pid: number): Promise<readonly InterfaceFigures[] | undefined> {
  try {
    if (readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) return undefined;
    return interfaceFigures(readFileSync(`/proc/${pid}/net/dev`, 'utf8'));
  } catch {
    // It ended.
    return undefined;
  }
}

function text(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

/** The first that can be read; empty when none can (a container without /sys, an image without a machine id). */
async function firstText(...paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const found = await text(path).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return '';
}

async function fileSystemOf(folder: string): Promise<MachinePressure['rootFs']> {
  for (let path = folder; ; path = dirname(path)) {
    const found = await statfs(path).catch(() => undefined);
    if (found !== undefined) {
      return {
        bytes: found.blocks * found.bsize,
        freeBytes: found.bavail * found.bsize,
        inodes: found.files,
        freeInodes: found.ffree,
      };
    }
    if (path === '/') throw new Error('the root file system does not answer');
  }
}
