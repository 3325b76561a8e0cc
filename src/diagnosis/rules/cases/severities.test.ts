/** Tests how severe an end is of a container that runs again, and a wait for what nobody has made; and what is said of keys that fit no certificate. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

/** A container that ended half a minute ago, and runs again. */
const back = (ready: boolean, lived: number): Partial<PodEvidence> => ({
  pod: pod({
    status: {
      ...crashed({ exitCode: 1, lived }),
      ready,
      restartCount: 2,
      state: { running: { startedAt: ago(20) } },
    },
  }),
  logs: lastWords('FATAL: no shard for tenant a'),
});

describe('an end of a container that runs again', () => {
  it.each<[string, Partial<PodEvidence>, string]>([
    ['is critical where it was never ready since', back(false, 4), 'critical'],
    ['is a warning where it is ready', back(true, 4), 'warning'],
    ['is a warning after a life that was long', back(false, 3600), 'warning'],
  ])('%s', (_, given, severity) => {
    expect(diagnosePod(evidence(given)).findings[0]).toMatchObject({ id: 'exit-code', severity });
  });
});

const service = (given: Partial<ServiceEvidence>): ServiceEvidence => ({
  namespace: 'shop',
  name: 'db-main',
  missing: false,
  clusterIPs: ['10.96.1.1'],
  ports: [5432],
  ready: 0,
  notReady: 1,
  ...given,
});
const init = (given: Partial<ServiceEvidence>, ...lines: readonly string[]): Partial<PodEvidence> => ({
  pod: pod({
    spec: {
      initContainers: [
        {
          name: 'wait',
          image: 'busybox',
          command: ['sh', '-c', 'until pg_isready -h db-main -p 5432; do echo waiting for the database; sleep 2; done'],
        },
      ],
    },
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
          state: { running: { startedAt: ago(60) } },
        },
      ],
    },
  }),
  logs: { wait: { current: lines } },
  services: [service(given)],
});
const NO_NAME = "nc: bad address 'db-main'";

describe('an init container that waits', () => {
  it.each<[string, Partial<PodEvidence>, string]>([
    ['for a service that there is not', init({ missing: true }, 'waiting for the database'), 'critical'],
    ['for one that has a pod, which may get ready', init({}, 'waiting for the database'), 'warning'],
    ['for a name that there is not', init({ missing: true }, NO_NAME, NO_NAME), 'critical'],
  ])('%s', (_, given, severity) => {
    expect(diagnosePod(evidence(given)).findings[0]?.severity).toBe(severity);
  });
});

it('a container that is not ready for a service of which nothing is ready is critical', () => {
  const given: Partial<PodEvidence> = {
    pod: pod({
      container: { env: [{ name: 'DB', value: 'postgres://db-main:5432/app' }] },
      status: { ready: false, state: { running: { startedAt: ago(120) } } },
    }),
    services: [service({ notReady: 0, nobody: { scaledToZero: ['deployment/db-main'] } })],
  };
  expect(diagnosePod(evidence(given)).findings[0]).toMatchObject({ id: 'dependency-not-ready', severity: 'critical' });
});

const tls = (line: string): Partial<PodEvidence> => ({
  ...crash(1, line),
  pod: pod({
    container: { volumeMounts: [{ name: 'cert', mountPath: '/etc/tls' }] },
    spec: { volumes: [{ name: 'cert', secret: { secretName: 'shop-tls' } }] },
    status: crashed({ exitCode: 1 }),
  }),
});

const keys: readonly Case[] = [
  [
    'of a file that the line names',
    tls(
      '[emerg] SSL_CTX_use_PrivateKey("/etc/tls/tls.key") failed (SSL: error:05800074:x509 certificate routines::key values mismatch)',
    ),
    'malformed-config',
    /^container web has a private key that does not fit its certificate: \/etc\/tls\/tls\.key of Secret shop-tls: .*key values mismatch\)$/,
  ],
  [
    'of the only Secret with certificates',
    tls('panic: tls: private key does not match public key'),
    'malformed-config',
    /^container web has a private key that does not fit its certificate \(Secret shop-tls, at \/etc\/tls\): /,
  ],
];

describe('a key that fits no certificate', () => {
  tellsEach(keys);
});
