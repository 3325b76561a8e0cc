/** Reads the files of one cgroup, wherever its hierarchy is mounted. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadCgroupFile } from './cgroup-figures.ts';

/** The name that containerd and CRI-O give a container's group: its id under cgroupfs, a scope under systemd. */
const CONTAINER_GROUPS: readonly ((id: string) => string)[] = [
  (id) => id,
  (id) => `cri-containerd-${id}.scope`,
  (id) => `crio-${id}.scope`,
];

/** The folder of a pod's group, or of the group that the runtime made in it for a container. */
export function groupFolder(folder: string, containerId: string | undefined): string {
  if (containerId === undefined) return folder;
  const names = CONTAINER_GROUPS.map((name) => join(folder, name(containerId)));
  return names.find((name) => existsSync(name)) ?? join(folder, containerId);
}

type Controller = Parameters<ReadCgroupFile>[0];

/**
 * For one look at a group. `folderOf`: its folder in the hierarchy of a controller, looked for once; `undefined`: that controller
 * is not mounted.
 */
export function cgroupReader(folderOf: (controller: Controller) => string | undefined): ReadCgroupFile {
  const folders = new Map<Controller, string | undefined>();
  return (controller, file) => {
    if (!folders.has(controller)) folders.set(controller, folderOf(controller));
    const folder = folders.get(controller);
    return folder === undefined ? undefined : textOf(join(folder, file));
  };
}

/** Processes in a group and all below it. Those outside of our namespace, which count as 0 there, are left out. */
export function pidsBelow(folder: string): readonly number[] {
  const own = (textOf(join(folder, 'cgroup.procs')) ?? '').split('\n').map(Number);
  return [...own.filter((pid) => pid > 0), ...foldersIn(folder).flatMap((name) => pidsBelow(join(folder, name)))];
}

/** The kernel answers from memory, so these reads do not wait for any disk or container. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Gone between two reads, or a file that this kernel does not have.
    return undefined;
  }
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch {
    return [];
  }
}
