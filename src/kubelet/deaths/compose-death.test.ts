import { describe, expect, it } from 'vitest';
import type { Death, GoingRestart, PodNote, RequestedRestart } from '../plan/pod-memory.ts';
import { emptyMemory, withContainer } from '../plan/pod-memory.ts';
import { observation, testContainer, testPod, testSandbox, WALL } from '../plan/plan.fixtures.ts';
import { amendmentOf, composeDeath, type DeathFacts } from './compose-death.ts';

const empty = emptyMemory('default', 'web').note;
const dead: Death = {
  containerId: 'main-0',
  restartCount: 0,
  exitCode: 137,
  reason: 'Error',
  startedAt: WALL - 10_000,
  finishedAt: WALL,
  message: '',
  messageRead: true,
};
const kill = (change: Partial<RequestedRestart>): PodNote =>
  withContainer(empty, 'main', {
    deaths: [],
    kill: {
      containerId: 'main-0',
      message: 'Container main failed liveness probe, will be restarted',
      gracePeriodSeconds: 30,
      requestedAt: WALL - 1000,
      restart: true,
      ...change,
    },
  });
const restart = (change: Partial<GoingRestart> = {}): PodNote => ({
  ...empty,
  restart: {
    id: 'r1',
    source: 'request',
    scope: 'pod',
    reason: 'new certificate',
    by: 'alice',
    force: false,
    emptyDirs: [],
    begunAt: WALL - 1000,
    ...change,
  },
});

function compose(change: Partial<DeathFacts> = {}) {
  return composeDeath({
    pod: testPod(),
    container: 'main',
    death: dead,
    note: empty,
    noteBefore: empty,
    failed: (type) => ({ outputs: [{ at: 'then', output: `${type} is sick` }] }),
    changes: [],
    seen: { at: WALL + 500, observed: undefined },
    ...change,
  });
}

describe('a death', () => {
  it('has its facts', () => {
    expect(compose({ changes: [{ at: WALL - 5000, what: 'the node booted' }] })).toEqual({
      containerId: 'main-0',
      restartCount: 0,
      image: 'busybox',
      startedAt: '2026-11-20T11:59:50.000Z',
      finishedAt: '2026-11-20T12:00:00.000Z',
      exitCode: 137,
      signal: 'SIGKILL',
      reason: 'Error',
      changes: [{ at: '2026-11-20T11:59:55.000Z', what: 'the node booted' }],
    });
  });

  it.each([
    ['a lost container', { exitCode: 137, startedAt: 0, finishedAt: 0, reason: 'ContainerStatusUnknown' }, 'SIGKILL'],
    ['a plain exit', { exitCode: 3 }, undefined],
    ['an exit code that is no signal', { exitCode: 255 }, undefined],
    ['SIGTERM', { exitCode: 143 }, 'SIGTERM'],
  ])('%s', (_name, change, signal) => {
    expect(compose({ death: { ...dead, ...change } }).signal).toBe(signal);
  });

  it('that nobody saw ended when it was seen', () => {
    const found = compose({ death: { ...dead, finishedAt: 0, startedAt: 0 } });
    expect([found.startedAt, found.finishedAt]).toEqual([undefined, '2026-11-20T12:00:00.500Z']);
  });
});

describe('what led to it', () => {
  const requested = { scope: 'pod', id: 'r1', by: 'alice', reason: 'new certificate' };
  it.each([
    ['nothing of ours', empty, undefined, undefined],
    ['a failed probe, by its cause', kill({ cause: 'startup' }), 'startup', undefined],
    ['a failed probe, by the words of an older agent', kill({}), 'liveness', undefined],
    ['a kill of another container', kill({ containerId: 'main-9', cause: 'liveness' }), undefined, undefined],
    [
      'a changed image',
      kill({ message: 'Container main definition changed, will be restarted' }),
      undefined,
      { scope: 'container', reason: 'Container main definition changed, will be restarted' },
    ],
    ['a restart of the pod', restart(), undefined, requested],
    ['a restart that began later', restart({ begunAt: WALL + 1 }), undefined, undefined],
    ['a restart before it ran', restart({ begunAt: WALL - 20_000 }), undefined, undefined],
    ['a restart of another container', restart({ scope: 'container', container: 'side' }), undefined, undefined],
    [
      'the ladder',
      restart({ source: 'ladder', by: undefined as never, scope: 'containers', reason: 'it died' }),
      undefined,
      { scope: 'containers', id: 'r1', by: 'the healing ladder', reason: 'it died' },
    ],
    [
      'all containers are restarted',
      { ...kill({ message: 'x', skipPreStop: true }), restartAll: { sources: ['side'] } },
      undefined,
      { scope: 'containers', reason: 'all containers are restarted because of how side ended' },
    ],
    [
      'the pod is deleted',
      {
        ...kill({ cause: 'liveness' }),
        termination: { reason: 'Deleted' as const, message: '', gracePeriodSeconds: 1, requestedAt: WALL - 1 },
      },
      'liveness',
      { scope: 'pod', reason: 'Deleted' },
    ],
    [
      'the pod was deleted only after it',
      {
        ...empty,
        termination: { reason: 'Deleted' as const, message: '', gracePeriodSeconds: 1, requestedAt: WALL + 1 },
      },
      undefined,
      undefined,
    ],
  ])('%s', (_name, note, probe, asked) => {
    const found = compose({ note });
    expect(found.probe?.type).toBe(probe);
    expect(found.requested).toEqual(asked);
  });

  it('is in the note before where the pass took it away', () => {
    expect(compose({ noteBefore: kill({ cause: 'liveness' }) }).probe).toEqual({
      type: 'liveness',
      outputs: [{ at: 'then', output: 'liveness is sick' }],
    });
    expect(compose({ noteBefore: restart() }).requested).toEqual(requested);
  });

  it('is told with where the pod listened', () => {
    const failed: DeathFacts['failed'] = () => ({ outputs: [], listening: [{ port: 8080, own: true }] });
    const { probe } = compose({ note: kill({ cause: 'startup' }), failed });
    expect(probe).toEqual({ type: 'startup', outputs: [], listening: [{ port: 8080, own: true }] });
  });
});

