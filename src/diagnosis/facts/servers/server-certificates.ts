/** Tells what is wrong with the certificate that a server has of a Secret, as who refuses it would see. Pure. */
import type { CertificateFacts, ServerBehind, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { certificateMount } from '../files/certificate-mounts.ts';
import { listed } from '../words/text.ts';

export type CertificateFault = 'expired' | 'not-yet-valid' | 'no-names' | 'wrong-name' | 'self-signed';

/** The Secret that the server has its certificate of, and that. */
export interface ServerCertificate {
  readonly secret: string;
  readonly mountPath: string;
  /** Absent: the Secret could not be read, or has none. */
  readonly facts?: CertificateFacts;
}

/** Names that are told. */
const MAX_NAMES = 4;

/** Its certificate; undefined: no mounted Secret is likely to have it. */
export function serverCertificate({ pod, configs = [] }: ServerBehind): ServerCertificate | undefined {
  const mount = certificateMount(pod, pod.spec?.containers ?? []);
  if (mount === undefined) return undefined;
  const { certificates = {} } = configs.find(({ kind, name }) => kind === 'Secret' && name === mount.secret) ?? {};
  // The server's own is never called after the authority.
  const [facts] = Object.entries(certificates)
    .toSorted(([a], [b]) => Number(/\bca\b|root|chain/i.test(a)) - Number(/\bca\b|root|chain/i.test(b)))
    .map(([, each]) => each);
  return { ...mount, ...(facts && { facts }) };
}

/** What is wrong with it for who asks the service; undefined: nothing that its certificate tells. @param now wall ms */
export function certificateFault(
  { commonName, names, fromMs, untilMs, isSelfSigned }: CertificateFacts,
  { name, namespace }: Pick<ServiceEvidence, 'name' | 'namespace'>,
  now: number,
): CertificateFault | undefined {
  if (untilMs < now) return 'expired';
  if (fromMs > now) return 'not-yet-valid';
  if (names.length === 0) return 'no-names';
  const hosts = [name, `${name}.${namespace}`, `${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
  if (!hosts.some((host) => names.some((each) => isNamedBy(host, each)))) return 'wrong-name';
  return isSelfSigned && commonName !== '' ? 'self-signed' : undefined;
}

function isNamedBy(host: string, name: string): boolean {
  return name === host || (name.startsWith('*.') && host.slice(host.indexOf('.')) === name.slice(1));
}

/** "which expired on 2026-11-26T00:00:00Z", as the rest of a sentence. */
export function faultText(
  { commonName, names, fromMs, untilMs, issuer }: CertificateFacts,
  fault: CertificateFault | undefined,
): string {
  switch (fault) {
    case 'expired':
      return `which expired on ${day(untilMs)}`;
    case 'not-yet-valid':
      return `which is valid only from ${day(fromMs)} on`;
    case 'no-names':
      return `which has no subjectAltName${commonName === '' ? '' : `, and names ${commonName} only in its Common Name`}`;
    case 'wrong-name':
      return `which is for ${listed(names.slice(0, MAX_NAMES))}`;
    case 'self-signed':
      return 'which is signed by itself';
    case undefined:
      return issuer === '' ? '' : `which ${issuer} signed`;
  }
}

function day(ms: number): string {
  return Number.isNaN(ms) ? 'a day that cannot be read' : new Date(ms).toISOString().replace('.000Z', 'Z');
}
