import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../runtime.ts';
import { AnnouncedEnds, withTaskEnd } from './announced-ends.ts';

const running = { id: 'c', state: 'running', exitCode: 0, finishedAt: 0, reason: '' } as ContainerStatus;

describe('withTaskEnd', () => {
  it.each([
    [
      'a failure',
      running,
      { exitCode: 3, finishedAt: 7 },
      { state: 'exited', exitCode: 3, finishedAt: 7, reason: 'Error' },
    ],
    ['a success', running, { exitCode: 0, finishedAt: 7 }, { state: 'exited', exitCode: 0, reason: 'Completed' }],
    ['a SIGKILL, which may be for want of memory', running, { exitCode: 137, finishedAt: 7 }, { state: 'running' }],
    ['a task that runs', running, undefined, { state: 'running' }],
    [
      'what CRI shows already',
      { ...running, state: 'exited', reason: 'OOMKilled', exitCode: 1 },
      { exitCode: 1, finishedAt: 7 },
      { reason: 'OOMKilled' },
    ],
  ] as const)('%s', (_what, status, end, expected) => {
    expect(withTaskEnd(status, end)).toMatchObject(expected);
    expect(withTaskEnd(status, end).ending === true).toBe(status.state === 'running' && 'exitCode' in expected);
  });
});

describe('AnnouncedEnds', () => {
  it('knows an announced end until CRI shows it, and none of those out of memory', () => {
    const ends = new AnnouncedEnds();
    ends.heard({ kind: 'started', id: 'a' });
    ends.heard({ kind: 'stopped', id: 'b' });
    ends.heard({ kind: 'oom', id: 'c' });
    ends.heard({ kind: 'stopped', id: 'c' });
    ends.heard({ kind: 'stopped', id: 'd' });
    ends.heard({ kind: 'deleted', id: 'd' });
    expect(['a', 'b', 'c', 'd'].map((id) => ends.has(id))).toEqual([false, true, false, false]);
    ends.forget('b');
    expect(ends.has('b')).toBe(false);
  });

  it('is bounded', () => {
    const ends = new AnnouncedEnds();
    for (let n = 0; n <= 1024; n += 1) ends.heard({ kind: 'stopped', id: `${n}` });
    expect([ends.has('0'), ends.has('1024')]).toEqual([false, true]);
  });
});
