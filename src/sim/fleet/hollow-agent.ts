/**
 * The agent of a hollow node: it registers, keeps its lease and status, and brings its pods to the same end as a kubelet, without
 * containers. It is light enough for a hundred of them in one simulation.
 */
import {
  isAlreadyExists,
  isConflict,
  isDeleting,
  isNotFound,
  type Lease,
  LEASES,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  type Pod,
  PODS,
  StatusError,
  uidOf,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import { createReflector, type KubeClient } from '../../client/index.ts';
import {
  type Clock,
  ConnectionError,
  type FileSystem,
  formatMicroTime,
  formatTime,
  type Logger,
  type Random,
  runWorkQueue,
  WorkQueue,
} from '../../lib/index.ts';
import { keepNodeRoutes, type NetworkMachine } from '../../network/index.ts';
import type { HollowVolumes } from './hollow-volumes.ts';
import { behaviourOf } from './pod-behaviour.ts';
import { endedStatus, readyStatus } from './pod-status.ts';

const LEASE_MS = 10_000;
const STATUS_MS = 10_000;
const RETRY_MS = 1000;
const LEASE_NAMESPACE = 'kube-node-lease';
/** The instance name of every node: each machine of the fleet has one mendlet. */
const INSTANCE = 'fleet';

/** The pods that run on the machine and outlive the agent. */
export interface HollowMachine {
  isRunning(uid: string): boolean;
  uids(): readonly string[];
  start(pod: Pod): void;
  stop(uid: string): void;
  /** Mono ms since when the pod runs. */
  startedAt(uid: string): number;
}

/** The node's identity. */
export interface HollowIdentity {
  readonly name: string;
  readonly zone: string;
  /** The address at which other nodes reach it. */
  readonly address: string;
}

export interface HollowPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly machine: HollowMachine;
  /** The machine's network, for routes to other nodes' pods; absent: the agent keeps no routes. */
  readonly network?: { readonly machine: NetworkMachine; readonly fs: FileSystem };
  /** The folders of volumes on the machine; absent: it makes none. */
  readonly volumes?: HollowVolumes;
}

/** Runs until its life ends. */
export async function runHollowAgent(ports: HollowPorts, identity: HollowIdentity, signal: AbortSignal): Promise<void> {
  const { name } = identity;
  await Promise.all([
    keepNode(ports, identity, signal),
    keepLease(ports, name, signal),
    keepPods(ports, name, signal),
    keepRoutes(ports, name, signal),
  ]);
}

/** Keeps the routes to other nodes' pods as soon as the node has its own part of the pods' network. */
async function keepRoutes(ports: HollowPorts, name: string, signal: AbortSignal): Promise<void> {
  const { clock, client, random, network, logger } = ports;
  if (network === undefined) return;
  while (!signal.aborted) {
    try {
      const { spec } = await client.get(NODES, undefined, name, signal);
      if (spec?.podCIDR !== undefined) {
        const routePorts = { ...network, client, clock, random: random.split('routes'), logger };
        const node = {
          nodeName: name,
          podCidr: spec.podCIDR,
          instanceId: INSTANCE,
          file: '/var/lib/mendlet/peers.json',
        };
        await keepNodeRoutes(routePorts, node, signal);
      }
    } catch (error) {
      ignoreOperating(error);
    }
    await clock.sleep(RETRY_MS, signal).catch(() => {});
  }
}

async function keepNode(ports: HollowPorts, identity: HollowIdentity, signal: AbortSignal): Promise<void> {
  const { clock, client, random } = ports;
  const { name } = identity;
  while (!signal.aborted) {
    try {
      const node = await client.get(NODES, undefined, name, signal).catch((error: unknown) => {
        if (isNotFound(error)) return client.create(NODES, newNode(identity, clock, ports.volumes), signal);
        throw error;
      });
      if (!isReady(node)) await client.patch(NODES, undefined, name, 'strategic', readyPatch(clock), 'status', signal);
    } catch (error) {
      ignoreOperating(error);
    }
    await clock.sleep(STATUS_MS * (0.9 + random.next() * 0.2), signal).catch(() => {});
  }
}

function isReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

function newNode({ name, zone, address }: HollowIdentity, clock: Clock, volumes?: HollowVolumes): Node {
  const labels = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/region': 'r',
    'topology.kubernetes.io/zone': zone,
  };
  const amounts = { cpu: '32', memory: '64Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels, ...(volumes && { annotations: { [VOLUME_SPACE_ANNOTATION]: volumes.space } }) },
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [{ type: 'InternalIP', address }],
      ...readyPatch(clock).status,
    },
  };
}

function readyPatch(clock: Clock): { status: NonNullable<Node['status']> } {
  const now = formatTime(clock.now().wall);
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: '',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const conditions = [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
    condition('Ready', 'True', 'KubeletReady'),
  ];
  return { status: { conditions } };
}