describe('a lost sandbox', () => {
  const gone = (state: 'ready' | 'notready', afterMs = 500) => ({
    seen: {
      at: WALL + afterMs,
      observed: observation([testContainer({ id: 'main-0', sandboxId: 's' })], [{ ...testSandbox(0), id: 's', state }]),
    },
  });
  const unknown = { ...dead, exitCode: 255, reason: 'Unknown' };
  const stop = kill({ message: 'Stopping container main', lostSandbox: 'the sandbox is not ready', requestedAt: WALL });
  const other = withContainer(empty, 'side', { deaths: [] });

  it.each<[string, Partial<DeathFacts>, string | undefined]>([
    ['for which its container is killed', { note: stop, death: unknown }, 'the sandbox is not ready'],
    [
      'of a container that was never told to end',
      { note: other, death: unknown, ...gone('notready') },
      'the sandbox is not ready',
    ],
    ['is none: the program ended with 255', { death: unknown, ...gone('ready') }, undefined],
    ['is none: the program ended before', { death: { ...dead, exitCode: 1 }, ...gone('notready') }, undefined],
    ['is none: it was lost long after the end', { death: unknown, ...gone('notready', 60_000) }, undefined],
    ['is none: the pod is restarted', { note: restart(), death: unknown, ...gone('notready') }, undefined],
  ])('%s', (_name, change, wanted) => {
    const { sandboxLost, requested } = compose(change);
    expect(sandboxLost).toBe(wanted);
    if (wanted !== undefined) expect(requested).toBeUndefined();
  });

  it('is known only after the end', () => {
    expect(amendmentOf(dead, empty, 'main', 'the sandbox is not ready')).toEqual({
      sandboxLost: 'the sandbox is not ready',
    });
  });
});

it('a kill that was decided after the end is not its cause', () => {
  const late = kill({ cause: 'liveness', requestedAt: WALL + 1 });
  expect(compose({ note: late })).not.toHaveProperty('probe');
  expect(compose({ note: kill({ message: 'x', requestedAt: WALL + 1 }) })).not.toHaveProperty('requested');
});

describe('what becomes known later', () => {
  const newest = (restartCount: number): PodNote =>
    withContainer(empty, 'main', {
      deaths: [dead],
      newest: { containerId: `main-${restartCount}`, restartCount, startedAt: WALL },
    });
  const attempt = { scope: 'pod' as const, container: 'main', containerId: 'main-0', at: WALL };
  const stopped = (containerId: string) => ({
    reason: 'RuleStop' as const,
    message: 'y',
    at: WALL,
    containers: { main: { containerId, key: 'k' } },
  });
  const healing = { policy: 'p', rung: 'pod' as const, attempts: [attempt], podRestarts: 1 };

  it.each([
    ['nothing yet', newest(0), {}],
    ['it runs again', newest(1), { startedAgain: true }],
    ['the rung', { ...newest(0), healing }, { rung: 'pod' }],
    [
      'the end of the ladder',
      { ...newest(0), healing: { ...healing, stopped: stopped('main-0') } },
      { rung: 'stopped' },
    ],
    [
      'the end of the ladder at another death',
      { ...newest(0), healing: { ...healing, stopped: stopped('main-4') } },
      { rung: 'pod' },
    ],
  ])('%s', (_name, note, wanted) => {
    expect(amendmentOf(dead, note, 'main', undefined)).toEqual(wanted);
  });

  it.each([
    ['its back-off', 80_000, newest(0), { backOffSeconds: 80 }],
    ['a back-off of a policy', 250, newest(0), { backOffSeconds: 0.25 }],
    ['that it need not wait', 0, newest(0), { backOffSeconds: 0 }],
    ['what it waited while nobody looked', 100, newest(1), { backOffSeconds: 0.1, startedAgain: true }],
  ])('%s', (_name, delayMs, note, wanted) => {
    expect(amendmentOf({ ...dead, delayMs }, note, 'main', undefined)).toEqual(wanted);
  });

  it('its message', () => {
    expect(amendmentOf({ ...dead, message: 'bye' }, newest(0), 'main', undefined)).toEqual({ message: 'bye' });
  });
});
