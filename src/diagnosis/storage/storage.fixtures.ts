/** A driver with its parts, a volume of it, and an attachment, as the API shows them, with defaults of a cluster that is well. */
import type { VolumeAttachment } from '../../api/index.ts';
import { ago, NOW, pod } from '../evidence.fixtures.ts';
import type { Node, PersistentVolume, Pod, WorkloadObject } from '../evidence/kinds.ts';
import type { NodeEvidence } from '../evidence/node-evidence.ts';
import type {
  AttachmentEvidence,
  DriverEvidence,
  DriverPart,
  NodeDriversEvidence,
} from '../evidence/storage-evidence.ts';

export const DRIVER = 'disk.example.com';

export const volume = (
  given: { readonly spec?: object; readonly status?: object; readonly metadata?: object } = {},
): PersistentVolume => ({
  metadata: { name: 'pv-1', uid: 'uid-pv-1', ...given.metadata },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { namespace: 'shop', name: 'data', uid: 'uid-data' },
    csi: { driver: DRIVER, volumeHandle: 'v1' },
    persistentVolumeReclaimPolicy: 'Delete',
    ...given.spec,
  },
  status: { phase: 'Bound', ...given.status },
});

/** A pod of the driver, ready unless its status says otherwise. */
export const driverPod = (name: string, nodeName: string, podStatus: object = {}, status: object = {}): Pod =>
  pod({
    name,
    metadata: { namespace: 'disk' },
    spec: { nodeName },
    container: { name: 'csi-attacher', image: 'registry.example/csi-attacher:v4' },
    podStatus,
    status,
  });

const crash = {
  name: 'csi-attacher',
  ready: false,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { exitCode: 2 } },
};
export const crashing = (name: string, nodeName: string): Pod => driverPod(name, nodeName, {}, crash);

export const controller = (pods: readonly Pod[] = [driverPod('ctl-1', 'n1')], replicas = 1): DriverPart => ({
  roles: ['attacher', 'provisioner', 'resizer'],
  workload: { kind: 'Deployment', metadata: { name: 'ctl', namespace: 'disk' }, spec: { replicas } },
  pods,
});

export const daemons = (pods: readonly Pod[], template: object = {}): DriverPart => ({
  roles: ['node'],
  workload: {
    kind: 'DaemonSet',
    metadata: { name: 'node', namespace: 'disk' },
    spec: { template: { spec: { containers: [], ...template } } },
  } as never,
  pods,
});

export const driver = (
  parts: readonly DriverPart[] | undefined = [controller()],
  object: object = {},
): DriverEvidence => ({
  name: DRIVER,
  object: { metadata: { name: DRIVER }, spec: {} },
  missing: false,
  ...(parts && { parts }),
  ...object,
});

export interface NodeGiven {
  readonly ready?: string;
  /** Seconds. */
  readonly since?: number;
  readonly inUse?: boolean;
  readonly taints?: readonly object[];
  readonly labels?: object;
}

export const nodeObject = (
  name: string,
  { ready = 'True', since = 180, inUse = false, taints = [], labels = {} }: NodeGiven = {},
): Node =>
  ({
    metadata: { name, labels, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    spec: { taints },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: ready,
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: ago(since),
        },
      ],
      ...(inUse && { volumesInUse: [`kubernetes.io/csi/${DRIVER}^v1`] }),
    },
  }) as unknown as Node;

export const node = (name: string, given: NodeGiven = {}): NodeEvidence => ({
  name,
  node: nodeObject(name, given),
  missing: false,
});

export const registered = (nodeName: string, ...names: readonly string[]): NodeDriversEvidence => ({
  nodeName,
  csiNode: { metadata: { name: nodeName }, spec: { drivers: names.map((name) => ({ name, nodeID: nodeName })) } },
  missing: false,
});

export const FINALIZER = `external-attacher/${DRIVER}`;

export interface AttachmentGiven extends Partial<Omit<AttachmentEvidence, 'attachment' | 'pods'>> {
  readonly metadata?: object;
  readonly status?: object;
  readonly nodeName?: string;
  /** Undefined: they could not be read. */
  readonly pods?: AttachmentEvidence['pods'] | undefined;
}

/** Attached to node n2 since an hour, where no pod is named. */
export function attachmentOf({
  metadata,
  status,
  nodeName = 'n2',
  ...given
}: AttachmentGiven = {}): AttachmentEvidence {
  const attachment: VolumeAttachment = {
    metadata: { name: 'csi-1', creationTimestamp: ago(3600), finalizers: [FINALIZER], ...metadata },
    spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: 'pv-1' } },
    status: { attached: true, ...status },
  };
  const pods = 'pods' in given ? given.pods : [];
  const { pods: _, ...rest } = given;
  return {
    now: NOW,
    attachment,
    volume: volume(),
    node: node(nodeName),
    nodeDrivers: registered(nodeName, DRIVER),
    driver: driver(),
    notLookedAt: [],
    ...rest,
    ...(pods && { pods }),
  };
}