async function keepLease(ports: HollowPorts, name: string, signal: AbortSignal): Promise<void> {
  const { clock, random } = ports;
  while (!signal.aborted) {
    let waitMs = LEASE_MS * (1 + random.next() * 0.04);
    try {
      await renew(ports, name, signal);
    } catch (error) {
      ignoreOperating(error);
      waitMs = RETRY_MS;
    }
    await clock.sleep(waitMs, signal).catch(() => {});
  }
}

async function renew({ client, clock }: HollowPorts, name: string, signal: AbortSignal): Promise<void> {
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(clock.now().wall) };
  const metadata = { name, namespace: LEASE_NAMESPACE };
  const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  try {
    await client.patch(LEASES, LEASE_NAMESPACE, name, 'merge', { spec }, undefined, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.create(LEASES, lease, signal);
  }
}

async function keepPods(ports: HollowPorts, name: string, signal: AbortSignal): Promise<void> {
  const { client, clock, logger, machine, random } = ports;
  const fieldSelector = `spec.nodeName=${name}`;
  const pods = createReflector<Pod>(
    { client, clock, logger, random: random.split('pods') },
    { resource: PODS, query: { fieldSelector } },
  );
  const queue = new WorkQueue<string>({ clock, backOff: { baseMs: 200, capMs: 10_000 } });
  signal.addEventListener('abort', () => queue.close(), { once: true });
  /** Pod key → its last UID, so that a deleted pod is found on the machine. */
  const known = new Map<string, string>();
  const endMissing = (): void => {
    if (!pods.lister.synced) return;
    const wanted = new Set(pods.lister.list().map(uidOf));
    for (const uid of machine.uids()) if (!wanted.has(uid)) machine.stop(uid);
  };
  pods.lister.onChange(({ key, object }) => {
    known.set(key, uidOf(object));
    queue.add(key);
    endMissing();
  });
  const work = async (): Promise<void> => {
    await pods.lister.waitForSync(signal).catch(() => {});
    if (signal.aborted) return;
    // After a restart of the agent the pods that were deleted meanwhile are stopped.
    endMissing();
    await runWorkQueue({
      queue,
      concurrency: 8,
      handler: async (key) => {
        const pod = pods.lister.getByKey(key);
        if (pod === undefined) return undefined;
        try {
          const againMs = await syncPod(ports, name, pod, signal);
          // Sums of fractions are inexact; the added ms keeps a wait that ends slightly early from repeating at the same instant.
          if (againMs !== undefined) queue.addAfter(key, againMs + 1);
          return undefined;
        } catch (error) {
          ignoreOperating(error);
          return 'retry';
        }
      },
      onPanic: (_key, error) => {
        throw error;
      },
    });
  };
  await Promise.all([pods.run(signal), work()]);
}

/** @returns ms until the pod must be synced again, if its state changes with time alone */
async function syncPod(
  { client, clock, machine, volumes }: HollowPorts,
  name: string,
  pod: Pod,
  signal: AbortSignal,
): Promise<number | undefined> {
  const uid = uidOf(pod);
  const { namespace, name: podName = '' } = pod.metadata ?? {};
  const behaviour = behaviourOf(pod);
  const report = (status: NonNullable<Pod['status']>): Promise<unknown> =>
    client.patch(PODS, namespace, podName, 'strategic', { metadata: { uid }, status }, 'status', signal);
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  if (isDeleting(pod)) {
    if (machine.isRunning(uid)) {
      await clock.sleep(behaviour.stopMs, signal);
      machine.stop(uid);
    }
    await client.delete(PODS, namespace, podName, { gracePeriodSeconds: 0, uid }, signal).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
    return undefined;
  }
  if (isOver) {
    machine.stop(uid);
    return undefined;
  }
  if (!machine.isRunning(uid)) {
    const names = await volumesOf(client, pod, signal);
    if (volumes !== undefined && !volumes.publish(uid, names)) return RETRY_MS;
    machine.start(pod);
  }
  const age = clock.now().mono - machine.startedAt(uid);
  if (age < behaviour.startMs) return behaviour.startMs - age;
  if (behaviour.runMs !== undefined && age >= behaviour.runMs) {
    machine.stop(uid);
    await report(endedStatus(pod, behaviour.exit ?? 'Succeeded', clock.now().wall));
    return undefined;
  }
  const status = readyStatus(pod, name, clock.now().wall);
  if (status !== undefined) await report(status);
  return behaviour.runMs === undefined ? undefined : behaviour.runMs - age;
}

/** Names of the volumes of the pod's claims. Rejects while one is not bound. */
async function volumesOf(client: KubeClient, pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { namespace } = pod.metadata ?? {};
    const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, namespace, persistentVolumeClaim.claimName, signal);
    if (claim.status?.phase !== 'Bound') throw new ConnectionError('the claim is not bound');
    names.push(claim.spec?.volumeName ?? '');
  }
  return names;
}

/** Ignores errors of server and network, which are part of the simulation; any other error is a bug of the simulation. */
function ignoreOperating(error: unknown): void {
  if (error instanceof StatusError || error instanceof ConnectionError) return;
  if (isAlreadyExists(error)) return;
  if (error instanceof Error && /stop/.test(error.message)) return;
  throw error;
}
