import { describe, expect, it } from 'vitest';
import { WALL } from '../plan.fixtures.ts';
import { emptyMemory, type PodNote } from '../pod-memory.ts';
import { beginRestart, endRestart, isDone, type WantedRestart } from './begin-restart.ts';

const EMPTY = emptyMemory('default', 'web').note;
const AT = '2026-11-20T12:00:00Z';

function wanted(change: Partial<WantedRestart> = {}): WantedRestart {
  return { id: 'a', source: 'request', scope: 'pod', reason: '', force: false, emptyDirs: [], ...change };
}

function begin(note: PodNote, change: Partial<WantedRestart> = {}): PodNote {
  return beginRestart(note, wanted(change), { wall: WALL });
}

describe('a restart begins', () => {
  it('in the note, and who asked is told', () => {
    const note = begin(EMPTY);
    expect(note.restart).toEqual({ ...wanted(), begunAt: WALL });
    expect(note.restartOutcomes).toEqual([{ id: 'a', phase: 'Running', at: AT }]);
  });

  it('once: neither while it goes on nor when it is done', () => {
    const note = begin(EMPTY);
    expect(begin(note)).toBe(note);
    const ended = endRestart(note, { phase: 'Succeeded', reason: 'Restarted', at: AT });
    expect(ended.restart).toBeUndefined();
    expect(isDone(ended, 'a')).toBe(true);
    expect(begin(ended)).toBe(ended);
  });

  it.each([
    ['pod', 'pod', true],
    ['container', 'pod', true],
    ['containers', 'pod', true],
    ['pod', 'containers', false],
    ['containers', 'container', false],
  ] as const)('while one of scope %s goes on, one of scope %s takes over: %s', (before, after, takesOver) => {
    const going = begin(EMPTY, { scope: before, container: 'main' });
    const note = begin(going, { id: 'b', scope: after, container: 'main' });
    expect(note.restart?.id).toBe(takesOver ? 'b' : 'a');
    if (!takesOver) expect(note).toBe(going);
    else {
      expect(note.restartOutcomes?.map(({ id, phase, reason }) => [id, phase, reason])).toEqual([
        ['b', 'Running', undefined],
        ['a', 'Succeeded', 'Superseded'],
      ]);
    }
  });

  it('for the ladder without an outcome: requests alone have one', () => {
    const note = begin(EMPTY, { source: 'ladder' });
    expect(note.restart?.source).toBe('ladder');
    expect(note.restartOutcomes).toBeUndefined();
    expect(endRestart(note, { phase: 'Succeeded', at: AT }).restartOutcomes).toBeUndefined();
  });

  it('and remembers but the last outcomes', () => {
    let note = EMPTY;
    for (const id of ['a', 'b', 'c', 'd', 'e']) note = endRestart(begin(note, { id }), { phase: 'Failed', at: AT });
    expect(note.restartOutcomes?.map(({ id }) => id)).toEqual(['e', 'd', 'c']);
  });
});
