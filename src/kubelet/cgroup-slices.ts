/** cgroups as systemd has them: slices by name, limits by property. Pure; `cgroups.node.ts` calls systemd. */
import { cpuWeight } from './cgroup-files.ts';
import type { CgroupLimits } from './ports.ts';

/** In a slice's name a dash means "inside", so the dashes of a name are written as underscores (as the kubelet does). */
const escape = (name: string) => name.replaceAll('-', '_');
const unescape = (name: string) => name.replaceAll('_', '-');

/** The unit of a path, e.g. ["mendlet-x", "kubepods", "podA-B"] → "mendlet_x-kubepods-podA_B.slice". */
export function sliceName(path: readonly string[]): string {
  return `${path.map(escape).join('-')}.slice`;
}

/** Its folder below the cgroup mount: each slice within the slice of its prefix. */
export function sliceFolder(path: readonly string[]): string {
  return `/${path.map((_, index) => sliceName(path.slice(0, index + 1))).join('/')}`;
}

/** The last part of a slice's path, `undefined` for a folder that is no slice (a container's scope). Exact for names without "_". */
export function nameOfSlice(folder: string): string | undefined {
  const found = /^(?:.*-)?([^-]+)\.slice$/.exec(folder)?.[1];
  return found === undefined ? undefined : unescape(found);
}

const INFINITY = '18446744073709551615';
const MICROSECONDS = 1_000_000;
/** systemd rounds a quota to 10 ms per second by itself, downwards; we round up, as runc does. */
const QUOTA_STEP = 10_000;
const DEFAULT_SHARES = 1024;

/** Properties in busctl's words: name, signature, value. Every one in each case, so that a limit that is gone is lifted. */
export function sliceProperties(limits: CgroupLimits): readonly (readonly [string, 't' | 'b', string])[] {
  const period = limits.cpuPeriod ?? 100_000;
  const perSecond =
    limits.cpuQuota !== undefined && limits.cpuQuota > 0
      ? String(Math.ceil((limits.cpuQuota * MICROSECONDS) / period / QUOTA_STEP) * QUOTA_STEP)
      : INFINITY;
  return [
    ['CPUAccounting', 'b', 'true'],
    ['MemoryAccounting', 'b', 'true'],
    ['TasksAccounting', 'b', 'true'],
    ['CPUWeight', 't', String(cpuWeight(limits.cpuShares ?? DEFAULT_SHARES))],
    ['CPUQuotaPerSecUSec', 't', perSecond],
    ['CPUQuotaPeriodUSec', 't', String(period)],
    ['MemoryMax', 't', String(limits.memoryLimitBytes ?? INFINITY)],
    ['TasksMax', 't', String(limits.pidsLimit ?? INFINITY)],
  ];
}

const MANAGER = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'] as const;

/** busctl's arguments that start the slice with its properties. */
export function startSliceCall(name: string, limits: CgroupLimits): readonly string[] {
  const properties = sliceProperties(limits);
  const wants = ['Description', 's', `mendlet pods (${name})`];
  const list = [String(properties.length + 1), ...wants, ...properties.flat()];
  return ['call', '--quiet', ...MANAGER, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', name, 'replace', ...list, '0'];
}

/** busctl's arguments that change a slice that runs. */
export function changeSliceCall(name: string, limits: CgroupLimits): readonly string[] {
  const properties = sliceProperties(limits);
  const list = [String(properties.length), ...properties.flat()];
  return ['call', '--quiet', ...MANAGER, 'SetUnitProperties', 'sba(sv)', name, 'true', ...list];
}

/** busctl's arguments that end a slice with all that runs in it. */
export function stopSliceCall(name: string): readonly string[] {
  return ['call', '--quiet', ...MANAGER, 'StopUnit', 'ss', name, 'replace'];
}
