/** Questions to the server about users and rights: POSTed, answered at once, never stored. */
import type { HttpResponse } from '../../lib/index.ts';
import type { AuthorizedResource } from '../authorization/authorize-request.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-review.ts';
import type { ReviewCall } from './review-call.ts';
import { selfSubjectReview, selfSubjectRulesReview } from './self-review.ts';
import { tokenReview } from './token-review.ts';

type Review = (call: ReviewCall) => HttpResponse | Promise<HttpResponse>;

const reviews: Readonly<Record<string, Review>> = {
  'authentication.k8s.io/tokenreviews': tokenReview,
  'authentication.k8s.io/selfsubjectreviews': selfSubjectReview,
  'authorization.k8s.io/subjectaccessreviews': subjectAccessReview,
  'authorization.k8s.io/selfsubjectaccessreviews': selfSubjectAccessReview,
  'authorization.k8s.io/selfsubjectrulesreviews': selfSubjectRulesReview,
  'authorization.k8s.io/localsubjectaccessreviews': localSubjectAccessReview,
};

/** The review that answers this request; undefined when it is no review. */
export function findReview(info: AuthorizedResource): Review | undefined {
  const { row, verb, name, namespace } = info;
  if (row === undefined || verb !== 'create' || name !== undefined) return undefined;
  if (row.namespaced && namespace === undefined) return undefined;
  const key = `${row.group}/${row.resource}`;
  return Object.hasOwn(reviews, key) ? reviews[key] : undefined;
}
