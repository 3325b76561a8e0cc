/** The port of the cluster's authority: it decides nothing and signs what it is told to. */
export interface CertificateSigner {
  sign(request: {
    /** One PEM block. */
    readonly csrPem: string;
    /** As in `spec.usages`. */
    readonly usages: readonly string[];
    /** Wall ms; a later end than the authority's own is cut. */
    readonly notBefore: number;
    readonly notAfter: number;
  }): Promise<
    | { readonly ok: true; readonly certificatePem: string }
    /** It will never be signed. */
    | { readonly ok: false; readonly reason: string }
  >;
}
