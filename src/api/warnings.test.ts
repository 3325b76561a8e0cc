import { expect, it } from 'vitest';
import { PODS, SERVICES } from './resources.ts';
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
    pod({}, { name: 'p', annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'x' } }),
    'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
  ],
])('a pod with %s', (_, object, text) => {
  expect(warningsOf(PODS, object)).toEqual([text]);
});

it('a pod whose name is no label, and one that is well', () => {
  expect(warningsOf(PODS, pod({}, { name: 'a.b' }))[0]).toContain("metadata.name: this is used in the Pod's hostname");
  expect(warningsOf(PODS, pod(container({ env: [{ name: 'A' }], ports: [{ containerPort: 1 }] })))).toEqual([]);
});

it('a headless service with affinity', () => {
  const spec = { clusterIP: 'None', sessionAffinity: 'ClientIP' };
  expect(warningsOf(SERVICES, { spec } as object)).toEqual(['spec.SessionAffinity is ignored for headless services']);
});

it('endpoints are on their way out', () => {
  expect(deprecationOf({ group: '', resource: 'endpoints' })).toContain('EndpointSlice');
  expect(deprecationOf(PODS)).toBeUndefined();
});
