import { describe, expect, it } from 'vitest';
import { type ControllerRevision, nameOf, STATEFUL_SETS, type StatefulSet } from '../../api/index.ts';
import { findNewest, sortRevisions, surplusRevisions } from './plan-history.ts';
import { newRevision, revisionData, templateOf } from './revision.ts';

const OWNER: StatefulSet = {
  metadata: { namespace: 'team', name: 'web', uid: 'u1', annotations: { 'kubernetes.io/change-cause': 'why' } },
};

function template(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
}

function revision(name: string, number: number, image = name): ControllerRevision {
  return { metadata: { name }, data: revisionData(template(image)), revision: number };
}

describe('a revision', () => {
  const made = newRevision({
    resource: STATEFUL_SETS,
    owner: OWNER,
    template: template('one'),
    revision: 3,
    collisionCount: 0,
    hashLabel: 'controller.kubernetes.io/hash',
  });

  it('is named after what it records, and is its owner’s', () => {
    expect(nameOf(made)).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/);
    expect(made).toMatchObject({
      metadata: {
        namespace: 'team',
        labels: { app: 'web', 'controller.kubernetes.io/hash': nameOf(made).slice(4) },
        annotations: { 'kubernetes.io/change-cause': 'why' },
        ownerReferences: [{ kind: 'StatefulSet', name: 'web', uid: 'u1', controller: true }],
      },
      data: { spec: { template: { $patch: 'replace', spec: { containers: [{ image: 'one' }] } } } },
      revision: 3,
    });
  });

  it('has its names in order, for those who compare bytes', () => {
    const data = {
      spec: {
        template: {
          $patch: 'replace',
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ image: 'one', name: 'c' }] },
        },
      },
    };
    expect(JSON.stringify(made.data)).toBe(JSON.stringify(data));
  });

  it('brings its template back', () => {
    expect(templateOf(made)).toEqual(template('one'));
  });
});

describe('the newest revision', () => {
  const history = [revision('a', 1), revision('b', 2)];
  it.each([
    { wanted: 'b', expected: { kind: 'recorded', revision: history[1] } },
    { wanted: 'a', expected: { kind: 'renumber', revision: history[0], number: 3 } },
    { wanted: 'c', expected: { kind: 'missing', number: 3 } },
  ])('of $wanted is $expected.kind', ({ wanted, expected }) => {
    expect(findNewest(history, revisionData(template(wanted)))).toEqual(expected);
  });

  it('of an empty history has the number 1', () => {
    expect(findNewest([], revisionData(template('a')))).toEqual({ kind: 'missing', number: 1 });
  });

  it('is found whatever the order of fields', () => {
    const turned = { spec: { containers: [{ image: 'b', name: 'c' }] }, metadata: { labels: { app: 'web' } } };
    expect(findNewest(history, revisionData(turned)).kind).toBe('recorded');
  });
});

it('revisions are in order of their numbers', () => {
  expect(sortRevisions([revision('c', 3), revision('b', 1), revision('a', 1)]).map(nameOf)).toEqual(['a', 'b', 'c']);
});

describe('surplus', () => {
  const history = ['a', 'b', 'c', 'd'].map((name, position) => revision(name, position));
  it.each([
    { live: ['d'], limit: 2, gone: ['a'] },
    { live: ['a', 'd'], limit: 1, gone: ['b'] },
    { live: ['d'], limit: 0, gone: ['a', 'b', 'c'] },
    { live: [], limit: 10, gone: [] },
    { live: [], limit: undefined, gone: [] },
  ])('of 4 with $live alive and a limit of $limit: $gone', ({ live, limit, gone }) => {
    expect(surplusRevisions(history, new Set(live), limit).map(nameOf)).toEqual(gone);
  });
});
