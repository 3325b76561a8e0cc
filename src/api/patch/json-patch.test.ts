import fastJsonPatch from 'fast-json-patch';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { PatchError } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

function outcome(document: unknown, patch: unknown): unknown {
  try {
    return applyJsonPatch(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return error.code;
    throw error;
  }
}

interface TestOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * fast-json-patch, but refusing operations that step into a scalar, and moves and copies past the end of a list, all of which it
 * lets through.
 */
function oracle(document: unknown, patch: readonly TestOperation[]): unknown {
  let current: unknown = structuredClone(document);
  try {
    const refuseScalar = (pointer: string): void => {
      const parent = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')));
      if (pointer !== '' && !isObject(fastJsonPatch.getValueByPointer(current, parent)))
        throw new Error('into a scalar');
    };
    const apply = (operation: TestOperation): void => {
      refuseScalar(operation.path);
      current = fastJsonPatch.applyOperation(current, structuredClone(operation) as never, true, true).newDocument;
    };
    for (const operation of patch) {
      const { op, path, from = '' } = operation;
      if (op === 'move' || op === 'copy') {
        refuseScalar(from);
        const value: unknown = fastJsonPatch.getValueByPointer(current, from);
        if (op === 'move') apply({ op: 'remove', path: from });
        else if (value === undefined) throw new Error('from nowhere');
        apply({ op: 'add', path, value });
      } else apply(operation);
    }
    return current;
  } catch {
    return 'inapplicable';
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

describe('applyJsonPatch', () => {
  it.each([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['replaces by add', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['inserts', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
    ['appends', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
    ['removes', { a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
    ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: 2 }], 2],
    ['moves', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    [
      'reads escapes',
      { 'a/b': 1, 'c~d': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/c~0d' },
      ],
      {},
    ],
    ['tests', { a: { b: [1] } }, [{ op: 'test', path: '/a', value: { b: [1] } }], { a: { b: [1] } }],
    ['keeps null', {}, [{ op: 'add', path: '/a', value: null }], { a: null }],
    [
      'copies apart',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    ['fails a test', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }], 'inapplicable'],
    ['fails to remove nothing', {}, [{ op: 'remove', path: '/a' }], 'inapplicable'],
    ['fails to replace nothing', {}, [{ op: 'replace', path: '/a', value: 1 }], 'inapplicable'],
    ['fails past the end', [], [{ op: 'add', path: '/1', value: 1 }], 'inapplicable'],
    ['fails on leading zeros', [1, 2], [{ op: 'remove', path: '/01' }], 'inapplicable'],
    ['fails into a scalar', { a: 1 }, [{ op: 'add', path: '/a/b', value: 1 }], 'inapplicable'],
    ['fails to move into itself', { a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }], 'inapplicable'],
    ['refuses an unknown op', {}, [{ op: 'merge', path: '/a' }], 'malformed'],
    ['refuses a missing value', {}, [{ op: 'add', path: '/a' }], 'malformed'],
    ['refuses a bad pointer', {}, [{ op: 'remove', path: 'a' }], 'malformed'],
    ['refuses an object', {}, {}, 'malformed'],
    ['refuses too many', {}, Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: {} })), 'too-large'],
  ])('%s', (_name, document, patch, expected) => {
    const before = structuredClone(document);
    expect(outcome(document, patch)).toEqual(expected);
    expect(document).toEqual(before);
  });

  it('stops a patch that copies itself large', () => {
    const patch = Array.from({ length: 40 }, (_, step) => ({ op: 'copy', from: '', path: `/a${step}` }));
    expect(outcome({ b: 'x'.repeat(1000) }, patch)).toBe('too-large');
  });

  it('never touches a prototype', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(outcome({}, [{ op: 'add', path: '/constructor/prototype/x', value: 1 }])).toBe('inapplicable');
  });

  it('agrees with fast-json-patch', () => {
    const key = fc.constantFrom('a', 'b', '0', '1', '-');
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, 1, 'x', true),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    const pointer = fc.array(key, { maxLength: 3 }).map((tokens) => tokens.map((token) => `/${token}`).join(''));
    const operation = fc.oneof(
      fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: json }),
      fc.record({ op: fc.constant('remove'), path: pointer.filter((path) => path !== '') }),
      fc
        .record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer })
        .filter(({ from, path }) => from !== path && from !== '' && path !== '' && !path.startsWith(`${from}/`)),
    );
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 4 }), (document, patch) => {
        expect(outcome(document, patch)).toEqual(oracle(document, patch));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('patches that nest too deep', () => {
  it('are refused', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(501)}1${'}'.repeat(501)}`);
    const malformed = expect.objectContaining({ name: 'PatchError', code: 'malformed' });
    expect(() => applyMergePatch({}, deep)).toThrow(malformed);
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/a', value: deep }])).toThrow(malformed);
    expect(() => applyStrategicMergePatch('v1', 'Pod', {}, deep)).toThrow(malformed);
  });
});

describe('applyMergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [['a', 'b'], ['c'], ['c']],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j + %j', (target, patch, expected) => {
    const before = structuredClone(target);
    expect(applyMergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });
});
