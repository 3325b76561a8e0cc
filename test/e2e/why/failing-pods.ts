/** Pods that each fail in a different way, with the first finding of `mendlet why`. All use one image of busybox. */
import { busyboxPod } from '../harness.ts';

export interface FailingPod {
  readonly name: string;
  /** The finding that must come first. */
  readonly finding: string;
  /** The required beginning of its state then; absent: any. */
  readonly state?: string;
  /** Texts that the evidence must quote. */
  readonly quotes: readonly string[];
  /** A text that some suggested command must contain. */
  readonly tries?: string;
  readonly objects: readonly object[];
}

const IMAGE = 'docker.io/library/busybox:latest';
const sleep = 'exec sleep 36000';
/** @param port "ADDRESS:PORT" listens only at that address */
const serve = (port: number | string): string =>
  `mkdir -p /www; echo ok >/www/index.html; exec httpd -f -p ${port} -h /www`;

function failing(
  name: string,
  finding: string,
  quotes: readonly string[],
  script: string,
  extra: Parameters<typeof busyboxPod>[2] = {},
  others: readonly object[] = [],
): FailingPod {
  return { name, finding, quotes, objects: [...others, busyboxPod(name, script, extra)] };
}

/** A pod without a shell, whose command is faulty. */
function commanded(
  name: string,
  finding: string,
  quotes: readonly string[],
  command: readonly string[],
  spec: object = {},
  container: object = {},
): FailingPod {
  return { name, finding, quotes, objects: [busyboxPod(name, '', { spec, container: { command, ...container } })] };
}

function imageOf(
  name: string,
  finding: string,
  image: string,
  quotes: readonly string[],
  policy = 'Always',
): FailingPod {
  return {
    name,
    finding,
    quotes,
    objects: [busyboxPod(name, sleep, { container: { image, imagePullPolicy: policy } })],
  };
}

const probe = (fields: object): object => ({ periodSeconds: 1, failureThreshold: 2, ...fields });
const data = { volumes: [{ name: 'data', emptyDir: {} }] };
const dataMount = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
/** The first bytes of a program for another machine: 64 bits, s390x, which no test machine is. */
const foreignElf = `printf '\\177ELF\\002\\002\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\026\\000\\000\\000\\001' >/data/app; chmod 755 /data/app`;

export interface Registries {
  readonly open: string;
  readonly locked: string;
  /** A registry with plain HTTP at an address where TLS is expected. */
  readonly plain: string;
}

