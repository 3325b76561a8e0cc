/**
 * Tests the requirements of Kubernetes' node conformance that no other suite covers: one node, all pods created at once, one per
 * test. docs/conformance.md lists which suite covers which behaviour.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, mainContainer, Mendlet, type ObservedContainer, type ObservedPod, until } from './harness.ts';

const IMAGE = { image: 'docker.io/library/busybox:latest', imagePullPolicy: 'IfNotPresent' };
const FOREVER = 'trap "exit 0" TERM; sleep 36000 & wait';
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  ...IMAGE,
  command: ['/bin/sh', '-c', script],
  ...more,
});
const never = (name: string, containers: readonly object[], spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, ...spec, containers },
});
const bound = (name: string, spec: object, container: object = {}) =>
  never(name, [shell('main', 'true', container)], { nodeName: 'e2e', ...spec });
const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const amount = (name: string, resource: string, divisor?: string) => ({
  name,
  valueFrom: { resourceFieldRef: { resource, ...(divisor === undefined ? {} : { divisor }) } },
});
const mount = (name: string, mountPath: string, more: object = {}) => ({
  volumeMounts: [{ name, mountPath, ...more }],
});
const ended = ({ status }: ObservedPod) => status.phase === 'Succeeded' || status.phase === 'Failed';
const condition = (pod: ObservedPod, type: string) => pod.status.conditions?.find((each) => each.type === type);
const containerOf = (pod: ObservedPod, name: string): ObservedContainer | undefined =>
  pod.status.containerStatuses?.find((status) => status.name === name);
const initStatuses = (pod: ObservedPod): readonly ObservedContainer[] =>
  (pod.status as { initContainerStatuses?: readonly ObservedContainer[] }).initContainerStatuses ?? [];
const restarts = (pod: ObservedPod) => mainContainer(pod)?.restartCount ?? 0;

/** A script that fails first, then succeeds, then never ends. */
const THIRD_TIME = 'echo x >>/v/count; case $(wc -l </v/count) in 1) exit 1;; 2) exit 0;; esac; sleep 36000';
const SCRATCH = { volumes: [{ name: 'v', emptyDir: {} }] };
/** A server that answers while its file exists, and counts requests by query. */
const serving = (after: string) =>
  `mkdir -p /w/cgi-bin; cd /w; echo ok >index.html; echo ok >healthz; printf '#!/bin/sh\\necho "Content-type: text/plain"; echo; echo $QUERY_STRING $HTTP_X_TRIAL >>/w/came' >cgi-bin/came; chmod +x cgi-bin/came; ${after} exec httpd -f -p 8080 -h /w`;
const PROBE = { initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 1 };
const http = (path: string) => ({ httpGet: { path, port: 8080 }, ...PROBE, initialDelaySeconds: 3 });
const exec = (...command: string[]) => ({ exec: { command }, ...PROBE });
/** Probe settings for containers that must not be restarted on a slow machine. */
const PATIENT = { timeoutSeconds: 60 };
const SERVES = { startupProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1, failureThreshold: 300, ...PATIENT } };
const probed = (name: string, script: string, container: object) => busyboxPod(name, script, { container });

const WEB = [{ containerPort: 8080, hostPort: 32123 }];
const RESOURCES = { requests: { cpu: '25m', memory: '16Mi' }, limits: { cpu: '1250m', memory: '64Mi' } };

