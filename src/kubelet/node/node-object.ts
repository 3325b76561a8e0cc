/** The Node object: what it is created with, and the parts of its status that the kubelet owns. Pure. */
import { canonicalQuantity, type ContainerImage, type Node, type NodeStatus, type Quantity } from '../../api/index.ts';
import type { Image, RuntimeVersion } from '../../cri/index.ts';
import type { MachineFacts } from '../ports.ts';
import { MAX_IMAGES, MAX_NAMES_PER_IMAGE } from './limits.ts';

export interface NodeIdentity {
  readonly nodeName: string;
  readonly podCidr: string;
  readonly maxPods: number;
  readonly version: string;
  /** The port of the kubelet's API on the node's addresses; absent when it is served in memory alone. */
  readonly daemonPort?: number;
  /** Of so many bytes, what eviction's hard thresholds keep free: no pod may count on it. */
  readonly keepsFree: (signal: 'memory.available' | 'nodefs.available', capacityBytes: number) => number;
}

export interface NodeFacts {
  readonly machine: MachineFacts;
  /** Bytes of the file system that holds the pods' folders. */
  readonly ephemeralBytes: number;
  readonly runtime: RuntimeVersion | undefined;
  readonly images: readonly Image[];
}

/** Labels that upstream's kubelet gives its node. */
export function defaultLabels(nodeName: string, machine: MachineFacts): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': machine.architecture,
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': machine.architecture,
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': 'linux',
  };
}

export function newNode(identity: NodeIdentity, machine: MachineFacts): Node {
  const { nodeName, podCidr } = identity;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName, labels: defaultLabels(nodeName, machine) },
    spec: podCidr === '' ? {} : { podCIDR: podCidr, podCIDRs: [podCidr] },
  };
}

/**
 * What an adopted node lacks of what a new one has: our labels, and the pod CIDR if it has none yet. `undefined`: nothing.
 */
export function adoptionPatch(existing: Node, wanted: Node): object | undefined {
  const missing = Object.entries(wanted.metadata?.labels ?? {}).filter(
    ([key, value]) => existing.metadata?.labels?.[key] !== value,
  );
  const needsCidr = !existing.spec?.podCIDR && wanted.spec?.podCIDR !== undefined;
  if (missing.length === 0 && !needsCidr) return undefined;
  return {
    ...(missing.length > 0 && { metadata: { labels: Object.fromEntries(missing) } }),
    ...(needsCidr && { spec: wanted.spec }),
  };
}

/** The status but for its conditions; whatever others put into it stays. */
export function nodeStatus(before: NodeStatus, identity: NodeIdentity, facts: NodeFacts): NodeStatus {
  const { machine, runtime } = facts;
  const capacity = capacityOf(identity, facts);
  return {
    ...before,
    capacity: { ...before.capacity, ...capacity },
    allocatable: { ...before.allocatable, ...allocatableOf(capacity, identity, facts) },
    addresses: [
      ...machine.addresses.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: machine.hostname || identity.nodeName },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: identity.daemonPort ?? 0 } },
    nodeInfo: {
      architecture: machine.architecture,
      bootID: machine.bootId,
      containerRuntimeVersion:
        runtime === undefined ? 'Unknown' : `${runtime.runtimeName}://${runtime.runtimeVersion.replace(/^v/, '')}`,
      kernelVersion: machine.kernelVersion,
      kubeProxyVersion: '',
      kubeletVersion: identity.version,
      machineID: machine.machineId,
      operatingSystem: 'linux',
      osImage: machine.osImage,
      systemUUID: machine.systemUuid,
    },
    images: imagesOf(facts.images),
  };
}

type Resources = Record<'cpu' | 'memory' | 'ephemeral-storage' | 'pods', Quantity>;

function capacityOf(identity: NodeIdentity, { machine, ephemeralBytes }: NodeFacts): Resources {
  return {
    cpu: cores(machine.cpuCores),
    memory: kibibytes(machine.memoryBytes),
    'ephemeral-storage': kibibytes(ephemeralBytes),
    pods: String(identity.maxPods),
  };
}

/** Capacity less what the hard eviction thresholds keep free. */
function allocatableOf(
  capacity: Resources,
  { keepsFree }: NodeIdentity,
  { machine: { memoryBytes }, ephemeralBytes }: NodeFacts,
): Resources {
  const storage = Math.floor(ephemeralBytes - keepsFree('nodefs.available', ephemeralBytes));
  return {
    ...capacity,
    memory: kibibytes(Math.max(0, memoryBytes - keepsFree('memory.available', memoryBytes))),
    'ephemeral-storage': canonicalQuantity(String(Math.max(0, storage))),
  };
}

function cores(count: number): Quantity {
  return canonicalQuantity(`${Math.floor(count * 1000)}m`);
}

function kibibytes(bytes: number): Quantity {
  return canonicalQuantity(`${Math.floor(bytes / 1024)}Ki`);
}

/** The largest images, each by a few of its names. */
function imagesOf(images: readonly Image[]): ContainerImage[] {
  return images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_IMAGES)
    .map(({ repoDigests, repoTags, sizeBytes }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES_PER_IMAGE),
      sizeBytes,
    }));
}