export function failingPods(registries: Registries): readonly FailingPod[] {
  return [
    failing('oom', 'out-of-memory', ['OOMKilled', '137', '16Mi'], 'echo allocating; tail /dev/zero', {
      container: { resources: { limits: { memory: '16Mi' } } },
    }),
    failing('exit-1', 'exit-code', ['1', 'last words'], 'echo last words; exit 1'),
    failing('exit-2', 'exit-code', ['2', 'usage'], 'echo "usage: app FILE"; exit 2'),
    failing('exit-126', 'not-executable', ['126', 'Permission denied'], '/etc/passwd; exit $?'),
    failing('exit-127', 'missing-binary', ['127', 'nosuch: not found'], 'nosuch --serve; exit $?'),
    failing('segfault', 'signal', ['139', 'SIGSEGV'], 'sh -c "kill -SEGV \\$\\$"; exit $?'),
    failing('killed', 'signal', ['137', 'SIGKILL'], 'sh -c "kill -KILL \\$\\$"; exit $?'),
    failing('terminated', 'signal', ['143', 'SIGTERM'], 'sh -c "kill -TERM \\$\\$"; exit $?'),
    failing('completes', 'completed-under-always', ['0', 'Completed'], 'echo all done; exit 0'),
    commanded('missing-binary', 'missing-binary', ['/no/such/app'], ['/no/such/app']),
    commanded('exec-denied', 'not-executable', ['/etc/passwd', 'permission denied'], ['/etc/passwd']),
    commanded('no-folder', 'start-refused', ['not a directory'], ['/bin/true'], {}, { workingDir: '/etc/passwd' }),
    failing('post-start', 'post-start-hook', ['cannot warm the cache'], sleep, {
      container: {
        lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo cannot warm the cache; exit 1'] } } },
      },
    }),
    failing('too-long', 'deadline-exceeded', ['DeadlineExceeded', '2'], sleep, { spec: { activeDeadlineSeconds: 2 } }),
    failing('sysctl', 'rejected', ['SysctlForbidden'], sleep, {
      spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '65536' }] } },
    }),
    commanded(
      'windows-script',
      'missing-binary',
      ['/data/run.sh', 'no such file or directory'],
      ['/data/run.sh'],
      {
        ...data,
        initContainers: [
          {
            name: 'write',
            image: IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', String.raw`printf '#!/bin/sh\r\ntrue\r\n' >/data/run.sh; chmod 755 /data/run.sh`],
            ...dataMount,
          },
        ],
      },
      dataMount,
    ),
    failing('over-a-file', 'mount-mismatch', ['/etc/passwd', 'error mounting'], sleep, {
      spec: data,
      container: { volumeMounts: [{ name: 'data', mountPath: '/etc/passwd' }] },
    }),
    failing('no-memory', 'memory-limit-too-low', ['200Ki'], sleep, {
      container: { resources: { limits: { memory: '200Ki' } } },
    }),
    failing(
      'bad-json',
      'malformed-config',
      ["invalid character '}'", 'bad-json'],
      `echo "/etc/app/app.json: invalid character '}' looking for beginning of object key string"; exit 1`,
      {
        spec: { volumes: [{ name: 'conf', configMap: { name: 'bad-json' } }] },
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app' }] },
      },
      [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad-json' }, data: { 'app.json': '{"port": 1,}' } }],
    ),
    failing(
      'full',
      'no-space',
      ['No space left on device', '1Mi'],
      'dd if=/dev/zero of=/data/x bs=1M count=3 || exit 1',
      {
        spec: { volumes: [{ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }] },
        container: dataMount,
      },
    ),
    failing('depends', 'dependency-not-ready', ['no-such-db', 'gave up'], 'echo gave up; exit 1', {
      metadata: { annotations: { 'mendlet.dev/depends-on': 'service/no-such-db' } },
    }),
    commanded(
      'wrong-arch',
      'wrong-architecture',
      ['exec format error'],
      ['/data/app'],
      {
        ...data,
        initContainers: [
          {
            name: 'write',
            image: IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', foreignElf],
            ...dataMount,
          },
        ],
      },
      dataMount,
    ),
    failing('no-configmap', 'missing-config', ['configmap "absent" not found'], sleep, {
      container: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'absent', key: 'x' } } }] },
    }),
    failing(
      'no-key',
      'missing-config',
      ["couldn't find key url", 'host, port'],
      sleep,
      { container: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'has-others', key: 'url' } } }] } },
      [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'has-others' }, data: { host: 'a', port: '1' } }],
    ),
    failing('no-secret', 'missing-config', ['secret "absent-key" not found'], sleep, {
      container: { envFrom: [{ secretRef: { name: 'absent-key' } }] },
    }),
    failing('no-configmap-volume', 'missing-config', ['configmap "absent-files" not found'], sleep, {
      spec: { volumes: [{ name: 'files', configMap: { name: 'absent-files' } }] },
      container: { volumeMounts: [{ name: 'files', mountPath: '/files' }] },
    }),
    failing('permission', 'permission-denied', ['Permission denied'], 'echo x >/etc/app.conf || exit 1', {
      container: { securityContext: { runAsUser: 1000 } },
    }),
    failing('read-only', 'read-only-file-system', ['Read-only file system'], 'echo x >/var-file || exit 1', {
      container: { securityContext: { readOnlyRootFilesystem: true } },
    }),
    failing('non-root', 'run-as-non-root', ['runAsNonRoot'], sleep, {
      container: { securityContext: { runAsNonRoot: true } },
    }),
    {
      name: 'port-in-use',
      finding: 'port-in-use',
      quotes: ['Address already in use'],
      objects: [
        busyboxPod('port-in-use', serve(8080), {
          container: {
            name: 'first',
          },
          spec: {},
        }),
      ].map((pod) => withSecondContainer(pod, `sleep 1; ${serve(8080)}`)),
    },
    {
      name: 'host-port',
      finding: 'unschedulable',
      quotes: ['free ports'],
      objects: [
        busyboxPod('host-port-holder', sleep, { container: { ports: [{ containerPort: 80, hostPort: 17_179 }] } }),
        busyboxPod('host-port', sleep, { container: { ports: [{ containerPort: 80, hostPort: 17_179 }] } }),
      ],
    },
    imageOf('image-not-found', 'image-not-found', `${registries.open}/tools/none:1`, ['not found']),
    imageOf('image-unauthorized', 'image-unauthorized', `${registries.locked}/tools/busybox:1`, ['401']),
    imageOf('image-unreachable', 'image-registry-unreachable', 'localhost:1/none:1', ['connection refused']),
    imageOf('image-no-such-host', 'image-registry-unreachable', 'registry.invalid/none:1', ['registry.invalid']),
    imageOf('image-tls', 'image-registry-tls', `${registries.plain}/tools/busybox:1`, [
      'HTTP response to HTTPS client',
    ]),
    imageOf('image-bad-name', 'image-bad-name', 'Upper/Case:1', ['Upper/Case']),
    imageOf('image-never', 'image-never-pulled', 'docker.io/library/other:1', ['Never'], 'Never'),
    failing('probe-path', 'probe-path', ['404', '/healthz'], serve(8080), {
      container: { livenessProbe: probe({ httpGet: { path: '/healthz', port: 8080 } }) },
    }),
    failing('probe-port', 'probe-port', ['refused', '9090', '8080'], serve(8080), {
      container: { ports: [{ containerPort: 8080 }], livenessProbe: probe({ tcpSocket: { port: 9090 } }) },
    }),
    failing('probe-port-undeclared', 'probe-port', ['refused', '9090', 'listening', '8080'], serve(8080), {
      container: { livenessProbe: probe({ failureThreshold: 5, httpGet: { path: '/', port: 9090 } }) },
    }),
    failing('probe-port-loopback', 'probe-port', ['refused', '127.0.0.1'], serve('127.0.0.1:8080'), {
      container: { livenessProbe: probe({ failureThreshold: 5, tcpSocket: { port: 8080 } }) },
    }),
    failing('ready-port-undeclared', 'probe-port', ['refused', '9090', 'listening', '8080'], serve(8080), {
      container: { readinessProbe: probe({ httpGet: { path: '/', port: 9090 } }) },
    }),
    failing('probe-command', 'probe-command', ['/no/probe'], sleep, {
      container: { livenessProbe: probe({ exec: { command: ['/no/probe', '--deep'] } }) },
    }),
    failing('probe-scheme', 'probe-scheme', ['HTTPS'], serve(8080), {
      container: { livenessProbe: probe({ httpGet: { path: '/', port: 8080, scheme: 'HTTPS' } }) },
    }),
    failing('probe-early', 'probe-too-early', ['refused'], `sleep 30; ${serve(8080)}`, {
      container: { ports: [{ containerPort: 8080 }], livenessProbe: probe({ httpGet: { path: '/', port: 8080 } }) },
    }),
    failing(
      'probe-tight',
      'probe-timeout',
      ['context deadline exceeded', 'livenessProbe.timeoutSeconds'],
      `mkdir -p /www/cgi-bin; printf '#!/bin/sh\\nsleep 2\\necho; echo ok\\n' >/www/cgi-bin/slow; chmod 755 /www/cgi-bin/slow; exec httpd -f -p 8080 -h /www`,
      { container: { livenessProbe: probe({ httpGet: { path: '/cgi-bin/slow', port: 8080 } }) } },
    ),
    failing('not-ready', 'readiness-failing', ['warming up'], sleep, {
      container: { readinessProbe: probe({ exec: { command: ['sh', '-c', 'echo still warming up; exit 1'] } }) },
    }),
    failing('gate', 'readiness-gate', ['example.com/load-balanced'], sleep, {
      spec: { readinessGates: [{ conditionType: 'example.com/load-balanced' }] },
    }),
    failing(
      'refused',
      'dependency-refused',
      ['connection refused', '127.0.0.1:5432'],
      'nc -v 127.0.0.1 5432 </dev/null 2>&1 || { echo "dial tcp 127.0.0.1:5432: connect: connection refused"; exit 1; }',
    ),
    failing(
      'refused-service',
      'dependency-refused',
      ['service/db', 'no endpoint'],
      'echo "could not connect to server: Connection refused; is the server running on host db (10.96.7.7) port 5432?"; exit 1',
      { metadata: { annotations: { 'mendlet.dev/depends-on': 'service/db' } } },
      [
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'db' },
          spec: { selector: { app: 'db' }, ports: [{ port: 5432 }] },
        },
      ],
    ),
    failing(
      'unresolved',
      'dependency-not-resolved',
      ["bad address 'db.invalid'"],
      'wget -qO- http://db.invalid/ || exit 1',
    ),
    failing(
      'evicted',
      'evicted',
      ['exceeds the limit "1Mi"'],
      `dd if=/dev/zero of=/data/fill bs=1M count=5; ${sleep}`,
      {
        spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] },
        container: dataMount,
      },
    ),
    failing('too-big', 'unschedulable', ['Insufficient cpu'], sleep, {
      container: { resources: { requests: { cpu: '1000' } } },
    }),
    failing('selector', 'unschedulable', ["didn't match Pod's node affinity/selector"], sleep, {
      spec: { nodeSelector: { disk: 'golden' } },
    }),
    failing('no-claim', 'claim-missing', ['persistentvolumeclaim "absent-claim" not found'], sleep, {
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'absent-claim' } }] },
      container: dataMount,
    }),
    failing(
      'claim-pending',
      'claim-pending',
      ['Pending', 'waiting-claim'],
      sleep,
      {
        spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'waiting-claim' } }] },
        container: dataMount,
      },
      [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'waiting-claim' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            storageClassName: 'golden',
          },
        },
      ],
    ),
    failing('mount', 'volume-mount', ['hostPath type check failed'], sleep, {
      spec: { volumes: [{ name: 'data', hostPath: { path: '/no/such/folder', type: 'Directory' } }] },
      container: dataMount,
    }),
    failing('sandbox', 'runtime-class', ['nosuch-handler'], sleep, { spec: { runtimeClassName: 'nosuch' } }, [
      { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'nosuch' }, handler: 'nosuch-handler' },
    ]),
    failing('init-fails', 'exit-code', ['migration failed', 'migrate'], sleep, {
      spec: {
        initContainers: [
          {
            name: 'migrate',
            image: IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', 'echo migration failed; exit 3'],
          },
        ],
      },
    }),
    failing('throttled', 'cpu-throttled', ['throttled'], 'while :; do :; done', {
      container: {
        resources: { limits: { cpu: '20m' } },
        livenessProbe: {
          periodSeconds: 2,
          timeoutSeconds: 1,
          failureThreshold: 100,
          exec: { command: ['sh', '-c', 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'] },
        },
      },
    }),
    starved(),
    failing('healing-stopped', 'exit-code', ['exit', '78', 'bad settings'], 'echo bad settings; exit 78', {
      metadata: {
        annotations: {
          'mendlet.dev/healing-policy': JSON.stringify({
            rules: [{ onExitCodes: { operator: 'In', values: [78] }, action: 'Stop' }],
          }),
        },
      },
    }),
    failing(
      'child-oom',
      'child-out-of-memory',
      ['killed'],
      'while :; do sh -c "exec tail /dev/zero"; echo child ended with $?; sleep 2; done',
      {
        container: { resources: { limits: { memory: '24Mi' } } },
      },
    ),
    pausedByHand(),
    failing('waits-silently', 'init-waits', ['state.running.startedAt', 'not found in namespace'], sleep, {
      spec: {
        initContainers: [
          {
            name: 'wait',
            image: IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['/bin/sh', '-c', 'until nc -z -w 1 nobody 5432 2>/dev/null; do sleep 1; done'],
          },
        ],
      },
    }),
    failing(
      'line-ends',
      'encoding',
      ['a.sh'],
      String.raw`printf '#!/bin/sh\nset -e\r\necho a\r\n' >/tmp/a.sh; exec sh /tmp/a.sh`,
    ),
    deadlocked(),
  ];
}

