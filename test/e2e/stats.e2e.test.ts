/** Tests figures of pods' resources: the summary, the metrics API and `kubectl top`, the kubelet's metrics. */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkMetricsText } from '../../src/lib/check-metrics-text.ts';
import type { ContainerStats, PodStats, Summary } from '../../src/kubelet/stats/summary.ts';
import { inShort, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, kubectl120, kubectl136, Mendlet, root, until } from './harness.ts';
import { deployedExpressions } from '../../tools/prometheus/deployed-expressions.ts';
import { usageOf } from '../../tools/prometheus/expressions.ts';

const MIB = 1024 * 1024;

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 207 },
  { name: 'containerd 2', podNetwork: 217, containerdFolder: containerd2 },
];

interface Whole {
  readonly pod: PodStats;
  readonly main: Required<ContainerStats>;
  readonly all: Summary;
}

/** A pod that uses about a third of a core, by its limit, and 32 MiB, and writes to its layer, its volume and its log. */
const burner = busyboxPod(
  'burner',
  'head -c 5000 /dev/zero > /mine; head -c 9000 /dev/zero > /data/theirs; echo a line; ' +
    'tail -c 33554432 /dev/zero > /dev/null & x=$(head -c 33554432 /dev/zero | tr "\\0" x); while :; do :; done',
  {
    metadata: { labels: { app: 'burner' } },
    container: {
      resources: { limits: { cpu: '300m', memory: '200Mi' } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    },
    spec: { volumes: [{ name: 'data', emptyDir: {} }] },
  },
);
const sleeper = busyboxPod('sleeper', 'exec sleep 36000', { spec: { hostNetwork: true } });

describe.each(onRuntimes(runtimes, "the distribution's containerd"))('what pods use, on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  beforeAll(async () => {
    await mendlet.up();
    await mendlet.create(burner, sleeper);
    await mendlet.kubectl(['wait', '--for=condition=Ready', 'pod/burner', 'pod/sleeper', '--timeout=120s']);
  });
  afterAll(() => mendlet.down());

  const raw = (path: string): Promise<string> => mendlet.kubectl(['get', '--raw', `/api/v1/nodes/e2e/proxy${path}`]);
  const summary = async (): Promise<Summary> => JSON.parse(await raw('/stats/summary')) as Summary;
  const podIn = ({ pods }: Summary, name: string): PodStats | undefined =>
    pods.find(({ podRef }) => podRef.name === name);

  it('the summary has it all', async () => {
    const { pod, main, all } = await until<Whole>('figures of a container', async () => {
      const taken = await summary();
      const found = podIn(taken, 'burner');
      const container = found?.containers.find(({ name }) => name === 'main');
      const isWhole =
        (container?.cpu?.usageNanoCores ?? 0) > 1e8 &&
        (container?.rootfs?.usedBytes ?? 0) > 5000 &&
        (taken.node.cpu?.usageNanoCores ?? 0) > 0 &&
        (container?.memory?.workingSetBytes ?? 0) > 32 * MIB;
      if (found === undefined || container === undefined || !isWhole) return { last: JSON.stringify(found) };
      return { value: { pod: found, main: container as Required<ContainerStats>, all: taken } };
    });
    expect(main.cpu.usageNanoCores).toBeLessThan(5e8);
    expect(main.memory.workingSetBytes).toBeLessThan(150 * MIB);
    expect(main.memory.availableBytes).toBe(200 * MIB - (main.memory.workingSetBytes ?? 0));
    expect(main.memory.pageFaults).toBeGreaterThan(100);
    expect(main.rootfs.capacityBytes).toBeGreaterThan(100 * MIB);
    expect(main.logs.usedBytes).toBeGreaterThan(0);
    expect(pod.cpu?.usageCoreNanoSeconds).toBeGreaterThanOrEqual(main.cpu.usageCoreNanoSeconds ?? Number.NaN);
    expect(pod.network).toMatchObject({ name: 'eth0' });
    expect(pod.network?.rxBytes).toBeGreaterThan(0);
    expect(pod.process_stats?.process_count).toBeGreaterThanOrEqual(2);
    expect(pod.volume?.find(({ name }) => name === 'data')?.usedBytes).toBeGreaterThan(9000);
    expect(pod['ephemeral-storage']?.usedBytes).toBeGreaterThan(14_000);
    expect(podIn(all, 'sleeper')).not.toHaveProperty('network');
    const { node } = all;
    expect(node.systemContainers?.map(({ name }) => name)).toEqual(['kubelet', 'runtime', 'pods']);
    expect(node.memory?.workingSetBytes).toBeLessThan(node.memory?.usageBytes ?? 0);
    expect(node.fs?.capacityBytes).toBeGreaterThan(node.fs?.usedBytes ?? Number.NaN);
    expect(node.runtime?.imageFs?.usedBytes).toBeGreaterThan(MIB);
    expect(node.rlimit?.curproc).toBeGreaterThan(1);
  });

  const newest: [string, string] = ['1.36', kubectl136];
  it.each(inShort([newest], [newest, ['1.20', kubectl120]]))('kubectl %s top', async (_, binary) => {
    const top = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await mendlet.tryKubectl(['top', ...args], undefined, binary);
      return code === 0 ? stdout : `error: ${stderr}`;
    };
    const cpuOf = (text: string): number => Number(/^burner +(?:main +)?(\d+)m/m.exec(text)?.[1] ?? 0);
    const pods = await until<string>('kubectl top', async () => {
      const text = await top('pod');
      return cpuOf(text) > 100 ? { value: text } : { last: text };
    });
    expect(cpuOf(pods)).toBeLessThan(500);
    const memory = Number(/^burner +\d+m +(\d+)Mi/m.exec(pods)?.[1]);
    expect(memory).toBeGreaterThanOrEqual(32);
    expect(memory).toBeLessThan(150);
    expect(await top('pod', 'burner', '--containers')).toMatch(/^burner +main +\d+m +\d+Mi/m);
    expect(await top('pod', '-A', '--sort-by=cpu')).toMatch(/^default +burner [^]*^default +sleeper /m);
    expect(await top('pod', '-l', 'app=burner', '--no-headers')).toMatch(/^burner[^\n]*\n$/);
    expect(await top('node')).toMatch(/^e2e +\d+m +\d+% +\d+Mi +\d+%/m);
    expect(await top('pod', 'none')).toContain('NotFound');
  });

  it.each([
    ['/metrics', /^kubelet_runtime_operations_total\{operation_type="run_podsandbox"\} [1-9]/m],
    ['/metrics', /^kubelet_node_name\{node="e2e"\} 1$/m],
    ['/metrics', /^process_resident_memory_bytes [1-9]/m],
    [
      '/metrics/resource',
      /^container_memory_working_set_bytes\{container="main",namespace="default",pod="burner"\} \d{8}/m,
    ],
    ['/metrics/resource', /^resource_scrape_error 0$/m],
    ['/metrics/cadvisor', /^container_cpu_cfs_throttled_periods_total\{container="main",.*pod="burner"\} [1-9]/m],
    ['/metrics/cadvisor', /^container_network_receive_bytes_total\{.*interface="eth0",.*pod="burner"\} [1-9]/m],
    ['/metrics/probes', /^$/],
  ])('%s has %s', async (path, line) => {
    const text = await raw(path);
    expect(checkMetricsText(text)).toEqual([]);
    if (path !== '/metrics/probes') expect(text).toMatch(line);
  });

  it('Prometheus reads with the rights of deploy what the rules and the dashboard name', async () => {
    await mendlet.kubectl(['apply', '-f', join(root, 'deploy/prometheus/access.yaml')]);
    const token = await mendlet.kubectl(['-n', 'mendlet-monitoring', 'create', 'token', 'prometheus']);
    const scrape = scraper(mendlet.kubeconfig, token);
    const { status } = await mendlet.read<ObservedNode>('nodes/e2e');
    const address = status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
    const node = `https://${address}:${status.daemonEndpoints.kubeletEndpoint.Port}`;
    const answers = [scrape('/metrics'), scrape('/metrics', node), scrape('/metrics/resource', node)];
    const text = (await Promise.all(answers))
      .map(({ code, body }) => (code === 200 ? body : `${code} ${body}`))
      .join('\n');
    const served = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const missing = deployedExpressions().flatMap(({ expression }) =>
      usageOf(expression)
        .metrics.map(({ name }) => name)
        .filter((name) => !served.has(name) && !served.has(name.replace(/_(bucket|sum|count)$/, ''))),
    );
    expect([...new Set(missing)].filter((name) => !name.startsWith('kubelet_volume_stats_'))).toEqual(['up']);
    expect(await scrape('/api/v1/secrets')).toMatchObject({ code: 403 });
    expect(await scrape('/pods', node)).toMatchObject({ code: 403 });
  });

  it('what is gone is gone', async () => {
    await mendlet.kubectl(['delete', 'pod', 'burner', '--wait=true']);
    const left = await until<string>('an answer without the pod', async () => {
      const text = (await raw('/metrics/cadvisor')) + (await raw('/metrics/resource'));
      return text.includes('pod="burner"') ? { last: text } : { value: text };
    });
    expect(left).toContain('pod="sleeper"');
  });
});

interface ObservedNode {
  readonly status: {
    readonly addresses: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints: { readonly kubeletEndpoint: { readonly Port: number } };
  };
}

/** Asks as Prometheus does: with a token, and with trust in the cluster's authority. */
function scraper(kubeconfig: string, token: string) {
  const text = readFileSync(kubeconfig, 'utf8');
  const server = /server: (\S+)/.exec(text)?.[1] ?? '';
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(text)?.[1] ?? '', 'base64');
  return (path: string, origin = server): Promise<{ readonly code: number | undefined; readonly body: string }> =>
    new Promise((done, fail) => {
      get(`${origin}${path}`, { ca, headers: { authorization: `Bearer ${token.trim()}` } }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (more: string) => (body += more));
        answer.on('end', () => done({ code: answer.statusCode, body }));
      }).on('error', fail);
    });
}
