/**
 * Finds the parts of a CSI driver among workloads and pods: by what names the driver in them (folders, arguments, variables), by the
 * labels of its CSIDriver, and by the sidecars in them. Nothing in Kubernetes says which they are.
 */
import type { Container, CSIDriver, Node, PodSpec } from '../../../api/index.ts';
import { isConditionTrue, nodeSelectorMatches, toleratesTaint } from '../../../api/index.ts';
import type { Pod, WorkloadObject } from '../../evidence/kinds.ts';
import type { DriverEvidence, DriverPart, DriverRole } from '../../evidence/storage-evidence.ts';
import type { Quote } from '../../finding.ts';
import { quotable, shellWord } from '../words/text.ts';

/** Labels by which charts mark what belongs together. */
const SAME_LABELS = ['app.kubernetes.io/instance', 'app.kubernetes.io/name', 'release'] as const;
const SIDECARS: readonly (readonly [DriverRole, RegExp])[] = [
  ['attacher', /attacher/],
  ['provisioner', /provisioner/],
  ['resizer', /resizer/],
  ['node', /registrar/],
];

/** Something that has pods: a workload, or a pod that nothing makes anew. */
export type Candidate = { readonly workload: WorkloadObject } | { readonly pod: Pod };

/** The candidates that are parts of the driver, with their roles; their pods are not known yet. */
export function driverCandidates(
  driver: { readonly name: string; readonly object?: CSIDriver },
  candidates: readonly Candidate[],
  otherDrivers: readonly string[],
): readonly (Candidate & { readonly roles: readonly DriverRole[] })[] {
  const withRoles = candidates
    .map((each) => ({ ...each, roles: rolesOf(each) }))
    .filter(({ roles }) => roles.length > 0);
  const own = labelsOf(driver.object);
  const sure = withRoles.filter((each) => names(specOf(each), driver.name) || sharesLabel(own, labelsIn(each)));
  const others = otherDrivers.filter((name) => name !== driver.name);
  // A controller's sidecars ask the driver itself for its name, so nothing in its pods may say it.
  const beside = withRoles.filter(
    (each) =>
      !sure.includes(each) &&
      !others.some((name) => names(specOf(each), name)) &&
      sure.some((part) => namespaceOf(part) === namespaceOf(each) && sharesLabel(labelsIn(part), labelsIn(each))),
  );
  return [...sure, ...beside];
}

export function partsWith({ parts }: DriverEvidence, role: DriverRole): readonly DriverPart[] {
  return (parts ?? []).filter(({ roles }) => roles.includes(role));
}

/** What keeps a part of the driver from its work; undefined: a pod of it is ready, or nothing is known of its parts. */
export function partTrouble(driver: DriverEvidence, role: DriverRole): PartTrouble | undefined {
  if (driver.parts === undefined) return undefined;
  const parts = partsWith(driver, role);
  if (parts.some(({ pods }) => pods.some(isReady))) return undefined;
  const [part] = parts;
  if (part === undefined) {
    const says = `nothing in the cluster looks like the ${role} of the driver`;
    return { says, evidence: [driverQuote(driver)], try: ['kubectl get daemonsets,deployments,statefulsets -A'] };
  }
  const bad = part.pods.find((pod) => podProblem(pod) !== undefined);
  if (bad !== undefined) return podTrouble(bad);
  const says = replicasOf(part) === 0 ? `${titleOf(part)} is scaled to 0` : `${titleOf(part)} has no pod`;
  return { says, evidence: [{ source: 'object', object: titleOf(part), says: countText(part) }], try: [whyPart(part)] };
}

/** Why the node's part of the driver is not on a node; undefined: its pod there is ready, or nothing is known. */
export function nodePartTrouble(
  driver: DriverEvidence,
  node: Node | undefined,
  nodeName: string,
): PartTrouble | undefined {
  if (driver.parts === undefined) return undefined;
  const parts = partsWith(driver, 'node');
  const here = parts.flatMap(({ pods }) => pods).filter(({ spec }) => spec?.nodeName === nodeName);
  if (here.some(isReady)) return undefined;
  const [pod] = here;
  if (pod !== undefined) return podTrouble(pod);
  const [part] = parts;
  if (part === undefined) return partTrouble(driver, 'node');
  const why = node === undefined ? '' : whyNotHere(part, node);
  return {
    says: `${titleOf(part)} has no pod on node ${nodeName}${why}`,
    evidence: [{ source: 'object', object: titleOf(part), says: `no pod on node ${nodeName}${why}` }],
    try: [whyPart(part)],
  };
}