/** A container that another one of its pod stops, as a person on the node might. */
function pausedByHand(): FailingPod {
  const pod = busyboxPod('paused-by-hand', serve(8080), {
    spec: { shareProcessNamespace: true },
    container: { readinessProbe: { periodSeconds: 1, httpGet: { path: '/', port: 8080 } } },
  });
  const stop = 'until pidof httpd; do sleep 1; done; sleep 3; kill -STOP $(pidof httpd); exec sleep 36000';
  const objects = [withSecondContainer(pod, stop)];
  return { name: 'paused-by-hand', finding: 'held', quotes: ['stopped'], tries: 'kill -CONT', objects };
}

/** Two pods, each of which waits in an init container for the service of the other. */
function deadlocked(): FailingPod {
  const one = (name: string, other: string): object =>
    busyboxPod(name, sleep, {
      metadata: { labels: { app: name } },
      spec: {
        initContainers: [
          {
            name: 'wait',
            image: IMAGE,
            imagePullPolicy: 'IfNotPresent',
            command: ['/bin/sh', '-c', `until nc -z -w 1 ${other} 80 2>/dev/null; do sleep 1; done`],
          },
        ],
      },
    });
  const service = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80 }] },
  });
  return {
    name: 'lock-a',
    finding: 'init-deadlock',
    quotes: ['service/lock-b', 'service/lock-a', '0 of 1 endpoints ready'],
    objects: [service('lock-a'), service('lock-b'), one('lock-a', 'lock-b'), one('lock-b', 'lock-a')],
  };
}

