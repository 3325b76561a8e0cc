/** Tests faults that show only in states and events, in the words of containerd, runc, CRI-O, the kubelet and the scheduler. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, event, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { creating, pull, resolve, runc, startError, stuck, unscheduled } from './cases.fixtures.ts';

/** The ids that are right, apart by spaces, and what the headline must name. */
type Known = readonly [what: string, given: Partial<PodEvidence>, ids: string, names: readonly (string | RegExp)[]];

const spec = 'failed to generate container "3f9a0c" spec: ';
const sandbox = (message: string): Partial<PodEvidence> =>
  creating([
    event('FailedCreatePodSandBox', `Failed to create pod sandbox: rpc error: code = Unknown desc = ${message}`),
  ]);
const network = (message: string): Partial<PodEvidence> =>
  sandbox(`failed to setup network for sandbox "8c1e": ${message}`);
const mounts = (message: string): Partial<PodEvidence> => creating([event('FailedMount', message)]);
const rejected = (reason: string, message: string): Partial<PodEvidence> => ({
  pod: {
    ...pod({ podStatus: { phase: 'Failed', reason, message } }),
    status: { phase: 'Failed', reason, message, containerStatuses: [] },
  },
});
const nodes = (text: string): Partial<PodEvidence> =>
  unscheduled(`0/3 nodes are available: ${text}. preemption: 0/3 nodes are available: 3 No preemption victims found.`);

const creation: readonly Known[] = [
  ['no command', stuck('CreateContainerError', `${spec}no command specified`), 'start-refused', ['no command']],
  [
    'a user that the image does not have',
    stuck(
      'CreateContainerError',
      `${spec}failed to apply OCI options: unable to find user app: no matching entries in passwd file`,
    ),
    'start-refused user-not-found',
    [/user app/, 'passwd'],
  ],
  [
    'a group that the image does not have',
    stuck(
      'CreateContainerError',
      `${spec}failed to apply OCI options: unable to find group shop: no matching entries in group file`,
    ),
    'start-refused user-not-found',
    [/group shop/],
  ],
  [
    'a seccomp profile that the node does not have',
    stuck(
      'CreateContainerError',
      `${spec}failed to generate seccomp spec opts: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/strict.json": open /var/lib/kubelet/seccomp/profiles/strict.json: no such file or directory`,
    ),
    'start-refused security-profile',
    ['seccomp', 'profiles/strict.json'],
  ],
  [
    'an AppArmor profile that the node does not have',
    stuck(
      'CreateContainerError',
      `${spec}failed to generate apparmor spec opts: apparmor profile not found shop-strict`,
    ),
    'start-refused security-profile',
    [/apparmor/i, 'shop-strict'],
  ],
  [
    'a device that the node does not have',
    stuck(
      'CreateContainerError',
      `${spec}failed to apply OCI options: error gathering device information while adding custom device "/dev/fuse": no such file or directory`,
    ),
    'start-refused',
    ['/dev/fuse'],
  ],
  [
    'a name that another container has still',
    stuck(
      'CreateContainerError',
      'failed to reserve container name "web_web-1_shop_uid_3": name "web_web-1_shop_uid_3" is reserved for "4f1c2ad90e"',
    ),
    'start-refused',
    ['reserved'],
  ],
  [
    'a full disk of the node',
    stuck(
      'CreateContainerError',
      'failed to create containerd container: create snapshot: failed to create temp dir: mkdir /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/new-31: no space left on device',
    ),
    'start-refused node-disk-full',
    ['no space left', '/var/lib/containerd'],
  ],
  [
    'a deadline of the runtime',
    stuck('CreateContainerError', 'context deadline exceeded'),
    'start-refused',
    ['deadline exceeded'],
  ],
  [
    'runAsNonRoot and a root image',
    stuck(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image will run as root (pod: "web-1_shop(uid)", container: web)',
    ),
    'run-as-non-root',
    ['root'],
  ],
  [
    'runAsNonRoot and a user by name',
    stuck(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: "web-1_shop(uid)", container: web)',
    ),
    'run-as-non-root',
    ['app'],
  ],
  [
    'a subPath that cannot be made',
    stuck('CreateContainerConfigError', 'failed to create subPath directory for volumeMount "data" of container "web"'),
    'config-error',
    ['subPath', 'data'],
  ],
  [
    'an expansion that is not there',
    stuck('CreateContainerConfigError', 'missing value for "POD_ZONE"'),
    'config-error missing-config',
    ['POD_ZONE'],
  ],
  [
    'a host path that is none',
    stuck('CreateContainerConfigError', 'stat /srv/shop: no such file or directory'),
    'config-error',
    ['/srv/shop'],
  ],
];

