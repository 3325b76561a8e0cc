/**
 * The hash by which machines that join recognise the authority: of its public key, so that it outlives a renewal with that
 * key.
 */
import { createHash, X509Certificate } from 'node:crypto';

/** @param authorityPem the first certificate counts @returns as kubeadm's discovery-token-ca-cert-hash: "sha256:…" */
export function authorityHash(authorityPem: string): string {
  return hashOfKey(new X509Certificate(authorityPem));
}

export function hashOfKey({ publicKey }: X509Certificate): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256').update(der).digest('hex')}`;
}
