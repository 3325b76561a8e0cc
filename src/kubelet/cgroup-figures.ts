/**
 * Parses the usage files of a cgroup. Pure; `cgroups.node.ts` reads them. Fields and files: the kernel's cgroup-v1 and
 * cgroup-v2 pages.
 */
import type { CgroupFigures, CpuPeriods, MemoryEvents, Pressure, PressureAverages } from './figures.ts';

/** The text of a file of a controller's hierarchy (on v2 there is but one); `undefined` when it is not there. */
export type ReadCgroupFile = (
  controller: 'cpu' | 'cpuacct' | 'memory' | 'pids' | 'io',
  file: string,
) => string | undefined;

/** USER_HZ, which the kernel counts in towards user space on every architecture that we run on. */
const NANOSECONDS_PER_TICK = 10_000_000;
const NANOSECONDS_PER_MICROSECOND = 1000;
/** From here on a limit is none: v1 writes the largest number that is a multiple of the page size. */
const UNLIMITED_BYTES = 2 ** 62;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const MAX_WEIGHT = 10_000;

/** `undefined` when the group has neither CPU nor memory files: it is not there (any more). */
export function cgroupFigures(version: 'v1' | 'v2', read: ReadCgroupFile): CgroupFigures | undefined {
  const found = version === 'v1' ? figuresOfV1(read) : figuresOfV2(read);
  return found.cpu === undefined && found.memory === undefined ? undefined : found;
}

/** CPU time of the group and all below it, nanoseconds. */
export function cgroupCpuNanoseconds(version: 'v1' | 'v2', read: ReadCgroupFile): number | undefined {
  if (version === 'v1') return wholeNumber(read('cpuacct', 'cpuacct.usage'));
  return microseconds(flatKeyed(read('cpu', 'cpu.stat')), 'usage_usec');
}

/** `undefined` when the group has no memory files: it is not there (any more). */
export function cgroupMemoryEvents(version: 'v1' | 'v2', read: ReadCgroupFile): MemoryEvents | undefined {
  const [events, peak, most] =
    version === 'v1'
      ? ['memory.oom_control', 'memory.max_usage_in_bytes', 'memory.limit_in_bytes']
      : ['memory.events', 'memory.peak', 'memory.max'];
  const text = read('memory', events);
  if (text === undefined) return undefined;
  return present({
    oomKills: flatKeyed(text).get('oom_kill') ?? 0,
    peakBytes: wholeNumber(read('memory', peak)),
    limitBytes: limit(wholeNumber(read('memory', most))),
  });
}

/** `undefined` when the group is not there (any more), or is on v2 without a CPU controller: nothing limits it. */
export function cgroupCpuPeriods(read: ReadCgroupFile): CpuPeriods | undefined {
  // File and names are the same on v1 and v2.
  const stat = flatKeyed(read('cpu', 'cpu.stat'));
  const periods = stat.get('nr_periods');
  return periods === undefined ? undefined : { periods, throttledPeriods: stat.get('nr_throttled') ?? 0 };
}

function figuresOfV1(read: ReadCgroupFile): CgroupFigures {
  return present({ cpu: cpuOfV1(read), memory: memoryOfV1(read), pids: pidsOf(read) });
}

function cpuOfV1(read: ReadCgroupFile): CgroupFigures['cpu'] {
  const usageNanoseconds = wholeNumber(read('cpuacct', 'cpuacct.usage'));
  if (usageNanoseconds === undefined) return undefined;
  const split = flatKeyed(read('cpuacct', 'cpuacct.stat'));
  const throttling = flatKeyed(read('cpu', 'cpu.stat'));
  const quota = wholeNumber(read('cpu', 'cpu.cfs_quota_us'));
  return present({
    usageNanoseconds,
    userNanoseconds: ticks(split, 'user'),
    systemNanoseconds: ticks(split, 'system'),
    periods: throttling.get('nr_periods'),
    throttledPeriods: throttling.get('nr_throttled'),
    throttledNanoseconds: throttling.get('throttled_time'),
    quotaMicroseconds: quota !== undefined && quota > 0 ? quota : undefined,
    periodMicroseconds: wholeNumber(read('cpu', 'cpu.cfs_period_us')),
    shares: wholeNumber(read('cpu', 'cpu.shares')),
  });
}

function memoryOfV1(read: ReadCgroupFile): CgroupFigures['memory'] {
  const usageBytes = wholeNumber(read('memory', 'memory.usage_in_bytes'));
  if (usageBytes === undefined) return undefined;
  const stat = flatKeyed(read('memory', 'memory.stat'));
  return present({
    usageBytes,
    workingSetBytes: less(usageBytes, stat.get('total_inactive_file')),
    rssBytes: stat.get('total_rss'),
    cacheBytes: stat.get('total_cache'),
    mappedBytes: stat.get('total_mapped_file'),
    swapBytes: stat.get('total_swap'),
    maxUsageBytes: wholeNumber(read('memory', 'memory.max_usage_in_bytes')),
    limitHits: wholeNumber(read('memory', 'memory.failcnt')),
    limitBytes: limit(wholeNumber(read('memory', 'memory.limit_in_bytes'))),
    pageFaults: stat.get('total_pgfault'),
    majorPageFaults: stat.get('total_pgmajfault'),
    oomKills: flatKeyed(read('memory', 'memory.oom_control')).get('oom_kill'),
  });
}

