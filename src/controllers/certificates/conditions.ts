/** Requests for certificates with one condition more. Pure. */
import type { CertificateSigningRequest } from '../../api/index.ts';

/** `now`: RFC 3339. */
export function withCertificateCondition(
  request: CertificateSigningRequest,
  condition: { readonly type: string; readonly reason: string; readonly message: string },
  now: string,
): CertificateSigningRequest {
  const written = { ...condition, status: 'True', lastUpdateTime: now, lastTransitionTime: now };
  return { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), written] } };
}
