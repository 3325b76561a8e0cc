/** Counts a mendlet's resources from the outside, to detect leaks. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_DEAD_IN_WAITING } from '../../src/kubelet/plan/limits.ts';
import { CriRuntime } from '../../src/cri/containerd/cri-runtime.node.ts';
import { openGrpcSocket } from '../../src/cri/containerd/grpc.node.ts';
import type { Mendlet } from '../e2e/harness.ts';

/** Resources that must exist exactly once per pod, or not at all. */
export interface PodFootprint {
  readonly sandboxes: number;
  readonly shims: number;
  readonly addresses: number;
  readonly interfaces: number;
  readonly cgroups: number;
  readonly logFolders: number;
  readonly podFolders: number;
  /**
   * Containers beyond one running and five dead ones of each name; four may wait until no start is under way
   * (plan/limits.ts).
   */
  readonly superfluousContainers: number;
}

/** Resources that may exist, but must not grow without end. */
export interface ProcessFootprint {
  readonly rssMiB: number;
  readonly descriptors: number;
  readonly containerdDescriptors: number;
  readonly mounts: number;
  readonly threads: number;
}

export class Footprints {
  readonly #mendlet: Mendlet;
  readonly #instance: string;

  constructor(mendlet: Mendlet) {
    this.#mendlet = mendlet;
    this.#instance = readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
  }

  get runDir(): string {
    return join('/run/mendlet', this.#instance);
  }

  async ofPods(): Promise<PodFootprint> {
    const grpc = openGrpcSocket(join(this.runDir, 'containerd.sock'));
    try {
      const runtime = new CriRuntime(grpc);
      const [sandboxes, containers] = await Promise.all([runtime.listSandboxes(), runtime.listContainers()]);
      const byName = new Map<string, { alive: number; dead: number }>();
      for (const { sandboxId, name, state, labels } of containers) {
        const key = `${labels['io.kubernetes.pod.uid'] ?? sandboxId}/${name}`;
        const counts = byName.get(key) ?? { alive: 0, dead: 0 };
        counts[state === 'exited' ? 'dead' : 'alive'] += 1;
        byName.set(key, counts);
      }
      const beyond = ({ alive, dead }: { alive: number; dead: number }) =>
        Math.max(0, alive - 1) + Math.max(0, dead - 1 - MAX_DEAD_IN_WAITING);
      return {
        sandboxes: sandboxes.length,
        shims: this.shims().length,
        addresses: leases(join(this.runDir, 'cni')),
        interfaces: this.#interfaces(),
        cgroups: podCgroups(`mendlet-${this.#instance}`),
        logFolders: this.#logFolders(),
        podFolders: names(join(this.#mendlet.dataDir, 'agent/pods')).length,
        superfluousContainers: [...byName.values()].reduce((sum, counts) => sum + beyond(counts), 0),
      };
    } finally {
      grpc.close();
    }
  }

  ofProcess(): ProcessFootprint {
    const { pid } = this.#mendlet;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return {
      rssMiB: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
      descriptors: names(`/proc/${pid}/fd`).length,
      containerdDescriptors: names(`/proc/${this.#mendlet.containerdPid()}/fd`).length,
      mounts: mounts.filter((line) => line.includes(this.runDir) || line.includes(this.#mendlet.dataDir)).length,
      threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
    };
  }

  /** Process ids of this instance's shims. */
  shims(): readonly number[] {
    return names('/proc')
      .map(Number)
      .filter((pid) => {
        if (!Number.isInteger(pid)) return false;
        const command = commandLine(pid);
        return command.includes('containerd-shim') && command.includes(this.runDir);
      });
  }

  /** The number of host ends of the pods' links, which are members of the instance's bridge. */
  #interfaces(): number {
    const bridge = names('/sys/class/net').find((name) => name === `mndt-${this.#instance}`);
    return bridge === undefined ? 0 : names(`/sys/class/net/${bridge}/brif`).length;
  }

  #logFolders(): number {
    return names('/var/log/pods').filter((name) => {
      const owner = join('/var/log/pods', name, '.mendlet-instance');
      return existsSync(owner) && readFileSync(owner, 'utf8').trim() === this.#instance;
    }).length;
  }
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function leases(folder: string): number {
  const found = names(folder).flatMap((network) => names(join(folder, network)));
  return found.filter((name) => /^\d+\.\d+\.\d+\.\d+$/.test(name)).length;
}

/** The number of pods' cgroups, in v1 or v2. */
function podCgroups(root: string): number {
  const hierarchy = ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].find((path) => existsSync(join(path, root)));
  if (hierarchy === undefined) return 0;
  const kubepods = join(hierarchy, root, 'kubepods');
  const folders = [kubepods, join(kubepods, 'burstable'), join(kubepods, 'besteffort')];
  return folders.flatMap(names).filter((name) => /^pod[0-9a-f-]{36}$/.test(name)).length;
}
