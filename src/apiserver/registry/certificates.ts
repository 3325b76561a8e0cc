/** Certificate requests: the server writes the requester, and the request itself never changes (upstream: csrStrategy). */
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import { type ApiObject, omit } from './object.ts';
import type { Strategy } from './registration.ts';

export const certificateRequestStrategy: Strategy = {
  prepareForCreate: (object, user) => {
    const { spec } = object as unknown as CertificateSigningRequest;
    // One without a spec is refused later, with the fields that it lacks.
    const asked = omit(spec ?? {}, 'username', 'uid', 'groups', 'extra');
    return { ...object, spec: { ...asked, ...requestor(user) }, status: {} };
  },
  prepareForUpdate: (object, old) => ({ ...object, spec: old['spec'], status: old['status'] }),
  prepareForStatusUpdate: (object, old) => (object === old ? object : { ...object, spec: old['spec'] }),
};

function requestor({ name, uid = '', groups, extra = {} }: UserInfo): object {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Conditions that a writer left without times get them: when they changed last, and when they were written. */
export function timedConditions(object: ApiObject, old: ApiObject, now: string): ApiObject {
  const status = (object as unknown as CertificateSigningRequest).status ?? {};
  const known = (old as unknown as CertificateSigningRequest).status?.conditions ?? [];
  if (status.conditions === undefined) return object;
  const conditions = status.conditions.map((condition): CertificateSigningRequestCondition => {
    const before = known.find(({ type }) => type === condition.type);
    const changed = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? before?.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? changed,
    };
  });
  return { ...object, status: { ...status, conditions } };
}
