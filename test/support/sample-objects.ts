/** Minimal valid objects of every kind that can be stored, for the tests that go through all kinds. */
import type { ResourceRow } from '../../src/api/index.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
const selector = { matchLabels: { app: 'a' } };
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const capacity = { storage: '1Gi' };
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

const deviceRequest = { name: 'r', exactly: { deviceClassName: 'c' } };

const contents: Readonly<Record<string, object>> = {
  pods: { spec: { nodeName: 'n1', ...template.spec } },
  podtemplates: { template },
  replicationcontrollers: { spec: { replicas: 1, selector: { app: 'a' }, template } },
  services: { spec: { ports: [{ port: 80 }], clusterIP: 'None' } },
  endpoints: {},
  'endpointslices.discovery.k8s.io': { addressType: 'IPv4', endpoints: [] },
  persistentvolumeclaims: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: capacity } } },
  persistentvolumes: { spec: { accessModes: ['ReadWriteOnce'], capacity, hostPath: { path: '/x' } } },
  limitranges: { spec: { limits: [] } },
  resourcequotas: { spec: {} },
  'deployments.apps': { spec: { replicas: 1, selector, template } },
  'replicasets.apps': { spec: { replicas: 1, selector, template } },
  'statefulsets.apps': { spec: { replicas: 1, serviceName: 's', selector, template } },
  'daemonsets.apps': { spec: { selector, template } },
  'controllerrevisions.apps': { revision: 1, data: {} },
  'jobs.batch': { spec: { template: jobTemplate } },
  'cronjobs.batch': { spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: jobTemplate } } } },
  'poddisruptionbudgets.policy': { spec: { minAvailable: 0, selector: { matchLabels: { app: 'nobody' } } } },
  'ingresses.networking.k8s.io': { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
  'ingressclasses.networking.k8s.io': { spec: { controller: 'x.example/c' } },
  'networkpolicies.networking.k8s.io': { spec: { podSelector: {} } },
  'servicecidrs.networking.k8s.io': { spec: { cidrs: ['10.99.0.0/24'] } },
  'ipaddresses.networking.k8s.io': { spec: { parentRef: { resource: 'services', namespace: 'x', name: 'y' } } },
  'horizontalpodautoscalers.autoscaling': {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 },
  },
  'csidrivers.storage.k8s.io': { spec: {} },
  'csinodes.storage.k8s.io': { spec: { drivers: [{ name: 'd.example', nodeID: 'n' }] } },
  'csistoragecapacities.storage.k8s.io': { storageClassName: 'fast', capacity: '1Gi' },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'd.example', source: { persistentVolumeName: 'v' }, nodeName: 'n1' },
  },
  'volumeattributesclasses.storage.k8s.io': { driverName: 'd.example', parameters: { iops: '100' } },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 5000 },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } },
  },
  'deviceclasses.resource.k8s.io': { spec: {} },
  'resourceclaims.resource.k8s.io': { spec: { devices: { requests: [deviceRequest] } } },
  'resourceclaimtemplates.resource.k8s.io': { spec: { spec: { devices: { requests: [deviceRequest] } } } },
  'resourceslices.resource.k8s.io': {
    spec: {
      driver: 'd.example',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      nodeName: 'n1',
      devices: [{ name: 'gpu' }],
    },
  },
  'leases.coordination.k8s.io': { spec: {} },
  'runtimeclasses.node.k8s.io': { handler: 'runc' },
  'priorityclasses.scheduling.k8s.io': { value: 1 },
  'storageclasses.storage.k8s.io': { provisioner: 'x.example/y' },
  'roles.rbac.authorization.k8s.io': { rules: [] },
  'clusterroles.rbac.authorization.k8s.io': { rules: [] },
  'rolebindings.rbac.authorization.k8s.io': { roleRef, subjects: [] },
  'clusterrolebindings.rbac.authorization.k8s.io': { roleRef, subjects: [] },
  'podrestarts.mendlet.dev': { spec: { podName: 'nobody' } },
  'healingpolicies.mendlet.dev': { spec: { selector } },
  'notifications.mendlet.dev': { spec: { target: { type: 'Generic', url: 'https://example.com/hook' } } },
  'clusternotifications.mendlet.dev': { spec: { target: { type: 'Generic', url: 'https://example.com/hook' } } },
};

/** "deployments.apps", "pods". */
export function fullName({ group, resource }: Pick<ResourceRow, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** An object of a kind, in `namespace` if the kind is namespaced. */
export function manifestOf(
  row: ResourceRow,
  name: string,
  namespace?: string,
  mark: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const key = fullName(row);
  const metadata = { name, labels: { ...mark }, annotations: { ...mark }, ...(namespace && { namespace }) };
  const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
  const event = { involvedObject: { kind: 'Pod', name: 'p', namespace }, reason: 'R', type: 'Normal' };
  const special = key === 'events' ? event : key === 'events.events.k8s.io' ? eventOf(namespace) : {};
  return { apiVersion, kind: row.kind, metadata, ...contents[key], ...special };
}

function eventOf(namespace: string | undefined): object {
  const regarding = { kind: 'Pod', name: 'p', namespace };
  const who = { reportingController: 'a.example/c', reportingInstance: 'i', action: 'A', reason: 'R' };
  return { regarding, ...who, type: 'Normal', eventTime: '2026-01-01T00:00:00.000000Z' };
}

/** The path of a kind's collection. */
export function collectionOf(row: ResourceRow, namespace?: string): string {
  const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${row.resource}`;
}
