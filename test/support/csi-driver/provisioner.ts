/** What an external provisioner does, in the test's own process: volumes for claims that wait for the driver. */
import { connect } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { Controller } from '../../../src/csi/gen/csi_pb.js';

export interface WaitingClaim {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly volumeName?: string; readonly volumeMode?: string; readonly storageClassName: string };
}

/** Whether the claim waits for the provisioner `driver`, on a node that the scheduler has chosen. */
export function waitsFor(driver: string, { metadata, spec }: WaitingClaim): boolean {
  const { annotations = {} } = metadata;
  return (
    (spec.volumeName ?? '') === '' &&
    annotations['volume.kubernetes.io/storage-provisioner'] === driver &&
    annotations['volume.kubernetes.io/selected-node'] !== undefined
  );
}

/** Has the driver make the volume. @returns the PersistentVolume that names it */
export async function provision(
  socket: string,
  driver: string,
  { metadata, spec }: WaitingClaim,
  parameters: Readonly<Record<string, string>>,
): Promise<object> {
  const session = new Http2SessionManager('http://localhost', {}, { createConnection: () => connect(socket) });
  const transport = createGrpcTransport({ baseUrl: 'http://localhost', sessionManager: session });
  try {
    const name = `pvc-${metadata.uid}`;
    const bytes = 16 << 20;
    const { volume } = await createClient(Controller, transport).createVolume({
      name,
      capacityRange: { requiredBytes: BigInt(bytes) },
      parameters: { ...parameters },
    });
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
      spec: {
        capacity: { storage: String(bytes) },
        accessModes: ['ReadWriteOnce'],
        volumeMode: spec.volumeMode ?? 'Filesystem',
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: spec.storageClassName,
        claimRef: {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: 'default',
          name: metadata.name,
          uid: metadata.uid,
        },
        csi: { driver, volumeHandle: volume?.volumeId ?? '', volumeAttributes: volume?.volumeContext ?? {} },
      },
    };
  } finally {
    session.abort();
  }
}
