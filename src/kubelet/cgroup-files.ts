/** A pod's limits as the files of a cgroup. Pure; `cgroups.node.ts` writes them. */
import type { CgroupLimits } from './ports.ts';

/** One write: controller as in /proc/cgroups, file name, content. On v2 the controller is what must be enabled above. */
export interface CgroupWrite {
  readonly controller: 'cpu' | 'memory' | 'pids';
  readonly file: string;
  readonly value: string;
}

/** Upstream's MinShares and the kernel's default for a group that asked for nothing. */
const DEFAULT_SHARES = 1024;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const DEFAULT_PERIOD = 100_000;
const MAX_WEIGHT = 10_000;

/** Every file in each case, so that a limit that is gone is lifted. */
export function cgroupWrites(version: 'v1' | 'v2', limits: CgroupLimits): readonly CgroupWrite[] {
  const shares = limits.cpuShares ?? DEFAULT_SHARES;
  const period = limits.cpuPeriod ?? DEFAULT_PERIOD;
  const quota = limits.cpuQuota !== undefined && limits.cpuQuota > 0 ? limits.cpuQuota : undefined;
  const pids = limits.pidsLimit === undefined ? 'max' : String(limits.pidsLimit);
  if (version === 'v2') {
    return [
      { controller: 'cpu', file: 'cpu.weight', value: String(cpuWeight(shares)) },
      { controller: 'cpu', file: 'cpu.max', value: `${quota ?? 'max'} ${period}` },
      { controller: 'memory', file: 'memory.max', value: String(limits.memoryLimitBytes ?? 'max') },
      { controller: 'pids', file: 'pids.max', value: pids },
    ];
  }
  return [
    { controller: 'cpu', file: 'cpu.shares', value: String(clampShares(shares)) },
    { controller: 'cpu', file: 'cpu.cfs_period_us', value: String(period) },
    { controller: 'cpu', file: 'cpu.cfs_quota_us', value: String(quota ?? -1) },
    { controller: 'memory', file: 'memory.limit_in_bytes', value: String(limits.memoryLimitBytes ?? -1) },
    { controller: 'pids', file: 'pids.max', value: pids },
  ];
}

const clampShares = (shares: number) => Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.trunc(shares)));

/** v1's shares (2 … 262144) as v2's weight (1 … 10000), linear as upstream has it. */
export function cpuWeight(shares: number): number {
  return 1 + Math.trunc(((clampShares(shares) - MIN_SHARES) * (MAX_WEIGHT - 1)) / (MAX_SHARES - MIN_SHARES));
}
