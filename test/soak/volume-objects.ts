/** The objects of the soak of volumes: stateful sets and pods that write to claims. */

const IMAGE = 'docker.io/library/busybox:latest';
const MODES = { shared: 'ReadWriteOnce', alone: 'ReadWriteOncePod' } as const;
/** Stateful sets, and the access modes of their claims. */
export const SETS = Object.keys(MODES) as readonly (keyof typeof MODES)[];
/** The one claim that pods contend for. */
export const CONTENDED = 'contended';

const size = { resources: { requests: { storage: '1Mi' } } };

function podSpec(script: string): object {
  return {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: IMAGE,
        imagePullPolicy: 'Never',
        command: ['/bin/sh', '-c', script],
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      },
    ],
  };
}

/** @param script of the writer */
export function statefulSet(name: keyof typeof MODES, replicas: number, script: string): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      replicas,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(script) },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: [MODES[name]], ...size } }],
    },
  };
}

export function contendedClaim(): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: CONTENDED },
    spec: { accessModes: [MODES.alone], ...size },
  };
}

/** @param nodeName of the claim's volume: the pod is there without the scheduler, which would let it wait */
export function contender(name: string, script: string, nodeName: string | undefined): object {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: CONTENDED } }];
  const spec = { ...podSpec(script), ...(nodeName !== undefined && { nodeName }), volumes };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: CONTENDED } }, spec };
}

/** A pod whose volume comes and goes with it. */
export function scratchPod(name: string, script: string): object {
  const volumeClaimTemplate = { spec: { accessModes: [MODES.shared], ...size } };
  const spec = { ...podSpec(script), volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate } }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'scratch' } }, spec };
}
