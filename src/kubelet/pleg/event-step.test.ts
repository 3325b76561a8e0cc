import { describe, expect, it } from 'vitest';
import { type EventKind, laterKind, rereadDelayMs, shows } from './event-step.ts';

describe('shows', () => {
  it.each<[EventKind, Parameters<typeof shows>[1], boolean]>([
    ['stopped', 'running', false],
    ['stopped', 'created', false],
    ['stopped', 'unknown', false],
    ['stopped', 'exited', true],
    ['stopped', 'ready', false],
    ['stopped', 'notready', true],
    ['stopped', undefined, true],
    ['started', 'created', false],
    ['started', 'running', true],
    ['started', 'exited', true],
    ['deleted', 'exited', true],
    ['oom', 'running', true],
  ])('%s and then %s: %s', (kind, state, expected) => {
    expect(shows(kind, state)).toBe(expected);
  });
});

describe('laterKind', () => {
  it('keeps the one that announces more', () => {
    expect(laterKind('stopped', 'started')).toBe('stopped');
    expect(laterKind('created', 'stopped')).toBe('stopped');
  });
});

describe('rereadDelayMs', () => {
  it('reads densely while the runtime lags as it always does, then ever more seldom, for a second in all', () => {
    const reads: number[] = [];
    let elapsed = 0;
    for (let delay = rereadDelayMs(0, undefined); delay !== undefined; delay = rereadDelayMs(elapsed, delay)) {
      elapsed += delay;
      reads.push(elapsed);
    }
    expect(reads.slice(0, 5)).toEqual([5, 15, 25, 35, 45]);
    expect(reads.slice(-4)).toEqual([295, 455, 775, 1000]);
  });
});
