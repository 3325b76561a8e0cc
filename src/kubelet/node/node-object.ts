/** The Node object: its first version, and the parts of its status that the kubelet owns. Pure. */
import {
  canonicalQuantity,
  type ContainerImage,
  CONTROLLER_MANAGED_ATTACH,
  type Node,
  type NodeStatus,
  type Quantity,
  type Taint,
} from '../../api/index.ts';
import type { Image, RuntimeVersion } from '../../cri/index.ts';
import type { MachineFacts } from '../figures.ts';
import { MAX_IMAGES, MAX_NAMES_PER_IMAGE } from './limits.ts';

/** The properties of a node when it registers, beside those that every node has. */
export interface Registration {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Only of a new node: a taint that somebody removes later does not come back. */
  readonly taints: readonly Taint[];
}

export interface NodeIdentity {
  readonly nodeName: string;
  readonly podCidr: string;
  readonly maxPods: number;
  readonly version: string;
  /** The port of the kubelet's API on the node's addresses; absent when it is served in memory alone. */
  readonly daemonPort?: number;
  readonly registration?: Registration;
  /** The bytes that eviction's hard thresholds keep free, of this many bytes: no pod may count on them. */
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

export function newNode(
  { nodeName, podCidr, registration }: Pick<NodeIdentity, 'nodeName' | 'podCidr' | 'registration'>,
  machine: MachineFacts,
): Node {
  const { labels, annotations, taints = [] } = registration ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      labels: { ...labels, ...defaultLabels(nodeName, machine) },
      annotations: { ...annotations, [CONTROLLER_MANAGED_ATTACH]: 'true' },
    },
    spec: {
      ...(podCidr === '' ? {} : { podCIDR: podCidr, podCIDRs: [podCidr] }),
      ...(taints.length > 0 && { taints: [...taints] }),
    },
  };
}

/**
 * The parts of a new node that an adopted node lacks: our labels and annotations, and the pod CIDR if it has none yet.
 * `undefined`: none.
 */
export function adoptionPatch(existing: Node, wanted: Node): object | undefined {
  const labels = missing(existing.metadata?.labels, wanted.metadata?.labels);
  const annotations = missing(existing.metadata?.annotations, wanted.metadata?.annotations);
  const podCIDR = existing.spec?.podCIDR ? undefined : wanted.spec?.podCIDR;
  if (labels === undefined && annotations === undefined && podCIDR === undefined) return undefined;
  const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(podCIDR !== undefined && { spec: { podCIDR, podCIDRs: [podCIDR] } }),
  };
}

type Entries = Readonly<Record<string, string>>;

/** The entries of `wanted` that `there` lacks or has with another value; `undefined`: none. */
function missing(there: Entries = {}, wanted: Entries = {}): Entries | undefined {
  const entries = Object.entries(wanted).filter(([key, value]) => there[key] !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The status without its conditions; entries of other clients stay. */
export function nodeStatus(before: NodeStatus, identity: NodeIdentity, facts: NodeFacts): NodeStatus {
  const { machine, runtime } = facts;
  const capacity = capacityOf(identity, facts);
  return {
    ...before,
    capacity: { ...before.capacity, ...capacity },
    // Resources that another client advertises (a patch of the node's capacity) are allocatable in full; resources that it
    // takes back are gone.
    allocatable: { ...before.capacity, ...allocatableOf(capacity, identity, facts) },
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