const running: readonly Known[] = [
  [
    'a place in a read-only root',
    startError(
      `${runc}error during container init: error mounting "/var/lib/kubelet/pods/u/volumes/kubernetes.io~configmap/conf" to rootfs at "/usr/share/app/conf": create mountpoint for /usr/share/app/conf mount: make mountpoint "/usr/share/app/conf": mkdirat usr/share/app/conf: read-only file system`,
    ),
    'start-refused mount-mismatch read-only-file-system',
    ['/usr/share/app/conf', 'read-only'],
  ],
  [
    'a source that is not there',
    startError(
      `${runc}error during container init: error mounting "/srv/models" to rootfs at "/models": mount /srv/models:/models (via /proc/self/fd/6), flags: 0x5000: no such file or directory: unknown`,
    ),
    'start-refused mount-mismatch',
    ['/srv/models'],
  ],
  [
    'a working directory that may not be entered',
    startError(`${runc}chdir to cwd ("/srv/app") set in config.json failed: permission denied: unknown`),
    'start-refused permission-denied',
    ['/srv/app', 'permission denied'],
  ],
  [
    'a working directory that is not there',
    startError(`${runc}chdir to cwd ("/srv/app") set in config.json failed: no such file or directory: unknown`),
    'start-refused',
    ['/srv/app'],
  ],
  [
    'a cgroup that does not take its value',
    startError(
      `${runc}unable to apply cgroup configuration: failed to write 50000: write /sys/fs/cgroup/kubepods/pod1/cpu.max: invalid argument: unknown`,
    ),
    'start-refused',
    ['cpu.max'],
  ],
  [
    'a hook of a device that fails',
    startError(
      `${runc}error during container init: error running hook #0: error running hook: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\nnvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory: unknown`,
    ),
    'start-refused',
    ['libnvidia-ml.so.1'],
  ],
  [
    'capabilities that cannot be had',
    startError(`${runc}error during container init: unable to apply caps: operation not permitted: unknown`),
    'start-refused',
    ['caps', 'not permitted'],
  ],
  [
    'a procfs that may not be mounted',
    startError(
      `${runc}error during container init: error mounting "proc" to rootfs at "/proc": mount proc:/proc (via /proc/self/fd/6), flags: 0xe: operation not permitted: unknown`,
    ),
    'start-refused mount-mismatch',
    ['/proc', 'not permitted'],
  ],
  [
    'crun without the program',
    startError(
      'crun: executable file `/app/strat` not found: No such file or directory: OCI runtime attempted to invoke a command that was not found',
    ),
    'missing-binary',
    ['/app/strat'],
  ],
  [
    'a program in quotation marks with arguments',
    startError(`${runc}exec: "node server.js": executable file not found in $PATH: unknown`),
    'missing-binary',
    ['node server.js'],
  ],
  [
    'a folder as a program',
    startError(`${runc}exec: "/app": is a directory: permission denied: unknown`),
    'not-executable',
    ['/app'],
  ],
  [
    'a namespace that cannot be made',
    startError(
      `${runc}error during container init: write sysctl key net.core.somaxconn: open /proc/sys/net/core/somaxconn: no such file or directory: unknown`,
    ),
    'start-refused sandbox-sysctl',
    ['net.core.somaxconn'],
  ],
];

