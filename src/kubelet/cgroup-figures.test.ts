import { describe, expect, it } from 'vitest';
import {
  cgroupCpuNanoseconds,
  cgroupCpuPeriods,
  cgroupFigures,
  cgroupMemoryEvents,
  flatKeyed,
  pressureOf,
  type ReadCgroupFile,
} from './cgroup-figures.ts';

const reader =
  (files: Readonly<Record<string, string>>): ReadCgroupFile =>
  (_controller, file) =>
    files[file];

const V1 = {
  'cpuacct.usage': '123456789\n',
  'cpuacct.stat': 'user 7\nsystem 5\n',
  'cpu.stat': 'nr_periods 40\nnr_throttled 30\nthrottled_time 900000000\n',
  'cpu.cfs_quota_us': '30000\n',
  'cpu.cfs_period_us': '100000\n',
  'cpu.shares': '512\n',
  'memory.usage_in_bytes': '5000000\n',
  'memory.stat': [
    'cache 1',
    'inactive_file 2',
    'total_cache 2000000',
    'total_rss 1000000',
    'total_mapped_file 300',
    'total_swap 0',
    'total_pgfault 1000',
    'total_pgmajfault 3',
    'total_inactive_file 1500000',
    '',
  ].join('\n'),
  'memory.max_usage_in_bytes': '6000000\n',
  'memory.failcnt': '4\n',
  'memory.limit_in_bytes': '83886080\n',
  'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n',
  'pids.current': '3\n',
  'pids.max': 'max\n',
};

const V2 = {
  'cpu.stat':
    'usage_usec 123456\nuser_usec 70000\nsystem_usec 53456\nnr_periods 40\nnr_throttled 30\nthrottled_usec 900000\n',
  'cpu.max': '30000 100000\n',
  'cpu.weight': '20\n',
  'cpu.pressure':
    'some avg10=1.50 avg60=0.30 avg300=0.10 total=5000\nfull avg10=0.10 avg60=0.00 avg300=0.00 total=70\n',
  'memory.current': '5000000\n',
  'memory.stat': 'anon 1000000\nfile 2000000\nfile_mapped 300\ninactive_file 1500000\npgfault 1000\npgmajfault 3\n',
  'memory.max': 'max\n',
  'memory.peak': '6000000\n',
  'memory.events': 'low 0\nhigh 0\nmax 4\noom 2\noom_kill 2\n',
  'memory.swap.current': '4096\n',
  'pids.current': '3\n',
  'pids.max': '100\n',
};

