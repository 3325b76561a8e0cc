/** The values in random manifests: mostly sensible ones, so that they pass validation, and sometimes senseless ones. */
import type { Random } from '../../lib/index.ts';

/** Small pools, so that references often match. */
const NAMES = ['a', 'b', 'main', 'data', 'settings', 'x-1'];
const PATHS = ['/', '/a', '/a/b', '/data', '/var/run/x', '/etc/hosts', '/dev/termination-log'];

/** Values by field name. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  name: NAMES,
  containerName: NAMES,
  targetContainerName: NAMES,
  volumeName: NAMES,
  secretName: NAMES,
  claimName: NAMES,
  configMapName: NAMES,
  image: ['registry.sim/app:1', 'registry.sim/app:2', 'missing.sim/none:1', 'Not An Image', ''],
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never'],
  reference: ['registry.sim/app:1'],
  restartPolicy: ['Always', 'OnFailure', 'Never'],
  dnsPolicy: ['ClusterFirst', 'Default', 'None', 'ClusterFirstWithHostNet'],
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError'],
  terminationMessagePath: PATHS,
  path: [...PATHS, 'a', 'a/b', '..', '../x'],
  mountPath: PATHS,
  subPath: ['a', 'a/b', '../x', '/x', '$(A)'],
  subPathExpr: ['$(A)', 'x/$(NAME)', '$(MISSING)', '..'],
  hostPath: PATHS,
  mountPropagation: ['None', 'HostToContainer', 'Bidirectional'],
  recursiveReadOnly: ['Disabled', 'IfPossible', 'Enabled'],
  workingDir: PATHS,
  medium: ['', 'Memory', 'HugePages', 'HugePages-2Mi'],
  protocol: ['TCP', 'UDP', 'SCTP'],
  scheme: ['HTTP', 'HTTPS'],
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Equal'],
  effect: ['NoSchedule', 'PreferNoSchedule', 'NoExecute', ''],
  action: ['Restart', 'RestartAllContainers', 'Ignore'],
  fieldPath: [
    'metadata.name',
    'metadata.labels',
    "metadata.labels['a']",
    'status.podIP',
    'status.hostIPs',
    'spec.nodeName',
    'metadata.uid',
    'bad.path',
  ],
  resource: ['limits.cpu', 'requests.memory', 'limits.ephemeral-storage', 'limits.x'],
  resourceName: ['cpu', 'memory', 'x.test/y'],
  fsGroupChangePolicy: ['Always', 'OnRootMismatch'],
  supplementalGroupsPolicy: ['Merge', 'Strict'],
  preemptionPolicy: ['Never', 'PreemptLowerPriority'],
  priorityClassName: ['system-node-critical', 'missing'],
  runtimeClassName: ['missing', ''],
  serviceAccountName: ['default', 'missing'],
  schedulerName: ['default-scheduler', 'nobody'],
  stopSignal: ['SIGTERM', 'SIGKILL', 'SIGUSR1', 'SIGNONE'],
  procMount: ['Default', 'Unmasked'],
  os: ['linux', 'windows'],
  topologyKey: ['kubernetes.io/hostname', 'zone'],
  whenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
  nameservers: ['10.0.0.10', '2001:db8::1', 'not an ip'],
  searches: ['example.test', 'a.b', '-bad-'],
  ip: ['10.1.2.3', '::1', 'x'],
  hostIP: ['127.0.0.1', '0.0.0.0', 'x'],
  hostnames: NAMES,
  hostname: ['web', 'web-0', 'Bad_Host'],
  subdomain: ['svc', 'bad.sub'],
  host: ['127.0.0.1', 'example.test', ''],
  value: ['1', 'x', '$(A)', '$$(A)', '$(', ''],
  prefix: ['P_', '', '1'],
  key: ['a', 'b', 'kubernetes.io/hostname', 'bad key'],
  type: ['', 'Directory', 'DirectoryOrCreate', 'File', 'RuntimeDefault', 'Localhost', 'Unconfined', 'Recreate'],
  conditionType: ['example.test/gate', 'Ready'],
  command: ['sim', '{"exitAfterMs":[10,500]}', 'sh', '$(A)'],
  args: ['x', '$(A)', ''],
  add: ['NET_ADMIN', 'ALL', 'SYS_TIME', 'NONE'],
  drop: ['ALL', 'NET_RAW', 'NONE'],
  driver: ['csi.test', ''],
};

const INTEGERS = [0, 1, 2, 3, 5, 10, 30, 80, 8080, 255, 420, 511, -1, 65_535, 65_536, 2_147_483_647];
const QUANTITIES = ['0', '1', '100m', '64Mi', '1Gi', '2k', '1.5', '-1', '1e3', 'much'];
const STRINGS = ['a', 'b', 'x', '1', '', 'A', 'a b', 'ä', '../x', 'x'.repeat(300), '\u0000'];

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random.next() * from.length)] as T;
}

/** A string for the field `name`. */
export function aString(random: Random, name: string): unknown {
  const words = WORDS[name];
  return words !== undefined && random.next() < 0.9 ? pick(random, words) : pick(random, STRINGS);
}

export function aQuantity(random: Random): string {
  return pick(random, QUANTITIES);
}

export function anInteger(random: Random): number {
  return random.next() < 0.7 ? pick(random, INTEGERS.slice(0, 9)) : pick(random, INTEGERS);
}

/** A key of a map: a resource, a label, an item. */
export function aKey(random: Random, name: string): string {
  if (name === 'limits' || name === 'requests') return pick(random, ['cpu', 'memory', 'ephemeral-storage', 'x.test/y']);
  return pick(random, ['a', 'b', 'example.test/x', 'bad key']);
}
