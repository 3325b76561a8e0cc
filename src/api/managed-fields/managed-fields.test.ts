import { describe, expect, it } from 'vitest';
import { canonicalObject } from '../schema/canonical.ts';
import { applyConfig } from './apply.ts';
import { printProblems, problemsOfConfig } from './check-config.ts';
import { compareObjects } from './compare.ts';
import { reportConflicts } from './conflicts.ts';
import { pathsOf } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { readFieldsV1, writeFieldsV1 } from './fields-v1.ts';
import { fieldsStillAsApplied, LAST_APPLIED, withLastApplied } from './last-applied.ts';
import { managerId, type Managers, type Owned, readManagers, writeManagers } from './managers.ts';
import { mergeObjects } from './merge.ts';
import { type Ground, managersAfterUpdate } from './owners.ts';
import { compareElements, keyElement, printPath, textKeyElement } from './path-element.ts';
import { ATOMIC, DEDUCED, type ListPlace, type Place, placeOfKind } from './place.ts';
import { reconcileSet } from './reconcile.ts';
import { removeFields } from './remove.ts';

/** A schema of a test: scalars by name, lists and maps by what holds for them. */
const TEXT: Place = { scalar: 'string' };
const NUMBER: Place = { scalar: 'numeric' };

function struct(fields: Readonly<Record<string, Place>>, isAtomic = false): Place {
  const known = (name: string): Place | undefined => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  return { map: { isAtomic, isField: (name) => known(name) !== undefined, child: known } };
}

function mapOf(value: Place, isAtomic = false): Place {
  return { map: { isAtomic, isField: () => false, child: () => value } };
}

function listOf(
  type: ListPlace['type'],
  element: Place,
  keys: readonly string[] = [],
  defaults: Readonly<Record<string, unknown>> = {},
): Place {
  return { list: { type, keys, element, defaultOf: (key) => defaults[key] } };
}

const PORT = struct({ port: NUMBER, protocol: TEXT, name: TEXT });
const ROOT = struct({
  text: TEXT,
  number: NUMBER,
  part: struct({ a: TEXT, b: TEXT }),
  whole: struct({ a: TEXT, b: TEXT }, true),
  map: mapOf(TEXT),
  atomicMap: mapOf(TEXT, true),
  set: listOf('set', TEXT),
  atomicList: listOf('atomic', TEXT),
  ports: listOf('map', PORT, ['port', 'protocol'], { protocol: 'TCP' }),
  free: DEDUCED,
  metadata: struct({ name: TEXT, annotations: mapOf(TEXT) }),
});
const GROUND: Ground = { place: ROOT, apiVersion: 'v1' };
const NOW = '2026-01-01T00:00:00Z';

const paths = (set: Parameters<typeof pathsOf>[0]): string[] => pathsOf(set).map(printPath);

describe('the fields of an object', () => {
  it.each<[string, object, readonly string[]]>([
    ['scalars', { text: 'x', number: 0 }, ['.number', '.text']],
    ['null, which is named too', { text: null, part: null, set: null }, ['.part', '.set', '.text']],
    ['parts of structs, not the struct', { part: { a: 'x' } }, ['.part.a']],
    ['an empty struct', { part: {} }, ['.part']],
    ['an empty list has none', { set: [], ports: [] }, []],
    ['an atomic struct as a whole', { whole: { a: 'x' } }, ['.whole']],
    ['keys of maps', { map: { k: 'v', l: '' } }, ['.map.k', '.map.l']],
    ['atomic maps and lists', { atomicMap: { k: 'v' }, atomicList: ['x'] }, ['.atomicList', '.atomicMap']],
    ['members of sets', { set: ['b', 'a'] }, ['.set[="a"]', '.set[="b"]']],
    [
      'items by their keys, with the default of one that is missing',
      { ports: [{ port: 80, name: 'http' }] },
      ['.ports[port=80,protocol="TCP"]', '.ports[port=80,protocol="TCP"].name', '.ports[port=80,protocol="TCP"].port'],
    ],
    [
      'of unknown parts each field, and lists as a whole',
      { free: { a: { b: 1 }, l: [{ x: 1 }] } },
      ['.free.a', '.free.a.b', '.free.l'],
    ],
    ['nothing of what the schema does not know', { other: 1 }, []],
  ])('%s', (_, object, expected) => {
    expect(paths(fieldsOf(object, ROOT))).toEqual(expected);
  });
});

