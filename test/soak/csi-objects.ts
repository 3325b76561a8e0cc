/** The objects of the soak of CSI: writers that note what fsync acknowledged, on disks of the example driver. */

const IMAGE = 'docker.io/library/busybox:latest';
const CLASS = 'csi-disks';
/** Pods that each have a volume that one node may have. */
export const SET = 'store';
/** The one pod of a Deployment, whose volume one pod may have. */
export const SINGLE = 'single';

/** A lost node keeps its pods for this time. */
const TOLERATION_SECONDS = 3;
const claimSpec = (mode: string): object => ({
  accessModes: [mode],
  storageClassName: CLASS,
  resources: { requests: { storage: '16Mi' } },
});

/** @param volume how the writer names its volume; undefined: as its pod */
function podSpec(script: string, volume?: string): object {
  const name = volume === undefined ? { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } } : { value: volume };
  return {
    terminationGracePeriodSeconds: 1,
    tolerations: ['not-ready', 'unreachable'].map((key) => ({
      key: `node.kubernetes.io/${key}`,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATION_SECONDS,
    })),
    containers: [
      {
        name: 'main',
        image: IMAGE,
        imagePullPolicy: 'Never',
        command: ['/bin/sh', '-c', script],
        env: [{ name: 'VOLUME', ...name }],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
  };
}

/** @param script of the writer */
export function storeSet(replicas: number, script: string): object {
  const labels = { app: SET };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: SET },
    spec: {
      serviceName: SET,
      replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(script) },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec('ReadWriteOnce') }],
    },
  };
}

export function singleClaim(): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: SINGLE },
    spec: claimSpec('ReadWriteOncePod'),
  };
}

export function singleDeployment(script: string): object {
  const labels = { app: SINGLE };
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: SINGLE } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: SINGLE },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...podSpec(script, SINGLE), volumes } },
    },
  };
}

/** A pod whose volume comes and goes with it. */
export function scratchPod(name: string, script: string): object {
  const volumeClaimTemplate = { spec: claimSpec('ReadWriteOnce') };
  const spec = { ...podSpec(script), volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate } }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'scratch' } }, spec };
}
