/** SubjectAccessReview and its two narrower forms: may this user do that? Asked of the same authorizer as every request. */
import {
  child,
  type FieldError,
  invalid,
  invalidValue,
  type LocalSubjectAccessReview,
  required,
  type ResourceRow,
  type SelfSubjectAccessReview,
  type SubjectAccessReview,
  type SubjectAccessReviewSpec,
} from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { type AccessRequest, equalFields, resourceAccess } from '../authorization/access-request.ts';
import { placeAccess } from '../http/place-request.ts';
import type { UserInfo } from '../ports.ts';
import { answered, readQuestion } from './review-call.ts';
import type { Asked } from '../call.ts';

type Attributes = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

export async function selfSubjectAccessReview(call: Asked): Promise<HttpResponse> {
  const { row, asked } = readQuestion<SelfSubjectAccessReview>(call);
  const spec = asked.spec ?? {};
  refuse(row, validateAttributes(spec));
  return answered(asked, await decide(call, call.user, spec));
}

export async function subjectAccessReview(call: Asked): Promise<HttpResponse> {
  const { row, asked } = readQuestion<SubjectAccessReview>(call);
  const spec = asked.spec ?? {};
  refuse(row, [...validateAttributes(spec), ...validateSubject(spec)]);
  return answered(asked, await decide(call, subjectOf(spec), spec));
}

export async function localSubjectAccessReview(call: Asked): Promise<HttpResponse> {
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
    await decide(call, subjectOf(spec), spec),
  );
}

function refuse(row: ResourceRow, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(row, '', errors);
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: Attributes): FieldError[] {
  const one = (resourceAttributes === undefined) !== (nonResourceAttributes === undefined);
  if (one) return validateSelectors(resourceAttributes);
  const both = resourceAttributes !== undefined;
  const field = both ? 'spec.nonResourceAttributes' : 'spec.resourceAttributes';
  const text = both
    ? 'cannot be specified in combination with resourceAttributes'
    : 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue(field, (both ? nonResourceAttributes : resourceAttributes) ?? null, text)];
}

/** A selector is given as text or as requirements. */
function validateSelectors(attributes: Attributes['resourceAttributes']): FieldError[] {
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = attributes?.[name];
    if (selector === undefined) return [];
    const path = child('spec', 'resourceAttributes', name);
    const { rawSelector = '', requirements = [] } = selector;
    if ((rawSelector === '') !== (requirements.length === 0)) return [];
    return rawSelector === ''
      ? [required(child(path, 'requirements'), `when ${path} is specified, requirements or rawSelector is required`)]
      : [invalidValue(child(path, 'rawSelector'), rawSelector, 'may not specified at the same time as requirements')];
  });
}

function validateSubject({ user = '', groups = [] }: SubjectAccessReviewSpec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalidValue(child('spec', 'user'), user, 'at least one of user or group must be specified')];
}

function subjectOf({ user = '', groups = [], uid, extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

async function decide({ server }: Asked, user: UserInfo, attributes: Attributes): Promise<object> {
  await server.authorizer.fresh?.();
  const decision = server.authorizer.authorize(user, placeAccess(server.registry, requestOf(attributes)));
  return { allowed: decision.allowed, ...(decision.reason === undefined ? {} : { reason: decision.reason }) };
}

/** The question itself, in the words of the authorizer. */
function requestOf({ resourceAttributes, nonResourceAttributes }: Attributes): AccessRequest {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', verb: verb.toLowerCase(), path };
  }
  const { verb = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = resourceAttributes;
  const { rawSelector = '', requirements = [] } = resourceAttributes.fieldSelector ?? {};
  const equal = requirements.flatMap(({ key, operator, values = [] }) => {
    const [value, ...others] = values;
    return operator === 'In' && value !== undefined && others.length === 0 ? [{ field: key, value }] : [];
  });
  const fields = rawSelector === '' ? equal : equalFields(rawSelector);
  return resourceAccess({ verb, group, resource, subresource, namespace, name, fields });
}
