/** CPU and memory of containers and pods as cgroup numbers (upstream: cm/helpers_linux.go, qos/policy.go). Pure. */
import {
  type Container,
  isRestartableInit,
  type Pod,
  podLimits,
  podRequests,
  podRequestsOfContainers,
  qosClassOf,
  quantityMilliValue,
  quantityValue,
} from '../../api/index.ts';
import type { LinuxResources } from '../../cri/index.ts';
import type { CgroupLimits } from '../ports.ts';

const CPU_PERIOD = 100_000;
const MIN_SHARES = 2;
const MAX_SHARES = 262_144;
const MIN_QUOTA = 1000;
const GUARANTEED_OOM_SCORE = -997;
const BEST_EFFORT_OOM_SCORE = 1000;
/** Priority of system-node-critical. */
const NODE_CRITICAL_PRIORITY = 2_000_001_000;

type Quantities = Readonly<Record<string, string>> | undefined;

/** Shares of a CPU request in thousandths of a core. */
export function cpuShares(milliCpu: number): number {
  return Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((milliCpu * 1024) / 1000)));
}

/** Microseconds per period; 0 is unlimited. */
export function cpuQuota(milliCpu: number): number {
  return milliCpu <= 0 ? 0 : Math.max(MIN_QUOTA, Math.floor((milliCpu * CPU_PERIOD) / 1000));
}

function milli(quantities: Quantities, name: string): number {
  const value = quantities?.[name];
  return value === undefined ? 0 : quantityMilliValue(value);
}

function bytes(quantities: Quantities, name: string): number {
  const value = quantities?.[name];
  return value === undefined ? 0 : quantityValue(value);
}

export interface NodeMemory {
  readonly memoryBytes: number;
  readonly cgroupVersion: 'v1' | 'v2';
}

/**
 * The settings of every container on v2. An OOM kills the whole container, and not one process that nobody then misses. Only
 * the pod's group limits processes: systemd's DefaultTasksMax would otherwise limit each container's scope to 15 % of the
 * machine's.
 */
const UNIFIED = { 'memory.oom.group': '1', 'pids.max': 'max' } as const;

export function containerResources(pod: Pod, container: Container, node: NodeMemory): LinuxResources {
  const { requests, limits } = container.resources ?? {};
  // One without a limit of its own gets the pod's, so that it sees what it may use.
  const most = { ...pod.spec?.resources?.limits, ...limits };
  // A limit without a request counts as the request (upstream: calculateLinuxResources).
  const request = requests?.cpu === undefined ? milli(limits, 'cpu') : milli(requests, 'cpu');
  return {
    cpuPeriod: CPU_PERIOD,
    cpuQuota: cpuQuota(milli(most, 'cpu')),
    cpuShares: cpuShares(request),
    memoryLimitBytes: bytes(most, 'memory'),
    oomScoreAdj: oomScoreAdj(pod, container, node.memoryBytes),
    ...(node.cgroupVersion === 'v2' ? { unified: UNIFIED } : {}),
  };
}

/** Burstable: the less was asked for, the sooner it is killed (upstream: GetContainerOOMScoreAdjust). */
export function oomScoreAdj(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL_PRIORITY) return GUARANTEED_OOM_SCORE;
  const qos = qosClassOf(pod.spec ?? { containers: [] });
  if (qos === 'Guaranteed') return GUARANTEED_OOM_SCORE;
  if (qos === 'BestEffort') return BEST_EFFORT_OOM_SCORE;
  const score = burstableScore(pod, container, nodeMemoryBytes);
  if (!isRestartableInit(container)) return score;
  // A sidecar is not killed before what it serves.
  const served = (pod.spec?.containers ?? []).map((each) => burstableScore(pod, each, nodeMemoryBytes));
  return Math.min(score, ...served);
}

function burstableScore(pod: Pod, container: Container, nodeMemoryBytes: number): number {
  const request = memoryRequest(container) + sharedRequest(pod);
  const score = 1000 - Math.floor((1000 * request) / nodeMemoryBytes);
  return Math.min(BEST_EFFORT_OOM_SCORE - 1, Math.max(1000 + GUARANTEED_OOM_SCORE, score));
}

function memoryRequest({ resources }: Container): number {
  return bytes(resources?.requests, 'memory') || bytes(resources?.limits, 'memory');
}

/** Each container's part of what the pod as a whole asked for beyond its containers (KEP-2837). */
function sharedRequest({ spec }: Pod): number {
  const whole = bytes(spec?.resources?.requests, 'memory');
  if (spec === undefined || whole === 0) return 0;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const rest = whole - bytes(podRequestsOfContainers(spec), 'memory');
  return Math.max(0, Math.floor(rest / containers.length));
}

/**
 * The cgroups that contain all pods' cgroups, parents first. All pods together weigh as much as the machine has cores,
 * against other programs there (upstream: node_container_manager_linux.go); pods without requests have upstream's least
 * shares.
 * @param cpuCores of the machine
 */
export function qosCgroups(
  cpuCores: number,
): readonly { readonly path: readonly string[]; readonly limits: CgroupLimits }[] {
  return [
    { path: ['kubepods'], limits: { cpuShares: cpuShares(cpuCores * 1000) } },
    { path: ['kubepods', 'burstable'], limits: {} },
    { path: ['kubepods', 'besteffort'], limits: { cpuShares: MIN_SHARES } },
  ];
}

/** The pod's own cgroup: shares of all requests; limits where every container has one. */
/** `pidsLimit`: the limit of processes and threads of each pod; −1: any number. */
export function podCgroupLimits(pod: Pod, pidsLimit: number): CgroupLimits {
  const spec = pod.spec ?? { containers: [] };
  const requests = podRequests(spec);
  const limits = podLimits(spec);
  const quota = cpuQuota(milli(limits, 'cpu'));
  const memory = bytes(limits, 'memory');
  return {
    cpuShares: cpuShares(milli(requests, 'cpu')),
    ...(quota > 0 ? { cpuQuota: quota, cpuPeriod: CPU_PERIOD } : {}),
    ...(memory > 0 ? { memoryLimitBytes: memory } : {}),
    ...(pidsLimit > 0 ? { pidsLimit } : {}),
  };
}
