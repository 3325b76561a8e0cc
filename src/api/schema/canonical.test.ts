import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBases } from '../../../tools/golden/own-server.ts';
import { canonicalObject, canonicalPart } from './canonical.ts';
import { equalVariant } from './equal-variant.testing.ts';
import { structOfKind } from './schema.ts';
import { semanticallyEqualObjects } from './semantic-equality.ts';

describe('canonicalPart', () => {
  it.each([
    ['a value with omitempty loses its zero', 'core.v1.EnvVar', { name: 'A', value: '' }, { name: 'A' }],
    [
      'a false flag goes',
      'core.v1.VolumeMount',
      { name: 'v', mountPath: '/', readOnly: false },
      { name: 'v', mountPath: '/' },
    ],
    ['a pointer keeps false', 'core.v1.SecurityContext', { runAsNonRoot: false }, { runAsNonRoot: false }],
    ['a pointer keeps 0', 'core.v1.SecurityContext', { runAsUser: 0 }, { runAsUser: 0 }],
    ['a pointer keeps ""', 'core.v1.HostPathVolumeSource', { path: '/', type: '' }, { path: '/', type: '' }],
    ['a pointer keeps {}', 'networking.v1.NetworkPolicyPeer', { podSelector: {} }, { podSelector: {} }],
    ['null is no pointer', 'core.v1.SecurityContext', { runAsUser: null }, {}],
    [
      'a list of nothing goes',
      'core.v1.SecurityContext',
      { capabilities: { add: [], drop: ['ALL'] } },
      { capabilities: { drop: ['ALL'] } },
    ],
    [
      'a list that is always written becomes null',
      'rbac.v1.Role',
      { metadata: {}, rules: [] },
      { metadata: {}, rules: null },
    ],
    [
      'a pointer that is always written becomes null',
      'core.v1.TypedLocalObjectReference',
      { kind: 'K', name: 'n' },
      { kind: 'K', name: 'n', apiGroup: null },
    ],
    [
      'a struct is always written',
      'core.v1.ResourceFieldSelector',
      { resource: 'limits.cpu' },
      { resource: 'limits.cpu', divisor: '0' },
    ],
    ['a time is always written, as null', 'core.v1.ContainerStateRunning', {}, { startedAt: null }],
    ['but a time with omitzero is not', 'meta.v1.ObjectMeta', { name: 'a', creationTimestamp: null }, { name: 'a' }],
    ['an integer or text is always written', 'core.v1.ServicePort', { port: 80 }, { port: 80, targetPort: 0 }],
    [
      'resources are rounded up to thousandths',
      'core.v1.ResourceRequirements',
      { limits: { cpu: '0.0001', memory: '1024Mi' } },
      { limits: { cpu: '1m', memory: '1Gi' } },
    ],
    ['other quantities are not', 'core.v1.EmptyDirVolumeSource', { sizeLimit: '0.0001' }, { sizeLimit: '100u' }],
    ['what is not known is nobody’s', 'core.v1.EnvVar', { name: 'A', foo: '' }, { name: 'A', foo: '' }],
    ['keys of users stay', 'core.v1.ObjectReference', { name: '__proto__' }, { name: '__proto__' }],
  ])('%s', (_, type, given, canonical) => {
    expect(canonicalPart(type, given)).toEqual(canonical);
  });

  it('writes structs within structs', () => {
    const written = canonicalPart('apps.v1.Deployment', {
      spec: { template: { spec: { containers: [{ name: 'c' }] } } },
    });
    expect(written).toEqual({
      metadata: {},
      spec: {
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: 'c', resources: {} }] } },
      },
      status: {},
    });
  });

  it('does not touch what it is given', () => {
    const given = { name: 'A', value: '', valueFrom: { secretKeyRef: { name: 's', key: '' } } };
    const before = structuredClone(given);
    canonicalPart('core.v1.EnvVar', given);
    expect(given).toEqual(before);
  });
});

describe('canonicalObject', () => {
  const objects = readBases('rich').filter(({ object }) => structOfKind(object.apiVersion, object.kind) !== undefined);

  it.each(objects.map(({ name, object }) => [name, object] as const))('is its own canonical form: %s', (_, object) => {
    const once = canonicalObject(object.apiVersion, object.kind, object);
    expect(canonicalObject(object.apiVersion, object.kind, once)).toBe(once);
  });

  it.each(objects.map(({ name, object }) => [name, object] as const))(
    'is one for all ways to say it: %s',
    (_, object) => {
      const { apiVersion, kind } = object;
      fc.assert(
        fc.property(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), (stream) => {
          const chances = stream[Symbol.iterator]();
          const other = equalVariant(apiVersion, kind, object, { chance: () => chances.next().value as number });
          expect(semanticallyEqualObjects(apiVersion, kind, [object, other])).toBe(true);
        }),
        { numRuns: 5 },
      );
    },
  );

  it('leaves custom resources as they are', () => {
    const policy = {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'HealingPolicy',
      metadata: { name: 'a', labels: {} },
      spec: { selector: { matchLabels: {} }, rungs: [], priority: 0 },
    };
    expect(canonicalObject(policy.apiVersion, policy.kind, policy)).toBe(policy);
  });
});
