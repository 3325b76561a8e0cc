/** The pieces that releases consist of: one function per piece, which returns its manifests. */
import type { Manifest } from './manifest.ts';

/** What all pieces of one release share. */
export interface Release {
  readonly name: string;
  readonly namespace: string;
}

const labelsOf = ({ name }: Release, component: string): Record<string, string> => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/instance': name,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/version': '1.2.3',
  'app.kubernetes.io/managed-by': 'Helm',
  'helm.sh/chart': `${name}-1.2.3`,
  // An empty value is a value.
  'example.com/marker': '',
});

const selectorOf = (release: Release, component: string): Record<string, string> => ({
  'app.kubernetes.io/instance': release.name,
  'app.kubernetes.io/component': component,
});

function object(apiVersion: string, kind: string, release: Release, name: string, rest: object): Manifest {
  const metadata = { name, namespace: release.namespace, labels: labelsOf(release, name) };
  return { apiVersion, kind, metadata, ...rest };
}

function clusterObject(apiVersion: string, kind: string, release: Release, name: string, rest: object): Manifest {
  return { apiVersion, kind, metadata: { name, labels: labelsOf(release, name) }, ...rest };
}

export function namespace({ namespace: name }: Release): Manifest {
  const labels = { 'pod-security.kubernetes.io/enforce': 'privileged', 'kubernetes.io/metadata.name': name };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/** Service account, roles for leases in its namespace and for `groups` in all, and their bindings. */
export function account(release: Release, component: string, groups: readonly string[]): readonly Manifest[] {
  const name = `${release.name}-${component}`;
  const subjects = [{ kind: 'ServiceAccount', name, namespace: release.namespace }];
  const reference = (kind: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  const rbac = 'rbac.authorization.k8s.io/v1';
  const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
  return [
    object('v1', 'ServiceAccount', release, name, { automountServiceAccountToken: true }),
    clusterObject(rbac, 'ClusterRole', release, name, {
      rules: [
        { apiGroups: [''], resources: ['configmaps', 'secrets', 'services', 'pods', 'events'], verbs: all },
        { apiGroups: ['apps'], resources: ['deployments', 'statefulsets'], verbs: all },
        ...groups.map((group) => ({ apiGroups: [group], resources: ['*'], verbs: ['*'] })),
        { nonResourceURLs: ['/metrics', '/healthz/*'], verbs: ['get'] },
      ],
    }),
    clusterObject(rbac, 'ClusterRoleBinding', release, name, { roleRef: reference('ClusterRole'), subjects }),
    object(rbac, 'Role', release, name, {
      rules: [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [`${name}-leader`], verbs: all },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      ],
    }),
    object(rbac, 'RoleBinding', release, name, { roleRef: reference('Role'), subjects }),
  ];
}

/** A role that is added to the built-in ones, as operators do for their own kinds. */
export function aggregatedRole(release: Release, to: 'view' | 'edit' | 'admin', group: string): Manifest {
  const label = { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `${release.name}-${to}`, labels: { ...labelsOf(release, to), ...label } },
    rules: [{ apiGroups: [group], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
  };
}

/** The pod of a controller as releases write it: hardened, with probes, volumes, affinity and what else they set. */
export function podTemplate(release: Release, component: string, more: object = {}): object {
  return {
    metadata: {
      creationTimestamp: null,
      labels: { ...labelsOf(release, component), ...selectorOf(release, component) },
      annotations: { 'checksum/config': 'e3b0c44298fc1c14', 'prometheus.io/scrape': 'true' },
    },
    spec: {
      serviceAccountName: `${release.name}-${component}`,
      automountServiceAccountToken: true,
      priorityClassName: 'system-cluster-critical',
      terminationGracePeriodSeconds: 10,
      enableServiceLinks: false,
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' }],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: selectorOf(release, component) },
              },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selectorOf(release, component) },
        },
      ],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_532,
        fsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [container(component)],
      volumes: [
        {
          name: 'config',
          configMap: { name: `${release.name}-${component}`, items: [{ key: 'config.yaml', path: 'config.yaml' }] },
        },
        {
          name: 'certificates',
          secret: { secretName: `${release.name}-certificates`, optional: true, defaultMode: 0o420 },
        },
        { name: 'tmp', emptyDir: {} },
      ],
      ...more,
    },
  };
}

