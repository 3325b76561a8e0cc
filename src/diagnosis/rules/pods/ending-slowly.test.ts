import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { Event } from '../../evidence/kinds.ts';

/** A pod that was deleted this many seconds ago, with a grace of 60 s. */
function deleted(seconds: number, preStop: object | undefined, events: readonly Event[] = []) {
  const lifecycle = preStop === undefined ? {} : { lifecycle: { preStop } };
  const metadata = { deletionTimestamp: ago(seconds - 60), deletionGracePeriodSeconds: 60 };
  return diagnosePod(evidence({ pod: pod({ metadata, container: lifecycle }), events }));
}

describe('a pod that ends slowly', () => {
  it.each<[string, object, string]>([
    ['a command', { exec: { command: ['sh', '-c', 'sleep 50'] } }, 'sh -c sleep 50'],
    ['a request', { httpGet: { path: '/drain', port: 80 } }, 'GET /drain'],
    ['a pause', { sleep: { seconds: 50 } }, 'sleep 50s'],
  ])('waits for its preStop hook: %s', (_, hook, text) => {
    const { state, findings } = deleted(20, hook);
    expect(state).toBe('Terminating, web still runs, and is killed in 40s');
    expect(findings.map(({ id }) => id)).toEqual(['slow-pre-stop']);
    expect(findings[0]?.says).toBe(
      `container web ends slowly (its preStop hook (${text}), or its program after it, takes long): it still runs 20s after it was told to end, its preStop hook included, and is killed (SIGKILL) in 40s, when its grace of 60s is over`,
    );
  });

  it('after its hook failed', () => {
    const failed = event('FailedPreStopHook', 'PreStopHook failed', { container: 'web', seconds: 18 });
    const { findings } = deleted(20, { exec: { command: ['drain'] } }, [failed]);
    expect(findings[0]?.says).toContain('its preStop hook failed, and its program goes on');
  });

  it('because of its program alone', () => {
    expect(deleted(20, undefined).findings[0]?.says).toContain('its program does not end on SIGTERM');
  });

  it.each<[string, readonly string[], boolean]>([
    ['waits for its program', ['bash', '-c', 'node server.js; echo ended'], true],
    ['becomes its program', ['bash', '-c', 'echo starts; exec node server.js'], false],
    ['has one command alone, which it becomes', ['sh', '-c', 'node server.js'], false],
  ])('because of a shell that %s', (_, command, isOfShell) => {
    const metadata = { deletionTimestamp: ago(-40), deletionGracePeriodSeconds: 60 };
    const { findings } = diagnosePod(evidence({ pod: pod({ metadata, container: { command: [...command] } }) }));
    expect(findings[0]?.says.includes('its first process is bash -c, which does not pass SIGTERM')).toBe(isOfShell);
  });

  it('is well at first', () => {
    expect(deleted(10, { sleep: { seconds: 50 } }).findings).toEqual([]);
  });
});
