/** Tests of causes that stand in the specification, and that no message tells: units, delays, variables, servers as init containers. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, history, pod, waiting } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { creating, startError, tellsEach, unscheduled } from './cases.fixtures.ts';

const withLimit = (memory: string, given: Partial<PodEvidence>): Partial<PodEvidence> => ({
  ...given,
  pod: {
    ...(given.pod ?? pod()),
    spec: { ...given.pod?.spec, containers: [{ name: 'web', resources: { limits: { memory } } }] },
  },
});
const noCgroup =
  'Failed to create pod sandbox: unable to apply cgroup configuration: mkdir /sys/fs/cgroup/memory/kubepods/pod1: cannot allocate memory';
const init = (seconds: number, given: Partial<PodEvidence>, lines: readonly string[] = []): Partial<PodEvidence> => ({
  pod: pod({
    metadata: { creationTimestamp: ago(seconds + 2) },
    spec: { initContainers: [{ name: 'pool', image: 'pool', command: ['pool'] }] },
    status: waiting('PodInitializing'),
    podStatus: {
      phase: 'Pending',
      initContainerStatuses: [
        {
          name: 'pool',
          ready: false,
          restartCount: 0,
          image: 'pool',
          imageID: 'i',
          state: { running: { startedAt: ago(seconds) } },
        },
      ],
    },
  }),
  logs: { pool: { current: lines } },
  ...given,
});
const listens = { listening: [{ port: 6432, loopback: '127.0.0.1', container: 'pool', process: 'pool' }] };
const starting = (probes: object, seconds: number, events: PodEvidence['events'] = []): Partial<PodEvidence> => ({
  pod: pod({
    container: probes,
    status: { ready: false, started: !('startupProbe' in probes), state: { running: { startedAt: ago(seconds) } } },
  }),
  events,
});
const asks = { httpGet: { path: '/', port: 80 } };
const failed = (type: string, output: string, given: object = {}): PodEvidence['events'][number] =>
  event('Unhealthy', `${type} probe failed: ${output}`, { container: 'web', seconds: 20, count: 4, ...given });
const probed = (command: readonly string[], env: object = {}): Partial<PodEvidence> => ({
  pod: pod({
    container: { ...env, livenessProbe: { exec: { command: [...command] }, periodSeconds: 5 } },
    status: crashed({ exitCode: 137, lived: 20 }),
  }),
  events: [
    event('Killing', 'Container web failed liveness probe, will be restarted', { container: 'web', seconds: 31 }),
    failed('Liveness', 'psql: FATAL: password authentication failed for user "app"'),
  ],
  history: history({ exitCode: 137, probe: { type: 'liveness', outputs: [] } }),
});
const fromSecret = { env: [{ name: 'PGPW', valueFrom: { secretKeyRef: { name: 'db', key: 'pw' } } }] };

describe('a cause that stands in the specification', () => {
  tellsEach([
    [
      'a memory limit in thousandths of a byte, of which no cgroup can be made',
      withLimit('512m', creating([event('FailedCreatePodSandBox', noCgroup)])),
      'memory-limit-too-low',
      /^container web has a memory limit of 512m, which is less than one byte: 512Mi is meant$/,
      [/limits\.memory: 512m/, /cannot allocate memory/],
    ],
    [
      'a memory limit without its unit, by which it is killed at its start',
      withLimit('256', { pod: pod({ status: crashed({ exitCode: 137, reason: 'OOMKilled', lived: 0 }) }) }),
      'memory-limit-too-low',
      /a memory limit of 256, which is 256 bytes: 256Mi is meant$/,
    ],
    [
      'a memory limit of kilobytes, which the runtime refuses',
      withLimit(
        '128k',
        startError('runc create failed: cannot set memory limit: container could not join or be created'),
      ),
      'memory-limit-too-low',
      /a memory limit of 128k, which is 128000 bytes: 128Mi is meant$/,
    ],
    [
      'a number of cpus without its unit',
      {
        ...withLimit('1Gi', unscheduled('0/1 nodes are available: 1 Insufficient cpu.')),
        pod: {
          ...unscheduled('0/1 nodes are available: 1 Insufficient cpu.').pod,
          spec: { containers: [{ name: 'web', resources: { requests: { cpu: '500' } } }] },
        },
        placement: { nodes: [{ metadata: { name: 'n1' }, status: { allocatable: { cpu: '2', memory: '8Gi' } } }] },
      },
      'unschedulable',
      /it asks for 500 cpu, and the largest node \(n1\) has 2: 500m is meant$/,
    ],
    [
      'an init container that listens',
      init(60, listens),
      'init-serves',
      /^init container pool has run for 60s and does not end \(it listens on 127\.0\.0\.1:6432\): .*restartPolicy: Always$/,
    ],
    [
      'an init container that says that it serves',
      init(60, {}, ['12:00 LOG listening on 127.0.0.1:6432', '12:01 LOG stats: 0 xacts/s']),
      'init-serves',
      /has run for 60s and does not end \(it says: 12:00 LOG listening on 127\.0\.0\.1:6432\)/,
    ],
    [
      'a probe that asks late',
      starting({ readinessProbe: { ...asks, initialDelaySeconds: 900 } }, 60),
      'probe-late',
      /^container web is not asked for readiness before 15m after its start \(initialDelaySeconds: 900\): 14m to go$/,
    ],
    [
      'a probe that asks whether it has started, late',
      starting({ startupProbe: { ...asks, initialDelaySeconds: 600 } }, 60),
      'probe-late',
      /is not asked whether it has started before 10m after its start .* 9m to go$/,
    ],
    [
      'a probe that asks again late',
      starting({ readinessProbe: { ...asks, periodSeconds: 600 } }, 100, [
        failed('Readiness', 'dial tcp 10.0.0.9:80: connect: connection refused', { seconds: 95, count: 1 }),
      ]),
      'probe-late',
      /is asked for readiness every 10m only \(periodSeconds: 600\), and failed 95s ago: 8m25s to go until the next time$/,
    ],
    [
      'a variable in the command of a probe',
      probed(['psql', 'host=db password=$(PGPW)', '-c', 'select 1'], fromSecret),
      'unexpanded-variable',
      /is killed by its liveness probe: its command has \$\(PGPW\) replaced by nothing: .* no variables with valueFrom; use sh -c with \$\{PGPW\}$/,
    ],
    [
      'a variable of shells without a shell',
      probed(['redis-cli', '-a', '${PGPW}', 'ping'], fromSecret),
      'unexpanded-variable',
      /its command has \$\{PGPW\} as it stands/,
    ],
    [
      'a variable that a shell takes for a command',
      probed(['sh', '-c', 'redis-cli -a $(PGPW) ping'], fromSecret),
      'unexpanded-variable',
      /its command has \$\(PGPW\) replaced by nothing: .* use sh -c with \$\{PGPW\}$/,
    ],
    [
      'a variable in the command of a hook',
      {
        pod: pod({
          container: {
            ...fromSecret,
            lifecycle: { postStart: { exec: { command: ['register', '--key', '$(PGPW)'] } } },
          },
          status: crashed({ exitCode: 137 }),
        }),
        events: [event('FailedPostStartHook', 'PostStartHook failed: refused', { container: 'web' })],
      },
      'unexpanded-variable',
      /postStart hook fails: its command has \$\(PGPW\) as it stands/,
    ],
  ]);

  const ids = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings.map(({ id }) => id);
  it.each<[string, Partial<PodEvidence>, string]>([
    ['a small program with a small limit', withLimit('2Mi', {}), 'memory-limit-too-low'],
    ['a limit in thousandths that is large', withLimit('536870912000m', {}), 'memory-limit-too-low'],
    ['an init container that has begun to serve', init(20, listens), 'init-serves'],
    [
      'an init container that restores with a server of its own',
      init(90, listens, ['listening on 127.0.0.1:6432', 'restoring table 4 of 9']),
      'init-serves',
    ],
    [
      'an init container that says that another serves',
      init(90, {}, ['db is not listening on 5432 yet']),
      'init-serves',
    ],
    [
      'an init container that names a server, on a node that sees no socket of it',
      init(90, { listening: [] }, ['db is up on db:5432', 'step 1']),
      'init-serves',
    ],
    [
      'a probe with a short delay',
      starting({ readinessProbe: { ...asks, initialDelaySeconds: 60 } }, 40),
      'probe-late',
    ],
    ['a probe that asks soon', starting({ readinessProbe: asks }, 60), 'probe-late'],
    [
      'a command in a shell',
      probed(['sh', '-c', 'psql "host=db password=$PGPW user=$(whoami)"'], fromSecret),
      'unexpanded-variable',
    ],
    ['an escaped text', probed(['echo', '$$(PGPW)'], fromSecret), 'unexpanded-variable'],
  ])('is not seen in %s', (_, given, id) => {
    expect(ids(given)).not.toContain(id);
  });
});

describe('a liveness probe that failed now and then', () => {
  const blip = (seconds: number, first: number, count: number, status: object = {}): Partial<PodEvidence> => ({
    pod: pod({ container: { livenessProbe: { ...asks, periodSeconds: 4 } }, status }),
    events: [failed('Liveness', 'context deadline exceeded', { seconds, first, count })],
  });
  it.each<[string, Partial<PodEvidence>, string[]]>([
    ['is a note where nothing came of it', blip(12, 60, 3), ['info']],
    ['is a note right after it failed, too', blip(2, 60, 4), ['info']],
    ['is a warning where it fails now', blip(2, 14, 4), ['warning']],
    ['is a warning where it has killed before', blip(12, 60, 3, { restartCount: 2 }), ['warning']],
  ])('%s', (_, given, severities) => {
    expect(diagnosePod(evidence(given)).findings.map(({ severity }) => severity)).toEqual(severities);
  });
});

describe('a pod of which nothing says that it fails', () => {
  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'names its init container',
      init(12, {}),
      /; init container pool has run for 12s, and the others wait for its end$/,
    ],
    [
      'names its probe',
      starting({ readinessProbe: { ...asks, initialDelaySeconds: 30 } }, 12),
      /; container web has run for 12s and is not ready: its readiness probe \(\/ on port 80 every 10s\) has not succeeded, and asks first 30s after the start$/,
    ],
  ])('%s', (_, given, state) => {
    const diagnosis = diagnosePod(evidence(given));
    expect(diagnosis.findings).toEqual([]);
    expect(diagnosis.state).toMatch(state);
  });
});