describe('cgroupFigures', () => {
  it('reads v1, the sums of the whole tree', () => {
    expect(cgroupFigures('v1', reader(V1))).toEqual({
      cpu: {
        usageNanoseconds: 123_456_789,
        userNanoseconds: 70_000_000,
        systemNanoseconds: 50_000_000,
        periods: 40,
        throttledPeriods: 30,
        throttledNanoseconds: 900_000_000,
        quotaMicroseconds: 30_000,
        periodMicroseconds: 100_000,
        shares: 512,
      },
      memory: {
        usageBytes: 5_000_000,
        workingSetBytes: 3_500_000,
        rssBytes: 1_000_000,
        cacheBytes: 2_000_000,
        mappedBytes: 300,
        swapBytes: 0,
        maxUsageBytes: 6_000_000,
        limitHits: 4,
        limitBytes: 83_886_080,
        pageFaults: 1000,
        majorPageFaults: 3,
        oomKills: 2,
      },
      pids: { current: 3 },
    });
  });

  it('reads v2', () => {
    expect(cgroupFigures('v2', reader(V2))).toEqual({
      cpu: {
        usageNanoseconds: 123_456_000,
        userNanoseconds: 70_000_000,
        systemNanoseconds: 53_456_000,
        periods: 40,
        throttledPeriods: 30,
        throttledNanoseconds: 900_000_000,
        quotaMicroseconds: 30_000,
        periodMicroseconds: 100_000,
        shares: 500,
      },
      memory: {
        usageBytes: 5_000_000,
        workingSetBytes: 3_500_000,
        rssBytes: 1_000_000,
        cacheBytes: 2_000_000,
        mappedBytes: 300,
        swapBytes: 4096,
        maxUsageBytes: 6_000_000,
        limitHits: 4,
        pageFaults: 1000,
        majorPageFaults: 3,
        oomKills: 2,
      },
      pids: { current: 3, limit: 100 },
      pressure: {
        cpu: {
          some: { avg10: 1.5, avg60: 0.3, avg300: 0.1, total: 5000 },
          full: { avg10: 0.1, avg60: 0, avg300: 0, total: 70 },
        },
      },
    });
  });

  it.each(['v1', 'v2'] as const)('says nothing of a group on %s that is gone', (version) => {
    expect(cgroupFigures(version, () => undefined)).toBeUndefined();
    expect(cgroupCpuNanoseconds(version, () => undefined)).toBeUndefined();
  });

  it('takes v1’s largest number for no limit, and no quota for none', () => {
    const free = { ...V1, 'memory.limit_in_bytes': '9223372036854771712\n', 'cpu.cfs_quota_us': '-1\n' };
    const found = cgroupFigures('v1', reader(free));
    expect(found?.memory?.limitBytes).toBeUndefined();
    expect(found?.cpu?.quotaMicroseconds).toBeUndefined();
  });

  it('never tells a working set below nothing', () => {
    const odd = { ...V2, 'memory.current': '100\n' };
    expect(cgroupFigures('v2', reader(odd))?.memory?.workingSetBytes).toBe(0);
  });

  it('leaves out what a kernel does not have', () => {
    const { 'memory.peak': _peak, 'memory.swap.current': _swap, 'cpu.pressure': _pressure, ...old } = V2;
    const found = cgroupFigures('v2', reader(old));
    expect(found?.memory).not.toHaveProperty('maxUsageBytes');
    expect(found?.memory).not.toHaveProperty('swapBytes');
    expect(found).not.toHaveProperty('pressure');
  });
});

it.each([
  ['v1', V1, 123_456_789],
  ['v2', V2, 123_456_000],
] as const)('CPU time on %s', (version, files, nanoseconds) => {
  expect(cgroupCpuNanoseconds(version, reader(files))).toBe(nanoseconds);
});

it('reads pressure without a line of full stalls as none', () => {
  expect(pressureOf('some avg10=1.00 avg60=0.00 avg300=0.00 total=9\n')?.full).toEqual({
    total: 0,
    avg10: 0,
    avg60: 0,
    avg300: 0,
  });
  expect(pressureOf('')).toBeUndefined();
});

it('skips lines that hold no number', () => {
  expect([...flatKeyed('a 1\nb\nc max\n\nd 2 3')]).toEqual([
    ['a', 1],
    ['d', 2],
  ]);
});

describe('cgroupMemoryEvents', () => {
  it.each([
    ['v1', V1, { oomKills: 2, peakBytes: 6_000_000, limitBytes: 83_886_080 }],
    ['v1', { 'memory.oom_control': 'oom_kill_disable 0\n' }, { oomKills: 0 }],
    [
      'v2',
      { 'memory.events': 'low 0\nmax 7\noom 3\noom_kill 2\n', 'memory.peak': '60\n', 'memory.max': 'max\n' },
      { oomKills: 2, peakBytes: 60 },
    ],
    ['v2', {}, undefined],
  ] as const)('%s: %#', (version, files, wanted) => {
    expect(cgroupMemoryEvents(version, reader(files))).toEqual(wanted);
  });
});

describe('cgroupCpuPeriods', () => {
  it.each([
    [
      'v1',
      { 'cpu.stat': 'nr_periods 40\nnr_throttled 38\nthrottled_time 123\n' },
      { periods: 40, throttledPeriods: 38 },
    ],
    [
      'v2',
      { 'cpu.stat': 'usage_usec 5\nuser_usec 3\nsystem_usec 2\nnr_periods 7\nnr_throttled 0\nthrottled_usec 0\n' },
      { periods: 7, throttledPeriods: 0 },
    ],
    ['v2 without a controller', { 'cpu.stat': 'usage_usec 5\nuser_usec 3\nsystem_usec 2\n' }, undefined],
    ['no group', {}, undefined],
  ] as const)('%s', (_, files, wanted) => {
    expect(cgroupCpuPeriods(reader(files))).toEqual(wanted);
  });
});