const sandboxes: readonly Known[] = [
  [
    'a plugin that its authority refuses',
    network(
      'plugin type="calico" failed (add): error getting ClusterInformation: connection is unauthorized: Unauthorized',
    ),
    'sandbox-network',
    ['calico', 'Unauthorized'],
  ],
  [
    'a bridge of another network',
    network(
      'plugin type="bridge" failed (add): failed to set bridge addr: "cni0" already has an IP address different from 10.42.1.1/24',
    ),
    'sandbox-network',
    ['cni0'],
  ],
  [
    'a plugin that is not there',
    network('failed to find plugin "loopback" in path [/opt/cni/bin]'),
    'sandbox-network',
    ['loopback', '/opt/cni/bin'],
  ],
  [
    'a file of flannel that is not there',
    network('plugin type="flannel" failed (add): open /run/flannel/subnet.env: no such file or directory'),
    'sandbox-network',
    ['/run/flannel/subnet.env'],
  ],
  [
    'no handler of a RuntimeClass',
    {
      ...sandbox('failed to get sandbox runtime: no runtime for "gvisor" is configured'),
    },
    'runtime-class',
    ['gvisor'],
  ],
  [
    'the image of sandboxes',
    sandbox(
      'failed to get sandbox image "registry.k8s.io/pause:3.9": failed to pull image "registry.k8s.io/pause:3.9": failed to do request: Head "https://registry.k8s.io/v2/pause/manifests/3.9": dial tcp: lookup registry.k8s.io: no such host',
    ),
    'sandbox-image',
    ['registry.k8s.io/pause:3.9', 'no such host'],
  ],
  [
    'a port of the node that is taken',
    network(
      'plugin type="portmap" failed (add): cannot bind host port 8080/tcp: listen tcp4 :8080: bind: address already in use',
    ),
    'sandbox-network port-in-use',
    ['8080', 'already in use'],
  ],
  [
    'a sandbox with a sysctl that the kernel lacks',
    sandbox(
      `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: open /proc/sys/net/ipv4/tcp_fastopn: no such file or directory: unknown`,
    ),
    'sandbox-sysctl',
    ['tcp_fastopn'],
  ],
];

const volumeFaults: readonly Known[] = [
  [
    'an NFS server that refuses',
    mounts(
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs nas.shop.example:/export /var/lib/kubelet/pods/u/volumes/kubernetes.io~nfs/share\nOutput: mount.nfs: Connection refused\n',
    ),
    'volume-mount',
    ['share', 'Connection refused', 'nas.shop.example:/export'],
  ],
  [
    'an NFS server that does not let in',
    mounts(
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs nas.shop.example:/export /var/lib/kubelet/pods/u/volumes/kubernetes.io~nfs/share\nOutput: mount.nfs: access denied by server while mounting nas.shop.example:/export\n',
    ),
    'volume-mount',
    ['share', 'access denied', 'nas.shop.example:/export'],
  ],
  [
    'no helper of a file system',
    mounts(
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs nas:/e /var/lib/kubelet/pods/u/volumes/kubernetes.io~nfs/share\nOutput: mount: /var/lib/kubelet/pods/u/volumes/kubernetes.io~nfs/share: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.\n',
    ),
    'volume-mount',
    ['share', 'helper program'],
  ],
  [
    'a host path of another type',
    mounts(
      'MountVolume.SetUp failed for volume "sock" : hostPath type check failed: /var/run/docker.sock is not a socket file',
    ),
    'volume-mount',
    ['sock', '/var/run/docker.sock is not a socket file'],
  ],
  [
    'a disk that cannot be formatted',
    mounts(
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = format of disk "/dev/vdb" failed: type:("ext4") target:("/mnt") options:("defaults") errcode:(exit status 1) output:(mke2fs 1.47.0\n/dev/vdb: No such device)',
    ),
    'volume-mount',
    ['pvc-1', '/dev/vdb'],
  ],
  [
    'a token that the node may not ask for',
    mounts(
      'MountVolume.SetUp failed for volume "kube-api-access-x7" : failed to fetch token: serviceaccounts "web" is forbidden: User "system:node:n1" cannot create resource "serviceaccounts/token" in API group "" in the namespace "shop": no relationship found between node "n1" and this object',
    ),
    'volume-mount',
    ['kube-api-access-x7', '"web" is forbidden'],
  ],
  [
    'an input/output error',
    mounts(
      'MountVolume.SetUp failed for volume "pvc-1" : applyFSGroup failed for vol 0c1: lstat /var/lib/kubelet/pods/u/volumes/kubernetes.io~csi/pvc-1/mount/a: input/output error',
    ),
    'volume-mount',
    ['pvc-1', 'input/output error'],
  ],
  [
    'an attachment that is denied',
    creating([
      event(
        'FailedAttachVolume',
        'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = ResourceExhausted desc = volume limit exceeded: instance i-1 has 25 volumes attached',
      ),
    ]),
    'volume-attach',
    ['volume limit exceeded'],
  ],
  [
    'a device of blocks',
    creating([
      event(
        'FailedMapVolume',
        'MapVolume.SetUpDevice failed for volume "raw" : rpc error: code = NotFound desc = volume raw-1 not found',
      ),
    ]),
    'volume-mount',
    ['raw', 'not found'],
  ],
];

