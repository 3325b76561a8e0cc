import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { createCertificateRequest } from '../apiserver/edge/certificate-request.node.ts';
import { canonicalAddress, parseCertificateRequest } from './pkcs10.ts';

const wanted = {
  commonName: 'system:node:n1',
  organizations: ['system:nodes', 'Ärzte'],
  dnsNames: ['n1', 'n1.example.com'],
  ipAddresses: ['10.0.0.1', 'fd00::1'],
};

const toDer = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
const toPem = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

describe('a request for a certificate', () => {
  it('tells its subject and its names', async () => {
    const { csrPem } = await createCertificateRequest(wanted);
    const result = parseCertificateRequest(csrPem);
    expect(result).toMatchObject({
      ok: true,
      request: {
        ...wanted,
        ipAddresses: ['10.0.0.1', 'fd00:0:0:0:0:0:0:1'],
        emailAddresses: [],
        uris: [],
      },
    });
  });
  it('may have no names', async () => {
    const { csrPem } = await createCertificateRequest({ ...wanted, dnsNames: [], ipAddresses: [] });
    expect(parseCertificateRequest(csrPem)).toMatchObject({ ok: true, request: { dnsNames: [], ipAddresses: [] } });
  });
  it.each([
    '',
    'x',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----',
    toPem(new Uint8Array([0x30, 0x80, 0, 0])),
    toPem(new Uint8Array([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])),
  ])('is not %j', (pem) => expect(parseCertificateRequest(pem).ok).toBe(false));
  it('is one, alone, and whole', async () => {
    const { csrPem } = await createCertificateRequest(wanted);
    const der = toDer(csrPem);
    expect(parseCertificateRequest(csrPem + csrPem).ok).toBe(false);
    expect(parseCertificateRequest(toPem(Buffer.concat([der, Buffer.from([0])]))).ok).toBe(false);
    for (let length = 0; length < der.length; length += 7)
      expect(parseCertificateRequest(toPem(der.subarray(0, length))).ok).toBe(false);
  });
  it('breaks nothing, whatever somebody writes into it', async () => {
    const { csrPem } = await createCertificateRequest(wanted);
    const der = toDer(csrPem);
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.nat(255), (at, byte) => {
        const changed = Buffer.from(der);
        changed[at] = byte;
        expect(typeof parseCertificateRequest(toPem(changed)).ok).toBe('boolean');
      }),
    );
  });
});

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['fd00::1', 'fd00:0:0:0:0:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['FD00:0:0::0001', 'fd00:0:0:0:0:0:0:1'],
  ['::ffff:1.2.3.4', '0:0:0:0:0:ffff:102:304'],
  ['n1', undefined],
  ['1:2', undefined],
])('%s is %s', (text, canonical) => expect(canonicalAddress(text)).toBe(canonical));
