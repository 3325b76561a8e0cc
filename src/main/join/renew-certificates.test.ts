import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import { createCertificateRequest, signCertificateRequest } from '../../apiserver/edge/certificate-request.node.ts';
import { systemSigner } from '../../apiserver/edge/signer.node.ts';
import { CERTIFICATE_SIGNING_REQUESTS, type CertificateSigningRequest } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import { systemClock } from '../../lib/clock.node.ts';
import { systemRandom } from '../../lib/random.node.ts';
import type { KeyPair } from '../key-pair.ts';
import { keepFresh, type Names } from './renew-certificates.ts';
import { SERVING_SIGNER } from './request-certificate.ts';

const HOUR_MS = 3_600_000;
const subject = { commonName: 'system:node:n', organizations: ['system:nodes'] };

async function authority(): Promise<KeyPair> {
  const now = Date.now();
  return systemSigner.createAuthority({
    commonName: 'test',
    notBefore: now - 99 * HOUR_MS,
    notAfter: now + 99 * HOUR_MS,
  });
}

async function pair(ca: KeyPair, names: Names, from: number, to: number): Promise<KeyPair> {
  const { csrPem, keyPem } = await createCertificateRequest({ ...subject, ...names });
  const signed = await signCertificateRequest(ca, { csrPem, usages: ['server auth'], notBefore: from, notAfter: to });
  if (!signed.ok) throw new Error(signed.reason);
  return { certificatePem: signed.certificatePem, keyPem };
}

/** Approves and signs whatever is asked for, until the signal is aborted. @returns how many */
async function sign(api: InMemoryApi, ca: KeyPair, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const { items } = await api.client.list<CertificateSigningRequest>(CERTIFICATE_SIGNING_REQUESTS);
    for (const { metadata, spec, status } of items) {
      if (status?.certificate) continue;
      const now = Date.now();
      const csrPem = Buffer.from(spec.request, 'base64').toString();
      const life = { notBefore: now - HOUR_MS, notAfter: now + 10 * HOUR_MS };
      const signed = await signCertificateRequest(ca, { csrPem, usages: spec.usages ?? [], ...life });
      if (!signed.ok) throw new Error(signed.reason);
      const name = metadata?.name ?? '';
      const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] };
      await api.client.patch(CERTIFICATE_SIGNING_REQUESTS, undefined, name, 'merge', { status: approved }, 'approval');
      const certificate = Buffer.from(signed.certificatePem).toString('base64');
      await api.client.patch(
        CERTIFICATE_SIGNING_REQUESTS,
        undefined,
        name,
        'merge',
        { status: { certificate } },
        'status',
      );
      count += 1;
    }
    await systemClock.sleep(20, signal).catch(() => {});
  }
  return count;
}

const names: Names = { dnsNames: ['n'], ipAddresses: ['192.0.2.7'] };
const fits = ({ certificatePem }: KeyPair, wanted: Names): boolean => {
  const certificate = new X509Certificate(certificatePem);
  return wanted.ipAddresses.every((address) => certificate.checkIP(address) !== undefined);
};

it.each<[string, ((ca: KeyPair) => Promise<KeyPair>) | undefined, boolean]>([
  ['the first is asked for', undefined, true],
  [
    'nine tenths of its life are over',
    (ca) => pair(ca, names, Date.now() - 9.1 * HOUR_MS, Date.now() + 0.9 * HOUR_MS),
    true,
  ],
  ['it has ended', (ca) => pair(ca, names, Date.now() - 9 * HOUR_MS, Date.now() - HOUR_MS), true],
  [
    'the machine has another address',
    (ca) => pair(ca, { ...names, ipAddresses: [] }, Date.now() - HOUR_MS, Date.now() + 9 * HOUR_MS),
    true,
  ],
  ['it is young, and fits', (ca) => pair(ca, names, Date.now() - HOUR_MS, Date.now() + 9 * HOUR_MS), false],
])('a certificate: %s', async (_, current, isRenewed) => {
  const api = await createInMemoryApi();
  const ca = await authority();
  const stop = new AbortController();
  const got: KeyPair[] = [];
  const first = await current?.(ca);
  const kept = {
    signerName: SERVING_SIGNER,
    current: first,
    names: async () => names,
    fits,
    onNew: (fresh: KeyPair) => void got.push(fresh),
  } as const;
  const options = { client: api.client, server: 'https://s', nodeName: 'n', clock: systemClock, random: systemRandom };
  const signing = sign(api, ca, stop.signal);
  const keeping = keepFresh(kept, { ...options, logger: silentLogger }, stop.signal);
  if (isRenewed) while (got.length === 0) await systemClock.sleep(10);
  else await systemClock.sleep(300);
  stop.abort();
  await keeping;
  expect(await signing).toBe(isRenewed ? 1 : 0);
  expect(got.map((fresh) => [fits(fresh, names), fresh.keyPem === first?.keyPem])).toEqual(
    isRenewed ? [[true, false]] : [],
  );
});
