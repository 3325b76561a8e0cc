import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodSpec, Probe, Volume } from '../types.gen.ts';
import { NAMESPACES, NODES, PODS, SECRETS } from '../resources.ts';
import { applyDefaults } from './defaults.ts';
import { defaultPullPolicy } from './image-name.ts';

function specOf(spec: PodSpec): PodSpec {
  return applyDefaults<Pod>(PODS, { spec }).spec ?? { containers: [] };
}

function containerOf(container: Partial<Container>): Container {
  return specOf({ containers: [{ name: 'c', image: 'x', ...container }] }).containers[0] ?? { name: '' };
}

describe('pod defaults', () => {
  it('fills a minimal pod as upstream does', () => {
    const pod = applyDefaults<Pod>(PODS, {
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'busybox' }] },
    });
    expect(pod).toEqual({
      metadata: { name: 'a' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'busybox',
            imagePullPolicy: 'Always',
            resources: {},
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
      },
      status: {},
    });
  });

  it('gives a pod without a spec an empty one', () => {
    const pod = applyDefaults<Pod>(PODS, { metadata: { name: 'a' } });
    expect(pod.spec).toMatchObject({ containers: [], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' });
  });

  it('changes nothing that is set, and not its input', () => {
    const pod: Pod = {
      spec: { containers: [], terminationGracePeriodSeconds: 0, enableServiceLinks: false, restartPolicy: 'Never' },
    };
    const before = structuredClone(pod);
    expect(applyDefaults(PODS, pod).spec).toMatchObject(before.spec ?? {});
    expect(pod).toEqual(before);
    const once = applyDefaults(PODS, pod);
    expect(applyDefaults(PODS, once)).toEqual(once);
  });

  it.each([
    ['busybox', 'Always'],
    ['busybox:latest', 'Always'],
    ['busybox:1', 'IfNotPresent'],
    ['host:5000/busybox', 'Always'],
    ['host:5000/busybox:1', 'IfNotPresent'],
    ['busybox@sha256:abc', 'IfNotPresent'],
    [`busybox:latest@sha256:${'a'.repeat(64)}`, 'Always'],
    // What cannot be read as a reference has no tag, as upstream has it.
    ['busybox:latest@sha256:abc', 'IfNotPresent'],
    ['Busybox', 'IfNotPresent'],
    ['', 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    expect(defaultPullPolicy(image)).toBe(policy);
  });

  it('requests what is limited', () => {
    const resources = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
    expect(containerOf({ resources }).resources?.requests).toEqual({ cpu: '500m', memory: '1Gi' });
  });

  it('fills probes, hooks, ports and field references', () => {
    const probe: Probe = { httpGet: { port: 80 }, periodSeconds: 1 };
    const container = containerOf({
      livenessProbe: probe,
      startupProbe: { grpc: { port: 1 } },
      lifecycle: { preStop: { httpGet: { port: 1 } } },
      ports: [{ containerPort: 80 }],
      env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    });
    expect(container.livenessProbe).toEqual({
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      periodSeconds: 1,
      timeoutSeconds: 1,
      successThreshold: 1,
      failureThreshold: 3,
    });
    expect(container.startupProbe?.grpc).toEqual({ port: 1, service: '' });
    expect(container.lifecycle?.preStop?.httpGet?.path).toBe('/');
    expect(container.ports).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
    expect(container.env?.[0]?.valueFrom?.fieldRef?.apiVersion).toBe('v1');
  });

  it.each<[Volume, Partial<Volume>]>([
    [{ name: 'v' }, { emptyDir: {} }],
    [{ name: 'v', secret: {} }, { secret: { defaultMode: 420 } }],
    [{ name: 'v', configMap: { name: 'c', defaultMode: 0 } }, { configMap: { name: 'c', defaultMode: 0 } }],
    [{ name: 'v', hostPath: { path: '/' } }, { hostPath: { path: '/', type: '' } }],
    [
      { name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { defaultMode: 420, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
    ],
  ])('fills the volume %j', (volume, expected) => {
    expect(specOf({ containers: [], volumes: [volume] }).volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it('keeps both names of the service account', () => {
    expect(specOf({ containers: [], serviceAccount: 'a' })).toMatchObject({
      serviceAccount: 'a',
      serviceAccountName: 'a',
    });
    expect(specOf({ containers: [], serviceAccount: 'a', serviceAccountName: 'b' })).toMatchObject({
      serviceAccount: 'b',
    });
  });

  it('takes host ports from container ports on the host network', () => {
    const spec = specOf({ hostNetwork: true, containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] });
    expect(spec.containers[0]?.ports).toEqual([{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  });

  it('derives pod-level requests only from pod-level limits', () => {
    const containers = [{ name: 'c', resources: { requests: { cpu: '100m' } } }];
    expect(specOf({ containers }).resources).toBeUndefined();
    expect(specOf({ containers, resources: { limits: { cpu: '1', memory: '1Gi' } } }).resources?.requests).toEqual({
      cpu: '100m',
      memory: '1Gi',
    });
  });
});

describe('other defaults', () => {
  it('labels a namespace with its name', () => {
    expect(applyDefaults(NAMESPACES, { metadata: { name: 'a', labels: { b: 'c' } } })).toEqual({
      metadata: { name: 'a', labels: { b: 'c', 'kubernetes.io/metadata.name': 'a' } },
      spec: {},
      status: { phase: 'Active' },
    });
  });

  it('encodes stringData over data', () => {
    const secret = { stringData: { a: 'é' }, data: { a: 'eA==', b: 'eA==' } };
    expect(applyDefaults(SECRETS, secret)).toEqual({ type: 'Opaque', data: { a: 'w6k=', b: 'eA==' } });
  });

  it('takes allocatable from capacity', () => {
    expect(applyDefaults(NODES, { status: { capacity: { cpu: '2' } } })).toMatchObject({
      status: { allocatable: { cpu: '2' } },
    });
  });

  it('leaves other kinds alone', () => {
    expect(applyDefaults({}, { a: 1 })).toEqual({ a: 1 });
  });
});
