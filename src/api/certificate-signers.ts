/** The words of certificates.k8s.io: signers, usages, conditions (upstream: pkg/apis/certificates). */
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from './types.gen.ts';

export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
export const LEGACY_UNKNOWN_SIGNER = 'kubernetes.io/legacy-unknown';

export const CERTIFICATE_USAGES: readonly string[] = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

export const MASTERS_GROUP = 'system:masters';

/** The request as PEM. */
export function pemOfRequest({ spec }: CertificateSigningRequest): string {
  return Buffer.from(spec.request ?? '', 'base64').toString('latin1');
}

export function certificateCondition(
  request: CertificateSigningRequest,
  type: string,
): CertificateSigningRequestCondition | undefined {
  return request.status?.conditions?.find((condition) => condition.type === type);
}
