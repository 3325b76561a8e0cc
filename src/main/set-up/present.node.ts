/** Looks at what the machine has of the things in `needs.ts`. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { detectContainerd } from '../../cri/containerd/open-containerd.node.ts';
import type { Process } from '../../lib/index.ts';
import { isStaticElf } from './elf.ts';
import { type PackageManager, type Present, packageManagers } from './needs.ts';

/** Looked into after PATH: cron, systemd and sudo often have a short PATH. */
const usualFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const catatonits = [
  '/usr/bin/catatonit',
  '/usr/libexec/podman/catatonit',
  '/usr/libexec/catatonit/catatonit',
  '/usr/lib/podman/catatonit',
];
const busyboxes = [
  '/bin/busybox',
  '/usr/bin/busybox',
  '/bin/busybox-static',
  '/usr/bin/busybox-static',
  '/bin/busybox.static',
];
const ELF_HEAD_BYTES = 4096;

export function findProgram(name: string, path: string | undefined): string | undefined {
  for (const folder of [...(path ?? '').split(':').filter((entry) => entry.startsWith('/')), ...usualFolders]) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

/** @param unpacked a folder that a busybox-static package may have been unpacked into */
export function findStaticBusybox(unpacked: string | undefined): string | undefined {
  const own = unpacked === undefined ? [] : [join(unpacked, 'bin/busybox'), join(unpacked, 'usr/bin/busybox')];
  return [...busyboxes, ...own].find((file) => isStatic(file));
}

export function findPackageManager(path: string | undefined): PackageManager | undefined {
  return packageManagers.find((name) => findProgram(name, path) !== undefined);
}

export async function lookAround(process: Process, unpackedBusybox?: string): Promise<Present> {
  const found = await detectContainerd(process);
  const lacks = (name: string) => 'missing' in found && found.missing.includes(name);
  const has = async (file: string, flag: string) => (await process.run(file, [flag])).code === 0;
  const staticBusybox = findStaticBusybox(unpackedBusybox) !== undefined;
  return {
    containerd: !lacks('containerd'),
    runc: !lacks('runc'),
    cniPlugins: !lacks('containernetworking-plugins'),
    iptables: !lacks('iptables'),
    nftables: await has('nft', '--version'),
    conntrack: await has('conntrack', '--version'),
    iproute: !lacks('iproute2'),
    staticInit: staticBusybox || catatonits.some((file) => isStatic(file)),
    staticBusybox,
  };
}

function isStatic(file: string): boolean {
  if (!existsSync(file)) return false;
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(ELF_HEAD_BYTES);
    return isStaticElf(head.subarray(0, readSync(handle, head, 0, ELF_HEAD_BYTES, 0)));
  } finally {
    closeSync(handle);
  }
}
