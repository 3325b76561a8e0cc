/** The machine as the node object shows it, from /proc, /sys and os-release. */
import { readFile, statfs } from 'node:fs/promises';
import { arch, cpus, hostname, networkInterfaces, release, totalmem } from 'node:os';
import { dirname } from 'node:path';
import {
  defaultInterface,
  type InterfaceAddress,
  meminfoBytes,
  nodeAddresses,
  osImage,
  processCount,
} from './machine-facts.ts';
import type { Machine, MachineFacts, MachinePressure } from './ports.ts';

/** Node's names of processors in Go's words, which Kubernetes labels nodes with. */
const ARCHITECTURE: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

/** `rootDir`: the agent's own folder; `imageDir`: where images and writable layers lie. Neither must exist yet. */
export function openMachine(options: { readonly rootDir: string; readonly imageDir: string }): Machine {
  return {
    facts,
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
