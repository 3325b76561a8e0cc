import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCertificateRequest, signCertificateRequest } from './certificate-request.node.ts';
import type { KeyPair } from './signer.ts';
import { systemSigner } from './signer.node.ts';

const now = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

let authority: KeyPair;
beforeAll(async () => {
  authority = await systemSigner.createAuthority({
    commonName: 'test',
    notBefore: now - DAY_MS,
    notAfter: now + 10 * DAY_MS,
  });
});

const node = {
  commonName: 'system:node:n1',
  organizations: ['system:nodes'],
  dnsNames: ['n1'],
  ipAddresses: ['10.0.0.1', '::1'],
};
const validity = { notBefore: now, notAfter: now + DAY_MS };

describe('a signed request', () => {
  it('has the subject, the names and the key of the request, and the usages and times of the signer', async () => {
    const { csrPem, keyPem } = await createCertificateRequest(node);
    const signed = await signCertificateRequest(authority, {
      csrPem,
      usages: ['digital signature', 'server auth'],
      ...validity,
    });
    if (!signed.ok) throw new Error(signed.reason);
    const certificate = new X509Certificate(signed.certificatePem);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(certificate.subjectAltName).toBe('DNS:n1, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(certificate.ca).toBe(false);
    expect(certificate.validToDate.getTime()).toBe(validity.notAfter);
    const { createPrivateKey } = await import('node:crypto');
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
    expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true);
  });

  it.each([
    '#0c0e73797374656d3a6d617374657273',
    'a+O=system:masters',
    'a,O=system:masters',
    'a/O=system:masters',
    ' a',
    'ü',
  ])('says %j and nothing that it could stand for', async (text) => {
    const x509 = await import('@peculiar/x509');
    const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const name = new x509.Name([{ O: [{ utf8String: text }] }, { CN: [{ utf8String: text }] }]);
    const request = await x509.Pkcs10CertificateRequestGenerator.create({
      name,
      keys,
      signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    });
    const signed = await signCertificateRequest(authority, {
      csrPem: request.toString('pem'),
      usages: ['client auth'],
      ...validity,
    });
    if (!signed.ok) throw new Error(signed.reason);
    const { O, CN } = new X509Certificate(signed.certificatePem).toLegacyObject().subject;
    expect([O, CN]).toEqual([text, text]);
  });

  it('lives no longer than its authority', async () => {
    const { csrPem } = await createCertificateRequest(node);
    const far = { csrPem, usages: ['client auth'], notBefore: now, notAfter: now + 99 * DAY_MS };
    const signed = await signCertificateRequest(authority, far);
    if (!signed.ok) throw new Error(signed.reason);
    expect(new X509Certificate(signed.certificatePem).validToDate.getTime()).toBe(now + 10 * DAY_MS);
  });

  it('may be for a key that is there already', async () => {
    const first = await createCertificateRequest(node);
    const second = await createCertificateRequest(node, first.keyPem);
    expect(second.keyPem).toBe(first.keyPem);
  });
});

describe('refused', () => {
  it.each([
    ['nonsense', 'nonsense', ['client auth']],
    [
      'no PEM of a request',
      '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----',
      ['client auth'],
    ],
  ])('%s', async (_, csrPem, usages) => {
    expect(await signCertificateRequest(authority, { csrPem, usages, ...validity })).toMatchObject({ ok: false });
  });

  it('the right to sign certificates', async () => {
    const { csrPem } = await createCertificateRequest(node);
    const asked = { csrPem, usages: ['cert sign'], ...validity };
    expect(await signCertificateRequest(authority, asked)).toEqual({
      ok: false,
      reason: 'usage "cert sign" is not signed here',
    });
  });

  it('a request that somebody changed after it was signed', async () => {
    const { csrPem } = await createCertificateRequest(node);
    const der = Buffer.from(csrPem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    const at = der.indexOf('system:node:n1');
    der.write('system:node:n2', at);
    const changed = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(await signCertificateRequest(authority, { csrPem: changed, usages: ['client auth'], ...validity })).toEqual({
      ok: false,
      reason: 'the signature of the request is not that of its key',
    });
  });
});
