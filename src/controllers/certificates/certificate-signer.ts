/** The cluster's authority as a port: whoever has it decides nothing, it signs what it is told to. */
export interface CertificateSigner {
  sign(request: {
    /** One PEM block. */
    readonly csrPem: string;
    /** As in `spec.usages`. */
    readonly usages: readonly string[];
    /** Wall ms; what is beyond the authority's own life is cut. */
    readonly notBefore: number;
    readonly notAfter: number;
  }): Promise<
    | { readonly ok: true; readonly certificatePem: string }
    /** It will never be signed. */
    | { readonly ok: false; readonly reason: string }
  >;
}
