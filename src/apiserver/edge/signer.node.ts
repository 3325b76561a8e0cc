/** Mints ECDSA P-256 certificates. */
import type { CertificateRequest, KeyPair, Signer } from './signer.ts';
import {
  exportKey,
  importKey,
  keyFor,
  loadLibrary,
  publicKeyOf,
  serialNumber,
  SIGNING_ALGORITHM,
} from './x509-library.node.ts';

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
