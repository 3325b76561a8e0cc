import { describe, expect, it } from 'vitest';
import { interfaceFigures, machineUsage, processFigures } from './proc-figures.ts';

const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
  eth0:4159509889  10 1 2 0 0 0 0 6283864 20 3 4 0 0 0 0
vethab12: 5 5 5 5 0 0 0 0 5 5 5 5 0 0 0 0
`;

describe('interfaceFigures', () => {
  it('tells of real interfaces alone', () => {
    expect(interfaceFigures(NET_DEV)).toEqual([
      {
        name: 'eth0',
        rxBytes: 4_159_509_889,
        rxPackets: 10,
        rxErrors: 1,
        rxDropped: 2,
        txBytes: 6_283_864,
        txPackets: 20,
        txErrors: 3,
        txDropped: 4,
      },
    ]);
  });

  it.each(['', 'eth0: 1 2 3\n', 'nonsense'])('tells nothing of %j', (text) => {
    expect(interfaceFigures(text)).toEqual([]);
  });
});

describe('machineUsage', () => {
  const texts = {
    stat: 'cpu  100 20 30 4000 50 6 7 8 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nbtime 1790000000\n',
    meminfo:
      'MemTotal:  1000 kB\nMemFree:  300 kB\nCached:  200 kB\nAnonPages:  150 kB\nActive(file):  90 kB\nInactive(file):  100 kB\nSwapTotal:  50 kB\nSwapFree:  20 kB\n',
    vmstat: 'pgfault 500\npgmajfault 5\n',
    netDev: NET_DEV,
    pressure: {},
    defaultInterface: 'eth0',
  };

  it('counts as the kernel does', () => {
    const found = machineUsage(texts);
    expect(found).toMatchObject({
      bootedAt: 1_790_000_000_000,
      cpu: { usageNanoseconds: 1_710_000_000, userNanoseconds: 1_200_000_000, systemNanoseconds: 430_000_000 },
      memory: {
        totalBytes: 1_024_000,
        usageBytes: 700 * 1024,
        workingSetBytes: 600 * 1024,
        rssBytes: 150 * 1024,
        swapTotalBytes: 50 * 1024,
        swapFreeBytes: 20 * 1024,
        pageFaults: 500,
        majorPageFaults: 5,
      },
      defaultInterface: 'eth0',
    });
    expect(found).not.toHaveProperty('pressure');
  });

  it('leaves out what a machine without files does not say', () => {
    const found = machineUsage({ stat: '', meminfo: '', vmstat: '', netDev: '', pressure: {} });
    expect(found).not.toHaveProperty('cpu');
    expect(found.memory).not.toHaveProperty('pageFaults');
  });
});

describe('processFigures', () => {
  const tail = 'S 1 7 7 0 -1 4194560 900 0 4 0 50 25 0 0 20 0 11 0 1000 123456789 2500 18446744073709551615 1 1';

  it.each(['(node)', '(a) b (c)'])('reads the line of %s', (command) => {
    expect(
      processFigures({
        stat: `7 ${command} ${tail}`,
        status: 'Name:\tx\nRssAnon:\t    4000 kB\n',
        limits:
          'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096                 files\n',
        openFiles: 12,
        bootedAt: 1_000_000,
      }),
    ).toEqual({
      startedAt: 1_010_000,
      cpuNanoseconds: 750_000_000,
      virtualBytes: 123_456_789,
      residentBytes: 2500 * 4096,
      anonymousBytes: 4000 * 1024,
      pageFaults: 900,
      majorPageFaults: 4,
      openFiles: 12,
      maxOpenFiles: 1024,
    });
  });

  it('has nothing of a line that was cut', () => {
    expect(processFigures({ stat: '7 (x) S 1', status: '', bootedAt: 0 })).toBeUndefined();
  });
});
