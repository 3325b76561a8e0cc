import { describe, expect, it } from 'vitest';
import { cgroupWrites, cpuWeight } from './cgroup-files.ts';
import { nameOfSlice, sliceFolder, sliceName, sliceProperties, startSliceCall } from './cgroup-slices.ts';

const asFiles = (version: 'v1' | 'v2', limits: Parameters<typeof cgroupWrites>[1]) =>
  Object.fromEntries(cgroupWrites(version, limits).map(({ file, value }) => [file, value]));

describe('cgroupWrites', () => {
  it.each([
    [
      'v1',
      { cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memoryLimitBytes: 64 << 20, pidsLimit: 100 },
      {
        'cpu.shares': '512',
        'cpu.cfs_period_us': '100000',
        'cpu.cfs_quota_us': '50000',
        'memory.limit_in_bytes': '67108864',
        'pids.max': '100',
      },
    ],
    [
      'v1',
      {},
      {
        'cpu.shares': '1024',
        'cpu.cfs_period_us': '100000',
        'cpu.cfs_quota_us': '-1',
        'memory.limit_in_bytes': '-1',
        'pids.max': 'max',
      },
    ],
    [
      'v2',
      { cpuShares: 2, cpuQuota: 20_000, memoryLimitBytes: 1024 },
      { 'cpu.weight': '1', 'cpu.max': '20000 100000', 'memory.max': '1024', 'pids.max': 'max' },
    ],
    ['v2', {}, { 'cpu.weight': '39', 'cpu.max': 'max 100000', 'memory.max': 'max', 'pids.max': 'max' }],
  ] as const)('writes every file on %s for %o', (version, limits, files) => {
    expect(asFiles(version, limits)).toEqual(files);
  });

  it('keeps weights within the kernel’s bounds', () => {
    expect([0, 2, 1024, 262_144, 1e9].map(cpuWeight)).toEqual([1, 1, 39, 10_000, 10_000]);
  });
});

describe('slices', () => {
  const path = ['mendlet-a1', 'kubepods', 'burstable', 'pod12ab-34cd'];

  it('are named by their way, dashes within a name escaped', () => {
    expect(sliceName(path)).toBe('mendlet_a1-kubepods-burstable-pod12ab_34cd.slice');
  });

  it('lie in the slice of each prefix', () => {
    expect(sliceFolder(path.slice(0, 2))).toBe('/mendlet_a1.slice/mendlet_a1-kubepods.slice');
  });

  it.each([
    ['mendlet_a1-kubepods-burstable-pod12ab_34cd.slice', 'pod12ab-34cd'],
    ['mendlet_a1.slice', 'mendlet-a1'],
    ['cri-containerd-0f3e.scope', undefined],
  ])('%s is called %s', (folder, name) => {
    expect(nameOfSlice(folder)).toBe(name);
  });

  it.each([
    [{ cpuQuota: 25_000, cpuPeriod: 100_000 }, '250000'],
    [{ cpuQuota: 1_001, cpuPeriod: 100_000 }, '20000'],
    [{}, '18446744073709551615'],
  ])('%o is a quota of %s µs per second', (limits, quota) => {
    const found = sliceProperties(limits).find(([name]) => name === 'CPUQuotaPerSecUSec');
    expect(found).toEqual(['CPUQuotaPerSecUSec', 't', quota]);
  });

  it('start with as many properties as they say', () => {
    const call = startSliceCall('x.slice', { memoryLimitBytes: 5 });
    const count = call.indexOf('x.slice') + 2;
    const properties = call.slice(count + 1, -1);
    expect(properties.length).toBe(Number(call[count]) * 3);
    expect(properties.join(' ')).toContain('MemoryMax t 5');
  });
});
