/** Signs what was approved and is the cluster's own to sign; for what can never be signed, it says why. */
import {
  CERTIFICATE_SIGNING_REQUESTS,
  certificateCondition,
  type CertificateSigningRequest,
  pemOfRequest,
} from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Clock, formatTime } from '../../lib/index.ts';
import { type Controller, source } from '../controller.ts';
import type { CertificateSigner } from './certificate-signer.ts';
import { checkForSigner } from './check-request.ts';
import { withCertificateCondition } from './conditions.ts';
import { CERTIFICATE_BACKDATE_MS, CERTIFICATE_LIFE_MS } from './limits.ts';

/** Keys are names of requests. */
export function signingController(informers: Informers, signer: CertificateSigner, clock: Clock): Controller {
  const requests = informers.lister(CERTIFICATE_SIGNING_REQUESTS);
  return {
    name: 'certificatesigningrequest-signing',
    sources: [source(CERTIFICATE_SIGNING_REQUESTS, ({ type, key }) => (type === 'apply' ? [key] : []))],
    reconcile: async (key, context) => {
      const request = requests.getByKey(key);
      if (request === undefined || !isDue(request)) return;
      const checked = checkForSigner(request);
      if (checked === undefined) return;
      const { wall } = clock.now();
      const signed = checked.ok ? await signer.sign({ ...wishOf(request, wall) }) : checked;
      const object = signed.ok
        ? { ...request, status: { ...request.status, certificate: toBase64(signed.certificatePem) } }
        : withCertificateCondition(
            request,
            { type: 'Failed', reason: 'SignerValidationFailure', message: signed.reason },
            formatTime(wall),
          );
      await context.write({ verb: 'update', resource: CERTIFICATE_SIGNING_REQUESTS, object, subresource: 'status' });
    },
  };
}

function isDue(request: CertificateSigningRequest): boolean {
  const has = (type: string): boolean => certificateCondition(request, type) !== undefined;
  return has('Approved') && !has('Denied') && !has('Failed') && !request.status?.certificate;
}

/** @param wall now, ms */
export function wishOf(request: CertificateSigningRequest, wall: number): Parameters<CertificateSigner['sign']>[0] {
  const { usages = [], expirationSeconds } = request.spec;
  const asked = expirationSeconds === undefined ? CERTIFICATE_LIFE_MS : expirationSeconds * 1000;
  return {
    csrPem: pemOfRequest(request),
    usages,
    notBefore: wall - CERTIFICATE_BACKDATE_MS,
    notAfter: wall + Math.min(asked, CERTIFICATE_LIFE_MS),
  };
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