/**
 * A container that its probe kills while its limit holds it back, and that then waits for its next start without a cgroup.
 * Another
 * container without a limit answers the probe too late, so that even a fast machine gives no answer in time.
 */
function starved(): FailingPod {
  const answerLate = `mkdir -p /www/cgi-bin; printf '#!/bin/sh\\nsleep 5\\necho; echo ok\\n' >/www/cgi-bin/late; chmod 755 /www/cgi-bin/late; exec httpd -f -p 8080 -h /www`;
  const pod = busyboxPod('starved', 'while :; do :; done', {
    container: {
      resources: { limits: { cpu: '10m' } },
      livenessProbe: { periodSeconds: 2, failureThreshold: 4, httpGet: { path: '/cgi-bin/late', port: 8080 } },
    },
  });
  const { spec } = pod as { spec: { containers: readonly object[] } };
  const late = { name: 'late', image: IMAGE, imagePullPolicy: 'IfNotPresent', command: ['/bin/sh', '-c', answerLate] };
  return {
    name: 'starved',
    finding: 'cpu-throttled',
    state: 'CrashLoopBackOff',
    quotes: ['throttled in', ', before death', 'context deadline exceeded', '10m'],
    tries: 'resize',
    objects: [{ ...pod, spec: { ...spec, containers: [...spec.containers, late] } }],
  };
}

function withSecondContainer(pod: object, script: string): object {
  const { spec } = pod as { spec: { containers: { name: string; command: string[] }[] } };
  const [first] = spec.containers;
  if (first === undefined) throw new Error('no container');
  return {
    ...pod,
    spec: { ...spec, containers: [first, { ...first, name: 'second', command: ['/bin/sh', '-c', script] }] },
  };
}
