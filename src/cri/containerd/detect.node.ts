/** Finds out what this machine has for a private containerd. */
import { constants } from 'node:fs';
import { access, readFile, realpath, statfs } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Process } from '../../lib/index.ts';
import { type ContainerdVersion, parseContainerdVersion } from './containerd-config.ts';
import { ociMisfit } from './oci-probe.node.ts';

/** Programs and folders found; absolute paths. */
export interface ContainerdInstall {
  readonly containerd: string;
  readonly ctr: string;
  readonly ociRuntime: string;
  readonly cniBinDir: string;
  readonly version: ContainerdVersion;
}

/** Names in the words of a Debian user, to be installed. */
export interface MissingInstall {
  readonly missing: readonly string[];
}

const EXTRA_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const CNI_DIRS = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni'];
const CNI_PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
const CAP_SYS_RESOURCE = 24n;
const OVERLAYFS_MAGIC = 0x794c7630;

/**
 * Finds containerd with its shim and client, an OCI runtime, CNI plugins, ip and iptables. `preferred`: a folder to look in
 * first (another containerd than the system's); `ociRuntime`: the one to take, untried.
 */
export async function detectContainerd(
  process: Process,
  options: { readonly preferred?: string; readonly ociRuntime?: string } = {},
): Promise<ContainerdInstall | MissingInstall> {
  const find = (name: string) => findProgram(name, options.preferred);
  const containerd = await find('containerd');
  const ctr = await find('ctr');
  const shim = await find('containerd-shim-runc-v2');
  const crun = await find('crun');
  const runc = options.ociRuntime ?? (await find('runc')) ?? crun;
  const cniBinDir = await cniFolder();
  const answer = containerd && (await process.run(containerd, ['--version'], { timeoutMs: 30_000 }));
  const version = answer ? parseContainerdVersion(answer.stdout) : undefined;
  const missing = [
    ...(containerd && ctr && shim && version ? [] : ['containerd']),
    ...(runc ? [] : ['runc']),
    ...(cniBinDir ? [] : ['containernetworking-plugins']),
    ...((await find('iptables')) && (await find('iptables-restore')) ? [] : ['iptables']),
    ...((await find('ip')) ? [] : ['iproute2']),
  ];
  if (missing.length > 0 || !containerd || !ctr || !runc || !cniBinDir || !version) return { missing };
  // crun starts a container in little more than half of runc's time; so it is tried where it fits.
  const faster = crun !== undefined && crun !== runc && options.ociRuntime === undefined ? crun : undefined;
  const ociRuntime = faster !== undefined && (await ociMisfit(process, faster, version)) === undefined ? faster : runc;
  return { containerd, ctr, ociRuntime, cniBinDir, version };
}

/** Looks in `first`, then in PATH, then where system programs lie though a user's PATH lacks it. */
async function findProgram(name: string, first?: string): Promise<string | undefined> {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const folder of [...(first === undefined ? [] : [first]), ...path, ...EXTRA_PATH]) {
    if (await executable(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

async function cniFolder(): Promise<string | undefined> {
  for (const folder of CNI_DIRS) {
    const found = await Promise.all(CNI_PLUGINS.map((name) => executable(join(folder, name))));
    if (found.every(Boolean)) return folder;
  }
  return undefined;
}

async function executable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Without CAP_SYS_RESOURCE no sandbox may get the oom_score_adj that CRI gives it. */
export async function lacksSysResource(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> CAP_SYS_RESOURCE) & 1n) === 0n;
}

/** Overlay can't stack on overlay: inside a container snapshots are copied. */
export async function snapshotterFor(folder: string): Promise<'overlayfs' | 'native'> {
  for (let path = folder; ; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined) return (await statfs(real)).type === OVERLAYFS_MAGIC ? 'native' : 'overlayfs';
    if (path === '/') return 'overlayfs';
  }
}
