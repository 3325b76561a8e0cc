/** Reads what everybody may see of a certificate: whom it names, who signed it, and until when it is valid. */
import { X509Certificate } from 'node:crypto';
import type { CertificateFacts } from '../diagnosis/index.ts';

/** A chain of certificates is shorter. */
const MAX_TEXT = 64 * 1024;
const MAX_NAMES = 20;
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]{1,20000}-----END CERTIFICATE-----/;

/** The first certificate of a text; undefined: there is none, or it cannot be read. */
export function certificateFacts(text: string): CertificateFacts | undefined {
  const [pem] = BLOCK.exec(text.slice(0, MAX_TEXT)) ?? [];
  if (pem === undefined) return undefined;
  try {
    const certificate = new X509Certificate(pem);
    const names = (certificate.subjectAltName ?? '').split(', ').flatMap((each) => {
      const [kind, name] = [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 1)];
      return kind === 'DNS' || kind === 'IP Address' ? [name] : [];
    });
    return {
      commonName: commonNameOf(certificate.subject),
      issuer: commonNameOf(certificate.issuer),
      names: names.slice(0, MAX_NAMES),
      fromMs: Date.parse(certificate.validFrom),
      untilMs: Date.parse(certificate.validTo),
      isSelfSigned: certificate.subject === certificate.issuer,
    };
  } catch {
    return undefined;
  }
}

/** "CN=db" of the lines of a name. */
function commonNameOf(name: string): string {
  return /^CN=(.{1,200})$/m.exec(name)?.[1] ?? '';
}
