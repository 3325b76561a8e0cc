import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffSnapshots, isSyncWorthy, type PlegState, type PodSnapshot, sameSnapshot, snapshotOf } from './diff.ts';

const snap = (states: Readonly<Record<string, PlegState>>): PodSnapshot => new Map(Object.entries(states));
const types = (before: PodSnapshot | undefined, after: PodSnapshot | undefined): readonly string[] =>
  diffSnapshots(before, after).map(({ type }) => type);

describe('diffSnapshots', () => {
  it.each<[PlegState | undefined, PlegState | undefined, readonly string[]]>([
    [undefined, 'running', ['ContainerStarted']],
    [undefined, 'exited', ['ContainerDied']],
    [undefined, 'unknown', ['ContainerChanged']],
    ['running', 'running', []],
    ['running', 'exited', ['ContainerDied']],
    ['running', 'unknown', ['ContainerChanged']],
    ['running', undefined, ['ContainerDied', 'ContainerRemoved']],
    ['exited', 'running', ['ContainerStarted']],
    ['exited', 'exited', []],
    ['exited', 'unknown', ['ContainerChanged']],
    ['exited', undefined, ['ContainerRemoved']],
    ['unknown', 'running', ['ContainerStarted']],
    ['unknown', 'exited', ['ContainerDied']],
    ['unknown', 'unknown', []],
    ['unknown', undefined, ['ContainerDied', 'ContainerRemoved']],
  ])('%s then %s', (before, after, expected) => {
    const at = (state: PlegState | undefined): PodSnapshot | undefined => (state ? snap({ c: state }) : undefined);
    expect(types(at(before), at(after))).toEqual(expected);
  });

  it('reports removals before what is new', () => {
    expect(types(snap({ a: 'exited' }), snap({ b: 'running' }))).toEqual(['ContainerRemoved', 'ContainerStarted']);
  });

  it('only ContainerChanged wakes nobody', () => {
    expect(diffSnapshots(snap({}), snap({ c: 'unknown' })).some(isSyncWorthy)).toBe(false);
    expect(diffSnapshots(snap({ c: 'exited' }), snap({})).some(isSyncWorthy)).toBe(true);
  });
});

describe('snapshotOf', () => {
  it('takes sandboxes as containers and a created container as unknown', () => {
    const snapshot = snapshotOf(
      [
        { id: 's1', state: 'ready' },
        { id: 's0', state: 'notready' },
      ],
      [
        { id: 'c1', state: 'created' },
        { id: 'c0', state: 'exited' },
      ],
    );
    expect(Object.fromEntries(snapshot)).toEqual({ s1: 'running', s0: 'exited', c1: 'unknown', c0: 'exited' });
  });
});

describe('properties', () => {
  const snapshots = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom<PlegState>('running', 'exited', 'unknown'))
    .map(snap);

  it('has no event exactly when nothing changed', () => {
    fc.assert(
      fc.property(snapshots, snapshots, (before, after) => {
        expect(diffSnapshots(before, after).length === 0).toBe(sameSnapshot(before, after));
      }),
    );
  });

  it('names every changed id once per kind, and leads from one snapshot to the other', () => {
    fc.assert(
      fc.property(snapshots, snapshots, (before, after) => {
        const replayed = new Map(before);
        for (const { type, id } of diffSnapshots(before, after)) {
          if (type === 'ContainerRemoved') replayed.delete(id);
          else
            replayed.set(id, type === 'ContainerStarted' ? 'running' : type === 'ContainerDied' ? 'exited' : 'unknown');
        }
        expect(Object.fromEntries(replayed)).toEqual(Object.fromEntries(after));
      }),
    );
  });
});
