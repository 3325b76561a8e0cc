import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, evidence, pod } from '../../evidence.fixtures.ts';
import { wellLogsWanted } from '../../wanted.ts';

const REFUSED = 'redis.exceptions.ConnectionError: Error 111 connecting to redis:6379. Connection refused.';
const FAILING = Array.from({ length: 12 }, (_, at) => `ERROR sync ${at} failed: column "tenant" does not exist`);

const runsAgain = (current: readonly string[]): ReturnType<typeof evidence> =>
  evidence({
    pod: pod({
      status: {
        restartCount: 1,
        ready: true,
        started: true,
        state: { running: { startedAt: ago(90) } },
        lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: ago(95), finishedAt: ago(94) } },
      },
    }),
    logs: { web: { previous: [REFUSED], current: [...current] } },
  });

describe('a container that runs again after an end', () => {
  it('has the log of its present life read', () => {
    expect(wellLogsWanted(runsAgain([]))).toEqual([{ container: 'web', previous: false }]);
  });
  it('is told first of what it fails at now, and last of what it has got over', () => {
    const { findings } = diagnosePod(runsAgain(FAILING));
    expect(findings.map(({ id }) => id)).toEqual(['missing-data', 'dependency-refused']);
    expect(findings[0]?.says).toMatch(
      /^container web runs, and fails with each try \(12 times\): .*column "tenant" does not exist/,
    );
    expect(findings[1]).toMatchObject({
      severity: 'info',
      says: expect.stringMatching(/redis:6379 and ends.*it has run well since/) as string,
    });
  });
  it('is told of its end alone where it works', () => {
    const { findings } = diagnosePod(runsAgain(['INFO order 1 handled', 'INFO order 2 handled']));
    expect(findings.map(({ id }) => id)).toEqual(['dependency-refused']);
  });
});
