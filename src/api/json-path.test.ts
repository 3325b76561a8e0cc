import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findByPath, JsonPathError, parseJsonPath, plainPath } from './json-path.ts';

const OBJECT = {
  spec: { replicas: 3, 'a.b': 'dotted', list: [1, 2, 3], names: ['x', 'y'] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 1 },
      { type: 'Other', status: 'False', n: 2 },
    ],
  },
  metadata: { labels: { 'app.kubernetes.io/name': 'web' } },
};

it.each<[string, unknown[]]>([
  ['.spec.replicas', [3]],
  ['{.spec.replicas}', [3]],
  ['$.spec.replicas', [3]],
  [".spec['a.b']", ['dotted']],
  ['.spec.a\\.b', ['dotted']],
  ['.metadata.labels.app\\.kubernetes\\.io/name', ['web']],
  ['.spec.list[0]', [1]],
  ['.spec.list[-1]', [3]],
  ['.spec.list[0:2]', [1, 2]],
  ['.spec.list[::2]', [1, 3]],
  ['.spec.list[*]', [1, 2, 3]],
  ['.spec.list[9]', []],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type != 'Ready')].status", ['False']],
  ['.status.conditions[?(@.n > 1)].type', ['Other']],
  ['.status.conditions[?(@.nope)].type', []],
  ['.status.conditions[*].type', ['Ready', 'Other']],
  ['..type', ['Ready', 'Other']],
  ['.spec.nope.deeper', []],
  ['.spec.*', [3, 'dotted', [1, 2, 3], ['x', 'y']]],
])('%s finds %j', (path, found) => {
  expect(findByPath(parseJsonPath(path), OBJECT)).toEqual(found);
});

it.each(['.spec[', '.spec[?(@.a==)]', '.spec[a]', '.a b', `.${'a'.repeat(3000)}`, '.a[?(@.b=="c"]', '{.a}{.b}'])(
  '%s is no path',
  (path) => {
    expect(() => parseJsonPath(path)).toThrow(JsonPathError);
  },
);

it('tells straight paths from others', () => {
  expect(plainPath(parseJsonPath('.spec.a'))).toEqual(['spec', 'a']);
  expect(plainPath(parseJsonPath('.spec.a[0]'))).toBeUndefined();
});

it('whatever the text, it is a path or it is none', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('.', '[', ']', '*', '?', '(', ')', '@', '=', '"', 'a', '0', ':', '-', '\\', "'"),
      }),
      (text) => {
        try {
          findByPath(parseJsonPath(text), OBJECT);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPathError);
        }
      },
    ),
  );
});