function figuresOfV2(read: ReadCgroupFile): CgroupFigures {
  const pressures = {
    cpu: pressureOf(read('cpu', 'cpu.pressure')),
    memory: pressureOf(read('memory', 'memory.pressure')),
    io: pressureOf(read('io', 'io.pressure')),
  };
  const hasPressure = Object.values(pressures).some((one) => one !== undefined);
  return present({
    cpu: cpuOfV2(read),
    memory: memoryOfV2(read),
    pids: pidsOf(read),
    pressure: hasPressure ? present(pressures) : undefined,
  });
}

function cpuOfV2(read: ReadCgroupFile): CgroupFigures['cpu'] {
  const stat = flatKeyed(read('cpu', 'cpu.stat'));
  const usageNanoseconds = microseconds(stat, 'usage_usec');
  if (usageNanoseconds === undefined) return undefined;
  const [quota, period] = (read('cpu', 'cpu.max') ?? '').trim().split(' ');
  const weight = wholeNumber(read('cpu', 'cpu.weight'));
  return present({
    usageNanoseconds,
    userNanoseconds: microseconds(stat, 'user_usec'),
    systemNanoseconds: microseconds(stat, 'system_usec'),
    periods: stat.get('nr_periods'),
    throttledPeriods: stat.get('nr_throttled'),
    throttledNanoseconds: microseconds(stat, 'throttled_usec'),
    quotaMicroseconds: wholeNumber(quota),
    periodMicroseconds: wholeNumber(period),
    shares: weight === undefined ? undefined : sharesOf(weight),
  });
}

function memoryOfV2(read: ReadCgroupFile): CgroupFigures['memory'] {
  const usageBytes = wholeNumber(read('memory', 'memory.current'));
  if (usageBytes === undefined) return undefined;
  const stat = flatKeyed(read('memory', 'memory.stat'));
  const events = flatKeyed(read('memory', 'memory.events'));
  return present({
    usageBytes,
    workingSetBytes: less(usageBytes, stat.get('inactive_file')),
    rssBytes: stat.get('anon'),
    cacheBytes: stat.get('file'),
    mappedBytes: stat.get('file_mapped'),
    swapBytes: wholeNumber(read('memory', 'memory.swap.current')),
    maxUsageBytes: wholeNumber(read('memory', 'memory.peak')),
    limitHits: events.get('max'),
    limitBytes: limit(wholeNumber(read('memory', 'memory.max'))),
    pageFaults: stat.get('pgfault'),
    majorPageFaults: stat.get('pgmajfault'),
    oomKills: events.get('oom_kill'),
  });
}

function pidsOf(read: ReadCgroupFile): CgroupFigures['pids'] {
  const current = wholeNumber(read('pids', 'pids.current'));
  return current === undefined ? undefined : present({ current, limit: wholeNumber(read('pids', 'pids.max')) });
}

/** A file of /proc/pressure, or PREFIX.pressure of a v2 group. `undefined` without a line of either kind. */
export function pressureOf(text: string | undefined): Pressure | undefined {
  const some = averages(text, 'some');
  // A whole machine's CPU is never fully stalled: older kernels have no such line.
  const full = averages(text, 'full') ?? (some && { total: 0, avg10: 0, avg60: 0, avg300: 0 });
  return some === undefined || full === undefined ? undefined : { some, full };
}

function averages(text: string | undefined, kind: 'some' | 'full'): PressureAverages | undefined {
  const found = new RegExp(`^${kind} avg10=(\\S+) avg60=(\\S+) avg300=(\\S+) total=(\\d+)$`, 'm').exec(text ?? '');
  if (found === null) return undefined;
  const [avg10 = 0, avg60 = 0, avg300 = 0, total = 0] = found.slice(1).map(Number);
  return { total, avg10, avg60, avg300 };
}

/** Lines of a name and a number. */
export function flatKeyed(text: string | undefined): ReadonlyMap<string, number> {
  const map = new Map<string, number>();
  for (const line of (text ?? '').split('\n')) {
    const [name, value] = line.split(' ');
    const number = wholeNumber(value);
    if (name && number !== undefined) map.set(name, number);
  }
  return map;
}

/** `undefined` for "max", and for what is no number. */
function wholeNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^-?\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

function ticks(map: ReadonlyMap<string, number>, name: string): number | undefined {
  const found = map.get(name);
  return found === undefined ? undefined : found * NANOSECONDS_PER_TICK;
}

function microseconds(map: ReadonlyMap<string, number>, name: string): number | undefined {
  const found = map.get(name);
  return found === undefined ? undefined : found * NANOSECONDS_PER_MICROSECOND;
}

/** The two files are not read at one moment: never below nothing. */
function less(from: number, by: number | undefined): number | undefined {
  return by === undefined ? undefined : Math.max(0, from - by);
}

function limit(bytes: number | undefined): number | undefined {
  return bytes === undefined || bytes >= UNLIMITED_BYTES ? undefined : bytes;
}

/** v2's weight as v1's shares, the inverse of `cpuWeight`. */
function sharesOf(weight: number): number {
  return MIN_SHARES + Math.trunc(((weight - 1) * (MAX_SHARES - MIN_SHARES)) / (MAX_WEIGHT - 1));
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The same without what is undefined. */
export function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