describe('a comparison', () => {
  it.each<[string, object, object, Partial<Record<'added' | 'modified' | 'removed', readonly string[]>>]>([
    ['of equals finds nothing', { text: 'x', set: ['a', 'b'] }, { text: 'x', set: ['a', 'b'] }, {}],
    ['finds what is added, with its way', {}, { part: { a: 'x' } }, { added: ['.part', '.part.a'] }],
    [
      'finds what is modified',
      { text: 'x', part: { a: 'x' } },
      { text: 'y', part: { a: 'y' } },
      { modified: ['.part.a', '.text'] },
    ],
    ['finds what is removed', { map: { a: '1', b: '2' } }, { map: { a: '1' } }, { removed: ['.map.b'] }],
    ['tells empty from none', { part: {} }, {}, { removed: ['.part'] }],
    ['tells null from empty', { part: null }, { part: {} }, { modified: ['.part'] }],
    [
      'takes atomic parts as one',
      { whole: { a: 'x' }, atomicList: ['a'] },
      { whole: { a: 'y' }, atomicList: ['b'] },
      { modified: ['.atomicList', '.whole'] },
    ],
    ['does not mind the order of sets', { set: ['a', 'b'] }, { set: ['b', 'a'] }, {}],
    [
      'does not mind the order of items',
      { ports: [{ port: 1 }, { port: 2 }] },
      { ports: [{ port: 2, protocol: 'TCP' }, { port: 1 }] },
      { added: ['.ports[port=2,protocol="TCP"].protocol'] },
    ],
    [
      'finds items',
      { ports: [{ port: 1 }] },
      { ports: [{ port: 2 }] },
      {
        added: ['.ports[port=2,protocol="TCP"]', '.ports[port=2,protocol="TCP"].port'],
        removed: ['.ports[port=1,protocol="TCP"]', '.ports[port=1,protocol="TCP"].port'],
      },
    ],
    [
      'takes a key that is there twice as one',
      {
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      { ports: [{ port: 1, name: 'a' }] },
      { modified: ['.ports[port=1,protocol="TCP"]'] },
    ],
    [
      'of another shape takes all of both',
      { free: { a: 1 } },
      { free: 5 },
      { removed: ['.free.a'], modified: ['.free'] },
    ],
    ['knows the same number', { number: 1 }, { number: 1.0 }, {}],
  ])('%s', (_, before, after, expected) => {
    const { added, modified, removed } = compareObjects(before, after, ROOT);
    expect({ added: paths(added), modified: paths(modified), removed: paths(removed) }).toEqual({
      added: [],
      modified: [],
      removed: [],
      ...expected,
    });
  });
});

describe('a merge', () => {
  it.each<[string, object, object, object]>([
    ['keeps what is not named', { text: 'x', number: 1 }, { number: 2 }, { text: 'x', number: 2 }],
    [
      'goes into structs and maps',
      { part: { a: '1' }, map: { a: '1' } },
      { part: { b: '2' }, map: { b: '2' } },
      { part: { a: '1', b: '2' }, map: { a: '1', b: '2' } },
    ],
    [
      'replaces atomic parts',
      { whole: { a: '1' }, atomicList: ['a', 'b'], atomicMap: { a: '1' } },
      { whole: { b: '2' }, atomicList: ['c'], atomicMap: { b: '2' } },
      { whole: { b: '2' }, atomicList: ['c'], atomicMap: { b: '2' } },
    ],
    ['unites sets', { set: ['a', 'b'] }, { set: ['c', 'b'] }, { set: ['a', 'c', 'b'] }],
    [
      'unites items, in the order of the configuration',
      { ports: [{ port: 1, name: 'one' }, { port: 2 }] },
      { ports: [{ port: 2, name: 'two' }, { port: 1 }, { port: 3 }] },
      { ports: [{ port: 2, name: 'two' }, { port: 1, name: 'one' }, { port: 3 }] },
    ],
    [
      'keeps others at their place',
      { ports: [{ port: 1 }, { port: 9 }, { port: 2 }] },
      { ports: [{ port: 2 }, { port: 1 }] },
      { ports: [{ port: 9 }, { port: 2 }, { port: 1 }] },
    ],
    [
      'replaces an item that is there twice',
      {
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      { ports: [{ port: 1 }] },
      { ports: [{ port: 1 }] },
    ],
    [
      'keeps items that are there twice and not named',
      {
        ports: [
          { port: 1, name: 'a' },
          { port: 1, name: 'b' },
        ],
      },
      { ports: [{ port: 2 }] },
      { ports: [{ port: 1, name: 'a' }, { port: 1, name: 'b' }, { port: 2 }] },
    ],
    ['takes null for a scalar', { text: 'x' }, { text: null }, { text: null }],
    ['keeps a struct for which null is sent', { part: { a: '1' } }, { part: null }, { part: { a: '1' } }],
    ['replaces another shape', { free: { a: 1 } }, { free: [1] }, { free: [1] }],
  ])('%s', (_, live, config, expected) => {
    expect(mergeObjects(live, config, ROOT)).toEqual(expected);
  });
});

it('fields are removed, and what loses everything becomes null', () => {
  const object = { text: 'x', part: { a: '1' }, set: ['a', 'b'], ports: [{ port: 1, name: 'a' }, { port: 2 }] };
  const set = readFieldsV1({
    'f:part': { 'f:a': {} },
    'f:set': { 'v:"a"': {} },
    'f:ports': { 'k:{"port":1,"protocol":"TCP"}': { 'f:name': {} }, 'k:{"port":2,"protocol":"TCP"}': {} },
  });
  expect(removeFields(object, set, ROOT)).toEqual({ text: 'x', part: null, set: ['b'], ports: [{ port: 1 }] });
});

describe('FieldsV1', () => {
  it('is written in upstream’s order', () => {
    const set = readFieldsV1({
      'i:1': {},
      'v:10': {},
      'v:9': {},
      'v:"a"': {},
      'v:true': {},
      'k:{"port":80,"name":"a"}': { '.': {}, 'f:b': {}, 'f:a': { '.': {} } },
      'k:{"name":"a","port":8}': {},
      'f:b': { 'f:x': {} },
      'f:a': {},
      'f:ﬀ': {},
      'f:😀': {},
    });
    expect(writeFieldsV1(set)).toBe(
      '{"f:a":{},"f:b":{"f:x":{}},"f:ﬀ":{},"f:😀":{},"k:{\\"name\\":\\"a\\",\\"port\\":8}":{},' +
        '"k:{\\"name\\":\\"a\\",\\"port\\":80}":{".":{},"f:a":{},"f:b":{}},"v:9":{},"v:10":{},"v:\\"a\\"":{},"v:true":{},"i:1":{}}',
    );
  });

  it('of elements that nobody knows is read without them', () => {
    expect(writeFieldsV1(readFieldsV1({ 'x:1': { 'f:a': {} }, q: {}, 'f:a': {} }))).toBe('{"f:a":{}}');
  });

  it.each([
    [1],
    ['x'],
    [[]],
    [null],
    [{ 'f:a': 1 }],
    [{ 'f:a': null }],
    [{ 'k:x': {} }],
    [{ 'v:': {} }],
    [{ 'i:x': {} }],
  ])('%j is none', (value) => {
    expect(() => readFieldsV1(value)).toThrow(SyntaxError);
  });
});

describe('entries', () => {
  it.each<[string, number, boolean]>([
    ['short', 10, true],
    ['of an object with thousands of fields', 2000, false],
  ])('that are %s are kept for the next objects of a template: %j fields, %j', (_, count, isKept) => {
    const names = Array.from({ length: count }, (__, at) => [`f:name-${at}`, {}]);
    const fieldsV1 = JSON.stringify(Object.fromEntries(names));
    const read = (): unknown => {
      const entry = { manager: 'a', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 } as const;
      return [...readManagers([entry]).values()][0]?.set;
    };
    const first = read();
    expect(read() === first).toBe(isKept);
    expect(read()).toEqual(first);
  });

  it.each<[string, object]>([
    ['of another operation', { operation: 'Delete', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
    ['without a version', { operation: 'Apply', fieldsType: 'FieldsV1' }],
    ['without a type', { operation: 'Apply', apiVersion: 'v1' }],
    ['of another type', { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV2' }],
    ['of no set', { operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: '{' }],
  ])('%s cannot be read', (_, entry) => {
    expect(() => readManagers([entry])).toThrow(SyntaxError);
  });

  it('are in order: applies first, then by second, name, version and subresource', () => {
    const owned = (name: string, time: string | undefined, more: Partial<Owned> = {}): Owned => ({
      name,
      operation: 'Update',
      apiVersion: 'v1',
      subresource: '',
      set: readFieldsV1({ 'f:a': {} }),
      time,
      ...more,
    });
    const all = [
      owned('b', '2026-01-01T00:00:02Z'),
      owned('a', '2026-01-01T00:00:02Z', { subresource: 'status' }),
      owned('a', '2026-01-01T00:00:02Z'),
      owned('z', '2026-01-01T00:00:01Z'),
      owned('y', undefined),
      owned('x', '2026-01-01T00:00:09Z', { operation: 'Apply' }),
    ];
    const entries = writeManagers(new Map(all.map((each) => [managerId(each), each])));
    expect(entries.map(({ manager, subresource }) => `${manager}${subresource ?? ''}`)).toEqual([
      'x',
      'y',
      'z',
      'a',
      'astatus',
      'b',
    ]);
    expect(entries[1]).not.toHaveProperty('time');
  });
});

describe('a set of an older schema', () => {
  const set = readFieldsV1({ 'f:part': { 'f:a': {} }, 'f:text': {} });
  it('that was granular is owned as a whole', () => {
    const place = struct({ part: struct({ a: TEXT, b: TEXT }, true), text: TEXT });
    expect(writeFieldsV1(reconcileSet(set, place, {}))).toBe('{"f:part":{},"f:text":{}}');
  });
  it('that was atomic is owned with all that lies in it', () => {
    const whole = readFieldsV1({ 'f:part': {}, 'f:ports': {} });
    const live = { part: { a: '1', b: '2' }, ports: [{ port: 1 }] };
    expect(JSON.parse(writeFieldsV1(reconcileSet(whole, ROOT, live)))).toEqual({
      'f:part': { '.': {}, 'f:a': {}, 'f:b': {} },
      'f:ports': { '.': {}, 'k:{"port":1,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
    });
  });
  it('that fits stays the very same', () => {
    expect(reconcileSet(set, ROOT, { part: { a: '1' } })).toBe(set);
  });
});

describe('what does not fit its schema', () => {
  it.each<[string, unknown, string]>([
    ['an unknown field', { part: { c: 1 } }, '.part.c: field not declared in schema'],
    ['a number for a text', { text: 1 }, '.text: expected string, got &value.valueUnstructured{Value:1}'],
    [
      'a text for a number',
      { number: 'x' },
      '.number: expected numeric (int or float), got &value.valueUnstructured{Value:"x"}',
    ],
    ['a list for a struct', { part: [] }, '.part: expected map, got &value.valueUnstructured{Value:[]interface {}{}}'],
    [
      'a struct for a list',
      { set: {} },
      '.set: expected list, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    ],
    ['a key twice', { ports: [{ port: 1 }, { port: 1 }] }, '.ports: duplicate entries for key [port=1,protocol="TCP"]'],
    ['a member twice', { set: ['a', 'a'] }, '.set: duplicate entries for key [="a"]'],
    [
      'null in a list with keys',
      { ports: [null] },
      '.ports: element 0: associative list with keys may not have a null element',
    ],
    [
      'null in a set',
      { set: [null] },
      ".set: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      'a map in a set',
      { set: [{}] },
      ".set: element 0: associative list without keys has an element that's a map type",
    ],
    [
      'several at once',
      { text: 1, nothing: 1 },
      'errors:\n  .text: expected string, got &value.valueUnstructured{Value:1}\n  .nothing: field not declared in schema',
    ],
  ])('%s is told', (_, config, message) => {
    expect(printProblems(problemsOfConfig(config, ROOT))).toBe(message);
  });
  it('null fits everywhere', () => {
    expect(problemsOfConfig({ text: null, part: null, set: null, ports: null, whole: null }, ROOT)).toEqual([]);
  });
});

interface State {
  readonly object: object;
  readonly managers: Managers;
}

function applyTo(state: State, config: object, { as = 'a', force = false, ground = GROUND } = {}): State | string {
  const manager = { name: as, subresource: '' };
  const result = applyConfig(state.managers, { live: state.object, config, manager, force, now: NOW }, ground);
  return result.kind === 'conflict' ? reportConflicts(result.conflicts).message : result;
}

function updateTo({ object, managers }: State, after: object, name = 'u', ground = GROUND): State {
  const update = { before: object, after, manager: { name, subresource: '' }, now: NOW };
  return { object: after, managers: managersAfterUpdate(() => managers, update, ground) ?? managers };
}

function done(state: State | string): State {
  if (typeof state === 'string') throw new Error(state);
  return state;
}

function owned({ managers }: State): Record<string, string> {
  return Object.fromEntries(
    [...managers.values()].map(({ name, operation, set }) => [`${name} ${operation}`, writeFieldsV1(set)]),
  );
}

const NOTHING: State = { object: {}, managers: new Map() };

describe('an apply', () => {
  it('removes an item that nobody else owns, with what others have set in it', () => {
    const first = done(applyTo(NOTHING, { ports: [{ port: 1 }, { port: 2, name: 'x' }] }));
    const named = updateTo(first, {
      ports: [
        { port: 1, name: 'theirs' },
        { port: 2, name: 'x' },
      ],
    });
    const second = done(applyTo(named, {}));
    expect(second.object).toEqual({ ports: null });
  });

  it('removes a struct with the defaults in it, and keeps it when anybody else owns a part of it', () => {
    const first = done(applyTo(NOTHING, { part: { a: '1' } }));
    const other = updateTo(first, { part: { a: '1', b: 'default' } }, 'u');
    expect(done(applyTo({ ...other, managers: first.managers }, {})).object).toEqual({});
    expect(done(applyTo(other, {})).object).toEqual({ part: { b: 'default' } });
  });

  it('of an empty struct owns it, and of null the field', () => {
    expect(owned(done(applyTo(NOTHING, { part: {}, text: null })))).toEqual({ 'a Apply': '{"f:part":{},"f:text":{}}' });
  });

  it('lists all conflicts by manager', () => {
    const first = done(applyTo(NOTHING, { text: 'x', number: 1 }));
    const second = updateTo(first, { text: 'x', number: 1, map: { k: 'v' } });
    expect(applyTo(second, { text: 'y', number: 2, map: { k: 'w' } }, { as: 'b' })).toBe(
      'Apply failed with 3 conflicts: conflicts with "a":\n- .number\n- .text\nconflicts with "u" using v1:\n- .map.k',
    );
  });

  it('by force takes the fields, and the other manager vanishes when it has none left', () => {
    const first = done(applyTo(NOTHING, { text: 'x' }));
    expect(owned(done(applyTo(first, { text: 'y' }, { as: 'b', force: true })))).toEqual({
      'b Apply': '{"f:text":{}}',
    });
  });

  it('of an atomic list conflicts as a whole', () => {
    const first = done(applyTo(NOTHING, { atomicList: ['a'] }));
    expect(applyTo(first, { atomicList: ['a', 'b'] }, { as: 'b' })).toMatch(/conflict with "a": \.atomicList$/);
    expect(applyTo(first, { atomicList: ['a'] }, { as: 'b' })).toMatchObject({ object: { atomicList: ['a'] } });
  });

  it('with an operation of its own counts apart from updates of the same name', () => {
    const first = updateTo(NOTHING, { text: 'x' }, 'a');
    expect(applyTo(first, { text: 'y' })).toBe('Apply failed with 1 conflict: conflict with "a" using v1: .text');
    expect(owned(done(applyTo(first, { text: 'x' })))).toEqual({
      'a Apply': '{"f:text":{}}',
      'a Update': '{"f:text":{}}',
    });
  });

  it('cannot own what its way of writing resets', () => {
    const ground = { ...GROUND, reset: readFieldsV1({ 'f:part': {} }) };
    expect(owned(done(applyTo(NOTHING, { text: 'x', part: { a: '1' } }, { ground })))).toEqual({
      'a Apply': '{"f:text":{}}',
    });
  });

  it('forgets managers of a version that is not served any more', () => {
    const old: Owned = {
      name: 'o',
      operation: 'Apply',
      apiVersion: 'v1beta1',
      subresource: '',
      set: readFieldsV1({ 'f:text': {} }),
      time: NOW,
    };
    const state = { object: { text: 'x' }, managers: new Map([[managerId(old), old]]) };
    expect(owned(done(applyTo(state, { text: 'y' })))).toEqual({ 'a Apply': '{"f:text":{}}' });
  });

  it('meets managers of another version in that version', () => {
    // There, the field has another name.
    const swap = (from: string, to: string) => (object: object) => {
      const { [from]: value, ...rest } = object as Record<string, unknown>;
      return value === undefined ? rest : { ...rest, [to]: value };
    };
    const place = struct({ words: TEXT, number: NUMBER });
    const other = { place, to: swap('text', 'words'), back: swap('words', 'text') };
    const ground: Ground = { ...GROUND, otherVersion: (version) => (version === 'v2' ? other : undefined) };
    const first = done(applyTo(NOTHING, { words: 'x', number: 1 }, { ground: { place, apiVersion: 'v2' } }));
    const here = { object: other.back(first.object), managers: first.managers };
    expect(applyTo(here, { text: 'y' }, { as: 'b', ground })).toBe(
      'Apply failed with 1 conflict: conflict with "a": .words',
    );
    expect(done(applyTo(here, { text: 'x' }, { ground })).object).toEqual({ text: 'x' });
  });
});

describe('an update', () => {
  it('takes from others what it changes, and from all what it removes', () => {
    const first = done(applyTo(NOTHING, { text: 'x', number: 1, map: { k: 'v' } }));
    expect(owned(updateTo(first, { text: 'y', map: { k: 'v' } }))).toEqual({
      'a Apply': '{"f:map":{"f:k":{}}}',
      'u Update': '{"f:text":{}}',
    });
  });
  it('that changes nothing changes no manager', () => {
    const first = done(applyTo(NOTHING, { text: 'x' }));
    expect(updateTo(first, { text: 'x' }).managers).toBe(first.managers);
  });
  it('keeps its time when it changes nothing of its own', () => {
    const first = updateTo(NOTHING, { text: 'x', number: 1 });
    const update = {
      before: first.object,
      after: { text: 'x' },
      manager: { name: 'u', subresource: '' },
      now: 'later',
    };
    const after = managersAfterUpdate(() => first.managers, update, GROUND) ?? new Map<string, Owned>();
    expect([...after.values()].map(({ time }) => time)).toEqual([NOW]);
  });
});

describe('kubectl’s annotation', () => {
  const annotated = (text: string): Readonly<Record<string, unknown>> => ({
    text: 'x',
    number: 2,
    metadata: { name: 'n', annotations: { [LAST_APPLIED]: text } },
  });
  it('says which fields are still as they were applied', () => {
    const live = annotated(JSON.stringify({ text: 'x', number: 1, part: { a: '1' }, metadata: { name: 'n' } }));
    expect(paths(fieldsStillAsApplied(live, ROOT) ?? readFieldsV1({}))).toEqual(['.metadata.name', '.text']);
  });
  it.each([[''], ['{'], ['[]'], ['{"unknown":1}']])('%j says nothing', (text) => {
    expect(fieldsStillAsApplied(annotated(text), ROOT)).toBeUndefined();
  });
  it('is brought up to date, and left out when it is too large', () => {
    const config = { text: 'y', metadata: { name: 'n', annotations: { [LAST_APPLIED]: 'old', a: '1' } } };
    expect(withLastApplied(annotated('{}'), config)['metadata']).toEqual({
      name: 'n',
      annotations: { [LAST_APPLIED]: '{"metadata":{"annotations":{"a":"1"},"name":"n"},"text":"y"}\n' },
    });
    const large = { ...config, text: 'x'.repeat(300_000) };
    expect(withLastApplied(annotated('{}'), large)['metadata']).toEqual({ name: 'n', annotations: {} });
    expect(withLastApplied({ text: 'x' }, config)).toEqual({ text: 'x' });
  });
});

describe('a kind that is built in', () => {
  const place = placeOfKind('apps/v1', 'Deployment') ?? ATOMIC;
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 80 }], resources: {} }],
          securityContext: {},
        },
      },
    },
  };
  it('is owned by its creator with the dots that a real server writes', () => {
    const ground = { place, apiVersion: 'apps/v1' };
    const empty = { object: canonicalObject('apps/v1', 'Deployment', {}), managers: new Map<string, Owned>() };
    const made = updateTo(empty, canonicalObject('apps/v1', 'Deployment', deployment), 'u', ground);
    expect(JSON.parse(owned(made)['u Update'] ?? '')).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
      'f:spec': {
        'f:replicas': {},
        'f:selector': {},
        'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} }, 'f:type': {} },
        'f:template': {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': {
              'k:{"name":"c"}': {
                '.': {},
                'f:image': {},
                'f:name': {},
                'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                'f:resources': {},
              },
            },
            'f:securityContext': {},
          },
        },
      },
    });
  });
});

describe('elements of items with one key', () => {
  const names = ['a', 'ab', 'a!', 'a"b', '\\', '', 'ü', '😀', '\uffee', '\ud800', 'x'.repeat(300)];

  it.each(names)('are spelled as others: %j', (name) => {
    expect(textKeyElement('name', name)).toBe(keyElement({ name }));
    expect(textKeyElement('a "key"', name)).toBe(keyElement({ 'a "key"': name }));
  });

  it('are ordered by their keys, however often that is asked', () => {
    const elements = names.map((name) => textKeyElement('name', name));
    const once = elements.toSorted(compareElements);
    expect(elements.toReversed().sort(compareElements)).toEqual(once);
    const values = once.map((element) => (JSON.parse(element.slice(2)) as { name: string }).name);
    expect(values.indexOf('a')).toBeLessThan(values.indexOf('a!'));
    expect(values.indexOf('a!')).toBeLessThan(values.indexOf('a"b'));
    expect(values.indexOf('a"b')).toBeLessThan(values.indexOf('ab'));
    // By code points, not by UTF-16.
    expect(values.indexOf('\uffee')).toBeLessThan(values.indexOf('😀'));
  });
});
