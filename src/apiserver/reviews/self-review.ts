/** SelfSubjectReview: who am I? SelfSubjectRulesReview: what may I? */
import { badRequest, type SelfSubjectReview, type SelfSubjectRulesReview } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { answered, printUser, readQuestion, type ReviewCall } from './review-call.ts';

export function selfSubjectReview(call: ReviewCall): HttpResponse {
  const { asked } = readQuestion<SelfSubjectReview>(call);
  return answered(asked, { userInfo: printUser(call.user) });
}

export function selfSubjectRulesReview(call: ReviewCall): HttpResponse {
  const { asked } = readQuestion<SelfSubjectRulesReview>(call);
  const namespace = asked.spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  return answered(asked, call.server.authorizer.rulesFor(call.user, namespace));
}
