import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RESOURCES } from '../resources.ts';
import { apiVersionOf, type KubeObject } from '../resource.ts';
import { type FieldShape, structOfKind, structSchema } from '../schema/schema.ts';
import { boundedFields, MAX_COMMAND_BYTES, MAX_ITEMS, MAX_PORTS, maxCount } from './limits.ts';
import { MAX_SIZE_ERRORS, validateObjectSize } from './object-size.ts';
import { validateCreate, validateUpdate } from './validate.ts';

const told = (apiVersion: string, kind: string, object: object, old?: object) =>
  validateObjectSize(apiVersion, kind, object, old).map(({ type, field, body }) => `${type} ${field}: ${body}`);

const many = <T>(count: number, make: (position: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const service = (ports: number) => ({ spec: { ports: many(ports, (i) => ({ name: `p${i}`, port: i + 1 })) } });
const container = (more: object) => ({ name: 'c', image: 'i', ...more });
const pod = (...containers: object[]) => ({ spec: { containers } });
const env = (count: number) => many(count, (i) => ({ name: `V${i}`, value: '' }));

/** A value of `shape` with `count` items or entries at every list and map that is named `field` of `type`. */
function placesOf(struct: string, seen: ReadonlySet<string> = new Set()): Map<string, (value: unknown) => unknown> {
  const places = new Map<string, (value: unknown) => unknown>();
  if (seen.has(struct)) return places;
  for (const [name, { shape }] of structSchema(struct).fields) {
    if (shape.kind === 'list' || shape.kind === 'map') places.set(`${struct} ${name}`, (value) => ({ [name]: value }));
    const [inner, wrap] = innerOf(shape);
    if (inner === undefined) continue;
    for (const [place, put] of placesOf(inner, new Set([...seen, struct]))) {
      if (!places.has(place)) places.set(place, (value) => ({ [name]: wrap(put(value)) }));
    }
  }
  return places;
}

function innerOf(shape: FieldShape): [string | undefined, (value: unknown) => unknown] {
  if (shape.kind === 'struct') return [shape.type, (value) => value];
  if (shape.kind === 'list' && shape.element.kind === 'struct') return [shape.element.type, (value) => [value]];
  if (shape.kind === 'map' && shape.value.kind === 'struct') return [shape.value.type, (value) => ({ k: value })];
  return [undefined, (value) => value];
}

function filled(type: string, field: string, count: number): unknown {
  const shape = structSchema(type).fields.get(field)?.shape;
  if (shape?.kind === 'map') return Object.fromEntries(many(count, (i) => [`k${i}`, 'v']));
  return many(count, () => (shape?.kind === 'list' && shape.element.kind === 'struct' ? {} : 'v'));
}

describe('what one object may hold', () => {
  it('has bounds only for fields that there are', () => {
    for (const { type, field } of boundedFields())
      expect([type, field, structSchema(type).fields.has(field)]).toContain(true);
  });

  it.each(RESOURCES.map((row) => [`${apiVersionOf(row)} ${row.kind}`, row] as const))(
    'is bounded in every list and map of %s',
    (_, row) => {
      const struct = structOfKind(apiVersionOf(row), row.kind);
      if (struct === undefined) return;
      for (const [place, put] of placesOf(struct.name)) {
        const [type = '', field = ''] = place.split(' ');
        const shape = structSchema(type).fields.get(field)?.shape;
        const most = maxCount(type, field, shape?.kind === 'map' ? 'map' : 'list');
        const whole = put(filled(type, field, most + 1)) as object;
        expect([place, told(apiVersionOf(row), row.kind, whole).length]).toEqual([place, 1]);
        expect(told(apiVersionOf(row), row.kind, put(filled(type, field, most)) as object)).toEqual([]);
        // The whole validation asks it, too, of new objects and of changed ones.
        const object = whole as KubeObject;
        expect(validateCreate(row, object).map(({ type: kind }) => kind)).toEqual(['FieldValueTooMany']);
        expect(validateUpdate(row, object, {}).map(({ type: kind }) => kind)).toEqual(['FieldValueTooMany']);
      }
    },
  );

  it('is told as upstream does, with its path', () => {
    expect(told('v1', 'Service', service(15_000))).toEqual([
      `FieldValueTooMany spec.ports: Too many: 15000: must have at most ${MAX_PORTS} items`,
    ]);
    expect(
      told('apps/v1', 'Deployment', { spec: { template: pod(container({}), container({ env: env(6000) })) } }),
    ).toEqual(['FieldValueTooMany spec.template.spec.containers[1].env: Too many: 6000: must have at most 5000 items']);
    const args = many(3, () => 'x'.repeat(MAX_COMMAND_BYTES / 2));
    expect(told('v1', 'Pod', pod(container({ args })))).toEqual([
      `FieldValueTooLong spec.containers[0].args: Too long: may not be more than ${MAX_COMMAND_BYTES} bytes`,
    ]);
    const extra = { k: many(MAX_ITEMS + 1, () => 'v') };
    expect(told('certificates.k8s.io/v1', 'CertificateSigningRequest', { spec: { extra } })[0]).toMatch(
      /^FieldValueTooMany spec.extra\[k\]: /,
    );
  });

  it('is told a few times, whatever is sent', () => {
    expect(told('v1', 'Pod', pod(...many(200, () => container({ args: many(10_001, () => '') }))))).toHaveLength(
      MAX_SIZE_ERRORS,
    );
  });

  it('may stay what it was, in any order, and shrink; not grow', () => {
    const old = pod(container({ env: env(6000) }), container({ env: env(7000) }));
    const after = (...counts: number[]) =>
      told('v1', 'Pod', pod(...counts.map((count) => container({ env: env(count) }))), old);
    expect(after(6000, 7000)).toEqual([]);
    expect(after(7000, 6000)).toEqual([]);
    expect(after(6500)).toEqual([]);
    expect(after(10, 5999, 10)).toEqual([]);
    expect(after(7001)).toHaveLength(1);
    expect(after(6000, 6000, 5001)).toHaveLength(1);
    expect(after(7000, 6001)).toHaveLength(1);
  });

  it('never refuses an object that stays as it is', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 6 });
    fc.assert(
      fc.property(counts, counts, (before, after) => {
        const of = (list: number[]) =>
          pod(...list.map((count) => container({ env: Array.from({ length: count }, () => ({})) })));
        expect(told('v1', 'Pod', of(before), of(before))).toEqual([]);
        const over = (list: number[]) => list.filter((count) => count > 5000).toSorted((a, b) => b - a);
        const grew = over(after).some((count, position) => count > (over(before)[position] ?? 5000));
        expect(told('v1', 'Pod', of(after), of(before)).length > 0).toBe(grew);
      }),
      { numRuns: 50 },
    );
  });
});