const imageFaults: readonly Known[] = [
  [
    'a full disk',
    pull(
      'failed to pull and unpack image "registry.example/web:1": failed to extract layer sha256:9f: write /var/lib/containerd/a: no space left on device',
    ),
    'image-disk-full',
    ['registry.example/web:1'],
  ],
  [
    'a registry that is ill',
    pull(
      `${resolve}unexpected status from HEAD request to https://registry.example/v2/web/manifests/1: 503 Service Unavailable`,
    ),
    'image-registry-unreachable image-pull',
    ['503'],
  ],
  [
    'a short name',
    pull(
      'short-name "web:1" did not resolve to an alias and no unqualified-search registries are defined in "/etc/containers/registries.conf"',
    ),
    'image-bad-name image-not-found image-pull',
    ['registries'],
  ],
  [
    'a proxy that answers with a page',
    pull(
      'failed to pull and unpack image "registry.example/web:1": unexpected media type text/html for sha256:9f: not found',
    ),
    'image-pull image-not-found image-registry-unreachable',
    ['text/html'],
  ],
  [
    'a manifest of the first schema',
    pull(
      'failed to pull and unpack image "registry.example/web:1": media type "application/vnd.docker.distribution.manifest.v1+prettyjws" is no longer supported since containerd v2.1, please rebuild the image as a newer schema',
    ),
    'image-pull',
    ['no longer supported'],
  ],
  [
    'a name in capital letters',
    stuck(
      'InvalidImageName',
      'Failed to apply default image tag "registry.example/Web:1": couldn\'t parse image name "registry.example/Web:1": invalid reference format: repository name (Web) must be lowercase',
    ),
    'image-bad-name',
    ['lowercase'],
  ],
  [
    'a layer that was damaged on its way',
    pull(
      'failed to pull and unpack image "registry.example/web:1": failed commit on ref "layer-sha256:9f": unexpected commit digest sha256:aa, expected sha256:9f: failed precondition',
    ),
    'image-pull',
    ['unexpected commit digest'],
  ],
  [
    'an image that cannot be inspected',
    stuck(
      'ImageInspectError',
      'Failed to inspect image "registry.example/web:1": rpc error: code = Unknown desc = layer not known',
    ),
    'image-pull',
    ['layer not known'],
  ],
  [
    'a name of the registry that is not resolved',
    pull(
      `${resolve}failed to do request: Head "https://registry.example/v2/web/manifests/1": dial tcp: lookup registry.example on 10.0.0.2:53: no such host`,
    ),
    'image-registry-unreachable',
    ['registry.example', 'no such host'],
  ],
];

