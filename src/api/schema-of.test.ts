/** What holds for the schema of every kind, whichever of the two it is. */
import { describe, expect, it } from 'vitest';
import type { ObjectSchema } from './object-schema.ts';
import { apiVersionOf, type KubeObject } from './resource.ts';
import { DEPLOYMENTS, RESOURCES, SERVICES } from './resources.ts';
import { schemaOf } from './schema-of.ts';
import { StructuralSchema } from './structural/structural-schema.ts';

const text = { type: 'string' } as const;
/** A definition that says of services what the derived schema says of them, as far as the cases below look. */
const port = {
  type: 'object',
  required: ['port'],
  properties: { name: text, port: { type: 'integer' }, protocol: { ...text, default: 'TCP' } },
} as const;
const root = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          items: port,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
        },
      },
    },
  },
} as const;

const BOTH: readonly (readonly [string, ObjectSchema])[] = [
  ['derived', schemaOf(SERVICES)],
  ['structural', schemaOf({ ...SERVICES, schema: new StructuralSchema(root, true) })],
];
const service = (...ports: object[]): KubeObject & Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'n' },
  spec: { ports },
});
const fieldsOf = (object: object): Record<string, unknown> => object as Record<string, unknown>;
const portsOf = (object: unknown): unknown => (object as { spec: { ports: unknown } }).spec.ports;

describe.each(BOTH)('the %s schema', (_name, schema) => {
  it('drops and names what it does not know', () => {
    const { object, unknownFields } = schema.prune(fieldsOf(service({ port: 1, protocol: 'TCP', colour: 'red' })));
    expect(unknownFields).toEqual(['unknown field "spec.ports[0].colour"']);
    expect(portsOf(object)).toMatchObject([{ port: 1, protocol: 'TCP' }]);
    expect(JSON.stringify(object)).not.toContain('red');
  });

  it('fills in defaults, of bodies and of what is stored', () => {
    const filled = [schema.setDefaults(schema.prune(fieldsOf(service({ port: 1 }))).object)];
    filled.push(schema.readStored(fieldsOf(service({ port: 1 }))));
    for (const object of filled) expect(portsOf(object)).toMatchObject([{ port: 1, protocol: 'TCP' }]);
  });

  it('finds what is wrong', () => {
    const { object } = schema.prune(fieldsOf(service({ name: 'x' })));
    const errors = schema.checkNew(schema.setDefaults(object));
    expect(errors.map(({ field }) => field)).toContain('spec.ports[0].port');
    const renamed = { ...service(), metadata: { name: 'b', namespace: 'n', resourceVersion: '1' } };
    const old = { ...service(), metadata: { name: 'a', namespace: 'n', resourceVersion: '1' } };
    expect(schema.checkChanged(renamed, old, '').map(({ field }) => field)).toContain('metadata.name');
  });

  it('leaves a canonical object alone, and compares by what is said', () => {
    const object = schema.canonical(service({ port: 1, protocol: 'TCP', targetPort: 1 }));
    expect(schema.canonical(object)).toBe(object);
    expect(schema.equal([object, structuredClone(object)], new Set())).toBe(true);
    expect(schema.equal([object, { ...object, spec: {} }], new Set())).toBe(false);
    expect(schema.equal([object, { ...object, spec: {} }], new Set(['spec']))).toBe(true);
  });

  it('says by which keys the members of a list are told apart', () => {
    const list = schema.place.map?.child('spec')?.map?.child('ports')?.list;
    expect(list).toMatchObject({ type: 'map', keys: ['port', 'protocol'] });
    expect(list?.defaultOf('protocol')).toBe('TCP');
    expect(schema.place.map?.child('metadata')?.map?.isField('labels')).toBe(true);
  });
});

describe('the schema of a row', () => {
  it('is the one that it brings along, else the derived one, made once', () => {
    const own = new StructuralSchema(root, true);
    expect(schemaOf({ ...SERVICES, schema: own })).toBe(own);
    expect(schemaOf(DEPLOYMENTS)).toBe(schemaOf(DEPLOYMENTS));
    expect(schemaOf(DEPLOYMENTS)).not.toBe(schemaOf(SERVICES));
  });

  it.each(RESOURCES.map((row) => [`${apiVersionOf(row)} ${row.kind}`, row] as const))('is known: %s', (_name, row) => {
    expect(schemaOf(row).describe<unknown>({ types: (struct) => struct, json: (schema) => schema })).toBeDefined();
  });

  it('has merge keys of Kubernetes types alone', () => {
    expect(schemaOf(SERVICES).patchSteps).toBeDefined();
    expect(BOTH[1]?.[1].patchSteps).toBeUndefined();
  });

  it('refuses a kind whose types are not known', () => {
    const unknown = schemaOf({ group: 'nowhere.example.com', version: 'v1', kind: 'Nothing', namespaced: true });
    expect(() => unknown.prune({})).toThrow('no kind "Nothing" is registered for version "nowhere.example.com/v1"');
    expect(() => unknown.patchSteps?.({}, {})).toThrow('no strategic merge patch for nowhere.example.com/v1 Nothing');
  });
});
