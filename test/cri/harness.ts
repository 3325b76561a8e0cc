/**
 * A private containerd in its own folder, for tests of the cri room with real containers. It needs root, and removes all that
 * it made.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContainerdInstall, detectContainerd } from '../../src/cri/containerd/detect.node.ts';
import {
  downContainerd,
  type OpenContainerdOptions,
  type OpenedContainerd,
  openContainerd,
} from '../../src/cri/containerd/open-containerd.node.ts';
import type { ContainerConfig, SandboxConfig } from '../../src/cri/index.ts';
import { createLogger } from '../../src/lib/logger.node.ts';
import { waitForKernelLock } from '../../src/lib/kernel-lock.node.ts';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { systemProcess } from '../../src/lib/process.node.ts';
import { containerdPaths } from '../../src/cri/containerd/containerd-config.ts';
import { type PodNetwork, podNetworkOf, removeNetwork, setUpNetwork } from '../../src/network/index.ts';
import { openNetworkMachine } from '../../src/network/network-machine.node.ts';
import { debianPackages } from '../../tools/debian.ts';

export const BUSYBOX = 'docker.io/library/busybox:latest';
export const isRoot = process.getuid?.() === 0;

export type ContainerdVersionName = '1.6' | '2.1';

/** The system's containerd, or that of Debian sid from the cache. */
export async function install(version: ContainerdVersionName, ociRuntime?: string): Promise<ContainerdInstall> {
  const sid =
    version === '2.1' ? join(debianPackages('sid', ['containerd'])['containerd'] ?? '', 'usr/bin') : undefined;
  const found = await detectContainerd(systemProcess, {
    ...(sid !== undefined && { preferred: sid }),
    ...(ociRuntime !== undefined && { ociRuntime }),
  });
  if ('missing' in found) throw new Error(`missing: ${found.missing.join(' ')}`);
  return found;
}

export interface TestRuntime {
  readonly options: OpenContainerdOptions;
  readonly network: PodNetwork;
  /** Opens or adopts containerd after the pods' network, as main does; `close` leaves it running. */
  open(overrides?: Partial<OpenContainerdOptions>): Promise<OpenedContainerd>;
  remove(): Promise<void>;
}

let networks = 0;

/** Prepares a runtime; nothing is started yet. */
export async function testRuntime(
  version: ContainerdVersionName,
  ociRuntime: string | undefined = process.env['MENDLET_TEST_OCI_RUNTIME'],
): Promise<TestRuntime> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mendlet-cri-'));
  const instanceId = `t${randomBytes(3).toString('hex')}`;
  const options = {
    dataDir,
    runDir: `/run/mendlet/${instanceId}`,
    process: systemProcess,
    logger: createLogger({ format: 'text', level: process.env['MENDLET_TEST_LOG'] === undefined ? 'error' : 'debug' }),
    install: await install(version, ociRuntime),
    cgroupDriver: 'cgroupfs' as const,
    imageArchives: [],
    fileLock: waitForKernelLock,
  };
  const network = podNetworkOf(instanceId, `10.99.${(process.pid + networks++ * 100) % 250}.0/24`);
  const place = { machine: openNetworkMachine(systemProcess), fs: systemFileSystem };
  const { cniConfDir: confDir, leasesDir } = containerdPaths(dataDir, options.runDir);
  const open = new Set<OpenedContainerd>();
  return {
    options,
    network,
    async open(overrides = {}) {
      // Host ports are portmap's here, as where nft is missing.
      const openTable = async () => 'not used here';
      await setUpNetwork(place, network, { confDir, leasesDir, apiServerPort: undefined, lock: undefined, openTable });
      const opened = await openContainerd({ ...options, ...overrides }, new AbortController().signal);
      open.add(opened);
      return opened;
    },
    async remove() {
      for (const opened of open) await opened.close();
      await downContainerd({ ...options, graceOf: () => 0 });
      await removeNetwork(place, network, { confDir, leasesDir });
      rmSync(dataDir, { recursive: true, force: true });
      rmSync(options.runDir, { recursive: true, force: true });
      removeCgroups();
    },
  };
}

const CGROUP_PARENT = 'mendlet-test';

/** Removes the parent cgroups of sandboxes, which runc makes, and in which killed shims leave groups. One in use stays. */
function removeCgroups(): void {
  for (const name of readdirSync('/sys/fs/cgroup')) {
    const parent = join('/sys/fs/cgroup', name, CGROUP_PARENT);
    if (!existsSync(parent)) continue;
    const children = readdirSync(parent, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const folder of [...children.map((entry) => join(parent, entry.name)), parent]) {
      try {
        rmdirSync(folder);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'EBUSY') throw error;
      }
    }
  }
}

let pods = 0;

export function sandboxConfig(dataDir: string, overrides: Partial<SandboxConfig> = {}): SandboxConfig {
  const name = `pod-${++pods}`;
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 },
    hostname: name,
    logDirectory: join(dataDir, 'logs', name),
    portMappings: [],
    labels: { 'mendlet.dev/instance': 'test' },
    annotations: {},
    cgroupParent: `/${CGROUP_PARENT}`,
    namespaces: { network: 'pod', pid: 'container', ipc: 'pod' },
    sysctls: {},
    ...overrides,
  };
}

export function containerConfig(command: string, overrides: Partial<ContainerConfig> = {}): ContainerConfig {
  return {
    name: 'main',
    attempt: 0,
    image: BUSYBOX,
    userSpecifiedImage: BUSYBOX,
    command: ['sh', '-c', command],
    args: [],
    workingDir: '',
    env: [{ name: 'GREETING', value: 'hello' }],
    mounts: [],
    labels: { 'io.kubernetes.container.name': 'main' },
    annotations: { 'mendlet.dev/note': 'kept' },
    logPath: 'main/0.log',
    stdin: false,
    stdinOnce: false,
    tty: false,
    resources: { cpuPeriod: 100_000, cpuQuota: 0, cpuShares: 2, memoryLimitBytes: 0, oomScoreAdj: 1000 },
    security: {
      privileged: false,
      readonlyRootfs: false,
      noNewPrivileges: false,
      supplementalGroups: [],
      addCapabilities: [],
      dropCapabilities: [],
    },
    ...overrides,
  };
}