function container(name: string): object {
  return {
    name,
    image: 'registry.invalid/project/controller:v1.2.3',
    imagePullPolicy: 'IfNotPresent',
    args: ['--leader-elect', '--metrics-bind-address=:8443', '--v=2'],
    env: [
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'GOMEMLIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } },
      { name: 'EMPTY', value: '' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'token', key: 'token', optional: true } } },
    ],
    envFrom: [{ configMapRef: { name: 'environment', optional: true } }],
    ports: [
      { name: 'metrics', containerPort: 8443, protocol: 'TCP' },
      { name: 'probes', containerPort: 8081 },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 'probes' }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: '/readyz', port: 8081, scheme: 'HTTP' } },
    resources: { limits: { cpu: '500m', memory: '128Mi' }, requests: { cpu: '10m', memory: '64Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/config', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
}

/** Deployment, service, configuration, disruption budget and account of a controller. */
export function controller(release: Release, component: string, groups: readonly string[] = []): readonly Manifest[] {
  const name = `${release.name}-${component}`;
  const matchLabels = selectorOf(release, component);
  return [
    ...account(release, component, groups),
    object('v1', 'ConfigMap', release, name, {
      data: {
        'config.yaml': 'apiVersion: example.com/v1\nkind: Configuration\nleaderElection:\n  leaderElect: true\n',
      },
    }),
    object('v1', 'Service', release, name, {
      spec: {
        ports: [
          { name: 'https', port: 443, targetPort: 'metrics', protocol: 'TCP' },
          { name: 'probes', port: 8081, targetPort: 'probes' },
        ],
        selector: matchLabels,
      },
    }),
    object('apps/v1', 'Deployment', release, name, {
      spec: {
        replicas: 2,
        selector: { matchLabels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
        template: podTemplate(release, component),
      },
      // A marshalled Go structure always has it.
      status: {},
    }),
    object('policy/v1', 'PodDisruptionBudget', release, name, {
      spec: { maxUnavailable: 1, selector: { matchLabels } },
    }),
  ];
}

/** A program on every node, with the volumes of the machine that such programs mount. */
export function nodeProgram(release: Release, component: string): readonly Manifest[] {
  const matchLabels = selectorOf(release, component);
  const more = {
    hostNetwork: true,
    dnsPolicy: 'ClusterFirstWithHostNet',
    hostPID: true,
    securityContext: {},
    priorityClassName: 'system-node-critical',
    tolerations: [{ operator: 'Exists' }],
    volumes: [
      { name: 'config', configMap: { name: `${release.name}-${component}` } },
      { name: 'tmp', hostPath: { path: '/var/lib/kubelet/plugins', type: 'DirectoryOrCreate' } },
    ],
  };
  return [
    ...account(release, component, []),
    object('v1', 'ConfigMap', release, `${release.name}-${component}`, { data: { 'config.yaml': '' } }),
    object('apps/v1', 'DaemonSet', release, `${release.name}-${component}`, {
      spec: {
        selector: { matchLabels },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
        template: podTemplate(release, component, more),
      },
    }),
  ];
}

/** A database: a stateful set with claims, headless and ordinary services, configuration, a password. */
export function database(release: Release, component: string): readonly Manifest[] {
  const name = `${release.name}-${component}`;
  const matchLabels = selectorOf(release, component);
  const ports = [{ name: 'tcp', port: 5432, targetPort: 5432 }];
  return [
    ...account(release, component, []),
    object('v1', 'ConfigMap', release, name, { data: { 'config.yaml': 'a: 1\n' }, binaryData: { seed: 'AAECAw==' } }),
    object('v1', 'Secret', release, `${name}-password`, { type: 'Opaque', data: { password: 'cGFzc3dvcmQ=' } }),
    object('v1', 'Service', release, `${name}-headless`, {
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, ports, selector: matchLabels },
    }),
    object('v1', 'Service', release, name, {
      spec: { type: 'ClusterIP', sessionAffinity: 'None', ports, selector: matchLabels },
    }),
    object('apps/v1', 'StatefulSet', release, name, {
      spec: {
        replicas: 1,
        serviceName: `${name}-headless`,
        podManagementPolicy: 'Parallel',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        selector: { matchLabels },
        template: podTemplate(release, component),
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
          },
        ],
      },
    }),
    object('policy/v1', 'PodDisruptionBudget', release, name, {
      spec: { minAvailable: '50%', selector: { matchLabels } },
    }),
  ];
}

