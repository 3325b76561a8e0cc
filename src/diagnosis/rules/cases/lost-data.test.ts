/** Tests what is said of data that a finished Job made, and that a server has lost since. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { serversWanted } from '../../servers-wanted.ts';

type Spec = NonNullable<Parameters<typeof pod>[0]>['spec'];

const service = (seconds: number, spec: Spec, startedSeconds = seconds): ServiceEvidence => ({
  namespace: 'shop',
  name: 'pg',
  missing: false,
  clusterIPs: ['10.0.0.7'],
  ports: [5432],
  ready: 1,
  notReady: 0,
  selector: { app: 'pg' },
  server: {
    owner: 'deployment/pg',
    pod: pod({
      metadata: { name: 'pg-x', creationTimestamp: ago(seconds) },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
      spec,
      status: { ready: true, started: true, state: { running: { startedAt: ago(startedSeconds) } } },
    }),
  },
});
const given = (behind: ServiceEvidence, line = 'relation "users" does not exist'): Partial<PodEvidence> => ({
  pod: pod({
    container: { env: [{ name: 'DATABASE_URL', value: 'postgres://pg:5432/shop' }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(`psycopg2.errors.UndefinedTable: ${line}`),
  services: [behind],
  failedJob: { name: 'migrate', state: 'done', doneAt: ago(90) },
});
const says = (one: Partial<PodEvidence>): string => diagnosePod(evidence(one)).findings[0]?.says ?? '';
const EMPTY: Spec = { volumes: [{ name: 'data', emptyDir: {} }] };

describe('data that a Job has made', () => {
  it('is lost with the pod before, where it lies in an emptyDir', () => {
    const one = given(service(43, EMPTY));
    expect(serversWanted(evidence(one))).toHaveLength(1);
    expect(says(one)).toMatch(
      /; job\/migrate, which may have made it, was done before pod pg-x was made behind service pg, whose data lie in volume data \(emptyDir\), so that what was there before is lost: the job has to run again$/,
    );
  });

  it('is lost with the container before, where it lies in no volume', () => {
    expect(says(given(service(600, { volumes: [] }, 43)))).toMatch(
      /before the container of pod pg-x started anew behind service pg, whose data lie in no volume/,
    );
  });

  it.each<[string, ServiceEvidence]>([
    ['the pod is older than the Job', service(600, EMPTY)],
    ['the container alone is younger', service(600, EMPTY, 43)],
    ['it lies in a claim', service(43, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'pg' } }] })],
  ])('is not said to be lost where %s', (_, behind) => {
    expect(says(given(behind))).not.toMatch(/lost|migrate/);
  });
});
