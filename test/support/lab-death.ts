/** Simulates a power failure of a node: kills its processes, and clears everything that a reboot clears. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kill } from './lab-network.ts';

const CGROUPS = '/sys/fs/cgroup';

/** Kills everything that a data folder's agent started: containerd, its shims, and all processes in its cgroups. */
export async function killNode(dataDir: string, pid: number | undefined): Promise<void> {
  if (pid !== undefined) kill(pid);
  const instance = instanceOf(dataDir);
  for (let tries = 0; tries < 50; tries++) {
    const left = [...processesOf(dataDir, instance), ...cgroupPids(instance)];
    if (left.length === 0) return;
    for (const each of left) kill(each);
    await sleep(20);
  }
  throw new Error(`processes of ${dataDir} outlive SIGKILL`);
}

/** Clears what a reboot clears: mounts, run folder, cgroups, pods' network namespaces. The node's processes must have ended. */
export function clearAsByReboot(dataDir: string): void {
  const instance = instanceOf(dataDir);
  const run = `/run/mendlet/${instance}`;
  for (const namespace of podNamespaces(run, dataDir)) spawnSync('ip', ['netns', 'delete', namespace]);
  for (const mount of mountsBelow([run, dataDir])) spawnSync('umount', ['-l', mount]);
  // The last threads of what was killed may still write there.
  rmSync(run, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const folder of cgroupFolders(instance)) removeGroups(folder);
}

function instanceOf(dataDir: string): string {
  const path = join(dataDir, 'instance');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : 'none';
}

/** Finds processes by their command lines: containerd with its configuration, shims with its socket. */
function processesOf(dataDir: string, instance: string): readonly number[] {
  const marks = [`${dataDir}/`, `/run/mendlet/${instance}/`];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      const args = read(`/proc/${name}/cmdline`).split('\0');
      return /containerd/.test(args[0] ?? '') && marks.some((mark) => args.some((arg) => arg.startsWith(mark)));
    })
    .map(Number)
    .filter((pid) => !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)));
}

function cgroupFolders(instance: string): readonly string[] {
  const name = `mendlet-${instance}`;
  const roots = [CGROUPS, ...(existsSync(CGROUPS) ? readdirSync(CGROUPS).map((each) => join(CGROUPS, each)) : [])];
  return roots.flatMap((root) => [join(root, name), join(root, `${name}.slice`)]).filter((path) => existsSync(path));
}

function cgroupPids(instance: string): readonly number[] {
  const pids = new Set<number>();
  const walk = (folder: string): void => {
    for (const pid of read(join(folder, 'cgroup.procs')).split('\n')) if (Number(pid) > 0) pids.add(Number(pid));
    for (const child of folders(folder)) walk(child);
  };
  for (const folder of cgroupFolders(instance)) walk(folder);
  return [...pids];
}

function removeGroups(folder: string): void {
  for (const child of folders(folder)) removeGroups(child);
  try {
    rmdirSync(folder);
  } catch {
    // The cgroup is busy for a moment; the next start of the agent uses it again.
  }
}

function folders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

/** The network namespaces of this node's pods, which sandboxes' specs name. */
function podNamespaces(run: string, dataDir: string): readonly string[] {
  const names = new Set<string>();
  const walk = (folder: string, depth: number): void => {
    if (depth > 8) return;
    for (const match of read(join(folder, 'config.json')).matchAll(/netns\/(cni-[0-9a-f-]+)/g))
      names.add(match[1] ?? '');
    for (const child of folders(folder)) if (!child.endsWith('/rootfs')) walk(child, depth + 1);
  };
  walk(join(run, 'containerd'), 0);
  walk(join(dataDir, 'containerd', 'state'), 0);
  return [...names];
}

function mountsBelow(paths: readonly string[]): readonly string[] {
  return read('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => paths.some((path) => point.startsWith(`${path}/`)))
    .toReversed();
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
