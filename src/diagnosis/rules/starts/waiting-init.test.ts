/** Tests of what is said about init containers that wait. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, evidence, pod, waiting } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

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

  const rounds = (...lines: readonly string[]): readonly string[] => Array.from({ length: 9 }, () => lines).flat();
  it.each<[what: string, lines: readonly string[], id: string, says: RegExp]>([
    [
      'what pg_isready said beside it',
      rounds('pg.dat:5432 - no response', 'waiting for database'),
      'dependency-refused',
      /gets no answer from pg\.dat:5432 and goes on waiting/,
    ],
    [
      'a name in the words of nslookup',
      rounds('Server: 10.96.0.10', "** server can't find mydb.shop.svc.cluster.local: NXDOMAIN", 'waiting for mydb'),
      'dependency-not-resolved',
      /does not find mydb\.shop\.svc\.cluster\.local \(no such name\)/,
    ],
    [
      'a password',
      rounds("ERROR 1045 (28000): Access denied for user 'shop'@'10.2.0.1' (using password: YES)", 'Waiting for MySQL'),
      'authentication-refused',
      /refuses its password or user: .*'shop'@.*; it has waited for 60s, and the containers after it wait for its end$/,
    ],
    [
      'a right',
      rounds(
        'Error from server (Forbidden): jobs.batch "migrate" is forbidden: User "system:serviceaccount:shop:default" cannot get resource "jobs" in API group "batch" in the namespace "shop"',
        'waiting for migration job',
      ),
      'not-allowed',
      /may not get jobs/,
    ],
    [
      'an answer that is no error',
      rounds('HTTP/1.1 503 Service Unavailable', 'waiting for schema registry'),
      'init-waits',
      /: HTTP\/1\.1 503 Service Unavailable; waiting for schema registry$/,
    ],
    [
      'a file that others should make',
      rounds("ls: cannot access '/shared/ready': No such file or directory", 'waiting'),
      'init-waits',
      /it fails with each try: ls: cannot access '\/shared\/ready': No such file or directory$/,
    ],
    [
      'what has words of success',
      rounds('waiting for job migrate to complete (succeeded: 0)'),
      'init-waits',
      /wait for its end: waiting for job migrate to complete/,
    ],
    ['nothing more than that', rounds('waiting for database'), 'init-waits', /wait for its end: waiting for database$/],
    [
      'nothing of lines that say nothing',
      rounds('tick', 'waiting for leader election'),
      'init-waits',
      /wait for its end: waiting for leader election$/,
    ],
  ])('tells of its loop %s', (_what, lines, id, says) => {
    const { findings } = diagnosePod(evidence(initialising(60, ...lines)));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
  });

  it('is told with the Job that should have made what it waits for', () => {
    const given = {
      ...initialising(60, 'waiting for migrations'),
      failedJob: { name: 'migrate', says: 'container m ends: no right' },
    };
    expect(diagnosePod(evidence(given)).findings).toMatchObject([
      {
        id: 'init-waits',
        severity: 'critical',
        says: expect.stringMatching(
          /: waiting for migrations; job\/migrate, which may be meant to make what it waits for, has failed: container m ends: no right$/,
        ),
      },
    ]);
    const suspended = { ...given, failedJob: { name: 'migrate', state: 'suspended' as const } };
    expect(diagnosePod(evidence(suspended)).findings).toMatchObject([
      { severity: 'warning', says: expect.stringMatching(/job\/migrate, .* is suspended$/) },
    ]);
  });

  it.each<[string, Partial<PodEvidence>]>([
    [
      'migrates, with the notices of that',
      initialising(60, ...rounds('NOTICE:  relation "orders" already exists, skipping', 'CREATE TABLE')),
    ],
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
