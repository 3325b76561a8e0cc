import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyMemory, type PodNote } from '../plan/pod-memory.ts';
import { formatNote, parseNote } from './parse-note.ts';

const full: PodNote = {
  ...emptyMemory('default', 'web').note,
  admitted: true,
  startTime: 1,
  sandboxAttempt: 2,
  initializedSandboxId: 's',
  containers: {
    main: {
      newest: { containerId: 'c', restartCount: 3, startedAt: 4 },
      deaths: [
        {
          containerId: 'b',
          restartCount: 2,
          exitCode: 1,
          reason: 'Error',
          startedAt: 1,
          finishedAt: 2,
          message: 'm',
          messageRead: true,
          delayMs: 10_000,
        },
      ],
      backOff: { key: 'k', delayMs: 10_000, lastUpdate: 5, attempt: 3 },
      failure: { attempt: 4, failures: 1, reason: 'r', message: 'm', failedAt: 6 },
      kill: { containerId: 'c', message: 'm', gracePeriodSeconds: 30, requestedAt: 7, restart: true },
    },
  },
  restart: {
    id: 'r',
    source: 'ladder',
    scope: 'pod',
    reason: 'three deaths',
    force: false,
    emptyDirs: ['cache'],
    leaves: true,
    begunAt: 9,
    oldSandboxAttempt: 2,
    refreshed: true,
  },
  restartOutcomes: [{ id: 'q', phase: 'Succeeded', reason: 'Restarted', at: '2026-01-01T00:00:00Z' }],
  healing: {
    policy: 'p',
    rung: 'pod',
    attempts: [{ scope: 'container', container: 'main', containerId: 'b', at: 3 }],
    podRestarts: 1,
    since: 2,
    cause: 'main exited with 1',
    move: { id: 'm', cause: 'c', at: 4 },
  },
  recovery: { id: 's', at: 5, cause: 'service/db became ready' },
  termination: { reason: 'Deleted', message: 'm', gracePeriodSeconds: 30, requestedAt: 8 },
  end: { phase: 'Failed', reason: 'Evicted', message: 'm' },
};

describe('a note', () => {
  it('is read as it was written', () =>
    expect(parseNote(formatNote('u', full), 'u')).toEqual({ ok: true, note: full }));

  it.each([
    ["another pod's", formatNote('other', full)],
    ['a newer format', formatNote('u', full).replace('"format":1', '"format":2')],
    ['a missing field', formatNote('u', full).replace('"reclaimed":false', '"other":false')],
    ['a wrong type', formatNote('u', full).replace('"restartCount":3', '"restartCount":"3"')],
    ['a negative count', formatNote('u', full).replace('"restartCount":3', '"restartCount":-3')],
    ['null', 'null'],
    ['nothing', ''],
  ])('is refused: %s', (_name, text) => expect(parseNote(text, 'u').ok).toBe(false));

  it('is refused when it is torn anywhere', () => {
    const text = formatNote('u', full);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 1 }), (cut) => {
        expect(parseNote(text.slice(0, cut), 'u').ok).toBe(false);
      }),
    );
  });
});
