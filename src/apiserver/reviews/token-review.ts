/** TokenReview: finds the user of a token. */
import { badRequest, type TokenReview } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { authenticateToken } from '../tokens/authenticate-token.ts';
import { TOKEN_ISSUER } from '../tokens/limits.ts';
import { answered, printUser, readQuestion } from './review-call.ts';
import type { Asked } from '../call.ts';

export async function tokenReview(call: Asked): Promise<HttpResponse> {
  const { asked } = readQuestion<TokenReview>(call);
  const { token = '', audiences = [] } = asked.spec ?? {};
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const verdict = await authenticateToken(call.server, token, audiences.length === 0 ? [TOKEN_ISSUER] : audiences);
  if (!verdict.ok) return answered(asked, { user: {}, error: verdict.reason });
  const { user, audiences: accepted } = verdict;
  return answered(asked, { authenticated: true, user: printUser(user), audiences: accepted });
}
