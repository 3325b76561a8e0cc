/** Pods in the guest that write to claims of the default class, and say what fsync acknowledged to this machine. */
import { OUTSIDE } from '../../tools/vm/qemu.ts';
import { writerScript } from '../../tools/writers/fsync-writer.ts';

/** Where the guest's mendlet keeps volumes. */
export const VOLUMES = '/var/lib/mendlet/volumes';
export const WRITERS = 2;
/** An fsync of an emulated disk takes long. */
const PAUSE_MS = 300;

export function writers(): object {
  const labels = { app: 'writer' };
  const main = {
    name: 'main',
    image: 'docker.io/library/busybox:latest',
    imagePullPolicy: 'Never',
    command: ['/bin/sh', '-c', writerScript(OUTSIDE.address, OUTSIDE.port, '/data', PAUSE_MS)],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
  const claim = { accessModes: ['ReadWriteOncePod'], resources: { requests: { storage: '1Mi' } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'writer' },
    spec: {
      serviceName: 'writer',
      replicas: WRITERS,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [main] } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
    },
  };
}
