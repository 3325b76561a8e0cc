/** What several verbs refuse. */
import { conflict, invalid, invalidValue } from '../../api/index.ts';
import { resourceAccess } from '../authorization/access-request.ts';
import { refusal } from '../authorization/refuse.ts';
import type { ApiObject } from '../registry/object.ts';
import { type Call, nameOfCall } from '../call.ts';

/** A request that was authorized as a change creates its object. Throws 403 for who may not do that. */
export function refuseCreation({ server, user, info }: Call): void {
  const { group, resource, namespace = '', name = '' } = info;
  const access = resourceAccess({ verb: 'create', group, resource, namespace, name });
  const decision = server.authorizer.authorize(user, access);
  if (!decision.allowed) throw refusal(user, access, decision.reason);
}

/** A PUT's uid is a precondition (409); a patch that names another one wants to change it. Throws 422. */
export function refuseOtherUid(call: Call, { metadata }: ApiObject, old: ApiObject): void {
  const { uid } = metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw invalid(call.registration.row, nameOfCall(call), [invalidValue('metadata.uid', uid, 'field is immutable')]);
}

/** A new object has no uid yet that a client could know. Throws 409. */
export function refuseUidOfNone(call: Call, uid: string): never {
  const text = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(call.registration.row, nameOfCall(call), text);
}
