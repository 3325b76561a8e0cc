import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Container, Pod } from '../types.gen.ts';
import { isRecord } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { diffPod } from './two-way-diff.testing.ts';

function patched(object: unknown, patch: unknown): unknown {
  const before = structuredClone(object);
  const result = applyStrategicMergePatch('v1', 'Pod', object, patch);
  expect(object).toEqual(before);
  return result;
}

function containers(...names: string[]): Container[] {
  return names.map((name) => ({ name }));
}

describe('applyStrategicMergePatch', () => {
  it.each([
    [
      'merges elements by key',
      { spec: { containers: [{ name: 'a', image: '1' }, { name: 'b' }] } },
      { spec: { containers: [{ name: 'a', image: '2' }] } },
      { spec: { containers: [{ name: 'a', image: '2' }, { name: 'b' }] } },
    ],
    [
      'puts new elements first',
      { spec: { containers: containers('a') } },
      { spec: { containers: containers('b') } },
      { spec: { containers: containers('b', 'a') } },
    ],
    [
      'deletes an element',
      { spec: { containers: containers('a', 'b') } },
      { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
      { spec: { containers: containers('b') } },
    ],
    [
      'replaces a list',
      { spec: { containers: containers('a', 'b') } },
      { spec: { containers: [{ $patch: 'replace' }, { name: 'c' }] } },
      { spec: { containers: containers('c') } },
    ],
    [
      'orders elements',
      { spec: { containers: containers('a', 'b', 'c') } },
      { spec: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }, { name: 'b' }] } },
      { spec: { containers: containers('c', 'a', 'b') } },
    ],
    [
      'keeps what the server added in place',
      { spec: { containers: containers('a', 's', 'b') } },
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }],
          containers: [{ name: 'b', image: 'x' }],
        },
      },
      { spec: { containers: [{ name: 'a' }, { name: 's' }, { name: 'b', image: 'x' }] } },
    ],
    [
      'replaces atomic lists',
      { spec: { tolerations: [{ key: 'a' }, { key: 'b' }] } },
      { spec: { tolerations: [{ key: 'c' }] } },
      { spec: { tolerations: [{ key: 'c' }] } },
    ],
    [
      'merges primitive sets',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c', 'a'] } },
      { metadata: { finalizers: ['c', 'a', 'b'] } },
    ],
    [
      'deletes from primitive sets',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'deletes by null',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null, c: '3' } } },
      { metadata: { labels: { b: '2', c: '3' } } },
    ],
    [
      'drops nulls where nothing was',
      { metadata: {} },
      { metadata: { labels: { a: null, b: '1' } } },
      { metadata: { labels: { b: '1' } } },
    ],
    [
      'replaces an object',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'empties an object',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'delete' } } },
      { metadata: { labels: {} } },
    ],
    [
      'retains keys',
      { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] } },
      { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
    ],
    [
      'ignores a deletion of nothing',
      { spec: {} },
      { spec: { containers: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] } },
      { spec: { containers: containers('b') } },
    ],
    [
      'merges unknown fields as JSON',
      { spec: { foo: { a: 1 } } },
      { spec: { foo: { b: 2 } } },
      { spec: { foo: { a: 1, b: 2 } } },
    ],
    [
      'keeps ports that share a number',
      {
        spec: {
          containers: [
            {
              name: 'a',
              ports: [
                { containerPort: 53, protocol: 'TCP' },
                { containerPort: 53, protocol: 'UDP' },
              ],
            },
          ],
        },
      },
      { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] } },
      {
        spec: {
          containers: [
            {
              name: 'a',
              ports: [
                { containerPort: 80 },
                { containerPort: 53, protocol: 'TCP' },
                { containerPort: 53, protocol: 'UDP' },
              ],
            },
          ],
        },
      },
    ],
  ])('%s', (_name, object, patch, expected) => {
    expect(patched(object, patch)).toEqual(expected);
  });

  it.each([
    [
      'an element without its key',
      { spec: { containers: containers('a') } },
      { spec: { containers: [{ image: 'x' }] } },
      'inapplicable',
    ],
    [
      'an unknown directive',
      { metadata: { labels: {} } },
      { metadata: { labels: { $patch: 'nonsense' } } },
      'inapplicable',
    ],
    [
      'a key outside of retainKeys',
      { spec: { volumes: [{ name: 'v' }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name'], emptyDir: {} }] } },
      'malformed',
    ],
    [
      'an element outside of the order',
      { spec: { containers: containers('a') } },
      { spec: { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a' }] } },
      'malformed',
    ],
  ])('refuses %s', (_name, object, patch, code) => {
    expect(() => patched(object, patch)).toThrow(expect.objectContaining({ name: 'PatchError', code }));
  });

  it('turns the original into the modified by the difference that kubectl sends', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
    const text = fc.constantFrom('x', 'y');
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
    const env = names.chain((list) =>
      fc.tuple(...list.map((name) => fc.record({ name: fc.constant(name), value: text }))),
    );
    const container = (name: string) =>
      fc.record({ name: fc.constant(name), image: optional(text), args: optional(fc.array(text)), env: optional(env) });
    const volume = (name: string) =>
      fc.oneof(
        fc.constant({ name, emptyDir: {} }),
        fc.record({ name: fc.constant(name), hostPath: fc.record({ path: text }) }),
      );
    const pod = fc
      .record({
        metadata: fc.record({
          labels: optional(fc.dictionary(fc.constantFrom('l', 'm'), text, { noNullPrototype: true })),
          finalizers: optional(names),
        }),
        spec: fc.record({
          containers: names.chain((list) => fc.tuple(...list.map(container))),
          volumes: optional(names.chain((list) => fc.tuple(...list.map(volume)))),
        }),
      })
      .map((value) => JSON.parse(JSON.stringify(value)) as Pod);
    fc.assert(
      fc.property(pod, pod, (original, modified) => {
        const patch = diffPod(original, modified);
        const result = patched(original, patch);
        expect(withoutEmptyLists(result)).toEqual(withoutEmptyLists(modified));
      }),
      { numRuns: 1000 },
    );
  });
});

/** A list that became empty stays as `[]`: the same object to every reader. */
function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => !Array.isArray(item) || item.length > 0);
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutEmptyLists(item)]));
}

it('looks at each element of two long lists a few times, and not at each for each', () => {
  let reads = 0;
  const counted = (name: string): object =>
    Object.defineProperty({}, 'name', {
      enumerable: true,
      get: () => {
        reads += 1;
        return name;
      },
    });
  const count = 2000;
  const list = (prefix: string): object[] => Array.from({ length: count }, (_, i) => counted(`${prefix}${i}`));
  const merged = applyStrategicMergePatch('v1', 'ServiceAccount', { secrets: list('a') }, { secrets: list('b') });
  expect((merged as { secrets: unknown[] }).secrets).toHaveLength(2 * count);
  expect(reads).toBeLessThan(200 * count);
});
