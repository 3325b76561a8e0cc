import { describe, expect, it } from 'vitest';
import { checkMetricsText } from '../../lib/check-metrics-text.ts';
import { cadvisorMetrics } from './cadvisor-metrics.ts';
import type { Measurement } from './measurement.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { toSummary } from './to-summary.ts';

const AT = { wall: 1_790_000_000_000, mono: 5000 };
const space = { bytes: 1000, freeBytes: 400, usedBytes: 500, inodes: 100, freeInodes: 60 };
const eth0 = {
  name: 'eth0',
  rxBytes: 1,
  rxPackets: 2,
  rxErrors: 3,
  rxDropped: 4,
  txBytes: 5,
  txPackets: 6,
  txErrors: 7,
  txDropped: 8,
};

const MEASURED: Measurement = {
  at: AT,
  nodeName: 'n',
  machine: {
    bootedAt: 1_780_000_000_000,
    cpu: { usageNanoseconds: 9e9, userNanoseconds: 5e9, systemNanoseconds: 4e9 },
    memory: {
      totalBytes: 10_000,
      usageBytes: 6000,
      workingSetBytes: 5000,
      rssBytes: 3000,
      cacheBytes: 1000,
      swapTotalBytes: 100,
      swapFreeBytes: 60,
    },
    interfaces: [eth0],
    defaultInterface: 'eth0',
  },
  machineNanoCores: 250_000_000,
  allPods: { figures: { memory: { usageBytes: 500, workingSetBytes: 300 } } },
  nodeFs: space,
  imageFs: { ...space, usedBytes: 77, inodesUsed: 7 },
  processes: { max: 32_768, current: 99 },
  pods: [
    {
      uid: 'u1',
      name: 'web "1"',
      namespace: 'default',
      startedAt: 1_789_999_000_000,
      cgroupPath: ['kubepods', 'burstable', 'podu1'],
      figures: { cpu: { usageNanoseconds: 3e9 }, memory: { usageBytes: 400, workingSetBytes: 200 } },
      nanoCores: 100_000_000,
      containers: [
        {
          name: 'app',
          id: 'c1',
          image: 'docker.io/library/busybox:latest',
          startedAt: 1_789_999_500_000,
          figures: {
            cpu: {
              usageNanoseconds: 2e9,
              quotaMicroseconds: 30_000,
              periodMicroseconds: 100_000,
              periods: 10,
              throttledPeriods: 4,
              throttledNanoseconds: 5e8,
            },
            memory: { usageBytes: 300, workingSetBytes: 150, limitBytes: 1000, swapBytes: 0, oomKills: 1 },
            pids: { current: 3 },
          },
          nanoCores: 90_000_000,
          writableLayer: { usedBytes: 40, inodesUsed: 4 },
          logs: { bytes: 10, inodes: 2 },
        },
        { name: 'wedged', id: 'c2', image: '', startedAt: 1_789_999_600_000 },
      ],
      interfaces: [eth0],
      processes: 5,
      logs: { bytes: 12, inodes: 3 },
      volumes: [
        { name: 'disk', isEphemeral: true, usage: { bytes: 100, inodes: 5 }, space },
        { name: 'memory', isEphemeral: false, usage: { bytes: 900, inodes: 6 }, space },
        { name: 'claim', isEphemeral: false, pvcName: 'data', space },
      ],
    },
  ],
};

const idOf = (path: readonly string[], id?: string): string => `/${[...path, ...(id ? [id] : [])].join('/')}`;

