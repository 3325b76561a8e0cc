import { describe, expect, it } from 'vitest';
import { StatusError } from './status-error.ts';
import type { ConfigMap } from './types.gen.ts';
import { validateStructure } from './validate-structure.ts';

function pod(spec: unknown, metadata: unknown = { name: 'a' }): unknown {
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

function refusal(value: unknown, kind = 'Pod'): string {
  try {
    validateStructure('v1', kind, value, 'Strict');
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

const CANNOT = '400 Pod in version "v1" cannot be handled as a Pod: ';

describe('validateStructure', () => {
  it('prunes unknown fields and says where they were', () => {
    const value = pod({ containers: [{ name: 'c', imagee: 'x' }], foo: 1 });
    const { object, warnings } = validateStructure('v1', 'Pod', value, 'Warn', ['duplicate field "spec.x"']);
    expect(object).toEqual({ ...(pod({ containers: [{ name: 'c', resources: {} }] }) as object), status: {} });
    expect(warnings).toEqual([
      'unknown field "spec.containers[0].imagee"',
      'unknown field "spec.foo"',
      'duplicate field "spec.x"',
    ]);
    expect(refusal(value)).toBe(
      `${CANNOT}strict decoding error: unknown field "spec.containers[0].imagee", unknown field "spec.foo"`,
    );
    expect(validateStructure('v1', 'Pod', value, 'Ignore').warnings).toEqual([]);
  });

  it.each([
    [
      'a wrong list',
      pod({ containers: 'x' }),
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    ['a wrong struct', pod([]), 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
    [
      'a number as an env value',
      pod({ containers: [{ name: 'c', env: [{ name: 'A', value: 1 }] }] }),
      'json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string',
    ],
    [
      'a number as a label',
      pod({ containers: [] }, { labels: { a: 1 } }),
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'a fraction as a port',
      pod({ containers: [{ name: 'c', ports: [{ containerPort: 1.5 }] }] }),
      'json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      'a bad quantity',
      pod({ containers: [{ name: 'c', resources: { limits: { cpu: '1 core' } } }] }),
      "spec.containers[0].resources.limits.cpu: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('refuses %s', (_name, value, message) => {
    expect(refusal(value)).toBe(CANNOT + message);
  });

  it('normalises quantities, times and base64, and drops nulls', () => {
    const value = pod(
      { nodeName: null, overhead: { cpu: 0.5, memory: '1024Mi' }, containers: [null] },
      { creationTimestamp: '2026-01-02T03:04:05.678+01:00' },
    );
    expect(validateStructure('v1', 'Pod', value, 'Strict').object).toEqual({
      ...(pod(
        { overhead: { cpu: '500m', memory: '1Gi' }, containers: [{ name: '', resources: {} }] },
        { creationTimestamp: '2026-01-02T02:04:05Z' },
      ) as object),
      status: {},
    });
    const lease = { spec: { renewTime: '2026-01-02T03:04:05.123Z' } };
    const read = validateStructure('coordination.k8s.io/v1', 'Lease', lease, 'Strict').object;
    expect(read).toEqual({ metadata: {}, spec: { renewTime: '2026-01-02T03:04:05.123000Z' } });
    expect(validateStructure('v1', 'Secret', { data: { a: 'YQ==\n' } }, 'Strict').object).toEqual({
      metadata: {},
      data: { a: 'YQ==' },
    });
    expect(refusal({ data: { a: '%' } }, 'Secret')).toContain('data.a: illegal base64 data at input byte 0');
  });

  it('refuses what nests too deep to be copied', () => {
    const fields: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect(refusal(pod({}, { managedFields: [{ fieldsV1: fields }] }))).toBe(`${CANNOT}json: exceeded max depth`);
  });

  it('keeps a key named __proto__ a plain key', () => {
    const value: unknown = JSON.parse('{"data":{"__proto__":"x"},"__proto__":{"polluted":true}}');
    const { object, warnings } = validateStructure<ConfigMap>('v1', 'ConfigMap', value, 'Warn');
    expect(Object.keys(object.data ?? {})).toEqual(['__proto__']);
    expect(warnings).toEqual(['unknown field "__proto__"']);
    expect('polluted' in object).toBe(false);
  });

  it('knows the kinds that belong to every group', () => {
    expect(validateStructure('v1', 'DeleteOptions', { gracePeriodSeconds: 0 }, 'Strict').object).toEqual({
      gracePeriodSeconds: 0,
    });
    expect(validateStructure('apps/v1', 'DeleteOptions', {}, 'Strict').object).toEqual({});
    expect(refusal({}, 'Nonsense')).toBe('400 no kind "Nonsense" is registered for version "v1"');
  });
});