const refusals: readonly Known[] = [
  [
    'a sysctl that is not allowed',
    rejected('SysctlForbidden', 'Pod was rejected: forbidden sysctl: "net.core.somaxconn" not allowlisted'),
    'rejected',
    ['net.core.somaxconn'],
  ],
  [
    'devices that are gone',
    rejected(
      'UnexpectedAdmissionError',
      'Pod was rejected: Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0, which is unexpected',
    ),
    'rejected',
    ['nvidia.com/gpu'],
  ],
  [
    'a node that became too small',
    rejected(
      'OutOfcpu',
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3500, capacity: 4000",
    ),
    'rejected',
    ['cpu'],
  ],
  [
    'a node whose labels changed',
    rejected(
      'NodeAffinity',
      "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ),
    'rejected',
    [/node affinity\/selector|labels/],
  ],
  ['devices that no node has', nodes('3 Insufficient nvidia.com/gpu'), 'unschedulable', ['nvidia.com/gpu']],
  ['disks of nodes', nodes('3 Insufficient ephemeral-storage'), 'unschedulable', ['ephemeral-storage']],
  ['too many volumes', nodes('3 node(s) exceed max volume count'), 'unschedulable', ['volume']],
  ['volumes of another zone', nodes('3 node(s) had volume node affinity conflict'), 'unschedulable', ['volume']],
  [
    'no volume to bind',
    nodes("3 node(s) didn't find available persistent volumes to bind"),
    'unschedulable',
    ['persistent volume'],
  ],
  ['claims of devices', nodes('3 cannot allocate all claims'), 'unschedulable', ['cannot allocate all claims']],
  [
    'several reasons, one of them unknown',
    nodes('1 Insufficient cpu, 2 node(s) exceed max volume count'),
    'unschedulable',
    ['cpu', 'volume'],
  ],
  [
    'a hook that is not there',
    {
      pod: pod({
        status: {
          ready: false,
          started: false,
          state: {
            waiting: {
              reason: 'PostStartHookError',
              message:
                'Exec lifecycle hook ([sh -c /app/warm.sh]) for Container "web" in Pod "web-1_shop(uid)" failed - error: command \'sh -c /app/warm.sh\' exited with 127: sh: /app/warm.sh: not found',
            },
          },
        },
        container: { lifecycle: { postStart: { exec: { command: ['sh', '-c', '/app/warm.sh'] } } } },
      }),
      events: [
        event(
          'FailedPostStartHook',
          'Exec lifecycle hook ([sh -c /app/warm.sh]) for Container "web" in Pod "web-1_shop(uid)" failed - error: command \'sh -c /app/warm.sh\' exited with 127: sh: /app/warm.sh: not found',
          { container: 'web' },
        ),
      ],
    },
    'post-start-hook',
    ['/app/warm.sh: not found'],
  ],
];

const ended = (container: object, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({ container, status: crashed({ exitCode: 1 }) }),
  logs: lastWords(...lines),
});
const taken = 'Error: listen failed: Address already in use';

/** What a log does not name stands in the specification. */
const specifications: readonly Known[] = [
  ['its only port', ended({ ports: [{ containerPort: 8080 }] }, taken), 'port-in-use', ['port 8080']],
  ['a variable of a port', ended({ env: [{ name: 'HTTP_PORT', value: '9090' }] }, taken), 'port-in-use', ['port 9090']],
  ['an argument', ended({ args: ['serve', '--listen=0.0.0.0:7070'] }, taken), 'port-in-use', ['port 7070']],
  [
    'its only peer',
    ended({ env: [{ name: 'DATABASE_URL', value: 'postgres://app@shop-db:5432/shop' }] }, 'fatal: Connection refused'),
    'dependency-refused',
    ['shop-db:5432', 'DATABASE_URL'],
  ],
];

describe.each<[string, readonly Known[]]>([
  ['what only the specification names', specifications],
  ['containers that cannot be created', creation],
  ['containers that cannot be started', running],
  ['sandboxes', sandboxes],
  ['volumes', volumeFaults],
  ['images', imageFaults],
  ['refusals', refusals],
])('%s', (_group, cases) => {
  it.each<Known>([...cases])('%s', (_what, given, ids, names) => {
    const [first] = diagnosePod(evidence(given)).findings;
    expect(ids.split(' ')).toContain(first?.id);
    for (const name of names) expect(first?.says).toMatch(name);
  });
});
