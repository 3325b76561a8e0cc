import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { FIELDS } from './fields.ts';
import { parseGoDuration } from './go-duration.ts';
import { parseConfiguration } from './parse-configuration.ts';
import { showConfiguration } from './show-configuration.ts';
import { UNHEEDED_FIELDS } from './upstream-fields.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const parse = (text: string) => parseConfiguration('k.yaml', HEAD + text);

describe('parseConfiguration', () => {
  it('gives the defaults for an empty one', () => {
    expect(parse('')).toEqual({ settings: DEFAULT_SETTINGS, problems: [], warnings: [] });
  });

  it('reads what it heeds', () => {
    const { settings, problems, warnings } = parse(`
staticPodPath: /etc/kubernetes/manifests
fileCheckFrequency: 1m30s
maxPods: 30
podPidsLimit: 500
serializeImagePulls: true
clusterDNS: [10.96.0.10]
clusterDomain: example.org
crashLoopBackOff: {maxContainerRestartPeriod: 2s}
containerLogMaxSize: 1Mi
containerLogMaxFiles: 3
evictionHard: {memory.available: 5%}
evictionSoft: {memory.available: 10%}
evictionSoftGracePeriod: {memory.available: 1m}
nodeStatusUpdateFrequency: 0s
enableDebuggingHandlers: false
featureGates: {EventedPLEG: false}
`);
    expect([problems, warnings]).toEqual([[], []]);
    expect(settings).toEqual({
      ...DEFAULT_SETTINGS,
      staticPodPath: '/etc/kubernetes/manifests',
      fileCheckFrequencyMs: 90_000,
      maxPods: 30,
      podPidsLimit: 500,
      maxParallelImagePulls: 1,
      clusterDns: ['10.96.0.10'],
      clusterDomain: 'example.org',
      crashLoopBackOff: { maxContainerRestartPeriodMs: 2000 },
      containerLogs: { ...DEFAULT_SETTINGS.containerLogs, maxSizeBytes: 1024 * 1024, maxFiles: 3 },
      eviction: {
        ...DEFAULT_SETTINGS.eviction,
        hard: { 'memory.available': '5%' },
        soft: { 'memory.available': '10%' },
        softGracePeriodMs: { 'memory.available': 60_000 },
      },
      enableDebuggingHandlers: false,
      pleg: { ...DEFAULT_SETTINGS.pleg, mode: 'generic' },
    });
  });

  it.each([
    ['maxPodz: 3', 'k.yaml:3: maxPodz: unknown field'],
    ['maxPods: "3"', 'k.yaml:3: maxPods: "3" is not a whole number'],
    ['maxPods: -1', 'k.yaml:3: maxPods: -1 is not between 0 and 2147483647'],
    ['podPidsLimit: 0', 'k.yaml:3: podPidsLimit: 0 is neither −1 (unlimited) nor a limit'],
    ['fileCheckFrequency: 20', 'k.yaml:3: fileCheckFrequency: 20 is not a duration such as "1m30s"'],
    ['containerLogMonitorInterval: 1s', 'k.yaml:3: containerLogMonitorInterval: "1s" is shorter than 3s'],
    ['containerLogMaxSize: 10Mb', 'k.yaml:3: containerLogMaxSize: "10Mb" is not a quantity of bytes such as "10Mi"'],
    ['containerLogMaxFiles: 1', 'k.yaml:3: containerLogMaxFiles: 1 is not between 2 and 2147483647'],
    ['seccompDefault: "true"', 'k.yaml:3: seccompDefault: "true" is not true or false'],
    ['clusterDNS: 1.2.3.4', 'k.yaml:3: clusterDNS: "1.2.3.4" is not a list'],
    ['clusterDNS: [a, 2]', 'k.yaml:3: clusterDNS[1]: 2 is not a string'],
    ['clusterDNS: [10.96.0.10, dns.local]', 'k.yaml:3: clusterDNS[1]: "dns.local" is not an IP address'],
    ['evictionHard: {memory.available: 5}', 'k.yaml:3: evictionHard[memory.available]: 5 is not a string'],
    ['evictionSoft: {memory.available: 5%}', 'k.yaml:3: evictionSoft[memory.available]: it has no grace in'],
    ['evictionHard: {disk: 5%}', 'k.yaml:3: evictionHard[disk]: unknown signal; known are memory.available, '],
    [
      'evictionHard: {memory.available: lots}',
      'k.yaml:3: evictionHard[memory.available]: "lots" is neither a quantity',
    ],
    ['evictionMinimumReclaim: {memory.available: 101%}', 'k.yaml:3: evictionMinimumReclaim[memory.available]: "101%"'],
    ['crashLoopBackOff: {max: 1s}', 'k.yaml:3: crashLoopBackOff.max: unknown field'],
    [
      'crashLoopBackOff: {maxContainerRestartPeriod: 10m}',
      'k.yaml:3: crashLoopBackOff.maxContainerRestartPeriod: "10m" is longer than 5m0s',
    ],
    ['imageGCLowThresholdPercent: 90', 'k.yaml:3: imageGCLowThresholdPercent: 90 is not below'],
    ['serializeImagePulls: true\nmaxParallelImagePulls: 3', 'k.yaml:4: maxParallelImagePulls: it cannot be above 1'],
    ['featureGates: {EventedPLEG: maybe}', 'k.yaml:3: featureGates[EventedPLEG]: "maybe" is not true or false'],
    ['maxPods: 3\nmaxPods: 4', 'k.yaml: '],
    ['a: [', 'k.yaml: '],
    ['---\na: 1', 'k.yaml:3: one document is wanted, not several'],
  ])('%s: %s', (text, problem) => {
    const { problems } = parse(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(problem);
  });

  it.each([
    ['', 'k.yaml: the file is empty'],
    ['- 1', 'k.yaml: not an object'],
    ['kind: Pod\napiVersion: v1', 'k.yaml: apiVersion "v1", kind "Pod": wanted are'],
  ])('%j: %s', (text, problem) => {
    expect(parseConfiguration('k.yaml', text).problems[0]).toContain(problem);
  });

  it('names all that is wrong at once', () => {
    expect(parse('a: 1\nmaxPods: x').problems).toHaveLength(2);
  });

  it('warns of what upstream has and has no effect here', () => {
    expect(parse('cpuManagerPolicy: static\nfeatureGates: {Foo: true}\nregisterNode: null').warnings).toEqual([
      'k.yaml:3: cpuManagerPolicy: this field of upstream has no effect here',
      'k.yaml:4: featureGates.Foo: this feature gate has no effect here',
    ]);
  });

  it('knows no field as heeded and as unheeded', () => {
    expect(Object.keys(FIELDS).filter((name) => UNHEEDED_FIELDS.has(name))).toEqual([]);
  });
});

describe('showConfiguration', () => {
  it('shows what would be read as the same settings again', () => {
    const { settings } = parse(
      'maxPods: 7\nevictionSoft: {pid.available: 1%}\nevictionSoftGracePeriod: {pid.available: 90s}\nclusterDNS: [10.0.0.1]',
    );
    const form = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      ...showConfiguration(settings),
    };
    expect(parseConfiguration('k', JSON.stringify(form))).toEqual({ settings, problems: [], warnings: [] });
    expect(form).toMatchObject({
      maxPods: 7,
      evictionSoftGracePeriod: { 'pid.available': '1m30s' },
      fileCheckFrequency: '20s',
    });
  });
});

it.each([
  ['0', 0],
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['-2ms', -2],
  ['10', undefined],
  ['', undefined],
  ['1d', undefined],
  ['1s ', undefined],
])('duration %j: %s', (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms);
});

describe('how often the status is computed and told', () => {
  it.each<[string, number, number]>([
    ['', 10_000, 300_000],
    ['nodeStatusUpdateFrequency: 4s', 4_000, 4_000],
    ['nodeStatusReportFrequency: 1m', 10_000, 60_000],
    ['nodeStatusReportFrequency: 1m\nnodeStatusUpdateFrequency: 4s', 4_000, 60_000],
    ['nodeStatusReportFrequency: 0s', 10_000, 300_000],
  ])('%j', (text, update, report) => {
    const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    const { settings, problems } = parseConfiguration('f', head + text);
    expect(problems).toEqual([]);
    expect([settings.nodeStatusUpdateFrequencyMs, settings.nodeStatusReportFrequencyMs]).toEqual([update, report]);
  });
});
