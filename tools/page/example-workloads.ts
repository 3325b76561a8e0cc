/** Workloads for pictures of the live page: most are well, some die and heal in different ways, one is given up. */
import { busyboxPod } from '../../test/e2e/harness.ts';
import { webDeployment, webService } from '../../test/support/web-deployment.ts';

type Fields = Readonly<Record<string, unknown>>;

const inNamespace = (namespace: string, object: object): object => ({
  ...object,
  metadata: { ...(object as { metadata?: Fields }).metadata, namespace },
});

/** A workload of busybox pods that run `script`. */
function workload(
  [kind, namespace, name]: readonly [kind: 'Deployment' | 'StatefulSet' | 'DaemonSet', namespace: string, name: string],
  script: string,
  { replicas = 1, container = {} }: { readonly replicas?: number; readonly container?: object } = {},
): object {
  const labels = { app: name };
  const { spec } = busyboxPod(name, script, { container }) as { spec: Fields };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}

const WAITS = 'trap "exit 0" TERM; while true; do sleep 1; done';

export const NAMESPACES = ['shop', 'media', 'ops'];

export function exampleWorkloads(): readonly object[] {
  const connects =
    'echo "INFO listening on :8080"; sleep 2; echo "ERROR connect ECONNREFUSED 10.0.0.7:5432"; echo "fatal: the database does not answer"; exit 1';
  const eats = 'echo "loading 4,812 pictures"; sleep 3; x=a; while true; do x=$x$x; done';
  const hangs = 'touch /tmp/alive; echo ready; sleep 20; echo "lost the queue"; rm /tmp/alive; sleep 3600';
  const once = `if [ -e /kept/died ]; then ${WAITS}; fi; touch /kept/died; echo "panic: index out of range"; exit 2`;
  return [
    ...NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    inNamespace('shop', webDeployment('web', 3)),
    inNamespace('shop', webService('web')),
    workload(['StatefulSet', 'shop', 'orders-db'], WAITS),
    workload(['Deployment', 'shop', 'api'], connects, { replicas: 2 }),
    withKeptFolder(workload(['Deployment', 'shop', 'checkout'], once)),
    workload(['Deployment', 'media', 'thumbnails'], eats, { container: { resources: { limits: { memory: '24Mi' } } } }),
    workload(['Deployment', 'media', 'importer'], hangs, {
      container: { livenessProbe: { exec: { command: ['cat', '/tmp/alive'] }, periodSeconds: 2, failureThreshold: 2 } },
    }),
    workload(['DaemonSet', 'ops', 'node-metrics'], WAITS),
    workload(['Deployment', 'ops', 'mail-relay'], WAITS, { replicas: 2 }),
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'backup', namespace: 'ops' },
      spec: { template: { spec: { restartPolicy: 'Never', ...jobSpec('echo "1.2 GB written"') } } },
    },
  ];
}

function jobSpec(script: string): Fields {
  return (busyboxPod('job', script) as { spec: Fields }).spec;
}

/** With a folder that outlives its containers. */
function withKeptFolder(object: object): object {
  const { spec, ...rest } = object as {
    readonly spec: { readonly template: { readonly spec: Fields; readonly metadata: object } };
  };
  const { containers, ...pod } = spec.template.spec as { readonly containers: readonly Fields[] };
  const kept = containers.map((each) => ({ ...each, volumeMounts: [{ name: 'kept', mountPath: '/kept' }] }));
  const template = { ...spec.template, spec: { ...pod, containers: kept, volumes: [{ name: 'kept', emptyDir: {} }] } };
  return { ...rest, spec: { ...spec, template } };
}