/** Which clients may reach a component, and where it may connect to. */
export function networkPolicies(release: Release, component: string): readonly Manifest[] {
  const podSelector = { matchLabels: selectorOf(release, component) };
  return [
    object('networking.k8s.io/v1', 'NetworkPolicy', release, `${release.name}-${component}`, {
      spec: {
        podSelector,
        policyTypes: ['Ingress', 'Egress'],
        ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'metrics', protocol: 'TCP' }] }],
        egress: [
          { to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }], ports: [{ port: 443, endPort: 8443 }] },
          {},
        ],
      },
    }),
    object('networking.k8s.io/v1', 'NetworkPolicy', release, `${release.name}-deny`, {
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    }),
  ];
}

export function autoscaler(release: Release, component: string): Manifest {
  const name = `${release.name}-${component}`;
  return object('autoscaling/v2', 'HorizontalPodAutoscaler', release, name, {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
      ],
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] },
      },
    },
  });
}

/** A class of ingresses, and an ingress with two hosts, a default backend and TLS. */
export function ingress(release: Release, component: string): readonly Manifest[] {
  const service = { name: `${release.name}-${component}`, port: { name: 'https' } };
  const path = (pathType: string, at: string): object => ({ path: at, pathType, backend: { service } });
  return [
    clusterObject('networking.k8s.io/v1', 'IngressClass', release, release.name, {
      spec: { controller: `example.com/${release.name}` },
    }),
    object('networking.k8s.io/v1', 'Ingress', release, release.name, {
      spec: {
        ingressClassName: release.name,
        defaultBackend: { service },
        tls: [{ hosts: ['a.example.com'], secretName: 'a-tls' }],
        rules: [
          { host: 'a.example.com', http: { paths: [path('Prefix', '/'), path('Exact', '/exact')] } },
          { host: '*.example.com', http: { paths: [path('ImplementationSpecific', '/(.*)')] } },
        ],
      },
    }),
  ];
}

/** What a driver of volumes registers: driver, classes of storage, capacity. */
export function volumeDriver(release: Release): readonly Manifest[] {
  const driver = `${release.name}.csi.example.com`;
  return [
    clusterObject('storage.k8s.io/v1', 'CSIDriver', release, driver, {
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        tokenRequests: [{ audience: 'example.com', expirationSeconds: 3600 }],
      },
    }),
    clusterObject('storage.k8s.io/v1', 'StorageClass', release, release.name, {
      provisioner: driver,
      parameters: { type: 'fast', 'csi.storage.k8s.io/fstype': 'ext4' },
      allowVolumeExpansion: true,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    clusterObject('storage.k8s.io/v1', 'VolumeAttributesClass', release, release.name, {
      driverName: driver,
      parameters: { iops: '3000' },
    }),
  ];
}

/** A job before the installation and one each night, as charts have them as hooks. */
export function jobs(release: Release, component: string): readonly Manifest[] {
  const more = { restartPolicy: 'OnFailure', topologySpreadConstraints: [] };
  const template = podTemplate(release, component, more);
  return [
    object('batch/v1', 'Job', release, `${release.name}-migrate`, {
      spec: { backoffLimit: 3, ttlSecondsAfterFinished: 600, completions: 1, template },
    }),
    object('batch/v1', 'CronJob', release, `${release.name}-nightly`, {
      spec: {
        schedule: '0 3 * * *',
        timeZone: 'Etc/UTC',
        concurrencyPolicy: 'Forbid',
        successfulJobsHistoryLimit: 1,
        jobTemplate: { spec: { template } },
      },
    }),
  ];
}

/** A class of priorities, quota and limits for the namespace. */
export function limits(release: Release): readonly Manifest[] {
  return [
    clusterObject('scheduling.k8s.io/v1', 'PriorityClass', release, release.name, {
      value: 1_000_000,
      globalDefault: false,
      description: 'For what must run.',
      preemptionPolicy: 'Never',
    }),
    object('v1', 'ResourceQuota', release, release.name, {
      spec: { hard: { pods: '100', 'requests.cpu': '20', 'count/deployments.apps': '50' } },
    }),
    object('v1', 'LimitRange', release, release.name, {
      spec: {
        limits: [
          { type: 'Container', default: { memory: '128Mi' }, defaultRequest: { cpu: '10m' }, max: { cpu: '4' } },
        ],
      },
    }),
  ];
}

/** Dashboards and rules as large configuration. */
export function dashboards(release: Release, count: number, kilobytes: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, at) =>
    object('v1', 'ConfigMap', release, `dashboard-${at}`, {
      data: { [`board-${at}.json`]: JSON.stringify({ panels: 'x'.repeat(kilobytes * 1024), title: `board ${at}` }) },
    }),
  );
}