const PODS: readonly object[] = [
  never(
    'env',
    [
      {
        name: 'main',
        ...IMAGE,
        command: ['env'],
        resources: RESOURCES,
        envFrom: [
          { configMapRef: { name: 'map' } },
          { prefix: 'p-', configMapRef: { name: 'map' } },
          { secretRef: { name: 'hidden' } },
          { configMapRef: { name: 'none', optional: true } },
        ],
        env: [
          { name: 'ONE', valueFrom: { configMapKeyRef: { name: 'map', key: 'data-1' } } },
          { name: 'NONE', valueFrom: { secretKeyRef: { name: 'hidden', key: 'no', optional: true } } },
          { name: 'BOTH', value: '$(ONE);;$(UNKNOWN);;$$(ONE)' },
          field('NAME', 'metadata.name'),
          field('UID', 'metadata.uid'),
          field('IP', 'status.podIP'),
          field('HOST', 'status.hostIP'),
          field('LABEL', "metadata.labels['app']"),
          amount('CPU_LIMIT', 'limits.cpu'),
          amount('CPU_REQUEST', 'requests.cpu', '1m'),
          amount('MEMORY_LIMIT', 'limits.memory', '1Mi'),
        ],
      },
      {
        name: 'unlimited',
        ...IMAGE,
        command: ['env'],
        env: [amount('CPU', 'limits.cpu'), amount('MEMORY', 'limits.memory')],
      },
    ],
    {},
    { labels: { app: 'x' } },
  ),
  never('commands', [
    { name: 'command', ...IMAGE, command: ['/bin/echo', '$(WORD)', 'b c'], env: [{ name: 'WORD', value: 'a' }] },
    { name: 'args', ...IMAGE, args: ['echo', 'of the image'] },
    { name: 'neither', ...IMAGE },
  ]),
  never('messages', [
    shell('file', 'echo -n OK >/dev/termination-log; exit 1'),
    shell('log', 'echo -n DONE; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
    shell('well', 'echo -n DONE', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
    shell('elsewhere', 'echo -n DONE >/dev/mine', {
      terminationMessagePath: '/dev/mine',
      securityContext: { runAsUser: 65534 },
    }),
  ]),
  never('long-message', [shell('main', 'head -c 6000 /dev/zero | tr "\\0" a >/dev/termination-log')]),
  ...(['Always', 'OnFailure', 'Never'] as const).map((restartPolicy) =>
    busyboxPod(`restart-${restartPolicy.toLowerCase()}`, THIRD_TIME, {
      spec: { ...SCRATCH, restartPolicy },
      container: mount('v', '/v'),
    }),
  ),
  never('init-fails', [shell('main', 'true')], { initContainers: [shell('one', 'true'), shell('two', 'exit 3')] }),
  busyboxPod('init-tries', 'true', {
    spec: { restartPolicy: 'Always', initContainers: [shell('one', 'false'), shell('two', 'true')] },
  }),
  never('hosts', [shell('main', 'cat /etc/hosts'), shell('own', 'cat /etc/hosts', mount('v', '/etc/hosts'))], {
    volumes: [{ name: 'v', hostPath: { path: '/etc/hosts', type: 'File' } }],
    hostAliases: [{ ip: '123.45.67.89', hostnames: ['foo', 'bar'] }],
  }),
  never(
    'security',
    [
      shell('user', 'id', { securityContext: { runAsUser: 1001, runAsGroup: 2002 } }),
      shell('plain', 'echo $(id) $(grep -E "NoNewPrivs|Seccomp:" /proc/self/status)'),
      shell('bound', 'echo $(grep -E "NoNewPrivs|CapEff|Seccomp:" /proc/self/status); touch /x 2>&1', {
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      }),
      shell('privileged', 'mkdir /t && mount -t tmpfs t /t && echo mounted', { securityContext: { privileged: true } }),
    ],
    { securityContext: { supplementalGroups: [1234], sysctls: [{ name: 'kernel.shm_rmid_forced', value: '1' }] } },
  ),
  busyboxPod('root', 'true', { container: { securityContext: { runAsNonRoot: true } } }),
  bound('sysctl', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '8192' }] } }),
  never(
    'paths',
    [
      shell('main', 'ls -d /all/foo; cat /etc/resolv.conf /sub/key', {
        env: [{ name: 'WHERE', value: 'foo' }],
        volumeMounts: [
          { name: 'v', mountPath: '/mine', subPathExpr: '$(WHERE)' },
          { name: 'v', mountPath: '/all' },
          { name: 'map', mountPath: '/etc/resolv.conf', subPath: 'data-1' },
          { name: 'mapped', mountPath: '/sub', subPath: 'deep' },
        ],
      }),
    ],
    {
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'map', configMap: { name: 'map' } },
        {
          name: 'mapped',
          projected: { sources: [{ secret: { name: 'hidden', items: [{ key: 'key', path: 'deep/key' }] } }] },
        },
      ],
    },
  ),
  busyboxPod('paths-out', FOREVER, {
    metadata: { annotations: { where: '..' } },
    spec: SCRATCH,
    container: {
      env: [field('WHERE', "metadata.annotations['where']")],
      ...mount('v', '/v', { subPathExpr: '$(WHERE)' }),
    },
  }),
  never(
    'modes',
    [
      shell(
        'main',
        'stat -L -c "%n %a %g" /c/* /s/* /d/* /e /m; cat /d/limit; for mode in 644 666 777; do touch /e/$mode; chmod $mode /e/$mode; stat -c %a /e/$mode; done',
        {
          volumeMounts: ['c', 's', 'd', 'e', 'm'].map((name) => ({ name, mountPath: `/${name}` })),
        },
      ),
    ],
    {
      securityContext: { runAsUser: 1000, fsGroup: 1001 },
      volumes: [
        { name: 'c', configMap: { name: 'map', items: [{ key: 'data-1', path: 'one', mode: 0o400 }] } },
        { name: 's', secret: { secretName: 'hidden', defaultMode: 0o440 } },
        {
          name: 'd',
          downwardAPI: {
            items: [{ path: 'limit', resourceFieldRef: { containerName: 'main', resource: 'limits.memory' } }],
          },
        },
        { name: 'e', emptyDir: {} },
        { name: 'm', emptyDir: { medium: 'Memory' } },
      ],
    },
  ),
  busyboxPod('server', serving('')),
  probed('http-well', serving(''), { ...SERVES, livenessProbe: { ...http('/'), ...PATIENT } }),
  probed('tcp-well', serving('(sleep 1; rm /w/healthz) &'), {
    ...SERVES,
    livenessProbe: { tcpSocket: { port: 8080 }, ...PROBE, ...PATIENT, initialDelaySeconds: 3 },
  }),
  probed('http-ill', serving('(sleep 5; rm /w/healthz) &'), { livenessProbe: http('/healthz') }),
  probed('exec-slow', FOREVER, { livenessProbe: exec('sleep', '10') }),
  probed('grpc-ill', FOREVER, { livenessProbe: { grpc: { port: 2333 }, ...PROBE } }),
  probed('never-ready', FOREVER, { readinessProbe: exec('false') }),
  probed('late-ready', FOREVER, { readinessProbe: { ...exec('true'), initialDelaySeconds: 5 } }),
  probed('starts-slowly', 'sleep 4; touch /up; exec sleep 36000', {
    startupProbe: { ...exec('cat', '/up'), ...PATIENT, failureThreshold: 100 },
    livenessProbe: { ...exec('cat', '/up'), ...PATIENT },
  }),
  probed('own-grace', 'trap "" TERM; exec sleep 36000', {
    livenessProbe: { ...exec('false'), terminationGracePeriodSeconds: 1 },
  }),
  busyboxPod('gated', FOREVER, { spec: { readinessGates: [{ conditionType: 'example.com/gate' }] } }),
  ...[0, 1].map((code) =>
    busyboxPod(`deleted-${code}`, `trap "exit ${code}" TERM; sleep 36000 & wait`, {
      metadata: { finalizers: ['example.com/hold'] },
      spec: { terminationGracePeriodSeconds: 30 },
    }),
  ),
  never('oom', [shell('main', 'exec tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })]),
  never('no-volume', [shell('main', 'true', mount('v', '/v'))], {
    initContainers: [shell('one', 'true')],
    volumes: [{ name: 'v', configMap: { name: 'none' } }],
  }),
  bound('wrong-node', { nodeSelector: { no: 'such' } }),
  bound('wrong-os', { os: { name: 'windows' } }),
  bound('much-cpu', {}, { resources: { requests: { cpu: '999' } } }),
  bound('much-disk', {}, { resources: { requests: { 'ephemeral-storage': '999Ti' } } }),
  busyboxPod('port', FOREVER, { container: { ports: WEB } }),
];

interface WithEphemeral {
  readonly ephemeralContainerStatuses?: readonly ObservedContainer[];
}

/** The process whose child has this command line. */
function parentOf(commandLine: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== commandLine) continue;
      return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    } catch {
      // It has ended since.
    }
  }
  throw new Error(`no process ${JSON.stringify(commandLine)}`);
}