/** Of a driver whose pod on the node is ready and that is not registered all the same: where its registrar says why. */
export function registrarLog(driver: DriverEvidence, nodeName: string): readonly string[] {
  const pod = partsWith(driver, 'node')
    .flatMap(({ pods }) => pods)
    .find(({ spec }) => spec?.nodeName === nodeName);
  return pod === undefined ? [] : [logOf(pod, 'node')];
}

/** The log of the driver's part, where it says why it does nothing. */
export function partLogs(driver: DriverEvidence, role: DriverRole): readonly string[] {
  const pod = partsWith(driver, role)
    .flatMap(({ pods }) => pods)
    .find(isReady);
  return pod === undefined ? [] : [logOf(pod, role)];
}

export interface PartTrouble {
  /** "deployment kube-system/disk is scaled to 0" */
  readonly says: string;
  readonly evidence: readonly Quote[];
  readonly try: readonly string[];
}

function driverQuote({ name, missing }: DriverEvidence): Quote {
  const says = missing === true ? 'not found' : 'no workload has its name, its labels and this part';
  return { source: 'object', object: `csidriver/${name}`, says };
}

function podTrouble(pod: Pod): PartTrouble {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const problem = podProblem(pod) ?? 'is not ready';
  return {
    says: `pod ${namespace}/${name} ${problem}`,
    evidence: [{ source: 'object', object: `pod/${name} (${namespace})`, says: problem }],
    try: [`mendlet why ${shellWord(`pod/${name}`)} -n ${shellWord(namespace)}`],
  };
}

