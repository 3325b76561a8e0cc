/** How others check our tokens: OpenID discovery and the key set (upstream: ServiceAccountIssuerDiscovery). */
import type { HttpResponse } from '../../lib/index.ts';
import { textResponse } from '../http/respond.ts';
import { TOKEN_ISSUER } from './limits.ts';
import type { TokenSigner } from './token-signer.ts';

/** Keys change rarely, and a verifier may keep them an hour. */
const CACHE = { 'cache-control': 'public, max-age=3600' };

export function openIdResponse(signer: TokenSigner | undefined): HttpResponse | undefined {
  if (signer === undefined) return undefined;
  const document = {
    issuer: TOKEN_ISSUER,
    jwks_uri: `${TOKEN_ISSUER}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signer.algorithms,
  };
  return textResponse(200, JSON.stringify(document), { ...CACHE, 'content-type': 'application/json' });
}

export function keySetResponse(signer: TokenSigner | undefined): HttpResponse | undefined {
  if (signer === undefined) return undefined;
  return textResponse(200, JSON.stringify(signer.keySet), { ...CACHE, 'content-type': 'application/jwk-set+json' });
}
