import { describe, expect, it } from 'vitest';
import { applyDefaults } from '../defaulting/defaults.ts';
import { printFieldError } from '../field-error.ts';
import { PODS } from '../resources.ts';
import type { Container, Pod, PodSpec, Probe } from '../types.gen.ts';
import { validateCreate, validateUpdate } from './validate.ts';

const NAME = { name: 'p', namespace: 'n' };

function podWith(spec: Partial<PodSpec>, metadata: Pod['metadata'] = NAME): Pod {
  return applyDefaults<Pod>(PODS, { metadata, spec: { containers: [{ name: 'c', image: 'x' }], ...spec } });
}

function withContainer(container: Partial<Container>, spec: Partial<PodSpec> = {}): Pod {
  return podWith({ ...spec, containers: [{ name: 'c', image: 'x', ...container }] });
}

function errorsOf(pod: Pod): string[] {
  return validateCreate(PODS, pod).map(printFieldError);
}

/** A container with a probe of this kind. */
function withProbe(kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe', probe: Probe): Pod {
  return withContainer({ [kind]: probe });
}

const exec = { exec: { command: ['true'] } };
const C = 'spec.containers[0]';

describe('pod creation', () => {
  it('accepts a rich pod', () => {
    const pod = podWith({
      containers: [
        {
          name: 'c',
          image: 'x:1',
          ports: [{ name: 'http', containerPort: 80 }],
          env: [
            { name: 'A', value: '1' },
            { name: 'B', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } },
            { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
            { name: 'D', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
          ],
          envFrom: [{ prefix: 'P_', configMapRef: { name: 'm' } }],
          volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/b' }],
          livenessProbe: { httpGet: { port: 'http' } },
          readinessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 },
          startupProbe: { ...exec, terminationGracePeriodSeconds: 5 },
          lifecycle: { preStop: { sleep: { seconds: 1 } } },
          resources: { limits: { cpu: '1', memory: '1Gi', 'example.com/gpu': '1' } },
        },
      ],
      initContainers: [
        { name: 'i', image: 'x' },
        { name: 's', image: 'x', restartPolicy: 'Always', livenessProbe: exec },
      ],
      volumes: [{ name: 'v' }, { name: 'w', projected: { sources: [{ configMap: { name: 'c' } }] } }],
      tolerations: [{ operator: 'Exists' }, { key: 'a', effect: 'NoExecute', tolerationSeconds: 1 }],
      nodeSelector: { a: 'b' },
      activeDeadlineSeconds: 1,
    });
    expect(errorsOf(pod)).toEqual([]);
  });

  it.each<[string, Pod, string[]]>([
    ['no containers', podWith({ containers: [] }), ['spec.containers: Required value']],
    ['no image', withContainer({ image: '' }), [`${C}.image: Required value`]],
    [
      'a padded image',
      withContainer({ image: ' x' }),
      [`${C}.image: Invalid value: " x": must not have leading or trailing whitespace`],
    ],
    ['a dotted name', withContainer({ name: 'a.b' }), [`${C}.name: Invalid value: "a.b": must not contain dots`]],
    [
      'one name twice',
      podWith({ containers: [{ name: 'c', image: 'x' }], initContainers: [{ name: 'c', image: 'x' }] }),
      ['spec.initContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'a restart policy that is none',
      podWith({ restartPolicy: 'Sometimes' }),
      ['spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"'],
    ],
    [
      'a DNS policy without its servers',
      podWith({ dnsPolicy: 'None' }),
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'no deadline',
      podWith({ activeDeadlineSeconds: 0 }),
      ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
    [
      'ephemeral containers',
      podWith({ ephemeralContainers: [{ name: 'e', image: 'x' }] }),
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'a node for a pod that must not be scheduled yet',
      podWith({ nodeName: 'n', schedulingGates: [{ name: 'example.com/wait' }] }),
      ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    ],
    [
      'a bad label',
      podWith({}, { ...NAME, labels: { a: '-' } }),
      [expect.stringContaining('metadata.labels: Invalid value: "-": a valid label')],
    ],
    [
      'huge annotations',
      podWith({}, { ...NAME, annotations: { a: 'x'.repeat(262144) } }),
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    ['no name', podWith({}, { namespace: 'n' }), ['metadata.name: Required value: name or generateName is required']],
    ['no port', withContainer({ ports: [{ containerPort: 0 }] }), [`${C}.ports[0].containerPort: Required value`]],
    [
      'a large port',
      withContainer({ ports: [{ containerPort: 65536 }] }),
      [`${C}.ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`],
    ],
    [
      'a port name twice',
      withContainer({
        ports: [
          { name: 'a', containerPort: 1 },
          { name: 'a', containerPort: 2 },
        ],
      }),
      [`${C}.ports[1].name: Duplicate value: "a"`],
    ],
    [
      'a host port twice',
      withContainer({
        ports: [
          { containerPort: 1, hostPort: 5 },
          { containerPort: 2, hostPort: 5 },
        ],
      }),
      [`${C}.ports[1].hostPort: Duplicate value: "TCP//5"`],
    ],
    [
      'a bad variable',
      withContainer({ env: [{ name: 'a=b' }] }),
      [expect.stringContaining(`${C}.env[0].name: Invalid value: "a=b"`)],
    ],
    [
      'value and valueFrom',
      withContainer({ env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      [`${C}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
    ],
    [
      'an unknown field',
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.foo' } } }] }),
      [
        `${C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.foo": error converting fieldPath: field label not supported: spec.foo`,
      ],
    ],
    [
      'envFrom of nothing',
      withContainer({ envFrom: [{}] }),
      [`${C}.envFrom[0]: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``],
    ],
    [
      'a mount of no volume',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      [`${C}.volumeMounts[0].name: Not found: "v"`],
    ],
    [
      'one mount path twice',
      withContainer(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/v' },
            { name: 'v', mountPath: '/v' },
          ],
        },
        { volumes: [{ name: 'v' }] },
      ),
      [`${C}.volumeMounts[1].mountPath: Invalid value: "/v": must be unique`],
    ],
    [
      'a subPath upwards',
      withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/v', subPath: 'a/../..' }] },
        { volumes: [{ name: 'v' }] },
      ),
      [`${C}.volumeMounts[0].subPath: Invalid value: "a/../..": must not contain '..'`],
    ],
    [
      'requests above limits',
      withContainer({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
      [`${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
    ],
    [
      'a negative limit',
      withContainer({ resources: { limits: { memory: '-1' } } }),
      [
        `${C}.resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0`,
        `${C}.resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0`,
      ],
    ],
    [
      'an unknown resource',
      withContainer({ resources: { requests: { foo: '1' }, limits: { foo: '1' } } }),
      [
        `${C}.resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers`,
        `${C}.resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers`,
      ],
    ],
    [
      'a probe without handler',
      withProbe('livenessProbe', {}),
      [`${C}.livenessProbe: Required value: must specify a handler type`],
    ],
    [
      'a probe with two handlers',
      withProbe('livenessProbe', { ...exec, tcpSocket: { port: 1 } }),
      [`${C}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
    ],
    [
      'two liveness successes',
      withProbe('livenessProbe', { ...exec, successThreshold: 2 }),
      [`${C}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
    ],
    [
      'a negative delay',
      withProbe('readinessProbe', { ...exec, initialDelaySeconds: -1 }),
      [`${C}.readinessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'a grace period of a readiness probe',
      withProbe('readinessProbe', { ...exec, terminationGracePeriodSeconds: 1 }),
      [`${C}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes`],
    ],
    [
      'a probe of port 0',
      withProbe('startupProbe', { tcpSocket: { port: 0 } }),
      [`${C}.startupProbe.tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
    ],
    [
      'a probe on an init container',
      podWith({ initContainers: [{ name: 'i', image: 'x', livenessProbe: exec }] }),
      [
        'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'one volume twice',
      podWith({ volumes: [{ name: 'v' }, { name: 'v' }] }),
      ['spec.volumes[1].name: Duplicate value: "v"'],
    ],
    [
      'two sources',
      podWith({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'an unknown host path type',
      podWith({ volumes: [{ name: 'v', hostPath: { path: '/', type: 'Pipe' } }] }),
      [expect.stringContaining('spec.volumes[0].hostPath.type: Unsupported value: "Pipe"')],
    ],
    [
      'a file mode',
      podWith({ volumes: [{ name: 'v', secret: { secretName: 's', defaultMode: 512 } }] }),
      [
        'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      ],
    ],
    [
      'a toleration of everything but',
      podWith({ tolerations: [{ operator: 'Equal' }] }),
      [
        'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'an address that is none',
      podWith({ hostAliases: [{ ip: '1.2.3', hostnames: ['a'] }] }),
      [expect.stringContaining('spec.hostAliases[0].ip: Invalid value: "1.2.3": must be a valid IP address')],
    ],
    [
      'host ports that differ',
      podWith({
        hostNetwork: true,
        containers: [{ name: 'c', image: 'x', ports: [{ containerPort: 1, hostPort: 2 }] }],
      }),
      [`${C}.ports[0].containerPort: Invalid value: 1: must match \`hostPort\` when \`hostNetwork\` is true`],
    ],
  ])('refuses %s', (_name, pod, expected) => {
    expect(errorsOf(pod)).toEqual(expected);
  });
});

describe('pod updates', () => {
  const old = podWith(
    { tolerations: [{ key: 'a', operator: 'Exists' }], activeDeadlineSeconds: 10 },
    { ...NAME, uid: 'u', resourceVersion: '1' },
  );
  const change = (edit: (pod: Pod & { spec: PodSpec }) => void): string[] => {
    const pod = structuredClone(old) as Pod & { spec: PodSpec };
    edit(pod);
    return validateUpdate(PODS, pod, old).map(printFieldError);
  };

  it('lets images, labels, shorter deadlines and more tolerations through', () => {
    const errors = change((pod) => {
      pod.metadata = { ...pod.metadata, labels: { a: 'b' } };
      pod.spec.containers = [{ ...pod.spec.containers[0], name: 'c', image: 'y' }];
      pod.spec.activeDeadlineSeconds = 5;
      pod.spec.tolerations = [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists' },
      ];
    });
    expect(errors).toEqual([]);
  });

  it.each<[string, (pod: Pod & { spec: PodSpec }) => void, string]>([
    [
      'another node',
      (pod) => {
        pod.spec.nodeName = 'x';
      },
      'changed: spec.nodeName',
    ],
    [
      'another command',
      (pod) => {
        pod.spec.containers = [{ ...pod.spec.containers[0], name: 'c', command: ['x'] }];
      },
      'changed: spec.containers[0].command',
    ],
    [
      'another container',
      (pod) => {
        pod.spec.containers.push({ name: 'd', image: 'x' });
      },
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    ],
    [
      'a later deadline',
      (pod) => {
        pod.spec.activeDeadlineSeconds = 11;
      },
      'spec.activeDeadlineSeconds: Invalid value: 11: must be less than or equal to previous value',
    ],
    [
      'fewer tolerations',
      (pod) => {
        pod.spec.tolerations = [];
      },
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ],
    [
      'another uid',
      (pod) => {
        pod.metadata = { ...pod.metadata, uid: 'v' };
      },
      'metadata.uid: Invalid value: "v": field is immutable',
    ],
    [
      'no version',
      (pod) => {
        delete pod.metadata?.resourceVersion;
      },
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    ],
  ])('refuses %s', (_name, edit, expected) => {
    const errors = change(edit);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(expected);
  });

  it('never lets a finished container run again without a restart policy', () => {
    const dead: Pod = {
      ...podWith({ restartPolicy: 'Never' }, { ...NAME, resourceVersion: '1' }),
      status: {
        containerStatuses: [
          { name: 'c', ready: false, restartCount: 0, image: '', imageID: '', state: { terminated: { exitCode: 0 } } },
        ],
      },
    };
    const alive = structuredClone(dead);
    alive.status = {
      containerStatuses: [{ name: 'c', ready: true, restartCount: 0, image: '', imageID: '', state: { running: {} } }],
    };
    const errors = validateUpdate(PODS, alive, dead, 'status').map(printFieldError);
    expect(errors).toEqual([
      'status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
    ]);
  });

  it('adds ephemeral containers but never changes them', () => {
    const next = structuredClone(old) as Pod & { spec: PodSpec };
    next.spec.ephemeralContainers = [
      { name: 'e', image: 'x', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' },
    ];
    expect(validateUpdate(PODS, next, old, 'ephemeralcontainers')).toEqual([]);
    const errors = validateUpdate(PODS, old, next, 'ephemeralcontainers').map(printFieldError);
    expect(errors[0]).toContain('existing ephemeral containers "e" may not be removed');
  });
});
