import { expect, it } from 'vitest';
import {
  DEPLOYMENTS,
  ENDPOINTS,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  SERVICES,
  STORAGE_CLASSES,
} from '../resources.ts';
import { deprecationOf, warningsOf } from './warnings.ts';

const pod = (spec: object, metadata: object = { name: 'p' }) => ({ metadata, spec: { containers: [], ...spec } });
const container = (more: object) => ({ containers: [{ name: 'c', ...more }] });

it.each<[string, object, string]>([
  [
    'an old label',
    pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }),
    'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
  ],
  [
    'an old volume',
    pod({ volumes: [{ name: 'v', gitRepo: {} }] }),
    'spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+',
  ],
  [
    'a hidden variable',
    pod(container({ env: [{ name: 'A' }, { name: 'A' }] })),
    'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
  ],
  [
    'a port twice',
    pod(container({ ports: [{ containerPort: 1 }, { containerPort: 1 }] })),
    'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
  ],
  [
    'a thousandth of a byte',
    pod(container({ resources: { limits: { memory: '100m' } } })),
    'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
  ],
  [
    'a negative grace',
    pod({ terminationGracePeriodSeconds: -1 }),
    'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
  ],
  [
    'an old annotation',
    pod({}, { name: 'p', annotations: { 'scheduler.alpha.kubernetes.io/critical-pod': '' } }),
    'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'a place among the masters',
    pod({ nodeSelector: { 'node-role.kubernetes.io/master': '' } }),
    'spec.nodeSelector[node-role.kubernetes.io/master]: use "node-role.kubernetes.io/control-plane" instead',
  ],
  [
    'a preference for masters',
    pod({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: 'node-role.kubernetes.io/master', operator: 'Exists' }] },
            },
          ],
        },
      },
    }),
    'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: node-role.kubernetes.io/master is use "node-role.kubernetes.io/control-plane" instead',
  ],
  [
    'an old label that must be there',
    pod({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }],
          },
        },
      },
    }),
    'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
  ],
  [
    'a spread over nothing',
    pod({ topologySpreadConstraints: [{ topologyKey: 'a', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
    'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
  ],
  [
    'an aversion to nobody',
    pod({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'a' } }],
        },
      },
    }),
    'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod',
  ],
  [
    'two files in one place',
    pod({
      volumes: [
        {
          name: 'v',
          configMap: {
            name: 'c',
            items: [
              { key: 'a', path: 'x' },
              { key: 'b', path: 'x/y' },
            ],
          },
        },
      ],
    }),
    'volume "v" (ConfigMap "c"): overlapping paths: "x/y" with "x"',
  ],
  [
    'a secret twice',
    pod({ imagePullSecrets: [{ name: 'a' }, { name: 'a' }] }),
    'spec.imagePullSecrets[1].name: duplicate name "a"',
  ],
  [
    'one port of two containers',
    pod({
      containers: [
        { name: 'a', ports: [{ containerPort: 1, protocol: 'TCP' }] },
        { name: 'b', ports: [{ containerPort: 1, protocol: 'TCP', hostPort: 2 }] },
      ],
    }),
    'spec.containers[1].ports[0]: overlapping port definition with spec.containers[0].ports[0]',
  ],
  [
    'an address of the host without a port of it',
    pod(container({ ports: [{ containerPort: 1, protocol: 'TCP', hostIP: '1.2.3.4' }] })),
    'spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:1 Protocol:TCP HostIP:1.2.3.4}',
  ],
])('a pod with %s', (_, object, text) => {
  expect(warningsOf(PODS, object)).toEqual([text]);
});

it('a pod whose name is no label, and one that is well', () => {
  expect(warningsOf(PODS, pod({}, { name: 'a.b' }))[0]).toContain("metadata.name: this is used in the Pod's hostname");
  expect(warningsOf(PODS, pod(container({ env: [{ name: 'A' }], ports: [{ containerPort: 1 }] })))).toEqual([]);
});

it('a variable may build on an earlier one of its name', () => {
  const env = [
    { name: 'A', value: 'x' },
    { name: 'A', value: '$(A)y' },
  ];
  expect(warningsOf(PODS, pod(container({ env })))).toEqual([]);
});

it('profiles in annotations of a template, unless a field says the same', () => {
  const name = 'container.apparmor.security.beta.kubernetes.io/c';
  const deployment = (more: object) => ({
    metadata: { name: 'd' },
    spec: { template: { metadata: { annotations: { [name]: 'x' } }, spec: container(more) } },
  });
  const text = `spec.template.metadata.annotations[${name}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
  expect(warningsOf(DEPLOYMENTS, deployment({}))).toEqual([text]);
  const securityContext = { appArmorProfile: { type: 'Unconfined' } };
  expect(warningsOf(DEPLOYMENTS, deployment({ securityContext }))).toEqual([]);
});

it.each<[string, typeof PERSISTENT_VOLUMES | typeof PERSISTENT_VOLUME_CLAIMS | typeof STORAGE_CLASSES, object, string]>(
  [
    [
      'a claim with the old annotation',
      PERSISTENT_VOLUME_CLAIMS,
      { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } } },
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
    [
      'a claim of half a byte',
      PERSISTENT_VOLUME_CLAIMS,
      { spec: { resources: { requests: { storage: '500m' } } } },
      'spec.resources.requests[storage]: fractional byte value "500m" is invalid, must be an integer',
    ],
    [
      'a volume with the old annotation',
      PERSISTENT_VOLUMES,
      { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } } },
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
    ],
    [
      'a volume to be recycled',
      PERSISTENT_VOLUMES,
      { spec: { persistentVolumeReclaimPolicy: 'Recycle' } },
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ],
    [
      'a class for old zones',
      STORAGE_CLASSES,
      {
        allowedTopologies: [
          { matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] }] },
        ],
      },
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  ],
)('%s', (_, row, object, text) => {
  expect(warningsOf(row, object)).toEqual([text]);
});

it.each<[string, object, readonly string[]]>([
  ['with an address for its balancer', { type: 'LoadBalancer', loadBalancerIP: '1.2.3.4' }, []],
  [
    'that is headless with such',
    { clusterIP: 'None', loadBalancerIP: '1.2.3.4', externalIPs: ['1.2.3.4'] },
    ['spec.loadBalancerIP is ignored for headless services', 'spec.externalIPs is ignored for headless services'],
  ],
  ['with a name', { externalName: 'a.b' }, ['spec.externalName is ignored when spec.type is not "ExternalName"']],
  [
    'near by',
    { trafficDistribution: 'PreferClose' },
    ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
  ],
])('a service %s', (_, spec, texts) => {
  expect(warningsOf(SERVICES, { spec } as object)).toEqual(texts);
});

it('a headless service with affinity', () => {
  const spec = { clusterIP: 'None', sessionAffinity: 'ClientIP' };
  expect(warningsOf(SERVICES, { spec } as object)).toEqual(['spec.SessionAffinity is ignored for headless services']);
});

it('endpoints are on their way out', () => {
  expect(deprecationOf(ENDPOINTS)).toContain('EndpointSlice');
  expect(deprecationOf(PODS)).toBeUndefined();
});
