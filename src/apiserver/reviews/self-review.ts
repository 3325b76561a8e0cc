/** SelfSubjectReview (who am I) and SelfSubjectRulesReview (what may I do). */
import { badRequest, type SelfSubjectReview, type SelfSubjectRulesReview } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { answered, printUser, readQuestion } from './review-call.ts';
import type { Asked } from '../call.ts';

export function selfSubjectReview(call: Asked): HttpResponse {
  const { asked } = readQuestion<SelfSubjectReview>(call);
  return answered(asked, { userInfo: printUser(call.user) });
}

export async function selfSubjectRulesReview(call: Asked): Promise<HttpResponse> {
  const { asked } = readQuestion<SelfSubjectRulesReview>(call);
  const namespace = asked.spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { authorizer } = call.server;
  await authorizer.fresh?.();
  const { rules, incomplete, problem } = authorizer.rulesFor(call.user, namespace);
  return answered(asked, {
    resourceRules: rules.flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
      resources.length === 0
        ? []
        : [{ verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) }],
    ),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0 ? [] : [{ verbs, nonResourceURLs }],
    ),
    incomplete,
    ...(problem === undefined ? {} : { evaluationError: problem }),
  });
}
