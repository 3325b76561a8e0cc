import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, NOW, pod } from '../../evidence.fixtures.ts';
import type { CertificateFacts, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { serversWanted } from '../../servers-wanted.ts';
import { certificateFault } from './server-certificates.ts';

const DAY_MS = 86_400_000;
const GOOD: CertificateFacts = {
  commonName: 'ledger-db',
  issuer: 'shop CA',
  names: ['ledger-db', 'ledger-db.shop.svc'],
  fromMs: NOW - DAY_MS,
  untilMs: NOW + DAY_MS,
  isSelfSigned: false,
};

describe('certificateFault', () => {
  it.each<[what: string, given: Partial<CertificateFacts>, fault: string | undefined]>([
    ['nothing', {}, undefined],
    ['a pattern', { names: ['*.shop.svc'] }, undefined],
    ['its time', { untilMs: NOW - DAY_MS }, 'expired'],
    ['a time that has not come', { fromMs: NOW + DAY_MS }, 'not-yet-valid'],
    ['no names', { names: [] }, 'no-names'],
    ['other names', { names: ['localhost', 'db.example'] }, 'wrong-name'],
    ['a pattern of another level', { names: ['*.svc'] }, 'wrong-name'],
    ['itself', { isSelfSigned: true }, 'self-signed'],
  ])('is %s', (_what, given, fault) => {
    expect(certificateFault({ ...GOOD, ...given }, { name: 'ledger-db', namespace: 'shop' }, NOW)).toBe(fault);
  });
});

describe('a client that does not say why it refuses a certificate', () => {
  const service = (given: Partial<CertificateFacts> | undefined): ServiceEvidence => ({
    namespace: 'shop',
    name: 'ledger-db',
    missing: false,
    clusterIPs: ['10.96.0.9'],
    ports: [5432],
    ready: 1,
    notReady: 0,
    selector: { app: 'ledger-db' },
    server: {
      owner: 'statefulset/ledger-db',
      pod: pod({
        name: 'ledger-db-0',
        container: { volumeMounts: [{ name: 'certs', mountPath: '/certs' }] },
        spec: { volumes: [{ name: 'certs', secret: { secretName: 'ledger-db-tls' } }] },
      }),
      configs: [
        {
          kind: 'Secret',
          name: 'ledger-db-tls',
          state: 'found',
          keys: ['ca.crt', 'tls.crt', 'tls.key'],
          ...(given && {
            certificates: { 'ca.crt': { ...GOOD, isSelfSigned: true }, 'tls.crt': { ...GOOD, ...given } },
          }),
        },
      ],
    },
  });
  const client = (given: Partial<CertificateFacts> | undefined): ReturnType<typeof evidence> =>
    evidence({
      pod: pod({ container: { env: [{ name: 'PGHOST', value: 'ledger-db' }] }, status: crashed({ exitCode: 1 }) }),
      logs: {
        web: {
          previous: [
            'connection to server at "ledger-db" (10.96.0.9), port 5432 failed: SSL error: certificate verify failed',
          ],
        },
      },
      services: [service(given)],
    });

  it('has the Secret of the server read', () => {
    expect(serversWanted(client(undefined))).toMatchObject([{ certificate: true, secrets: false }]);
  });
  it.each<[what: string, given: Partial<CertificateFacts> | undefined, id: string, says: RegExp]>([
    [
      'an old one',
      { untilMs: NOW - DAY_MS },
      'certificate-expired',
      /refuses the certificate of ledger-db:5432, which expired on \S+Z: .*; statefulset\/ledger-db behind service ledger-db has its certificate of Secret ledger-db-tls, at \/certs, which expired on/,
    ],
    [
      'one without names',
      { names: [] },
      'certificate-wrong-name',
      /which has no subjectAltName, and names ledger-db only in its Common Name/,
    ],
    ['one of other names', { names: ['db.example'] }, 'certificate-wrong-name', /which is for db\.example/],
    [
      'a good one',
      {},
      'certificate-not-trusted',
      /which it does not trust.*has its certificate of Secret ledger-db-tls, at \/certs, which shop CA signed$/,
    ],
    [
      'one that may not be read',
      undefined,
      'certificate-not-trusted',
      /has its certificate of Secret ledger-db-tls, at \/certs$/,
    ],
  ])('is told of %s', (_what, given, id, says) => {
    const [first] = diagnosePod(client(given)).findings;
    expect(first?.id).toBe(id);
    expect(first?.says).toMatch(says);
  });
});
