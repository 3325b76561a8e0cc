import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalObject } from '../schema/canonical.ts';
import { type FieldShape, type StructSchema, structOfKind, structSchema } from '../schema/schema.ts';
import { type Managers, writeManagers } from './managers.ts';
import { entriesOfNew, type Ground, managersAfterUpdate } from './owners.ts';
import { DEDUCED, type Place, placeOfKind } from './place.ts';

const KINDS = [
  ['v1', 'Pod'],
  ['v1', 'Service'],
  ['v1', 'ConfigMap'],
  ['v1', 'Node'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'ControllerRevision'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
] as const;

const scalars = fc.constantFrom<unknown>('', 'a', 'b"\u{1f600}', 0, 1, true, false, null);
const anything = fc.oneof(
  scalars,
  fc.constantFrom<unknown>([], ['a'], {}, { a: 1, b: [{}] }, { '.': 'x', 'ä"': null }),
);

/** A value of a shape, with null and empty ones; few fields, so that deep ones are reached. */
function valueOf(shape: FieldShape, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'scalar':
      return shape.scalar === 'any' ? anything : scalars;
    case 'struct':
      return depth === 0 ? fc.constant({}) : structOf(structSchema(shape.type), depth - 1);
    case 'list':
      return fc.oneof(fc.constantFrom<unknown>(null, []), fc.array(valueOf(shape.element, depth), { maxLength: 3 }));
    case 'map':
      return fc.oneof(
        fc.constantFrom<unknown>(null, {}),
        fc.dictionary(fc.constantFrom('a', 'b/c', '"', '\u{1f600}', '\uffff'), valueOf(shape.value, depth)),
      );
  }
}

function structOf(struct: StructSchema, depth: number): fc.Arbitrary<object> {
  const names = [...struct.fields.keys(), 'unknown'];
  return fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 }).chain((chosen) => {
    const fields = chosen.map((name) => {
      const field = struct.fields.get(name);
      return [name, field === undefined ? anything : valueOf(field.shape, depth)] as const;
    });
    return fc.record(Object.fromEntries(fields));
  });
}

const manager = { name: 'maker', subresource: '' };
const now = '2026-01-01T00:00:00Z';
const NOBODY: Managers = new Map();

/** Of an object that is asked for twice, and of ones like it, as each may be the example of the next. */
function expectSame(before: object, after: object, ground: Ground): void {
  for (const object of [after, structuredClone(after), withOtherLeaves(after) as object]) {
    expectSameOnce(before, object, ground);
  }
}

/** An object with the same members, some of which have other values. */
function withOtherLeaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOtherLeaves);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withOtherLeaves(member)]));
  return value === 1 ? 0 : value === 'a' ? '' : value;
}

function expectSameOnce(before: object, after: object, ground: Ground): void {
  const update = { before, after, manager, now };
  const compared = managersAfterUpdate(() => NOBODY, update, ground);
  expect(entriesOfNew(update, ground)).toEqual(compared === undefined ? [] : writeManagers(compared));
}

describe('the entries of a new object', () => {
  it.each(KINDS)('are those that a comparison finds: %s %s', (apiVersion, kind) => {
    const place = placeOfKind(apiVersion, kind);
    const struct = structOfKind(apiVersion, kind);
    if (place === undefined || struct === undefined) throw new Error('no such kind');
    const before = canonicalObject(apiVersion, kind, { apiVersion, kind, metadata: {} });
    fc.assert(
      fc.property(structOf(struct, 5), fc.boolean(), (sent, isCanonical) => {
        const object = { apiVersion, kind, metadata: {}, ...sent };
        const after = isCanonical ? canonicalObject(apiVersion, kind, object) : object;
        expectSame(before, after, { place, apiVersion });
      }),
      { numRuns: 100 },
    );
  });
  it('are those that a comparison finds where no schema is known', () => {
    const object = fc.dictionary(fc.constantFrom('a', 'spec', 'metadata', '"'), anything);
    const before = { apiVersion: 'x/v1', kind: 'X', metadata: {} };
    fc.assert(
      fc.property(object, (after) =>
        expectSame(before, { ...before, ...after }, { place: DEDUCED, apiVersion: 'x/v1' }),
      ),
    );
  });
  it('are right for lists whose keys are there twice, and for sets', () => {
    const names: Place = { scalar: 'string' };
    const item: Place = { map: { isAtomic: false, isField: () => true, child: () => names } };
    const list = (type: 'set' | 'map', element: Place): Place => ({
      list: { type, keys: ['a'], defaultOf: () => undefined, element },
    });
    const fields: Readonly<Record<string, Place>> = { items: list('map', item), members: list('set', names) };
    const place: Place = {
      map: { isAtomic: false, isField: (name) => name in fields, child: (name) => fields[name] },
    };
    const items = fc.array(fc.record({ a: fc.constantFrom('x', 'y'), b: scalars }, { requiredKeys: [] }));
    const members = fc.array(fc.constantFrom('m', 'n', '"'));
    fc.assert(
      fc.property(fc.record({ items, members }, { requiredKeys: [] }), (after) =>
        expectSame({}, after, { place, apiVersion: 'x/v1' }),
      ),
    );
  });
});
