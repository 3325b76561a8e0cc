import { describe, expect, it } from 'vitest';
import { DEPENDS_ON, HEALING_POLICY, type Pod, RECOVERY } from '../../api/index.ts';
import { planRecovery, type ReadyDependency } from './plan-recovery.ts';

const T = Date.UTC(2026, 0, 1, 12);
const at = (seconds: number): string => new Date(T + seconds * 1000).toISOString().replace('.000', '');
const db = (seconds: number): ReadyDependency => ({ text: 'service/db', since: T + seconds * 1000 });

/** Its container lived from `began` to `ended`, seconds after T. */
function pod(
  began: number,
  ended: number,
  change: { reason?: string; annotations?: Record<string, string> } = {},
): Pod {
  return {
    metadata: {
      name: 'web',
      namespace: 'shop',
      creationTimestamp: at(-100),
      annotations: { [DEPENDS_ON]: 'service/db', ...change.annotations },
    },
    spec: { containers: [] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'main',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 1,
          state: { waiting: { reason: change.reason ?? 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, startedAt: at(began), finishedAt: at(ended) } },
        },
      ],
    },
  };
}

const told = (seconds: number): Record<string, string> => ({
  [RECOVERY]: JSON.stringify({ id: 'x', at: at(seconds), cause: 'y' }),
});

describe('who is told that a dependency is ready', () => {
  it.each<[string, Pod, readonly ReadyDependency[], boolean]>([
    ['who died before', pod(-20, -10), [db(0)], true],
    ['who died soon after of what was before', pod(-1, 20), [db(0)], true],
    ['not who began after it', pod(1, 2), [db(0)], false],
    ['not who died long after', pod(-1, 40), [db(0)], false],
    ['not while nothing is ready', pod(-20, -10), [], false],
    ['not twice', pod(-20, -10, { annotations: told(0) }), [db(0)], false],
    ['once more when it became ready once more', pod(-20, -10, { annotations: told(0) }), [db(1)], true],
    ['not of an older one', pod(-20, -10, { annotations: told(5) }), [db(0)], false],
    ['whatever somebody wrote of the future', pod(-20, -10, { annotations: told(3600) }), [db(0)], true],
    ['whatever nonsense somebody wrote', pod(-20, -10, { annotations: { [RECOVERY]: 'x' } }), [db(0)], true],
    ['not who waits for no back-off', pod(-20, -10, { reason: 'PodInitializing' }), [db(0)], false],
    ['not whose ladder has stopped', pod(-20, -10, { reason: 'HealingStopped' }), [db(0)], false],
    ['not who wants none', pod(-20, -10, { annotations: { [HEALING_POLICY]: 'lateRecovery: Never' } }), [db(0)], false],
    ['who has another policy', pod(-20, -10, { annotations: { [HEALING_POLICY]: '{}' } }), [db(0)], true],
  ])('%s', (_, given, ready, expected) => {
    expect(planRecovery(given, ready, T + 60_000) !== undefined).toBe(expected);
  });

  it('names all that are news, and the newest for its time', () => {
    const ready = [db(-50), { text: 'pod/cache', since: T + 250 }, { text: 'service/mq', since: T - 1 }];
    const annotations = told(-40);
    expect(planRecovery(pod(-20, -10, { annotations }), ready, T + 1000)).toEqual({
      id: 'pod/cache@2026-01-01T12:00:00.250Z',
      at: '2026-01-01T12:00:00.250Z',
      cause: 'pod/cache, service/mq became ready',
    });
  });

  it('leaves those alone that end, or have', () => {
    const ending = { ...pod(-20, -10), metadata: { ...pod(-20, -10).metadata, deletionTimestamp: at(0) } };
    expect(planRecovery(ending, [db(0)], T)).toBeUndefined();
    expect(
      planRecovery({ ...pod(-20, -10), status: { ...pod(-20, -10).status, phase: 'Failed' } }, [db(0)], T),
    ).toBeUndefined();
  });

  it('who never started waits since it was made', () => {
    const waits = pod(0, 0, { reason: 'ImagePullBackOff' });
    const never = {
      ...waits,
      status: { containerStatuses: [{ ...waits.status!.containerStatuses![0]!, lastState: {} }] },
    };
    expect(planRecovery(never, [db(0)], T)).toBeDefined();
    expect(planRecovery(never, [db(-200)], T)).toBeUndefined();
  });
});
