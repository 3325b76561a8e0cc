/** Tests of what is said about init containers that wait. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, evidence, pod, waiting } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';

const initialising = (seconds: number, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    metadata: { creationTimestamp: ago(seconds + 2) },
    spec: { initContainers: [{ name: 'wait', image: 'busybox' }] },
    status: waiting('PodInitializing'),
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'wait',
          ready: false,
          restartCount: 0,
          image: 'busybox',
          imageID: 'i',
          state: { running: { startedAt: ago(seconds) } },
        },
      ],
    },
  }),
  logs: { wait: { current: lines } },
});
const ids = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings.map(({ id }) => id);

describe('an init container', () => {
  it('that says what it waits for is told after seconds', () => {
    const { findings } = diagnosePod(evidence(initialising(20, 'waiting for db:5432')));
    expect(findings).toMatchObject([{ id: 'init-waits', severity: 'warning', container: 'wait' }]);
    expect(findings[0]?.says).toMatch(/has waited for 20s, and the containers after it wait .*: waiting for db:5432$/);
  });

  it('that is refused names the peer', () => {
    const { findings } = diagnosePod(evidence(initialising(20, 'dial tcp 10.0.0.9:5432: connect: connection refused')));
    expect(findings[0]).toMatchObject({ id: 'dependency-refused', severity: 'warning' });
    expect(findings[0]?.says).toMatch(/is refused by 10\.0\.0\.9:5432/);
  });

  it.each<[string, Partial<PodEvidence>]>([
    ['has only begun', initialising(5, 'waiting for db:5432')],
    ['works', initialising(60, 'copying 4711 of 9000')],
    [
      'waited before, and works now',
      initialising(60, 'waiting for db:5432', 'connected', 'step 1', 'step 2', 'step 3'),
    ],
  ])('is well: it %s', (_, given) => {
    expect(ids(given)).toEqual([]);
  });
});