describe('toSummary', () => {
  const { node, pods } = toSummary(MEASURED);
  const [pod] = pods;
  const time = '2026-09-21T14:13:20Z';

  it('tells the node', () => {
    expect(node).toMatchObject({
      nodeName: 'n',
      startTime: '2026-05-28T20:26:40Z',
      cpu: { time, usageNanoCores: 250_000_000, usageCoreNanoSeconds: 9e9 },
      memory: { availableBytes: 5000, usageBytes: 6000, workingSetBytes: 5000 },
      network: { name: 'eth0', rxBytes: 1, txErrors: 7, interfaces: [{ name: 'eth0' }] },
      fs: { time, availableBytes: 400, capacityBytes: 1000, usedBytes: 500, inodesUsed: 40 },
      runtime: { imageFs: { usedBytes: 77, inodesUsed: 7 }, containerFs: { usedBytes: 77 } },
      rlimit: { time, maxpid: 32_768, curproc: 99 },
      systemContainers: [{ name: 'pods', memory: { availableBytes: 9700, workingSetBytes: 300 } }],
    });
  });

  it('tells pods and containers', () => {
    expect(pod).toMatchObject({
      podRef: { name: 'web "1"', namespace: 'default', uid: 'u1' },
      cpu: { usageNanoCores: 100_000_000 },
      process_stats: { process_count: 5 },
      containers: [
        {
          name: 'app',
          startTime: '2026-09-21T14:05:00Z',
          cpu: { usageNanoCores: 90_000_000, usageCoreNanoSeconds: 2e9 },
          memory: { availableBytes: 850, workingSetBytes: 150 },
          rootfs: { usedBytes: 40, inodesUsed: 4, capacityBytes: 1000 },
          logs: { usedBytes: 10, inodesUsed: 2 },
        },
        { name: 'wedged' },
      ],
    });
    expect(pod?.memory).not.toHaveProperty('availableBytes');
  });

  it('leaves out what could not be read', () => {
    const wedged = pod?.containers[1];
    expect(Object.keys(wedged ?? {})).toEqual(['name', 'startTime']);
    const bare = toSummary({ at: AT, nodeName: 'n', pods: [] });
    expect(Object.keys(bare.node)).toEqual(['nodeName', 'startTime']);
  });

  it('sums what is on the node’s disk', () => {
    expect(pod?.['ephemeral-storage']).toMatchObject({ usedBytes: 40 + 12 + 100, inodesUsed: 4 + 3 + 5 });
    expect(pod?.volume).toMatchObject([
      { name: 'disk', usedBytes: 100, capacityBytes: 1000 },
      { name: 'memory', usedBytes: 900 },
      { name: 'claim', pvcRef: { name: 'data', namespace: 'default' } },
    ]);
  });
});

describe('metrics', () => {
  const resource = resourceMetrics(MEASURED);
  const cadvisor = cadvisorMetrics(MEASURED, { idOf, cpuCores: 2, memoryBytes: 10_000 });

  it.each([
    ['resource', resource],
    ['resource without figures', resourceMetrics(undefined)],
    ['cadvisor', cadvisor],
    [
      'cadvisor of nothing',
      cadvisorMetrics({ at: AT, nodeName: 'n', pods: [] }, { idOf, cpuCores: 2, memoryBytes: 1 }),
    ],
  ])('are well formed: %s', (_, text) => {
    expect(checkMetricsText(text)).toEqual([]);
  });

  it.each([
    `node_cpu_usage_seconds_total 9 ${AT.wall}`,
    `node_memory_working_set_bytes 5000 ${AT.wall}`,
    `container_cpu_usage_seconds_total{container="app",namespace="default",pod="web \\"1\\""} 2 ${AT.wall}`,
    `container_start_time_seconds{container="app",namespace="default",pod="web \\"1\\""} 1789999500`,
    `pod_memory_working_set_bytes{namespace="default",pod="web \\"1\\""} 200 ${AT.wall}`,
    'resource_scrape_error 0',
  ])('resource has %s', (line) => {
    expect(resource.split('\n')).toContain(line);
  });

  it('say that nothing could be taken', () => {
    expect(resourceMetrics(undefined)).toContain('\nscrape_error 1\n');
  });

  const app =
    'container="app",id="/kubepods/burstable/podu1/c1",image="docker.io/library/busybox:latest",name="c1",namespace="default",pod="web \\"1\\""';
  it.each([
    `container_cpu_usage_seconds_total{container="app",cpu="total",${app.split(',').slice(1).join(',')}} 2 ${AT.wall}`,
    `container_cpu_cfs_throttled_periods_total{${app}} 4 ${AT.wall}`,
    `container_memory_working_set_bytes{${app}} 150 ${AT.wall}`,
    `container_spec_memory_limit_bytes{${app}} 1000 ${AT.wall}`,
    `container_oom_events_total{${app}} 1 ${AT.wall}`,
    `container_network_receive_bytes_total{container="",id="/kubepods/burstable/podu1",image="",interface="eth0",name="",namespace="default",pod="web \\"1\\""} 1 ${AT.wall}`,
    `container_memory_usage_bytes{container="",id="/",image="",name="",namespace="",pod=""} 6000 ${AT.wall}`,
    'machine_cpu_cores 2',
  ])('cadvisor has %s', (line) => {
    expect(cadvisor.split('\n')).toContain(line);
  });
});
