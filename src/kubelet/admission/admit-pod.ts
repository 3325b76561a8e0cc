/**
 * May this pod run on this node, beside those that do (upstream: lifecycle/predicate.go)? A refusal is final: the pod
 * fails with upstream's reason, and its controller makes another. Pure.
 */
import {
  hostPortsClash,
  hostPortsOf,
  type Node,
  nodeSelectorMatches,
  type Pod,
  qosClassOf,
  toleratesTaint,
} from '../../api/index.ts';
import type { PressureVerdict } from '../types.ts';
import { isCriticalPod } from '../pods/critical-pod.ts';
import { capacityOf, requestOf, type ResourceName, RESOURCES, type NodeAllocatable } from './resource-amounts.ts';

export interface AdmissionInput {
  readonly pod: Pod;
  /** Admitted and not yet over. */
  readonly others: readonly Pod[];
  /** The node's object as the API server has it; `undefined`: not known (yet). */
  readonly node: Node | undefined;
  readonly allocatable: NodeAllocatable;
  /** The resources that the node is short of; absent: none. */
  readonly pressure?: PressureVerdict;
  /** Beyond the safe ones; names, or beginnings of names with a "*". */
  readonly allowedUnsafeSysctls?: readonly string[];
}

/** A missing amount of one resource, in the units of `NodeAllocatable`. */
export interface Shortage {
  readonly resource: ResourceName;
  readonly missing: number;
}

export type Admission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      readonly reason: string;
      readonly message: string;
      /** The pod would be taken if there were so much more of these, which is all that is in its way. */
      readonly shortages?: readonly Shortage[];
    };

/** Refusals by the labels and taints of the node's object, of which we may have an old version. */
export const REASONS_OF_NODE: ReadonlySet<string> = new Set(['NodeAffinity', 'TaintToleration']);

type Refusal = Extract<Admission, { readonly admitted: false }>;

const ADMITTED: Admission = { admitted: true };

export function admitPod(input: AdmissionInput): Admission {
  return (
    refuseUnderPressure(input) ??
    refuseOs(input) ??
    refuseFeatures(input) ??
    refuseSysctls(input) ??
    refuseResources(input) ??
    refusePlacement(input) ??
    refusePorts(input) ??
    ADMITTED
  );
}

function refuse(reason: string, message: string): Refusal {
  return { admitted: false, reason, message };
}

/**
 * A node under pressure admits no new pods (upstream: eviction manager's Admit). Under memory pressure alone it still admits
 * pods that request memory, and pods that tolerate the pressure.
 */
function refuseUnderPressure({ pod, pressure }: AdmissionInput): Admission | undefined {
  if (pressure === undefined || isCriticalPod(pod)) return undefined;
  const conditions = [
    ...(pressure.memory ? ['MemoryPressure'] : []),
    ...(pressure.disk ? ['DiskPressure'] : []),
    ...(pressure.pid ? ['PIDPressure'] : []),
  ];
  if (conditions.length === 0) return undefined;
  if (pressure.memory && conditions.length === 1) {
    if (qosClassOf(pod.spec ?? { containers: [] }) !== 'BestEffort') return undefined;
    if (toleratesTaint(pod, { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' })) return undefined;
  }
  return refuse('Evicted', `The node had condition: [${conditions.join(' ')}]. `);
}

function refuseOs({ pod }: AdmissionInput): Admission | undefined {
  const os = pod.spec?.os?.name;
  if (os === undefined || os === 'linux') return undefined;
  return refuse('PodOSNotSupported', `Failed to admit pod as the OS field doesn't match node OS`);
}

/** A pod that asks for this feature asks to be safer; so the feature is never silently left out. */
function refuseFeatures({ pod }: AdmissionInput): Admission | undefined {
  const { hostUsers } = pod.spec ?? {};
  if (hostUsers === false) {
    return refuse(
      'PodFeatureUnsupported',
      'Failed to admit pod as this node has no user namespaces for pods (hostUsers: false)',
    );
  }
  return undefined;
}

/** Namespaced, and harmless to others on the node (upstream: pkg/kubelet/sysctl/safe_sysctls.go). */
const SAFE_SYSCTLS: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

function refuseSysctls({ pod, allowedUnsafeSysctls = [] }: AdmissionInput): Admission | undefined {
  for (const { name } of pod.spec?.securityContext?.sysctls ?? []) {
    // With slashes it is the same setting.
    const dotted = name.replaceAll('/', '.');
    if (SAFE_SYSCTLS.has(dotted) || allowedUnsafeSysctls.some((pattern) => matchesSysctl(pattern, dotted))) continue;
    return refuse('SysctlForbidden', `forbidden sysctl: "${name}" not allowlisted`);
  }
  return undefined;
}

/** "kernel.msg*" is every name that begins so. */
function matchesSysctl(pattern: string, name: string): boolean {
  const dotted = pattern.replaceAll('/', '.');
  return dotted.endsWith('*') ? name.startsWith(dotted.slice(0, -1)) : name === dotted;
}

/** The first resource that the node is short of, as upstream reports it; all of them when nothing else is in the pod's way. */
function refuseResources(input: AdmissionInput): Admission | undefined {
  const { pod, others, allocatable } = input;
  const short = RESOURCES.flatMap((resource) => {
    const capacity = capacityOf(allocatable, resource);
    const requested = requestOf(pod, resource);
    const used = others.reduce((sum, other) => sum + requestOf(other, resource), 0);
    if (capacity === undefined || requested === 0 || requested + used <= capacity) return [];
    return [{ resource, requested, used, capacity }];
  });
  const [first] = short;
  if (first === undefined) return undefined;
  const { resource, requested, used, capacity } = first;
  const numbers = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  const refusal = refuse(`OutOf${resource}`, `Node didn't have enough resource: ${resource}, ${numbers}`);
  if ((refusePlacement(input) ?? refusePorts(input)) !== undefined) return refusal;
  const shortages = short.map((each) => ({
    resource: each.resource,
    missing: each.requested + each.used - each.capacity,
  }));
  return { ...refusal, shortages };
}

function refusePlacement({ pod, node }: AdmissionInput): Admission | undefined {
  if (node === undefined) return undefined;
  if (!nodeSelectorMatches(pod, node)) {
    return refuse('NodeAffinity', `Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector`);
  }
  // Only NoExecute counts here: the scheduler is responsible for NoSchedule.
  const taint = (node.spec?.taints ?? []).find((each) => each.effect === 'NoExecute' && !toleratesTaint(pod, each));
  if (taint === undefined) return undefined;
  const text = `{${taint.key}: ${taint.value ?? ''}}`;
  return refuse('TaintToleration', `Predicate TaintToleration failed: node(s) had untolerated taint ${text}`);
}

function refusePorts({ pod, others }: AdmissionInput): Admission | undefined {
  const taken = others.flatMap(hostPortsOf);
  const clash = hostPortsOf(pod).some((wish) => taken.some((other) => hostPortsClash(wish, other)));
  if (!clash) return undefined;
  return refuse('NodePorts', `Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports`);
}
