/** The objects that the API server is measured with: of the size and the fields that clusters have. Pure. */

const labels = { app: 'web', 'pod-template-hash': '6d4cf56db6', tier: 'front' };

function template(): Record<string, unknown> {
  return {
    serviceAccountName: 'default',
    terminationGracePeriodSeconds: 30,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
    volumes: [
      { name: 'config', configMap: { name: 'web', defaultMode: 420 } },
      { name: 'scratch', emptyDir: {} },
    ],
    containers: [
      {
        name: 'web',
        image: 'registry.example.com/shop/web:1.4.2',
        imagePullPolicy: 'IfNotPresent',
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: [
          { name: 'LOG_LEVEL', value: 'info' },
          { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'web', key: 'password' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
        livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10, failureThreshold: 5 },
        volumeMounts: [
          { name: 'config', mountPath: '/etc/web' },
          { name: 'scratch', mountPath: '/tmp' },
        ],
      },
      { name: 'proxy', image: 'registry.example.com/mesh/proxy:2.0', args: ['--port', '9000'] },
    ],
  };
}

export function pod(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, annotations: { 'example.com/checksum': '9f86d081884c7d65' } },
    spec: template(),
  };
}

export function deployment(name: string, replicas: number): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels }, spec: template() },
    },
  };
}

/** What a kubelet reports, another one each turn. */
export function podStatus(turn: number): object {
  const at = new Date(1_700_000_000_000 + turn * 1000).toISOString().replace('.000', '');
  const status = turn % 2 === 0 ? 'True' : 'False';
  const conditions = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: type.includes('Ready') ? status : 'True',
    lastTransitionTime: at,
  }));
  const containerStatuses = ['web', 'proxy'].map((name) => ({
    name,
    image: `registry.example.com/${name}:1`,
    imageID: `registry.example.com/${name}@sha256:0f1e2d3c`,
    containerID: `containerd://${name}${turn}`,
    ready: status === 'True',
    started: true,
    restartCount: turn,
    state: { running: { startedAt: at } },
    lastState: {},
  }));
  return {
    phase: 'Running',
    podIP: '10.0.0.7',
    podIPs: [{ ip: '10.0.0.7' }],
    startTime: at,
    conditions,
    containerStatuses,
  };
}

const data = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`key-${n}`, `a value of some length ${n}`]));

export function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

/** The same as the config map, of a custom kind. */
export function customObject(name: string): object {
  return { apiVersion: 'bench.example.com/v1', kind: 'Widget', metadata: { name, labels }, data };
}

const group = 'bench.example.com';
export const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
          },
        },
      },
    ],
  },
};
