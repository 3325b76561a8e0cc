/**
 * Decides who may request, approve and sign which certificates (upstream: the admission plugins
 * CertificateSubjectRestriction, CertificateApproval and CertificateSigning).
 */
import {
  type CertificateSigningRequest,
  CLIENT_SIGNER,
  forbidden,
  MASTERS_GROUP,
  parseCertificateRequest,
  pemOfRequest,
} from '../../api/index.ts';
import { resourceAccess } from '../authorization/access-request.ts';
import { sameValue } from '../registry/object-meta.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Call } from '../call.ts';

const GROUP = 'certificates.k8s.io';

/** Throws 403. `part`: '' for a new request or a change of it, else the subresource. */
export async function admitCertificateRequest(
  call: Call,
  part: string,
  object: ApiObject,
  old: ApiObject | undefined,
): Promise<void> {
  const { row } = call.registration;
  if (row.group !== GROUP || row.resource !== 'certificatesigningrequests') return;
  const now = object as unknown as CertificateSigningRequest;
  const before = old as unknown as CertificateSigningRequest | undefined;
  const name = object.metadata.name ?? '';
  if (before === undefined) {
    const problem = problemOfSubject(now);
    if (problem !== undefined) throw forbidden(row, name, problem);
    return;
  }
  // The signer is that of the stored request: the writer's own claim does not count.
  const { signerName } = before.spec;
  await call.server.authorizer.fresh?.();
  if (part === 'approval' && !mayActFor(call, 'approve', signerName))
    throw forbidden(row, name, `user not permitted to approve requests with signerName ${JSON.stringify(signerName)}`);
  if (part === 'status' && isSigning(now, before) && !mayActFor(call, 'sign', signerName))
    throw forbidden(row, name, `user not permitted to sign requests with signerName ${JSON.stringify(signerName)}`);
}

function problemOfSubject(request: CertificateSigningRequest): string | undefined {
  if (request.spec.signerName !== CLIENT_SIGNER) return undefined;
  const parsed = parseCertificateRequest(pemOfRequest(request));
  if (!parsed.ok || !parsed.request.organizations.includes(MASTERS_GROUP)) return undefined;
  return `use of ${CLIENT_SIGNER} signer with ${MASTERS_GROUP} group is not allowed`;
}

function isSigning(now: CertificateSigningRequest, before: CertificateSigningRequest): boolean {
  return (
    now.status?.certificate !== before.status?.certificate ||
    !sameValue(now.status?.conditions ?? [], before.status?.conditions ?? [])
  );
}

/** By the signer's whole name, or by all of its domain. */
function mayActFor({ server, user }: Call, verb: 'approve' | 'sign', signer: string): boolean {
  const domain = signer.split('/')[0] ?? '';
  return [signer, `${domain}/*`].some(
    (name) =>
      server.authorizer.authorize(user, resourceAccess({ verb, group: GROUP, resource: 'signers', name })).allowed,
  );
}
