import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalObject } from '../schema/canonical.ts';
import { applyConfig } from './apply.ts';
import { compareObjects, isSame } from './compare.ts';
import { difference, equalSets, type FieldSet, insert, intersection, isEmptySet, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { readFieldsV1, writeFieldsV1 } from './fields-v1.ts';
import { type Managers, type Owned, readManagers } from './managers.ts';
import { type Ground, managersAfterUpdate } from './owners.ts';
import { fieldElement, keyElement, valueElement } from './path-element.ts';
import { DEDUCED, placeOfKind } from './place.ts';

const element = fc.oneof(
  fc.string({ maxLength: 3 }).map(fieldElement),
  fc
    .dictionary(fc.constantFrom('a', 'b'), fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minKeys: 1 })
    .map(keyElement),
  fc.oneof(fc.string({ maxLength: 2 }), fc.integer(), fc.boolean()).map(valueElement),
  fc.nat(5).map((position) => `i:${position}`),
);
const sets: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((paths) => {
    const set: FieldSet = { owned: false };
    for (const path of paths) insert(set, path);
    return set;
  });

const names = fc.constantFrom('a', 'b', 'c');
const config = fc.record(
  {
    replicas: fc.nat(5),
    labels: fc.dictionary(names, fc.constantFrom('1', '2')),
    containers: fc.uniqueArray(
      fc.record({ name: names, image: names, ports: fc.uniqueArray(fc.nat(3), { maxLength: 3 }) }),
      {
        selector: ({ name }) => name,
        maxLength: 3,
      },
    ),
    finalizers: fc.uniqueArray(
      names.map((name) => `x/${name}`),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

function deployment({
  replicas,
  labels,
  containers,
  finalizers,
}: {
  replicas?: number;
  labels?: object;
  finalizers?: readonly string[];
  containers?: readonly { readonly ports: readonly number[] }[];
}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', ...(labels && { labels }), ...(finalizers && { finalizers }) },
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...(containers && {
        template: {
          spec: {
            containers: containers.map((each) => ({
              ...each,
              ports: each.ports.map((containerPort) => ({ containerPort })),
            })),
          },
        },
      }),
    },
  };
}

const steps = fc.array(fc.record({ as: names, config, kind: fc.constantFrom('apply', 'force', 'update') }), {
  maxLength: 8,
});
const place = placeOfKind('apps/v1', 'Deployment') ?? DEDUCED;
const GROUND: Ground = { place, apiVersion: 'apps/v1' };
const EMPTY = canonicalObject('apps/v1', 'Deployment', {});
const now = '2026-01-01T00:00:00Z';

interface State {
  readonly object: object;
  readonly managers: Managers;
}

function apply(state: State, body: object, as: string, force: boolean): State | undefined {
  const manager = { name: as, subresource: '' };
  const result = applyConfig(state.managers, { live: state.object, config: body, manager, force, now }, GROUND);
  return result.kind === 'conflict'
    ? undefined
    : { ...result, object: canonicalObject('apps/v1', 'Deployment', result.object) };
}

function run(all: readonly { readonly as: string; readonly config: object; readonly kind: string }[]): State {
  let state: State = { object: EMPTY, managers: new Map<string, Owned>() };
  for (const { as, config: given, kind } of all) {
    const body = deployment(given);
    if (kind === 'update') {
      const after = canonicalObject('apps/v1', 'Deployment', body);
      const update = { before: state.object, after, manager: { name: as, subresource: '' }, now };
      const { managers } = state;
      state = { object: after, managers: managersAfterUpdate(() => managers, update, GROUND) ?? managers };
    } else state = apply(state, body, as, kind === 'force') ?? state;
  }
  return state;
}

describe('sets', () => {
  it('come back from FieldsV1 as they went, byte for byte', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const text = writeFieldsV1(set);
        const read = readFieldsV1(JSON.parse(text));
        expect(writeFieldsV1(read)).toBe(text);
        expect(equalSets(read, set)).toBe(true);
      }),
    );
  });
  it('keep the laws of sets', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(equalSets(union(a, b), union(b, a))).toBe(true);
        expect(equalSets(intersection(a, b), intersection(b, a))).toBe(true);
        expect(isEmptySet(intersection(difference(a, b), b))).toBe(true);
        expect(equalSets(union(difference(a, b), intersection(a, b)), a)).toBe(true);
        expect(union(a, a)).toBe(a);
      }),
    );
  });
});

describe('an apply', () => {
  it('again changes nothing', () => {
    fc.assert(
      fc.property(steps, config, names, (all, given, as) => {
        const once = apply(run(all), deployment(given), as, true);
        if (once === undefined) throw new Error('a forced apply met a conflict');
        const twice = apply(once, deployment(given), as, false);
        expect(twice?.object).toEqual(once.object);
      }),
    );
  });
  it('by force has all that its configuration says', () => {
    fc.assert(
      fc.property(steps, config, names, (all, given, as) => {
        const body = deployment(given);
        const { object, managers } = apply(run(all), body, as, true) as State;
        // Nothing of the configuration is missing or different in the object, but what is empty.
        const { added, modified } = compareObjects(object, body, place);
        expect(isEmptySet(intersection(modified, fieldsOf(body, place)))).toBe(true);
        const canonical = fieldsOf(canonicalObject('apps/v1', 'Deployment', body), place);
        expect(isEmptySet(intersection(added, canonical))).toBe(true);
        expect([...managers.values()].some(({ name, operation }) => name === as && operation === 'Apply')).toBe(
          !isEmptySet(
            difference(fieldsOf(body, place), fieldsOf({ apiVersion: 'x', kind: 'x', metadata: { name: 'x' } }, place)),
          ),
        );
      }),
    );
  });
  it('does not depend on the order of items', () => {
    fc.assert(
      fc.property(steps, config, names, (all, given, as) => {
        const state = run(all);
        const turned = { ...given, ...(given.containers && { containers: given.containers.toReversed() }) };
        const [one, other] = [apply(state, deployment(given), as, true), apply(state, deployment(turned), as, true)];
        expect(isSame(compareObjects(one?.object, other?.object, place))).toBe(true);
      }),
    );
  });
});

it('what nobody ever sent has no owner, and all that somebody sent and nobody removed has one', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { object, managers } = run(all);
      const owners = [...managers.values()].reduce<FieldSet>((sum, { set }) => union(sum, set), { owned: false });
      // Empty structs that are always written count as absent.
      const text = JSON.stringify(object).replaceAll(',"resources":{}', '');
      const there = fieldsOf(JSON.parse(text), place);
      const nobodys = fieldsOf({ apiVersion: 'x', kind: 'x', metadata: { name: 'x' } }, place);
      const unowned = difference(difference(difference(there, nobodys), owners), fieldsOf(EMPTY, place));
      expect(writeFieldsV1(unowned)).toBe('{}');
    }),
  );
});

it('entries of any kind are read, or refused with a SyntaxError', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    sets.map(writeFieldsV1),
    sets.map((set) => JSON.parse(writeFieldsV1(set)) as unknown),
  );
  const entry = fc.record(
    {
      manager: fc.string(),
      operation: fc.constantFrom('Apply', 'Update', 'x'),
      apiVersion: fc.constantFrom('v1', ''),
      fieldsType: fc.constantFrom('FieldsV1', 'x'),
      fieldsV1: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      try {
        readManagers(entries);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }),
  );
});
