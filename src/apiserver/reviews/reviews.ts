/** Questions to the server about users and rights: POSTed, answered at once, never stored. */
import {
  LOCAL_SUBJECT_ACCESS_REVIEWS,
  type ResourceRow,
  SELF_SUBJECT_ACCESS_REVIEWS,
  SELF_SUBJECT_REVIEWS,
  SELF_SUBJECT_RULES_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
  TOKEN_REVIEWS,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { Asked } from '../call.ts';
import type { ServedKind } from '../call.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-review.ts';
import { selfSubjectReview, selfSubjectRulesReview } from './self-review.ts';
import { tokenReview } from './token-review.ts';

export const REVIEW_KINDS: readonly ServedKind[] = [
  review(TOKEN_REVIEWS, tokenReview),
  review(SELF_SUBJECT_REVIEWS, selfSubjectReview),
  review(SUBJECT_ACCESS_REVIEWS, subjectAccessReview),
  review(SELF_SUBJECT_ACCESS_REVIEWS, selfSubjectAccessReview),
  review(SELF_SUBJECT_RULES_REVIEWS, selfSubjectRulesReview),
  review(LOCAL_SUBJECT_ACCESS_REVIEWS, localSubjectAccessReview),
];

function review(row: ResourceRow, judge: (asked: Asked) => HttpResponse | Promise<HttpResponse>): ServedKind {
  return {
    row,
    answer: (asked) => {
      const { verb, name, namespace } = asked.info;
      const isAsked = verb === 'create' && name === undefined && (!row.namespaced || namespace !== undefined);
      return isAsked ? judge(asked) : undefined;
    },
  };
}
