/** The two things that can be done with an object that exists and cannot be read: replace it, or remove it. */
import { badRequest, conflict, notFound } from '../../api/index.ts';
import { formatTime, type HttpResponse } from '../../lib/index.ts';
import { resourceAccess } from '../authorization/access-request.ts';
import { refusal } from '../authorization/refuse.ts';
import { CachedObject } from '../cache/cached-object.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { type ApiObject, withMeta } from '../registry/object.ts';
import { ownedByCreator } from '../registry/owners.ts';
import { aboutObject } from '../registry/storage.ts';
import { type Call, keyOfCall, managerOf, nameOfCall } from '../call.ts';
import { prepareNew, type Removal, toStored } from './write.ts';

/** The verb that such a delete needs besides its own (upstream: KEP-3926). */
const UNSAFE_DELETE = 'unsafe-delete-ignore-read-errors';
const UID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * PUT of an object whose stored form is damaged: the sent object takes its place. Its UID and its age are the sent ones, if
 * any, so that its dependents still belong to it; nobody can check them any more. Undefined: it is not damaged.
 */
export async function restoreDamaged(
  call: Call,
  object: ApiObject,
  dryRun: boolean,
): Promise<CachedObject | undefined> {
  const { storage, registration } = call;
  const key = keyOfCall(call);
  // Nearly all there is: the cache has it, and it can be read.
  if (storage.peek(key) !== undefined) return undefined;
  const revision = await storage.damagedRevision(key);
  if (revision === undefined) return undefined;
  const { uid, creationTimestamp } = object.metadata;
  if (uid !== undefined && !UID.test(uid)) throw badRequest('metadata.uid: Invalid value: must be a UUID');
  const now = formatTime(call.server.ports.clock.now().wall);
  const prepared = await prepareNew(call, ownedByCreator(registration, object, managerOf(call), now));
  const kept = { ...(uid !== undefined && { uid }), ...(creationTimestamp !== undefined && { creationTimestamp }) };
  const stored = await toStored(registration, withMeta(prepared, kept));
  if (dryRun) return new CachedObject(key, revision, stored);
  const written = await storage.put(key, stored, revision);
  if (!written.ok) throw conflict(registration.row, nameOfCall(call));
  return written.item;
}

/** DELETE with `ignoreStoreReadErrorWithClusterBreakingPotential`: finalizers and dependents of it are not looked after. */
export async function removeDamaged(call: Call, removal: Removal): Promise<HttpResponse> {
  const { registration, storage, server, user, info } = call;
  const { group, resource, namespace = '' } = info;
  const name = nameOfCall(call);
  const { gracePeriodSeconds, propagation, uid, resourceVersion } = removal;
  if ([gracePeriodSeconds, propagation, uid, resourceVersion].some((option) => option !== undefined)) {
    throw badRequest(
      'ignoreStoreReadErrorWithClusterBreakingPotential: cannot be set together with gracePeriodSeconds, propagationPolicy or preconditions',
    );
  }
  const access = resourceAccess({ verb: UNSAFE_DELETE, group, resource, namespace, name });
  const decision = server.authorizer.authorize(user, access);
  if (!decision.allowed) throw refusal(user, access, decision.reason);
  const key = keyOfCall(call);
  await storage.fresh();
  const revision = await storage.damagedRevision(key);
  if (revision === undefined) {
    if ((await storage.read(key)) === undefined) throw notFound(registration.row, name);
    throw badRequest(
      `${resource} "${name}" can be read: delete it without ignoreStoreReadErrorWithClusterBreakingPotential`,
    );
  }
  if (!removal.dryRun && !(await storage.removeDamaged(key, revision))) throw conflict(registration.row, name);
  return jsonResponse(200, successStatus(aboutObject(registration.row, { metadata: { name } })));
}
