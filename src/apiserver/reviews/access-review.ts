/** SubjectAccessReview and its two narrower forms: may this user do that? Asked of the same authorizer as every request. */
import {
  child,
  type FieldError,
  invalid,
  invalidValue,
  type LocalSubjectAccessReview,
  type ResourceRow,
  type SelfSubjectAccessReview,
  type SubjectAccessReview,
  type SubjectAccessReviewSpec,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { RequestInfo, Verb } from '../http/request-info.ts';
import type { UserInfo } from '../ports.ts';
import { answered, readQuestion, type ReviewCall } from './review-call.ts';

type Attributes = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

export function selfSubjectAccessReview(call: ReviewCall): HttpResponse {
  const { row, asked } = readQuestion<SelfSubjectAccessReview>(call);
  const spec = asked.spec ?? {};
  refuse(row, validateAttributes(spec));
  return answered(asked, decide(call, call.user, spec));
}

export function subjectAccessReview(call: ReviewCall): HttpResponse {
  const { row, asked } = readQuestion<SubjectAccessReview>(call);
  const spec = asked.spec ?? {};
  refuse(row, [...validateAttributes(spec), ...validateSubject(spec)]);
  return answered(asked, decide(call, subjectOf(spec), spec));
}

export function localSubjectAccessReview(call: ReviewCall): HttpResponse {
  const { row, asked } = readQuestion<LocalSubjectAccessReview>(call);
  const spec = asked.spec ?? {};
  const { namespace } = call.info;
  const errors = [...validateAttributes(spec), ...validateSubject(spec)];
  if (spec.nonResourceAttributes !== undefined) {
    const text = 'disallowed on this kind of request';
    errors.push(invalidValue('spec.nonResourceAttributes', spec.nonResourceAttributes, text));
  }
  const given = spec.resourceAttributes?.namespace ?? '';
  if (given !== namespace)
    errors.push(
      invalidValue('spec.resourceAttributes.namespace', given, `must match metadata.namespace: ${namespace}`),
    );
  refuse(row, errors);
  const { metadata } = asked;
  return answered(
    { ...asked, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } },
    decide(call, subjectOf(spec), spec),
  );
}

function refuse(row: ResourceRow, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(row, '', errors);
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  const one = (resourceAttributes === undefined) !== (nonResourceAttributes === undefined);
  if (one) return [];
  const both = resourceAttributes !== undefined;
  const field = both ? 'spec.nonResourceAttributes' : 'spec.resourceAttributes';
  const text = both
    ? 'cannot be specified in combination with resourceAttributes'
    : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue(field, (both ? nonResourceAttributes : resourceAttributes) ?? null, text)];
}

function validateSubject({ user = '', groups = [] }: SubjectAccessReviewSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalidValue(child('spec', 'user'), user, 'at least one of user or group must be specified')];
}

function subjectOf({ user = '', groups = [], uid, extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

function decide({ server }: ReviewCall, user: UserInfo, attributes: Attributes): object {
  const decision = server.authorizer.authorize(user, requestOf(attributes));
  if (decision.allowed) return { allowed: true };
  return { allowed: false, ...(decision.reason === undefined ? {} : { reason: decision.reason }) };
}

/** The request that is asked about, as routing would have read it. */
function requestOf({ resourceAttributes, nonResourceAttributes }: Attributes): RequestInfo {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', verb: verb.toLowerCase(), method: verb.toUpperCase(), path, query: new URLSearchParams() };
  }
  const { verb = '', group = '', version = '', resource = '', subresource, namespace, name } = resourceAttributes;
  const query = new URLSearchParams();
  const selector = resourceAttributes.fieldSelector;
  const terms = (selector?.requirements ?? [])
    .filter(({ operator, values = [] }) => operator === 'In' && values.length === 1)
    .map(({ key, values }) => `${key}=${values?.[0]}`);
  const fields = selector?.rawSelector || terms.join(',');
  if (fields !== '') query.set('fieldSelector', fields);
  return {
    kind: 'resource',
    verb: verb as Verb,
    method: '',
    path: '',
    query,
    group,
    version,
    resource,
    namespace: namespace === '' ? undefined : namespace,
    name: name === '' ? undefined : name,
    subresource: subresource === '' ? undefined : subresource,
    rest: '',
  };
}