describe('node conformance', () => {
  const mendlet = new Mendlet({ podNetwork: 221 });
  const logs = (pod: string, container = 'main') => mendlet.kubectl(['logs', pod, '-c', container]);
  const over = (name: string) => mendlet.untilPod(name, 'over', ended);
  const running = (name: string) =>
    mendlet.untilPod(name, 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
  const patch = (name: string, change: object, ...flags: string[]) =>
    mendlet.kubectl(['patch', 'pod', name, ...flags, '-p', JSON.stringify(change)]);

  beforeAll(async () => {
    await mendlet.up();
    await mendlet.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map' }, data: { 'data-1': 'value-1' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, stringData: { key: 'value-2' } },
      ...PODS,
    );
  });
  afterAll(() => mendlet.down());

  it('environment: maps, secrets, prefixes, references, the downward API, and what the node has as default limit', async () => {
    const { status, metadata } = await over('env');
    const lines = (await logs('env')).split('\n');
    const { podIP, hostIP } = status as { podIP?: string; hostIP?: string };
    expect(lines).toEqual(
      expect.arrayContaining([
        'data-1=value-1',
        'p-data-1=value-1',
        'key=value-2',
        'ONE=value-1',
        'BOTH=value-1;;$(UNKNOWN);;$(ONE)',
        'NAME=env',
        `UID=${metadata.uid}`,
        `IP=${podIP}`,
        `HOST=${hostIP}`,
        'LABEL=x',
        'CPU_LIMIT=2',
        'CPU_REQUEST=25',
        'MEMORY_LIMIT=64',
      ]),
    );
    expect(lines.some((line) => line.startsWith('NONE='))).toBe(false);
    const allocatable = JSON.parse(
      await mendlet.kubectl(['get', 'node', 'e2e', '-o', 'jsonpath={.status.allocatable}']),
    ) as { cpu: string; memory: string };
    const unlimited = (await logs('env', 'unlimited')).split('\n');
    expect(unlimited).toContain(`CPU=${allocatable.cpu}`);
    expect(unlimited).toContain(`MEMORY=${Number.parseInt(allocatable.memory, 10) * 1024}`);
  });

  it('commands and arguments replace those of the image', async () => {
    const pod = await over('commands');
    expect(pod.status.phase).toBe('Succeeded');
    expect(await logs('commands', 'command')).toBe('a b c\n');
    expect(await logs('commands', 'args')).toBe('of the image\n');
  });

  it('termination messages come with the end', async () => {
    const pod = await over('messages');
    const message = (name: string) => containerOf(pod, name)?.state.terminated?.message;
    expect(['file', 'log', 'well', 'elsewhere'].map(message)).toEqual(['OK', 'DONE', undefined, 'DONE']);
    expect(mainContainer(await over('long-message'))?.state.terminated?.message).toHaveLength(4096);
  });

  it('restart policies', async () => {
    const failed = await over('restart-never');
    expect([failed.status.phase, restarts(failed)]).toEqual(['Failed', 0]);
    const succeeded = await over('restart-onfailure');
    expect([succeeded.status.phase, restarts(succeeded)]).toEqual(['Succeeded', 1]);
    expect(mainContainer(succeeded)).toMatchObject({ ready: false, lastState: { terminated: { exitCode: 1 } } });
    await mendlet.untilPod(
      'restart-always',
      'running for the third time',
      (pod) => restarts(pod) === 2 && condition(pod, 'Ready')?.status === 'True',
    );
  });

  it('init containers that fail keep the rest from starting', async () => {
    const failed = await over('init-fails');
    expect(failed.status.phase).toBe('Failed');
    expect(condition(failed, 'Initialized')).toMatchObject({ status: 'False', reason: 'ContainersNotInitialized' });
    expect(initStatuses(failed).map(({ state }) => state.terminated?.exitCode)).toEqual([0, 3]);
    expect(mainContainer(failed)?.state.waiting?.reason).toBe('PodInitializing');
    const tries = await mendlet.untilPod(
      'init-tries',
      'restarted its init container',
      (pod) => (initStatuses(pod)[0]?.restartCount ?? 0) >= 1,
    );
    expect(tries.status.phase).toBe('Pending');
    expect(initStatuses(tries)[1]?.state.waiting?.reason).toBe('PodInitializing');
    expect(mainContainer(tries)?.state.waiting?.reason).toBe('PodInitializing');
  });

  it('/etc/hosts is managed, with aliases, unless it is mounted', async () => {
    await over('hosts');
    const managed = await logs('hosts');
    expect(managed).toContain('# Kubernetes-managed hosts file.');
    expect(managed).toContain('123.45.67.89\tfoo\tbar');
    expect(await logs('hosts', 'own')).toBe(readFileSync('/etc/hosts', 'utf8'));
  });

  it('security contexts', async () => {
    const { status } = await over('security');
    // A container that could not start would have no log either: this says which it was.
    const ends = status.containerStatuses?.map(({ name, state: { terminated } }) => `${name} ${terminated?.exitCode}`);
    expect(ends?.toSorted(), JSON.stringify(status.containerStatuses)).toEqual([
      'bound 1',
      'plain 0',
      'privileged 0',
      'user 0',
    ]);
    expect(await logs('security', 'user')).toMatch(/^uid=1001 gid=2002 .*1234/);
    expect(await logs('security', 'plain')).toMatch(/uid=0.* NoNewPrivs: 0 Seccomp: 0/);
    expect(await logs('security', 'bound')).toMatch(/CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2\n.*Read-only/);
    expect(await logs('security', 'privileged')).toBe('mounted\n');
    const root = await mendlet.untilPod(
      'root',
      'refused',
      (pod) => mainContainer(pod)?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(mainContainer(root)?.state.waiting?.message).toContain('image will run as root');
    expect((await over('sysctl')).status.reason).toBe('SysctlForbidden');
    const sysctls = ['foo-', 'kernel.shmmax', 'bar..'].map((name) => ({ name, value: '1' }));
    const refused = await mendlet.tryKubectl(
      ['create', '-f', '-'],
      JSON.stringify(bound('odd', { securityContext: { sysctls } })),
    );
    expect(refused.stderr).toMatch(/sysctls\[0\]\.name.*"foo-".*sysctls\[2\]\.name.*"bar\.\."/s);
    expect(refused.stderr).not.toContain('kernel.shmmax');
  });

  it('subPath and subPathExpr', async () => {
    await over('paths');
    expect(await logs('paths')).toBe('/all/foo\nvalue-1value-2');
    await mendlet.untilPod(
      'paths-out',
      'refused',
      (pod) => mainContainer(pod)?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    await patch('paths-out', { metadata: { annotations: { where: 'in' } } });
    await running('paths-out');
  });

  it('modes and groups of volumes for a user who is not root', async () => {
    const pod = await over('modes');
    expect(pod.status.phase).toBe('Succeeded');
    const memory = await mendlet.kubectl(['get', 'node', 'e2e', '-o', 'jsonpath={.status.allocatable.memory}']);
    expect((await logs('modes')).trim().split('\n')).toEqual([
      '/c/one 440 1001',
      '/s/key 440 1001',
      '/d/limit 644 1001',
      '/e 2777 1001',
      '/m 3777 1001',
      `${Number.parseInt(memory, 10) * 1024}644`,
      '666',
      '777',
    ]);
  });

  it('liveness, readiness and startup probes', async () => {
    for (const name of ['http-ill', 'exec-slow', 'grpc-ill', 'own-grace']) {
      await mendlet.untilPod(name, 'restarted', (pod) => restarts(pod) >= 1);
    }
    const late = await mendlet.untilPod('late-ready', 'ready', (pod) => condition(pod, 'Ready')?.status === 'True');
    const startedAt = Date.parse(mainContainer(late)?.state.running?.startedAt ?? '');
    const { lastTransitionTime } = condition(late, 'Ready') as { lastTransitionTime?: string };
    expect(Date.parse(lastTransitionTime ?? '') - startedAt).toBeGreaterThanOrEqual(4000);
    const slow = await mendlet.untilPod('starts-slowly', 'started', (pod) => mainContainer(pod)?.started === true);
    const unready = await running('never-ready');
    expect(condition(unready, 'Ready')?.status).toBe('False');
    for (const pod of [late, slow, unready, await mendlet.pod('http-well'), await mendlet.pod('tcp-well')]) {
      expect([pod.metadata.name, restarts(pod)]).toEqual([pod.metadata.name, 0]);
    }
  });

  it('hooks over HTTP reach another pod', async () => {
    const { status } = await running('server');
    const httpGet = (query: string) => ({
      httpGet: {
        host: status.podIP,
        port: 8080,
        path: `/cgi-bin/came?${query}`,
        httpHeaders: [{ name: 'X-Trial', value: 'yes' }],
      },
    });
    const lifecycle = { postStart: httpGet('post'), preStop: httpGet('pre') };
    await mendlet.create(busyboxPod('hooked', FOREVER, { container: { lifecycle } }));
    await running('hooked');
    await mendlet.kubectl(['delete', 'pod', 'hooked', '--grace-period=20']);
    expect(await mendlet.kubectl(['exec', 'server', '--', 'cat', '/w/came'])).toBe('post yes\npre yes\n');
  });

  it('a readiness gate', async () => {
    const pod = await running('gated');
    expect(condition(pod, 'Ready')).toMatchObject({ status: 'False', reason: 'ReadinessGatesNotReady' });
    const told = (status: string) =>
      patch('gated', { status: { conditions: [{ type: 'example.com/gate', status }] } }, '--subresource=status');
    await told('True');
    await mendlet.untilPod('gated', 'ready', (each) => condition(each, 'Ready')?.status === 'True');
    await told('False');
    await mendlet.untilPod('gated', 'not ready', (each) => condition(each, 'Ready')?.status === 'False');
  });

  it('a deleted pod tells how it ended while a finalizer holds it', async () => {
    for (const [code, phase] of [
      [0, 'Succeeded'],
      [1, 'Failed'],
    ] as const) {
      const name = `deleted-${code}`;
      await running(name);
      await mendlet.kubectl(['delete', 'pod', name, '--wait=false']);
      const pod = await over(name);
      expect([pod.status.phase, mainContainer(pod)?.state.terminated?.exitCode]).toEqual([phase, code]);
      await patch(name, { metadata: { finalizers: null } }, '--type=merge');
    }
  });

  it('a container that runs out of memory says so', async () => {
    expect(mainContainer(await over('oom'))?.state.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
  });

  it('a pod without its volumes is not ready to start containers', async () => {
    await until('FailedMount of no-volume', async () => {
      const events = await mendlet.events('no-volume');
      return events.includes('FailedMount') ? { value: events } : { last: events };
    });
    const pod = await mendlet.pod('no-volume');
    expect(pod.status.phase).toBe('Pending');
    expect(condition(pod, 'PodReadyToStartContainers')?.status).toBe('False');
    expect(condition(pod, 'Initialized')?.status).toBe('False');
  });

  it('the node refuses what it cannot run', async () => {
    await running('port');
    await mendlet.create(bound('same-port', {}, { ports: WEB }));
    const reasons: [string, string][] = [
      ['wrong-node', 'NodeAffinity'],
      ['wrong-os', 'PodOSNotSupported'],
      ['much-cpu', 'OutOfcpu'],
      ['much-disk', 'OutOfephemeral-storage'],
      ['same-port', 'NodePorts'],
    ];
    for (const [name, reason] of reasons) expect([name, (await over(name)).status.reason]).toEqual([name, reason]);
  });

  it('a log is linked for shippers, and goes with its pod', async () => {
    const pod = await running('port');
    const id = mainContainer(pod)?.containerID?.split('//')[1] ?? '';
    const link = `/var/log/containers/port_default_main-${id}.log`;
    expect(existsSync(link)).toBe(true);
    await mendlet.kubectl(['delete', 'pod', 'port']);
    await until('the link gone', async () => (existsSync(link) ? { last: link } : { value: true }));
  });

  it('a container starts although the shim of its pod was slow to answer', async () => {
    // A pod that may start nothing twice. While a shim creates one container it answers nobody, which on a busy machine takes seconds.
    await mendlet.create(busyboxPod('slow-shim', 'exec sleep 23456', { spec: { restartPolicy: 'Never' } }));
    await running('slow-shim');
    const shim = parentOf('sleep\u000023456\u0000');
    process.kill(shim, 'SIGSTOP');
    try {
      const flags = ['--image=docker.io/library/busybox:latest', '--image-pull-policy=IfNotPresent', '-c', 'second'];
      await mendlet.kubectl(['debug', 'slow-shim', ...flags, '--', 'sleep', '600']);
      // Longer than containerd waits for a task's state by default.
      await sleep(4000);
    } finally {
      process.kill(shim, 'SIGCONT');
    }
    const pod = await mendlet.untilPod('slow-shim', 'both have started or failed', ({ status }) => {
      const [second] = (status as WithEphemeral).ephemeralContainerStatuses ?? [];
      return second?.state.running !== undefined || second?.state.terminated !== undefined;
    });
    const [second] = (pod.status as WithEphemeral).ephemeralContainerStatuses ?? [];
    expect(second?.state, JSON.stringify(second)).toHaveProperty('running');
  });

  it('a critical pod makes others go', async () => {
    const cores = Number.parseInt(
      await mendlet.kubectl(['get', 'node', 'e2e', '-o', 'jsonpath={.status.allocatable.cpu}']),
      10,
    );
    const half = { resources: { requests: { cpu: `${cores * 600}m` } } };
    await mendlet.create(busyboxPod('burst', FOREVER, { container: half }));
    await running('burst');
    const pod = busyboxPod('critical', FOREVER, {
      metadata: { namespace: 'kube-system' },
      spec: { nodeName: 'e2e', priorityClassName: 'system-node-critical' },
      container: half,
    });
    await mendlet.create(pod);
    const burst = await over('burst');
    expect([burst.status.phase, burst.status.reason]).toEqual(['Failed', 'Preempting']);
    expect(condition(burst, 'DisruptionTarget')?.reason).toBe('TerminationByKubelet');
    await until('the critical pod', async () => {
      const { status } = await mendlet.pod('critical', 'kube-system');
      return status.phase === 'Running' ? { value: true } : { last: JSON.stringify(status) };
    });
    expect((await running('server')).status.phase).toBe('Running');
  });
});