/** "waits with CrashLoopBackOff"; undefined: nothing is wrong with it. */
function podProblem(pod: Pod): string | undefined {
  if (pod.metadata?.deletionTimestamp) return 'is being deleted';
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  for (const { name, state, lastState } of statuses) {
    const { waiting, terminated } = state ?? {};
    const last = lastState?.terminated;
    if (waiting?.reason === 'CrashLoopBackOff')
      return `crashes: container ${name} ended with exit code ${last?.exitCode ?? '?'}`;
    if (waiting?.reason && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing')
      return `does not start: container ${name} waits with ${quotable(waiting.reason)}`;
    if (terminated && terminated.exitCode !== 0)
      return `crashes: container ${name} ended with exit code ${terminated.exitCode}`;
  }
  if (pod.status?.phase === 'Failed') return `has failed${pod.status.reason ? `: ${quotable(pod.status.reason)}` : ''}`;
  if (!pod.spec?.nodeName) return 'has no node yet';
  if (pod.status?.phase === 'Pending') return 'has not started yet';
  return isReady(pod) ? undefined : 'is not ready';
}

function isReady({ metadata, status }: Pod): boolean {
  return !metadata?.deletionTimestamp && status?.phase === 'Running' && isConditionTrue(status.conditions, 'Ready');
}

/** Why a DaemonSet makes no pod on a node, as far as its template tells. */
function whyNotHere({ workload }: DriverPart, node: Node): string {
  if (workload?.kind !== 'DaemonSet') return '';
  const pod: Pod = { spec: templateOf(workload) ?? { containers: [] } };
  if (!nodeSelectorMatches(pod, node)) return ', whose labels its node selector or affinity does not match';
  const taint = (node.spec?.taints ?? []).find(
    (each) => each.effect !== 'PreferNoSchedule' && !isDaemons(each.key) && !toleratesTaint(pod, each),
  );
  return taint === undefined ? '' : `, whose taint ${taint.key}:${taint.effect} it does not tolerate`;
}

/** Taints that every pod of a DaemonSet tolerates (upstream: AddOrUpdateDaemonPodTolerations). */
function isDaemons(key: string): boolean {
  return /^node\.kubernetes\.io\/(?:not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|unschedulable|network-unavailable)$/.test(
    key,
  );
}

function rolesOf(candidate: Candidate): readonly DriverRole[] {
  const { containers = [], initContainers = [] } = specOf(candidate) ?? {};
  return SIDECARS.flatMap(([role, pattern]) =>
    [...containers, ...initContainers].some((each) => isSidecar(each, pattern)) ? [role] : [],
  );
}

function isSidecar({ name, image = '', args = [], command = [] }: Container, pattern: RegExp): boolean {
  const [program = ''] = [...command, ...args];
  return pattern.test(name) || pattern.test(baseOf(image)) || pattern.test(baseOf(program));
}

/** "registry.example/sig-storage/csi-attacher:v4" → "csi-attacher:v4" */
function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether a folder, an argument or a variable of the pods has the driver's name as a whole word. */
function names(spec: PodSpec | undefined, driver: string): boolean {
  const texts = [
    ...(spec?.volumes ?? []).map(({ hostPath }) => hostPath?.path),
    ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(
      ({ args = [], command = [], env = [] }) => [...args, ...command, ...env.map(({ value }) => value)],
    ),
  ];
  return texts.some((text) => text !== undefined && hasWord(text, driver));
}

/** Not as a part of a longer name; sockets are named after drivers. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text[at - 1] ?? '', text.slice(at + word.length)];
    if (!/[\w.-]/.test(before) && !/^(?!(?:-reg)?\.sock\b)(?:[\w-]|\.\w)/.test(after)) return true;
  }
  return false;
}

type Labels = Readonly<Record<string, string>>;

function sharesLabel(one: Labels, other: Labels): boolean {
  return SAME_LABELS.some((key) => one[key] !== undefined && one[key] !== '' && one[key] === other[key]);
}

function labelsOf(object: CSIDriver | undefined): Labels {
  return object?.metadata?.labels ?? {};
}

function labelsIn(candidate: Candidate): Labels {
  if ('pod' in candidate) return candidate.pod.metadata?.labels ?? {};
  return candidate.workload.metadata?.labels ?? {};
}

function namespaceOf(candidate: Candidate): string {
  return ('pod' in candidate ? candidate.pod : candidate.workload).metadata?.namespace ?? '';
}

function specOf(candidate: Candidate): PodSpec | undefined {
  return 'pod' in candidate ? candidate.pod.spec : templateOf(candidate.workload);
}

function templateOf({ spec }: WorkloadObject): PodSpec | undefined {
  return spec?.template?.spec;
}

function replicasOf({ workload }: DriverPart): number | undefined {
  const spec = workload?.spec;
  return spec !== undefined && 'replicas' in spec ? spec.replicas : undefined;
}

function countText(part: DriverPart): string {
  const replicas = replicasOf(part);
  return `${replicas === undefined ? '' : `spec.replicas ${replicas}, `}${part.pods.length} pods`;
}

/** "deployment kube-system/disk" */
export function titleOf({ workload, pods }: DriverPart): string {
  const object = workload ?? pods[0];
  const { name = '', namespace = '' } = object?.metadata ?? {};
  return `${(workload?.kind ?? 'Pod').toLowerCase()} ${namespace}/${name}`;
}

function whyPart({ workload, pods }: DriverPart): string {
  const { name = '', namespace = '' } = (workload ?? pods[0])?.metadata ?? {};
  return `mendlet why ${shellWord(`${(workload?.kind ?? 'pod').toLowerCase()}/${name}`)} -n ${shellWord(namespace)}`;
}

function logOf(pod: Pod, role: DriverRole): string {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const pattern = SIDECARS.find(([each]) => each === role)?.[1];
  const container = pod.spec?.containers.find((each) => pattern !== undefined && isSidecar(each, pattern))?.name ?? '';
  return `kubectl logs -n ${shellWord(namespace)} ${shellWord(name)} -c ${shellWord(container)} --tail=50`;
}
