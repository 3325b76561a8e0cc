/** Certificate requests (PKCS #10): made by machines that join, and signed by the cluster's authority. */
import type * as X509 from '@peculiar/x509';
import { parseCertificateRequest } from '../../api/index.ts';
import { errorMessage } from '../../lib/index.ts';
import type { KeyPair } from './signer.ts';
import {
  exportKey,
  importKey,
  keyFor,
  loadLibrary,
  publicKeyOf,
  serialNumber,
  SIGNING_ALGORITHM,
} from './x509-library.node.ts';

export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/** A request, and the private key (PKCS #8) that it is for. The key is new, unless `keyPem` (ECDSA P-256) is given. */
export async function createCertificateRequest(
  { commonName, organizations, dnsNames, ipAddresses }: RequestedCertificate,
  keyPem?: string,
): Promise<{ readonly csrPem: string; readonly keyPem: string }> {
  const x509 = await loadLibrary();
  const privateKey = await keyFor(keyPem);
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [...organizations.map((name) => ({ O: [name] })), { CN: [commonName] }],
    keys: { privateKey, publicKey: await publicKeyOf(privateKey) },
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)],
  });
  return { csrPem: `${request.toString('pem')}\n`, keyPem: await exportKey(privateKey) };
}

export interface SigningRequest {
  readonly csrPem: string;
  /** As in a CertificateSigningRequest's `spec.usages`: "digital signature", "client auth", … */
  readonly usages: readonly string[];
  /** Wall ms. A later end than the authority's own is cut. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export type SigningResult =
  | { readonly ok: true; readonly certificatePem: string }
  /** It cannot be signed, today or ever. */
  | { readonly ok: false; readonly reason: string };

/**
 * Signs a request: its subject and its names come into the certificate, its other wishes do not. The caller has decided who
 * may have it. A request whose own signature is wrong is refused: its sender has not shown that the key is its own.
 */
export async function signCertificateRequest(authority: KeyPair, request: SigningRequest): Promise<SigningResult> {
  // The value that was approved is signed, not what another reader may see in the same bytes.
  const parsed = parseCertificateRequest(request.csrPem);
  if (!parsed.ok) return { ok: false, reason: `the request cannot be read: ${parsed.reason}` };
  const { subject, dnsNames, ipAddresses, emailAddresses, uris } = parsed.request;
  const x509 = await loadLibrary();
  let csr: X509.Pkcs10CertificateRequest;
  try {
    csr = new x509.Pkcs10CertificateRequest(request.csrPem);
    if (!(await csr.verify())) return { ok: false, reason: 'the signature of the request is not that of its key' };
  } catch (error) {
    return { ok: false, reason: `the request cannot be read: ${errorMessage(error)}` };
  }
  const usages = usagesOf(x509, request.usages);
  if (!usages.ok) return usages;
  const issuer = new x509.X509Certificate(authority.certificatePem);
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
    ...emailAddresses.map((value) => ({ type: 'email' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    // As objects: in a plain text, the library would look for escapes.
    subject: new x509.Name(subject.map(({ type, value }) => ({ [type]: [{ utf8String: value }] }))),
    issuer: issuer.subjectName,
    notBefore: new Date(Math.max(request.notBefore, issuer.notBefore.getTime())),
    notAfter: new Date(Math.min(request.notAfter, issuer.notAfter.getTime())),
    publicKey: csr.publicKey,
    signingKey: await importKey(authority.keyPem),
    signingAlgorithm: SIGNING_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      // Bits of the enum together are no member of it.
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      ...(usages.flags === 0 ? [] : [new x509.KeyUsagesExtension(usages.flags, true)]),
      ...(usages.extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...usages.extended])]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(csr.publicKey),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { ok: true, certificatePem: `${certificate.toString('pem')}\n` };
}

type Usages =
  | { readonly ok: true; readonly flags: number; readonly extended: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** The words of certificates.k8s.io/v1 as X.509's bits and object identifiers. */
function usagesOf({ KeyUsageFlags: flag, ExtendedKeyUsage: extended }: typeof X509, words: readonly string[]): Usages {
  const flags: Readonly<Record<string, number>> = {
    signing: flag.digitalSignature,
    'digital signature': flag.digitalSignature,
    'content commitment': flag.nonRepudiation,
    'key encipherment': flag.keyEncipherment,
    'data encipherment': flag.dataEncipherment,
    'key agreement': flag.keyAgreement,
    'encipher only': flag.encipherOnly,
    'decipher only': flag.decipherOnly,
  };
  const purposes: Readonly<Record<string, string>> = {
    'server auth': extended.serverAuth,
    'client auth': extended.clientAuth,
    'code signing': extended.codeSigning,
    'email protection': extended.emailProtection,
    's/mime': extended.emailProtection,
    timestamping: extended.timeStamping,
    'ocsp signing': extended.ocspSigning,
  };
  let bits = 0;
  const asked = new Set<string>();
  for (const word of words) {
    const bit = Object.hasOwn(flags, word) ? flags[word] : undefined;
    const purpose = Object.hasOwn(purposes, word) ? purposes[word] : undefined;
    if (bit === undefined && purpose === undefined)
      return { ok: false, reason: `usage ${JSON.stringify(word)} is not signed here` };
    bits |= bit ?? 0;
    if (purpose !== undefined) asked.add(purpose);
  }
  return { ok: true, flags: bits, extended: [...asked] };
}
