import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../api/index.ts';
import { testPod, UID } from '../plan/plan.fixtures.ts';
import { containerConfig } from './container-config.ts';
import { parseResolvConf, podDns } from './dns.ts';
import { etcHosts, hostNetworkEtcHosts } from './etc-hosts.ts';
import { containerMounts, type MountsInput } from './mounts.ts';
import { isSafeName, podDir, podLogDir, terminationMessagePath } from '../pods/pod-paths.ts';
import { kernelHostname, podHostname } from './hostname.ts';
import { sandboxConfig } from './sandbox-config.ts';

const host = { servers: ['192.0.2.53'], searches: ['example.org'], options: ['timeout:2'] };
const sandbox = (pod: Pod, mapsPorts = true) =>
  sandboxConfig({
    pod,
    mapsPorts,
    attempt: 2,
    instanceId: 'me',
    logDirectory: '/logs',
    cgroupParent: '/cg',
    hostname: 'web',
    dns: host,
  });

describe('the sandbox', () => {
  it("carries upstream's labels and ours", () => {
    const config = sandbox(testPod({}, { labels: { app: 'web' } }));
    expect(config.metadata).toEqual({ name: 'web', namespace: 'default', uid: UID, attempt: 2 });
    expect(config.labels).toEqual({
      app: 'web',
      'io.kubernetes.pod.name': 'web',
      'io.kubernetes.pod.namespace': 'default',
      'io.kubernetes.pod.uid': UID,
      'mendlet.dev/instance': 'me',
    });
  });

  it('maps ports, but not on the host network', () => {
    const containers = [
      {
        name: 'main',
        image: 'i',
        ports: [
          { containerPort: 80, hostPort: 8080, protocol: 'TCP' },
          { containerPort: 53, protocol: 'UDP' },
        ],
      },
    ];
    expect(sandbox(testPod({ containers })).portMappings).toEqual([
      { protocol: 'TCP', containerPort: 80, hostPort: 8080, hostIp: '' },
      { protocol: 'UDP', containerPort: 53, hostPort: 0, hostIp: '' },
    ]);
    expect(sandbox(testPod({ containers }), false).portMappings).toEqual([]);
    const onHost = sandbox(testPod({ containers, hostNetwork: true }));
    expect(onHost).toMatchObject({
      portMappings: [],
      namespaces: { network: 'node', pid: 'container', ipc: 'pod' },
    });
  });

  it.each([
    [{}, 'web', 'web'],
    [{ hostname: 'own' }, 'web', 'own'],
    [{}, `${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('has a hostname of at most 63 characters', (spec, name, expected) => {
    expect(podHostname(testPod(spec, { name }), 'cluster.local')).toEqual({ hostname: expected, domain: '' });
  });

  it.each([
    [{ subdomain: 'sub' }, 'web'],
    [{ subdomain: 'sub', setHostnameAsFQDN: true }, 'web.sub.default.svc.cluster.local'],
    [{ setHostnameAsFQDN: true }, 'web'],
    [{ hostnameOverride: 'other', subdomain: 'sub' }, 'other'],
  ])('%j is called %s within', (spec, expected) => {
    expect(kernelHostname(testPod(spec), 'cluster.local')).toBe(expected);
  });

  it('refuses a name that the kernel does not take', () => {
    const pod = testPod({ subdomain: 'x'.repeat(40), setHostnameAsFQDN: true });
    expect(() => kernelHostname(pod, 'cluster.local')).toThrow(
      /is too long \(64 characters is the max, \d+ characters requested\)/,
    );
  });
});

describe('DNS', () => {
  const dns = (spec: Parameters<typeof testPod>[0], clusterDns: readonly string[] = ['10.0.0.10']) =>
    podDns(testPod(spec), { clusterDns, clusterDomain: 'cluster.local', host }).dns;
  it.each([
    [
      'ClusterFirst',
      {},
      ['10.0.0.10'],
      ['default.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.org'],
      ['ndots:5'],
    ],
    ['Default', { dnsPolicy: 'Default' }, host.servers, host.searches, host.options],
    ['ClusterFirst on the host network', { hostNetwork: true }, host.servers, host.searches, host.options],
    [
      'None with a config',
      { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], options: [{ name: 'edns0' }] } },
      ['1.1.1.1'],
      [],
      ['edns0'],
    ],
    [
      'an option of its own',
      { dnsConfig: { options: [{ name: 'ndots', value: '2' }] } },
      ['10.0.0.10'],
      expect.anything(),
      ['ndots:2'],
    ],
  ])('%s', (_name, spec, servers, searches, options) => expect(dns(spec)).toEqual({ servers, searches, options }));

  it("falls back to the host's where the cluster has none", () => expect(dns({}, [])).toEqual(host));

  it('says what does not fit', () => {
    const dnsConfig = {
      nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'],
      searches: Array.from({ length: 40 }, (_, i) => `s${i}.test`),
    };
    const given = { clusterDns: [], clusterDomain: 'cluster.local', host: undefined };
    const { dns: found, warnings } = podDns(testPod({ dnsPolicy: 'None', dnsConfig }), given);
    expect(found.servers).toEqual(['1.1.1.1', '1.1.1.2', '1.1.1.3']);
    expect(found.searches).toHaveLength(32);
    expect(warnings).toEqual([
      expect.stringContaining('the applied nameserver line is: 1.1.1.1 1.1.1.2 1.1.1.3'),
      expect.stringContaining('Search Line limits were exceeded'),
    ]);
  });

  it('reads resolv.conf', () => {
    const text =
      '# c\nnameserver 1.1.1.1\nnameserver ::1 ; x\ndomain a.b\nsearch c.d e.f .\noptions ndots:2 edns0\nsortlist x\n';
    expect(parseResolvConf(text)).toEqual({
      servers: ['1.1.1.1', '::1'],
      searches: ['c.d', 'e.f', '.'],
      options: ['ndots:2', 'edns0'],
    });
  });
});

it('writes /etc/hosts', () => {
  const pod = testPod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }], subdomain: 'sub' });
  const text = etcHosts(pod, ['10.244.0.5'], 'cluster.local');
  expect(text).toContain('127.0.0.1\tlocalhost\n');
  expect(text).toContain('10.244.0.5\tweb.sub.default.svc.cluster.local\tweb\n');
  expect(text).toContain('1.2.3.4\ta\tb\n');
});

it('gives a pod on the host network the names of its node', () => {
  const pod = testPod({ hostNetwork: true, hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }] });
  const text = hostNetworkEtcHosts(pod, '127.0.0.1 localhost\n');
  expect(text).toBe(
    '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n\n# Entries added by HostAliases.\n1.2.3.4\ta\n',
  );
});

describe('a container', () => {
  const container: Container = {
    name: 'main',
    image: 'busybox',
    ports: [{ containerPort: 80 }],
    stdin: true,
    lifecycle: { stopSignal: 'SIGUSR1' },
  };
  const pod = testPod({ containers: [container] });
  const config = containerConfig({
    pod,
    container,
    start: {
      attempt: 3,
      imageId: 'sha256:1',
      imageUser: undefined,
      backOff: { key: 'k', delayMs: 10_000, lastUpdate: 5 },
    },
    program: { env: [{ name: 'A', value: 'b' }], command: ['sleep'], args: ['1'], mounts: [] },
    node: {
      instanceId: 'me',
      memory: { memoryBytes: 1e9, cgroupVersion: 'v1' },
      seccomp: { seccompDefault: true, seccompProfileRoot: '/agent/seccomp' },
    },
  });
  it('gets the runtime’s seccomp profile where the node says so', () => {
    expect(config.security.seccomp).toEqual({ type: 'RuntimeDefault' });
  });

  it('carries what the next decision needs', () => {
    expect(config).toMatchObject({
      name: 'main',
      attempt: 3,
      image: 'sha256:1',
      userSpecifiedImage: 'busybox',
      logPath: 'main/3.log',
      stdin: true,
      stopSignal: 'SIGUSR1',
    });
    expect(config.annotations).toMatchObject({
      'io.kubernetes.container.restartCount': '3',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
      'io.kubernetes.container.terminationMessagePolicy': 'File',
      'io.kubernetes.pod.terminationGracePeriod': '30',
      'io.kubernetes.container.ports': '[{"containerPort":80}]',
      'mendlet.dev/back-off': '{"key":"k","delayMs":10000,"lastUpdate":5}',
    });
    expect(config.labels).toMatchObject({ 'io.kubernetes.container.name': 'main', 'mendlet.dev/instance': 'me' });
  });
});

describe('mounts', () => {
  const mounts = (container: Partial<Container>, change: Partial<MountsInput> = {}) =>
    containerMounts({
      container: { name: 'main', image: 'i', ...container },
      volumes: { data: '/vol/data' },
      contentVolumes: new Map(),
      expand: (text) => (text.includes('MISSING') ? undefined : text.replace('$(A)', 'x')),
      terminationMessage: { hostPath: '/pods/msg', containerPath: '/dev/termination-log' },
      etcHosts: '/pods/etc-hosts',
      ...change,
    });
  const data = (more: object) => ({ volumeMounts: [{ name: 'data', mountPath: '/data', ...more }] });

  it('adds the message file and the hosts file', () => {
    const result = mounts(data({ readOnly: true, mountPropagation: 'HostToContainer' }));
    expect(result).toMatchObject({
      ok: true,
      mounts: [
        { containerPath: '/data', hostPath: '/vol/data', readonly: true, propagation: 'host-to-container' },
        { containerPath: '/etc/hosts', hostPath: '/pods/etc-hosts' },
        { containerPath: '/dev/termination-log', hostPath: '/pods/msg' },
      ],
    });
  });

  it('leaves /etc/hosts to a container that mounts its own', () => {
    const result = mounts({ volumeMounts: [{ name: 'data', mountPath: '/etc/hosts' }] });
    expect(result.ok && result.mounts.filter(({ containerPath }) => containerPath === '/etc/hosts')).toHaveLength(1);
  });

  it.each([
    [{ subPath: 'a/b' }, '/vol/data/a/b'],
    [{ subPath: './a//b/' }, '/vol/data/a/b'],
    [{ subPathExpr: 'p-$(A)' }, '/vol/data/p-x'],
  ])('%j lies at %s', (more, path) => {
    const result = mounts(data(more));
    expect(result.ok && result.mounts[0]?.hostPath).toBe(path);
  });

  it.each([[{ subPath: '/etc' }], [{ subPath: '../x' }], [{ subPath: 'a/../../x' }], [{ subPathExpr: '$(MISSING)' }]])(
    'refuses %j',
    (more) => expect(mounts(data(more)).ok).toBe(false),
  );

  it('refuses a volume that is not there', () =>
    expect(mounts(data({}), { volumes: {} })).toEqual({
      ok: false,
      message: 'cannot find volume "data" to mount into container "main"',
    }));
});

describe('paths', () => {
  it.each([
    ['a', true],
    ['a-b.c_D9', true],
    ['', false],
    ['..', false],
    ['a/b', false],
    ['a..b', false],
    ['-a', false],
    ['a\0', false],
    ['x'.repeat(254), false],
  ])('%j is safe: %s', (name, safe) => expect(isSafeName(name)).toBe(safe));
  it("are upstream's", () => {
    expect(podLogDir('/var/log/pods', testPod())).toBe(`/var/log/pods/default_web_${UID}`);
    expect(terminationMessagePath('/a', UID, 'main', 3)).toBe(`/a/pods/${UID}/containers/main/3`);
  });
  it('crash on what was not validated', () => {
    expect(() => podDir('/a', '../x')).toThrow('was not validated');
    expect(() => podLogDir('/a', testPod({}, { name: 'x/y' }))).toThrow('was not validated');
  });
});
