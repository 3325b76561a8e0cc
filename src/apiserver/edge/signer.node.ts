/** Mints ECDSA P-256 certificates. The library costs 20 MB, so it is loaded only when something is to be minted. */
import { randomBytes, webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import type { CertificateRequest, KeyPair, Signer } from './signer.ts';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

let loading: Promise<typeof X509> | undefined;

function loadLibrary(): Promise<typeof X509> {
  loading ??= (async () => {
    // The library's dependency injection needs this one first.
    await import('reflect-metadata');
    const x509 = await import('@peculiar/x509');
    x509.cryptoProvider.set(webcrypto);
    return x509;
  })();
  return loading;
}

function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function fromPem(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key));
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', fromPem(pem), KEY_ALGORITHM, true, ['sign']);
}

/** 127 random bits: unique without a register, positive as RFC 5280 wants it. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** The public half of a private key, which WebCrypto gives only through JWK. */
async function publicKeyOf(key: webcrypto.CryptoKey): Promise<webcrypto.CryptoKey> {
  const { d: _, key_ops: __, ...jwk } = await webcrypto.subtle.exportKey('jwk', key);
  return webcrypto.subtle.importKey('jwk', jwk, KEY_ALGORITHM, true, ['verify']);
}

/** The given key, or a new one. */
async function keyFor(keyPem: string | undefined): Promise<webcrypto.CryptoKey> {
  if (keyPem !== undefined) return importKey(keyPem);
  return (await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify'])).privateKey;
}

async function createAuthority(
  request: { readonly commonName: string; readonly notBefore: number; readonly notAfter: number },
  keyPem?: string,
): Promise<KeyPair> {
  const x509 = await loadLibrary();
  const signingKey = await keyFor(keyPem);
  const publicKey = await publicKeyOf(signingKey);
  const name = [{ CN: [request.commonName] }];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: name,
    issuer: name,
    notBefore: new Date(request.notBefore),
    notAfter: new Date(request.notAfter),
    publicKey: publicKey,
    signingKey: signingKey,
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: await exportKey(signingKey) };
}

async function issue(authority: KeyPair, request: CertificateRequest, keyPem?: string): Promise<KeyPair> {
  const x509 = await loadLibrary();
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const privateKey = await keyFor(keyPem);
  const publicKey = await publicKeyOf(privateKey);
  const usage = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const names = [
    ...request.dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...request.ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [...request.organizations.map((name) => ({ O: [name] })), { CN: [request.commonName] }],
    issuer: issuer.subjectName,
    notBefore: new Date(request.notBefore),
    notAfter: new Date(request.notAfter),
    publicKey: publicKey,
    signingKey: await importKey(authority.keyPem),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: await exportKey(privateKey) };
}

/** Mints with WebCrypto and @peculiar/x509. */
export const systemSigner: Signer = { createAuthority, issue };
