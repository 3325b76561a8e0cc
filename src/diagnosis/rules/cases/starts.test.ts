/** Tests findings about containers that never start: images, configuration, secrets, runtimes, hooks, init containers. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import {
  type Case,
  crash,
  creating,
  pull,
  resolve,
  runc,
  startError,
  stuck,
  tellsEach,
  unscheduled,
} from './cases.fixtures.ts';

/** The pod, made just now. */
const young = (given: Partial<PodEvidence>): Partial<PodEvidence> => ({
  ...given,
  pod: { ...given.pod, metadata: { ...given.pod?.metadata, creationTimestamp: ago(5) } },
});
const starts: readonly Case[] = [
  [
    'more environment than the kernel passes, as the runtime refuses it',
    {
      ...startError(`${runc}exec: "/bin/app": argument list too long`),
      events: [event('EnvironmentTooLarge', 'variable BIG of envFrom[0] (configMap shop/big) has 1000000 bytes')],
    },
    'environment-too-large',
    /environment and arguments together are more than the kernel passes.*enableServiceLinks: false/,
    [/argument list too long/],
  ],
  [
    'more environment than the kernel passes, as the init of the runtime ends',
    crash(255, 'exec /bin/app: argument list too long'),
    'environment-too-large',
    /environment and arguments together/,
    [/exec \/bin\/app: argument list too long/],
  ],
  [
    'more environment than any kernel passes',
    stuck(
      'CreateContainerConfigError',
      'variable BIG of env[0] has 3000000 bytes, and no more than 2097152 can be passed',
    ),
    'environment-too-large',
    /environment and arguments together/,
    [/variable BIG of env\[0\]/],
  ],
  [
    'no ConfigMap',
    stuck('CreateContainerConfigError', 'configmap "web" not found'),
    'missing-config',
    /no ConfigMap web/,
  ],
  ['no Secret', stuck('CreateContainerConfigError', 'secret "key" not found'), 'missing-config', /no Secret key/],
  [
    'no key',
    {
      ...stuck('CreateContainerConfigError', "couldn't find key url in Secret shop/db"),
      configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: ['host', 'port'] }],
    },
    'missing-config',
    /Secret db has no key url; it has host and port/,
    [/secret\/db: keys: host, port/],
  ],
  [
    'no key, which a volume wants',
    {
      ...creating(
        [
          event(
            'FailedMount',
            'MountVolume.SetUp failed for volume "conf" : configmap references non-existent config key: app.conf',
          ),
        ],
        { volumes: [{ name: 'conf', configMap: { name: 'app', items: [{ key: 'app.conf', path: 'a' }] } }] },
      ),
      configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['app.yaml'] }],
    },
    'missing-config',
    /ConfigMap app has no key app\.conf; it has app\.yaml$/,
    [/spec\.volumes\[0\]\.configMap\.name: app/],
  ],
  [
    'no key, which a projected volume wants',
    {
      ...creating(
        [
          event(
            'FailedMount',
            'MountVolume.SetUp failed for volume "all" : references non-existent secret key: password',
          ),
        ],
        {
          volumes: [
            {
              name: 'all',
              projected: {
                sources: [
                  { configMap: { name: 'app' } },
                  { secret: { name: 'db', items: [{ key: 'password', path: 'p' }] } },
                ],
              },
            },
          ],
        },
      ),
      configs: [{ kind: 'Secret', name: 'db', state: 'found', keys: ['user'] }],
    },
    'missing-config',
    /Secret db has no key password; it has user$/,
    [/spec\.volumes\[0\]\.projected\.sources\[1\]\.secret\.name: db/],
  ],
  [
    'no key, of which a file is to be',
    {
      pod: pod({
        container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/app.conf', subPath: 'app.conf' }] },
        spec: { volumes: [{ name: 'conf', configMap: { name: 'app' } }] },
        status: waiting('CreateContainerConfigError', 'subPath "app.conf" is not in its volume'),
        podStatus: { phase: 'Pending' },
      }),
      configs: [{ kind: 'ConfigMap', name: 'app', state: 'found', keys: ['app.yaml'] }],
    },
    'missing-config',
    /container web cannot start: ConfigMap app has no key app\.conf; it has app\.yaml$/,
  ],
  [
    'a volume that came late, and has nothing to do with what came after',
    {
      pod: pod({ status: crashed({ exitCode: 1 }), podStatus: { phase: 'Pending' } }),
      events: [
        event('FailedMount', 'MountVolume.SetUp failed for volume "files" : configmap "files" not found', {
          seconds: 90,
        }),
      ],
      configs: [{ kind: 'ConfigMap', name: 'files', state: 'found', keys: ['a'] }],
      logs: lastWords('boom'),
    },
    'exit-code',
    /exit code 1; its last line is: boom$/,
  ],
  [
    'may not be read',
    {
      ...stuck('CreateContainerConfigError', 'secret "key" not found'),
      configs: [{ kind: 'Secret', name: 'key', state: 'forbidden', keys: [] }],
    },
    'missing-config',
    /no Secret key/,
    [/secret\/key: may not be read/],
  ],
  [
    'root',
    stuck(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image will run as root (pod: "web-1_shop(u)", container: web)',
    ),
    'run-as-non-root',
    /must not run as root/,
  ],
  [
    'anything else',
    stuck('CreateContainerConfigError', 'failed to prepare subPath'),
    'config-error',
    /cannot be configured/,
  ],
  [
    'no image',
    pull(`${resolve}registry.example/web:1: not found`),
    'image-not-found',
    /has no registry\.example\/web:1/,
  ],
  [
    'not let in',
    pull(`${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`),
    'image-unauthorized',
    /does not let it pull/,
  ],
  [
    'not let in, for want of the secret that the pod names',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 403 Forbidden`,
        ),
      }),
      events: [
        event(
          'FailedToRetrieveImagePullSecret',
          'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.',
        ),
      ],
    },
    'image-unauthorized',
    /does not let it pull registry\.example\/web:1: there is no Secret regcred, which its pod names for that$/,
    [/FailedToRetrieveImagePullSecret/, /spec\.imagePullSecrets: \["regcred"\]/],
  ],
  [
    'not let in, with credentials that are refused since they changed',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [
        {
          kind: 'Secret',
          name: 'regcred',
          state: 'found',
          keys: ['.dockerconfigjson'],
          registries: ['https://registry.example/v1/'],
          writtenAt: ago(120),
        },
      ],
    },
    'image-unauthorized',
    /: it refuses the credentials of Secret regcred \(written 2m ago\), or they do not reach so far$/,
    [/secret regcred: last written/],
  ],
  [
    'not let in, with credentials for another registry',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [
        {
          kind: 'Secret',
          name: 'regcred',
          state: 'found',
          keys: ['.dockerconfigjson'],
          registries: ['ghcr.io', 'https://index.docker.io/v1/'],
        },
      ],
    },
    'image-unauthorized',
    /: its pod has credentials for ghcr\.io \(Secret regcred\) and docker\.io \(Secret regcred\) only$/,
    [/spec\.imagePullSecrets/],
  ],
  [
    'not let in, with a Secret of another kind',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [{ kind: 'Secret', name: 'regcred', state: 'found', keys: ['password'] }],
    },
    'image-unauthorized',
    /: Secret regcred, which its pod names for that, holds no credentials of registries \(its keys: password\)$/,
    [/spec\.imagePullSecrets/],
  ],
  [
    'not let in, with a Secret that is gone, before an event says so',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [{ kind: 'Secret', name: 'regcred', state: 'missing', keys: [] }],
    },
    'image-unauthorized',
    /: there is no Secret regcred, which its pod names for that$/,
    [/spec\.imagePullSecrets/],
  ],
  [
    'not let in, without any Secret',
    {
      pod: pod({
        spec: { imagePullSecrets: [] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [],
    },
    'image-unauthorized',
    /\(some registries say so, too, when there is no such image\), and its pod names no pull secret$/,
    [/spec\.imagePullSecrets: \[\]/],
  ],
  [
    'not let in, with a Secret that may not be read',
    {
      pod: pod({
        spec: { imagePullSecrets: [{ name: 'regcred' }] },
        status: waiting(
          'ImagePullBackOff',
          `Back-off pulling image "registry.example/web:1": ErrImagePull: ${resolve}pulling from host registry.example failed with status code [manifests 1]: 401 Unauthorized`,
        ),
      }),
      configs: [{ kind: 'Secret', name: 'regcred', state: 'forbidden', keys: [] }],
    },
    'image-unauthorized',
    /does not let it pull registry\.example\/web:1 \(some registries say so, too, when there is no such image\)$/,
    [],
  ],
  [
    'Docker Hub',
    pull(
      'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    ),
    'image-unauthorized',
    /does not let it/,
  ],
  [
    'rate limit',
    pull('429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit'),
    'image-rate-limit',
    /too many requests/,
  ],
  [
    'away',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp 10.0.0.9:443: connect: connection refused`,
    ),
    'image-registry-unreachable',
    /cannot be reached/,
  ],
  [
    'unknown',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp: lookup registry.example on 10.0.0.53:53: no such host`,
    ),
    'image-registry-unreachable',
    /cannot be reached/,
  ],
  [
    'certificate',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ),
    'image-registry-tls',
    /TLS/,
  ],
  [
    'plain',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/": http: server gave HTTP response to HTTPS client`,
    ),
    'image-registry-tls',
    /TLS/,
  ],
  ['platform', pull('no match for platform in manifest: not found'), 'image-wrong-platform', /machine of its node/],
  ['disk', pull('failed to extract layer: write /x: no space left on device'), 'image-disk-full', /disk of its node/],
  [
    'name',
    stuck('InvalidImageName', 'Failed to apply default image tag "A/b": invalid reference format'),
    'image-bad-name',
    /is no name/,
  ],
  [
    'never',
    stuck('ErrImageNeverPull', 'Container image "x" is not present with pull policy of Never'),
    'image-never-pulled',
    /Never forbids/,
  ],
  ['who knows', pull('something unheard of'), 'image-pull', /cannot be pulled/],
  [
    'no runtime class',
    creating(
      [
        event(
          'FailedCreatePodSandBox',
          'Failed to create pod sandbox: failed to get sandbox runtime: no runtime for "kata" is configured',
        ),
      ],
      { runtimeClassName: 'kata' },
    ),
    'runtime-class',
    /no runtime for its RuntimeClass/,
  ],
  [
    'no network',
    creating([
      event(
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized',
      ),
    ]),
    'sandbox-network',
    /its network cannot be set up/,
  ],
  [
    'no address',
    creating([
      event(
        'FailedCreatePodSandBox',
        'Failed to create pod sandbox: plugin type="host-local" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.0.0.1-10.0.0.254',
      ),
    ]),
    'sandbox-no-addresses',
    /no address left/,
  ],
  [
    'a memory limit below all need',
    {
      pod: pod({
        container: { resources: { limits: { memory: '200Ki' } } },
        status: waiting('ContainerCreating'),
        podStatus: { phase: 'Pending' },
      }),
      events: [
        event(
          'FailedCreatePodSandBox',
          `Failed to create pod sandbox: ${runc}container init was OOM-killed (memory limit too low?): unknown`,
        ),
      ],
    },
    'memory-limit-too-low',
    /has a memory limit of 200Ki, which is 204800 bytes: 200Mi is meant/,
    [/spec\.containers\[0\]\.resources\.limits\.memory: 200Ki/],
  ],
  [
    'a memory limit below all need, of one container',
    {
      pod: pod({
        container: { resources: { limits: { memory: '1Mi' } } },
        status: crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}container init was OOM-killed (memory limit too low?): unknown`,
          lived: 0,
        }),
      }),
    },
    'memory-limit-too-low',
    /limit of 1Mi is too low even to begin/,
    [/resources\.limits\.memory: 1Mi/],
  ],
  [
    'a sysctl whose value the kernel refuses',
    creating(
      [
        event(
          'FailedCreatePodSandBox',
          `Failed to create pod sandbox: ${runc}error during container init: write /proc/sys/net/ipv4/ip_local_port_range: invalid argument: unknown`,
        ),
      ],
      { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: 'abc' }] } },
    ),
    'sandbox-sysctl',
    /sysctl/,
  ],
  [
    'sandbox',
    creating([event('FailedCreatePodSandBox', 'Failed to create pod sandbox: it did not work')]),
    'sandbox',
    /cannot make its sandbox/,
  ],
  [
    'host path',
    creating(
      [
        event(
          'FailedMount',
          'MountVolume.SetUp failed for volume "data" : hostPath type check failed: /x is not a directory',
        ),
      ],
      {
        volumes: [{ name: 'data', hostPath: { path: '/x', type: 'Directory' } }],
      },
    ),
    'volume-mount',
    /volume data cannot be mounted/,
    [/"path":"\/x"/],
  ],
  [
    'volume of a ConfigMap',
    creating([
      event('FailedMount', 'Unable to attach or mount volumes: unmounted volumes=[files]', { seconds: 10 }),
      event('FailedMount', 'MountVolume.SetUp failed for volume "files" : configmap "files" not found'),
    ]),
    'missing-config',
    /no ConfigMap files/,
  ],
  [
    'attached elsewhere',
    creating([
      event('FailedAttachVolume', 'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) web-0'),
    ]),
    'volume-multi-attach',
    /another node still has it/,
  ],
  [
    'no claim',
    {
      ...unscheduled('0/1 nodes are available: persistentvolumeclaim "data" not found.'),
      claims: [{ name: 'data', missing: true, events: [] }],
    },
    'claim-missing',
    /no PersistentVolumeClaim data$/,
  ],
  [
    'no claim of this name, but of one that is like it',
    {
      ...unscheduled('0/1 nodes are available: persistentvolumeclaim "datas" not found.'),
      claims: [{ name: 'datas', missing: true, similar: ['data'], events: [] }],
    },
    'claim-missing',
    /no PersistentVolumeClaim datas; similar names: data$/,
  ],
  [
    'claim whose volume waits for a scheduler that the pod goes round',
    {
      pod: { ...pod(), status: { phase: 'Pending' } },
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
          events: [event('WaitForFirstConsumer', 'waiting for first consumer')],
        },
      ],
    },
    'claim-pending',
    /its claim data has no volume yet: its StorageClass makes one only for a node that a scheduler has chosen, and pod web-1 is fixed to node n1 \(spec\.nodeName\)$/,
    [/spec\.nodeName: n1/],
  ],
  [
    'claim whose volume cannot be made',
    {
      ...unscheduled('0/1 nodes are available: 1 node(s) did not have enough free storage.'),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
          events: [
            event('WaitForFirstConsumer', 'waiting for first consumer', { seconds: 90 }),
            event('ProvisioningFailed', 'failed to provision volume: the disk of n1 is full'),
          ],
        },
      ],
    },
    'claim-pending',
    /its claim data has no volume yet: failed to provision volume: the disk of n1 is full$/,
  ],
  [
    'claim waits for a volume with its labels',
    {
      ...unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              selector: { matchLabels: { tier: 'a' } },
            },
            status: { phase: 'Pending' },
          },
          events: [
            event('FailedBinding', 'no persistent volumes available for this claim and no storage class is set'),
          ],
        },
      ],
    },
    'claim-pending',
    /its claim data has no volume yet: no volume fits \(1Gi, ReadWriteOnce, selector tier=a\), and no StorageClass makes one$/,
  ],
  [
    'claim waits',
    {
      ...unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.'),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } },
          events: [event('ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found')],
          otherClasses: ['local', 'nfs'],
        },
      ],
    },
    'claim-pending',
    /there is no StorageClass fast; there are local and nfs$/,
  ],
  [
    'claim of a StorageClass that does not exist, before any event',
    {
      ...young(unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.')),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'standard' }, status: { phase: 'Pending' } },
          otherClasses: ['local', 'nfs'],
          events: [],
        },
      ],
    },
    'claim-pending',
    /^pod web-1 cannot start: its claim data has no volume yet: there is no StorageClass standard; there are local and nfs$/,
  ],
  [
    'claim of a class of volumes that are made by hand, which has no StorageClass, is still young',
    {
      ...young(unscheduled('0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.')),
      claims: [
        {
          name: 'data',
          missing: false,
          claim: { metadata: { name: 'data' }, spec: { storageClassName: 'manual' }, status: { phase: 'Pending' } },
          otherClasses: [],
          volumes: [{ metadata: { name: 'pv-1' }, spec: { storageClassName: 'manual' } }],
          events: [],
        },
      ],
    },
    'unschedulable',
    /unbound immediate PersistentVolumeClaims/,
  ],
  [
    'names of variables',
    {
      events: [
        event(
          'InvalidEnvironmentVariableNames',
          'Keys [1a] from the EnvFrom configMap shop/web were skipped since they are considered invalid environment variable names.',
        ),
      ],
    },
    'bad-env-names',
    /without some variables/,
  ],
  [
    'hook',
    {
      pod: pod({ status: crashed({ exitCode: 137 }) }),
      events: [event('FailedPostStartHook', 'PostStartHook failed', { container: 'web' })],
    },
    'post-start-hook',
    /its postStart hook fails/,
  ],
];

const waitingInit = (seconds: number, ...lines: readonly string[]): Partial<PodEvidence> => {
  const made = pod({
    status: waiting('PodInitializing'),
    podStatus: { phase: 'Pending' },
    spec: { initContainers: [{ name: 'wait', image: 'w' }] },
  });
  const running = {
    name: 'wait',
    ready: false,
    restartCount: 0,
    image: 'w',
    imageID: '',
    state: { running: { startedAt: ago(seconds) } },
  };
  return {
    pod: { ...made, status: { ...made.status, initContainerStatuses: [running] } },
    logs: { wait: { current: lines } },
  };
};

const inits: readonly Case[] = [
  ['goes on', waitingInit(900, 'copying'), 'init-running', /init container wait has run for 15m/, [/"copying"/]],
  [
    'waits for another',
    waitingInit(900, "nc: bad address 'db'"),
    'dependency-not-resolved',
    /wait does not find db .*and goes on waiting/,
  ],
];

it('what the status of an image says is not quoted once more from its event', () => {
  const problem = `${resolve}registry.example/web:1: not found`;
  const told = event('Failed', `Failed to pull image "registry.example/web:1": ${problem}`, { container: 'web' });
  const sources = (events: PodEvidence['events']) =>
    diagnosePod(evidence({ ...pull(problem), events })).findings[0]?.evidence.map(({ source }) => source);
  expect(sources([told])).toEqual(['field', 'field']);
  expect(
    sources([event('Failed', 'Failed to pull image "registry.example/web:1": EOF', { container: 'web' })]),
  ).toEqual(['field', 'field', 'event']);
});

it('an init container that is refused is told after seconds, unless it has gone on since', () => {
  const ids = (...lines: readonly string[]) =>
    diagnosePod(evidence(waitingInit(200, ...lines))).findings.map(({ id }) => id);
  expect(ids("nc: bad address 'db'")).toEqual(['dependency-not-resolved']);
  expect(ids("nc: bad address 'db'", 'connected', 'step 1', 'step 2')).toEqual([]);
});

it('an init container may take its time', () => {
  expect(diagnosePod(evidence(waitingInit(200, 'copied 7 of 90'))).findings).toEqual([]);
});

describe('init containers', () => {
  tellsEach(inits);
});
describe('starts', () => {
  tellsEach(starts);
});
