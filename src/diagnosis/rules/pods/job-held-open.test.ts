import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { diagnoseWorkload } from '../../diagnose-workload.ts';
import { ago, evidence, NOW, pod } from '../../evidence.fixtures.ts';
import type { ContainerState, Pod, WorkloadObject } from '../../evidence/kinds.ts';

const ended = (exitCode: number, seconds: number): ContainerState => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: ago(seconds) },
});
const running: ContainerState = { running: { startedAt: ago(300) } };

/** A pod of a Job, with these main containers. */
function etl(states: Readonly<Record<string, ContainerState>>, owner = 'Job'): Pod {
  const one = pod({
    name: 'etl-x',
    metadata: { ownerReferences: [{ apiVersion: 'v1', kind: owner, name: 'etl', uid: 'j', controller: true }] },
  });
  const names = Object.keys(states);
  return {
    ...one,
    spec: { ...one.spec, restartPolicy: 'Never', containers: names.map((name) => ({ name, image: 'etl:1' })) },
    status: {
      ...one.status,
      containerStatuses: Object.entries(states).map(([name, state]) => ({
        name,
        ready: state.running !== undefined,
        restartCount: 0,
        image: 'etl:1',
        imageID: 'i',
        state,
      })),
    },
  };
}

const job: WorkloadObject = {
  kind: 'Job',
  metadata: { name: 'etl', namespace: 'shop', uid: 'j' },
  spec: { template: {} },
};

describe('a job that a container keeps from ending', () => {
  const held = etl({ etl: ended(0, 180), 'log-shipper': running });
  const says =
    'job etl does not complete: container etl has ended well 3m ago, but log-shipper still runs; a container that only serves others belongs in initContainers with restartPolicy: Always';

  it('is told of its pod, and of the job', () => {
    expect(diagnosePod(evidence({ pod: held })).findings).toMatchObject([
      { id: 'job-held-open', severity: 'warning', container: 'log-shipper', says },
    ]);
    const given = {
      now: NOW,
      workload: job,
      events: [],
      pods: [held],
      looked: [evidence({ pod: held, owners: [job] })],
      notLookedAt: [],
      namespaceFlag: '',
    };
    expect(diagnoseWorkload(given).findings).toMatchObject([{ id: 'job-held-open', says }]);
  });

  it('is a note at first', () => {
    const [first] = diagnosePod(evidence({ pod: etl({ etl: ended(0, 8), 'log-shipper': running }) })).findings;
    expect(first?.severity).toBe('info');
    expect(first?.says).toMatch(
      /^job etl is not complete yet: container etl has ended well 8s ago, but log-shipper still runs; /,
    );
  });

  it('names all that have ended, and all that still run', () => {
    const two = etl({ a: ended(0, 300), b: ended(0, 120), c: running, d: running });
    expect(diagnosePod(evidence({ pod: two })).findings[0]?.says).toMatch(
      /: containers a and b have ended well 2m ago, but c and d still run; /,
    );
  });

  it.each<[string, Pod]>([
    ['of no Job', etl({ etl: ended(0, 180), 'log-shipper': running }, 'ReplicaSet')],
    ['all still run', etl({ etl: running, 'log-shipper': running })],
    ['all have ended', etl({ etl: ended(0, 180), 'log-shipper': ended(0, 90) })],
    ['one has failed', etl({ etl: ended(0, 180), load: ended(1, 90), 'log-shipper': running })],
  ])('is none: %s', (_what, given) => {
    expect(diagnosePod(evidence({ pod: given })).findings.map(({ id }) => id)).not.toContain('job-held-open');
  });
});
