/** Minting certificates as a port. Times are wall ms. */
export interface KeyPair {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface CertificateRequest extends Validity {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly usage: 'server' | 'client';
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export interface Signer {
  /** A self-signed authority; with `keyPem` a new certificate for that key, so that what it signed stays good. */
  createAuthority(request: Validity & { readonly commonName: string }, keyPem?: string): Promise<KeyPair>;
  /** A certificate signed by `authority`, for a new key or for `keyPem`. */
  issue(authority: KeyPair, request: CertificateRequest, keyPem?: string): Promise<KeyPair>;
}
