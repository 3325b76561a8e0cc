import { describe, expect, it } from 'vitest';
import { parseDocument, splitDocuments } from '../lib/index.ts';
import { parseManifest } from './manifests.ts';

describe('parseDocument', () => {
  it.each([
    ['yes', true],
    ['Off', false],
    ['0644', 0o644],
    ['0x10', 16],
    ['22:30', '22:30'],
    ['2026-01-01', '2026-01-01'],
    ['1.5', 1.5],
    ['1_000', 1000],
    ['~', null],
    ['"yes"', 'yes'],
    ['v1', 'v1'],
  ])('reads %s as kubectl does', (text, value) =>
    expect(parseDocument({ text: `a: ${text}`, line: 1 })).toEqual({ a: value }),
  );

  it('merges anchors', () => {
    expect(parseDocument({ text: 'a: &x {b: 1}\nc: {<<: *x, d: 2}', line: 1 })).toMatchObject({ c: { b: 1, d: 2 } });
  });
});

describe('splitDocuments', () => {
  it('counts lines and leaves out empty documents', () => {
    const text = '# head\n---\n\na: 1\n--- # comment\nb: 2\n---\n...\n---\n# only this\n';
    expect(splitDocuments(text).map(({ line }) => line)).toEqual([2, 5]);
  });
});

const spec = 'spec: {containers: [{name: c, image: i}]}';
const pod = (name: string) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n${spec}\n`;

describe('parseManifest', () => {
  it('reads documents and lists, with their places', () => {
    const list = 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: space}}\n';
    const { objects, problems } = parseManifest('a.yaml', `${pod('one')}---\n${list}`);
    expect(problems).toEqual([]);
    expect(objects.map(({ place, name, namespace, row }) => [place, name, namespace, row.resource])).toEqual([
      ['a.yaml: document 1, line 1', 'one', 'default', 'pods'],
      ['a.yaml: document 2, line 7', 'space', undefined, 'namespaces'],
    ]);
    expect(objects[0]?.object.metadata).toEqual({ name: 'one', namespace: 'default' });
  });

  it('reads JSON', () => {
    expect(
      parseManifest(
        'a.json',
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","namespace":"y"},"spec":{"containers":[{"name":"c","image":"i"}]}}',
      ).objects,
    ).toMatchObject([{ name: 'x', namespace: 'y' }]);
  });

  it.each([
    ['a: [1', 'f: line 1: '],
    ['a: 1\n b: 2', 'f: line 2: '],
    ['apiVersion: v1\nkind: Pod\nmetadata: {name: yes}', 'f: line 1: metadata.name is no text'],
    [`${pod('a')}---\n\nb: 1\nb: 2\n`, 'f: document 2, line 9: duplicated mapping key'],
    ['- 1', 'f: line 1: this is no object'],
    ['kind: Pod', 'f: line 1: apiVersion is missing'],
    ['# c\napiVersion: v1', 'f: line 2: kind is missing'],
    ['apiVersion: apps/v9\nkind: Thing', 'f: line 1: mendlet serves no Thing of apps/v9'],
    ['apiVersion: v1\nkind: Pod', 'f: line 1: metadata is missing'],
    ['apiVersion: v1\nkind: Pod\nmetadata: {}', 'f: line 1: metadata.name is missing'],
    [
      pod('a').replace(spec, 'spec: {continers: []}'),
      'f: line 1: Pod a: Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.continers"',
    ],
    [pod('A'), 'f: line 1: Pod A: metadata.name: Invalid value: "A"'],
    [pod('a').replace(', image: i', ''), 'Pod a: spec.containers[0].image: Required value'],
    ['# nothing\n', 'f: holds no object'],
  ])('tells where %j is broken', (text, message) => {
    const { problems } = parseManifest('f', text);
    expect(problems.join('\n')).toContain(message);
  });

  it('tells every problem', () => expect(parseManifest('f', '- 1\n---\n- 2\n').problems).toHaveLength(2));
});
