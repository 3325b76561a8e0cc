/**
 * The three writes of which all verbs consist: create, change, remove. Each is a compare-and-put on the store. A lost race is
 * read and decided again; an unknown outcome is reported and never repeated.
 */
import {
  alreadyExists,
  conflict,
  generateName,
  invalidValue,
  notFound,
  schemaOf,
  StatusError,
  warningsOf,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { admitChanged, admitGrowth, admitNew, admitResize } from '../admission/admit-new.ts';
import { healingWarnings } from '../admission/healing-warnings.ts';
import { admitToNamespace } from '../admission/namespaces.ts';
import { admitCertificateRequest } from '../admission/certificates.ts';
import { restrictNode } from '../admission/node-restriction.ts';
import { restrictRoles } from '../authorization/restrict-roles.ts';
import { CachedObject } from '../cache/cached-object.ts';
import { MAX_GENERATE_NAME_ATTEMPTS, MAX_WRITE_RETRIES } from '../limits.ts';
import { allocate, isService } from '../services/allocate.ts';
import { type ChoiceLost, type ServiceChange, writeHoldings } from '../services/hold-addresses.ts';
import { type DeletionStep, isReleased, planDeletion, type Propagation } from '../registry/deletion.ts';
import { admitQuotas, mayBeCounted, quotasOf } from '../quota/quotas.ts';
import { admit, refuseInvalid, refuseInvalidChange, refuseInvalidNew } from '../registry/kind-rules.ts';
import { timedConditions } from '../registry/certificates.ts';
import { type ApiObject, recordOf, withMeta } from '../registry/object.ts';
import {
  bare,
  differsInTimesOnly,
  ownedByCreator,
  type OwnersAfterWrite,
  ownersAfterWrite,
  withManagedFields,
  type Writer,
} from '../registry/owners.ts';
import { resized } from '../registry/pods.ts';
import { countGeneration, metaForCreate, metaForUpdate, sameValue } from '../registry/object-meta.ts';
import { keyOf, nameInKey, type Registration } from '../registry/registration.ts';
import type { Written } from '../registry/storage.ts';
import type { Call, StoredKind } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';

export interface Creation {
  readonly dryRun: boolean;
  /** Who owns what was posted; absent: the object says that already. */
  readonly manager?: string;
}

/** Stores a new object. With `generateName` a taken name is tried again with another suffix. */
export async function createObject(
  call: Call,
  posted: ApiObject,
  { dryRun, manager }: Creation,
): Promise<CachedObject> {
  await admitNamespace(call, posted.metadata.name || posted.metadata.generateName || '');
  const now = formatTime(call.server.ports.clock.now().wall);
  // Before admission: what that adds has no owner.
  const owned = manager === undefined ? posted : ownedByCreator(call.registration, posted, manager, now);
  const given = await admitNew(call, owned);
  return holdingAll(call, () => createAdmitted(call, given, dryRun));
}

/** Runs a write alone among those that take from the same: addresses of services, quotas of a namespace. */
async function holdingAll<T>(call: Call, write: () => Promise<T>): Promise<T> {
  const { server, registration, info } = call;
  const held = isService(registration) ? () => server.writes.exclusive.run('services', write) : write;
  const { namespace = '' } = info;
  if (!mayBeCounted(registration) || (await quotasOf(server, namespace)).length === 0) return held();
  // A write that waits for a webhook lets no other kind wait: nothing else is counted with objects of its kind.
  const { group, resource } = registration.row;
  const kind = registration.form?.elsewhere === undefined ? '' : `/${group}/${resource}`;
  return server.writes.exclusive.run(`quotas/${namespace}${kind}`, held);
}

async function createAdmitted(call: Call, given: ApiObject, dryRun: boolean): Promise<CachedObject> {
  const { server, registration, storage } = call;
  const { row } = registration;
  const generated = !given.metadata.name && given.metadata.generateName ? given.metadata.generateName : undefined;
  for (let [attempt, lost] = [1, 0]; ; attempt++) {
    const named =
      generated === undefined
        ? given
        : withMeta(given, { name: generateName(generated, (length) => server.ports.random.suffix(length)) });
    const object = await prepareNew(call, named);
    const name = object.metadata.name ?? '';
    const key = keyOf(registration, object.metadata.namespace, name);
    if (dryRun) {
      if ((await call.storage.read(key)) === undefined)
        return new CachedObject(key, 0, await toStored(registration, object));
    } else {
      const stored = await toStored(registration, object);
      const put = (): Promise<Written> => storage.put(key, stored, 0);
      const written = await writeHolding(call, { before: undefined, after: object }, put);
      if (written.ok === true) return written.item;
      if (written.ok === 'lost') {
        // Another server gave the address or port away meanwhile: the choice is made again, or refused.
        if (++lost > MAX_WRITE_RETRIES) throw conflict(row, name);
        attempt--;
        continue;
      }
    }
    if (generated === undefined || attempt >= MAX_GENERATE_NAME_ATTEMPTS) throw alreadyExists(row, name);
  }
}

/** One write of the object, together with what belongs to it alone. */
function writeHolding(
  { server, registration }: Call,
  change: ServiceChange,
  write: () => Promise<Written>,
): Promise<Written | ChoiceLost> {
  return isService(registration) ? writeHoldings(server, change, write) : write();
}

export async function prepareNew(call: Call, given: ApiObject): Promise<ApiObject> {
  const { server, registration } = call;
  const { strategy } = registration;
  const now = formatTime(server.ports.clock.now().wall);
  const fresh = { uid: server.ports.random.uuid(), now, hasGeneration: strategy.hasGeneration === true };
  const admitted = admit(registration, metaForCreate(given, fresh), server.writes.admission);
  const prepared = await allocate(call, strategy.prepareForCreate?.(admitted, call.user) ?? admitted);
  const object = canonical(registration, prepared);
  await restrictNode(call, { operation: 'create', part: '', object });
  refuseInvalidNew(registration, object);
  await refuseMore(call, object, undefined);
  await server.ports.breather.pause('request');
  await restrictRoles(call, object, undefined);
  await admitCertificateRequest(call, '', object, undefined);
  call.warnings.push(...warningsOf(registration.row, object), ...healingWarnings(object, undefined));
  await admitQuotas(call, object, undefined);
  return object;
}

/** Throws 422 for what only a longer look finds. */
async function refuseMore(
  { registration, server }: Call,
  object: ApiObject,
  old: ApiObject | undefined,
): Promise<void> {
  if (registration.checkMore === undefined) return;
  refuseInvalid(registration, object, await registration.checkMore(object, old, server.writes.rules));
}

/** Throws when the namespace of a new object is missing or going. */
async function admitNamespace(call: Call, objectName: string): Promise<void> {
  const { registration, info, server } = call;
  if (!registration.row.namespaced) return;
  const name = info.namespace ?? '';
  const namespace = await readCurrent(server, 'namespaces', undefined, name);
  admitToNamespace(name, namespace, registration.row, objectName);
}

export interface Change {
  /** Which part may change: '' the object itself, else the subresource's. */
  readonly part: '' | 'status' | 'finalize' | 'ephemeralcontainers' | 'binding' | 'resize' | 'approval';
  readonly dryRun: boolean;
  /**
   * Who owns what changes. "given": the new object says who owns what. Absent: nobody, as upstream has it for what its
   * server changes on its own.
   */
  readonly owner?: Writer | 'given';
  /** What does not exist is no error: the caller creates it. */
  readonly orCreate?: boolean;
  /** The new object from the old one, both in the served form; its resourceVersion, if any, is the precondition. */
  readonly change: (old: ApiObject, kind: StoredKind) => ApiObject | Promise<ApiObject>;
  /**
   * It changes nothing but metadata: an object whose conversion somebody else does is changed in the version that it is stored in, and
   * whoever cannot convert it stops no garbage collection.
   */
  readonly isOfMetadata?: boolean;
}

export type Changed =
  | { readonly kind: 'changed' | 'same'; readonly item: CachedObject }
  /** Its deletion waited for this change. */
  | { readonly kind: 'removed'; readonly item: CachedObject };

/** Changes a stored object. Throws 404, 409, 422; `undefined` only when it does not exist and PUT may create it. */
export function changeObject(call: Call, key: string, request: Change): Promise<Changed | undefined> {
  if (request.part !== '' && request.part !== 'resize') return changeStored(call, key, request);
  return holdingAll(call, () => changeStored(call, key, request));
}

/**
 * Begins with the object in the cache, which saves a read of the store and is nearly always right; a write from an old state
 * fails there and is decided again. Only an outcome without a write (an error, nothing to do) is checked before it is
 * reported.
 */
async function changeStored(call: Call, key: string, request: Change): Promise<Changed | undefined> {
  const { registration, storage } = call;
  const name = nameInKey(key);
  const cached = storage.peek(key);
  let old = cached ?? (await storage.read(key));
  let isGuess = cached !== undefined;
  for (let attempt = 0; ; attempt++) {
    if (old === undefined) {
      if (request.orCreate === true) return undefined;
      if (request.part === '' && registration.strategy.createOnUpdate === true) return undefined;
      throw notFound(registration.row, name);
    }
    const outcome = await attemptChange(call, key, request, old).catch(
      (error: unknown) => ({ kind: 'error', error }) as const,
    );
    if (outcome.kind === 'lost') {
      if (attempt >= MAX_WRITE_RETRIES) throw conflict(registration.row, name);
      old = outcome.current;
      isGuess = false;
      continue;
    }
    if (isGuess && (outcome.kind === 'error' || outcome.kind === 'same')) {
      const newest = await storage.read(key);
      isGuess = false;
      if (newest?.revision !== old.revision) {
        old = newest;
        continue;
      }
    }
    if (outcome.kind === 'error') throw outcome.error;
    return outcome;
  }
}

type Attempt = Changed | { readonly kind: 'lost'; readonly current: CachedObject | undefined };

async function attemptChange(asked: Call, key: string, request: Change, old: CachedObject): Promise<Attempt> {
  const call = request.isOfMetadata === true ? inStoredVersion(asked, old) : asked;
  const { registration, storage } = call;
  const before = await toServed(registration, old.object);
  const { part } = request;
  // A kubelet learns no more about an object that is not its own.
  await restrictNode(call, { operation: 'update', part, object: before, old: before });
  const sent = await request.change(before, registration);
  const { entries, areSent } = await ownersAfter(call, request, sent, before);
  const wanted = areSent ? sent : bare(sent);
  refuseStale(registration, nameInKey(key), wanted, before);
  await call.server.ports.breather.pause('request');
  const prepared = await prepareChanged(call, wanted, before, part);
  const object = withManagedFields(prepared, entries);
  await restrictNode(call, { operation: 'update', part, object, old: before });
  await call.server.ports.breather.pause('request');
  const isSame = sameValue(object, before) || differsInTimesOnly(object, before);
  // What lies there in an old version is written in today's (so objects are migrated).
  if (isSame && registration.form?.isCurrent?.(old.object) !== false) return { kind: 'same', item: old };
  await call.server.ports.breather.pause('request');
  const released = isReleased(object, registration.strategy);
  if (request.dryRun) return { kind: released ? 'removed' : 'changed', item: await dryItem(registration, old, object) };
  const stored = await toStored(registration, object);
  const write = (): Promise<Written> =>
    released ? storage.delete(key, old.revision) : storage.put(key, stored, old.revision);
  const written = await writeHolding(call, { before, after: released ? undefined : object }, write);
  if (written.ok === 'lost') return { kind: 'lost', current: old };
  if (!written.ok) return { kind: 'lost', current: written.current };
  if (!released) return { kind: 'changed', item: written.item };
  return { kind: 'removed', item: new CachedObject(key, written.item.revision, stored) };
}

/** The call as one of the version that the object is stored in, where that spares a conversion that may fail. */
function inStoredVersion(call: Call, { object }: CachedObject): Call {
  const registration = call.registration.form?.elsewhere?.inStoredVersion(object);
  return registration === undefined ? call : { ...call, registration };
}

/** The managers of the object after this change. */
function ownersAfter(
  call: Call,
  { owner }: Change,
  after: ApiObject,
  before: ApiObject,
): OwnersAfterWrite | Promise<OwnersAfterWrite> {
  if (owner === 'given') return { entries: after.metadata.managedFields, areSent: false };
  if (owner === undefined) return { entries: before.metadata.managedFields, areSent: false };
  const now = formatTime(call.server.ports.clock.now().wall);
  const work = (): OwnersAfterWrite => ownersAfterWrite(call.registration, { before, after, writer: owner, now });
  // Nearly all kinds need no conversion: a promise for each write would cost as much as the rest of this function.
  if (call.registration.form?.elsewhere === undefined) return work();
  return withOtherVersions(call.registration, work).catch((error: unknown) => {
    // Who owns what never fails a write that could be made without knowing it.
    if (!(error instanceof StatusError) || error.code !== 500) throw error;
    return { entries: before.metadata.managedFields, areSent: false };
  });
}

function refuseStale(registration: Registration, name: string, wanted: ApiObject, old: ApiObject): void {
  const { row, strategy } = registration;
  const { resourceVersion, uid } = wanted.metadata;
  if (!resourceVersion && strategy.needsResourceVersion === true) {
    const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
    refuseInvalid(registration, wanted, [error]);
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw conflict(row, name);
  if (uid && uid !== old.metadata.uid) {
    throw conflict(
      row,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
}

async function prepareChanged(call: Call, wanted: ApiObject, old: ApiObject, part: Change['part']): Promise<ApiObject> {
  const { registration } = call;
  const { strategy, row } = registration;
  // The precondition is checked; from here on it is the version that is replaced.
  let object = withMeta(metaForUpdate(wanted, old), { resourceVersion: old.metadata.resourceVersion ?? '' });
  if (part === 'status') {
    object = withParts(old, { metadata: object.metadata, status: object['status'] });
    const now = formatTime(call.server.ports.clock.now().wall);
    object = strategy.prepareForStatusUpdate?.(object, old, now) ?? object;
  } else if (part === 'finalize') {
    object = withParts(old, { metadata: object.metadata, spec: object['spec'] });
  } else if (part === 'ephemeralcontainers') {
    const { ephemeralContainers } = recordOf(object['spec']);
    object = withParts(old, { spec: { ...recordOf(old['spec']), ephemeralContainers } });
  } else if (part === 'approval') {
    // Only the conditions of the status: the issued certificate stays (upstream: csrApprovalStrategy).
    const { conditions } = recordOf(object['status']);
    object = withParts(old, { metadata: object.metadata, status: { ...recordOf(old['status']), conditions } });
    object = timedConditions(object, old, formatTime(call.server.ports.clock.now().wall));
  } else if (part === 'resize') {
    object = resized(object, old);
    await admitResize(call, object);
  } else if (part === '') {
    if (row.subresources.some((entry) => entry.name === 'status'))
      object = withParts(object, { status: old['status'] });
    object = strategy.prepareForUpdate?.(object, old) ?? object;
    object = await allocate(call, admit(registration, object, call.server.writes.admission, old));
    await admitChanged(call, object);
  }
  await call.server.ports.breather.pause('request');
  object = canonical(registration, object, old);
  await call.server.ports.breather.pause('request');
  // To be given a node is no change of what is wanted: a pod that was just bound still has generation 1.
  if (strategy.hasGeneration === true && part !== 'binding')
    object = countGeneration(schemaOf(row), object, old, strategy.countsStatus);
  refuseInvalidChange(registration, object, old, part);
  await refuseMore(call, object, old);
  await call.server.ports.breather.pause('request');
  if (part === '') await restrictRoles(call, object, old);
  if (part === '') await admitGrowth(call, object, old);
  await admitCertificateRequest(call, part, object, old);
  if (part === '') call.warnings.push(...warningsOf(registration.row, object), ...healingWarnings(object, old));
  if (part === '' || part === 'resize') await admitQuotas(call, object, old);
  return object;
}

/** The object as upstream's types would hold it: this form is compared, checked and stored from here on. */
function canonical({ row }: Registration, object: ApiObject, old?: ApiObject): ApiObject {
  return schemaOf(row).canonical(object, old);
}

/** `object` with other top-level fields; an undefined one is dropped. */
function withParts(object: ApiObject, parts: Partial<ApiObject>): ApiObject {
  const entries = Object.entries({ ...object, ...parts }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ApiObject;
}

async function dryItem(registration: Registration, old: CachedObject, object: ApiObject): Promise<CachedObject> {
  const metadata = { ...object.metadata, resourceVersion: String(old.revision) };
  return new CachedObject(old.key, old.revision, await toStored(registration, { ...object, metadata }));
}

export interface Removal {
  readonly gracePeriodSeconds: number | undefined;
  /** Absent: as the kind has it. */
  readonly propagation?: Propagation;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
  /** An object that cannot be read is deleted nevertheless. */
  readonly ignoreStoreReadError?: boolean;
}

export interface Removed {
  readonly item: CachedObject;
  /** False: the deletion only began, or continues. */
  readonly gone: boolean;
}

/** Deletes, or begins to. Throws 404, 409. */
export async function removeObject(call: Call, key: string, name: string, removal: Removal): Promise<Removed> {
  const { registration, storage, server } = call;
  let old = await storage.read(key);
  for (let attempt = 0; ; attempt++) {
    if (old === undefined) throw notFound(registration.row, name);
    await restrictNode(call, { operation: 'delete', part: '', object: old.object });
    refusePreconditions(registration, name, old.object, removal);
    const step = planDeletion(old.object, registration.strategy, {
      gracePeriodSeconds: removal.gracePeriodSeconds,
      ...(removal.propagation === undefined ? {} : { propagation: removal.propagation }),
      now: server.ports.clock.now().wall,
    });
    if (removal.dryRun || step.kind === 'wait') return { item: dryDeletion(old, step), gone: step.kind === 'remove' };
    const { object, revision } = old;
    const after = step.kind === 'remove' ? undefined : step.object;
    const write = (): Promise<Written> =>
      after === undefined ? storage.delete(key, revision) : storage.put(key, after, revision);
    const written = await writeHolding(call, { before: object, after }, write);
    if (written.ok === true) return { item: written.item, gone: step.kind === 'remove' };
    if (attempt >= MAX_WRITE_RETRIES) throw conflict(registration.row, name);
    if (!written.ok) old = written.current;
  }
}

function dryDeletion(old: CachedObject, step: DeletionStep): CachedObject {
  return step.kind === 'mark' ? new CachedObject(old.key, old.revision, step.object) : old;
}

function refusePreconditions(registration: Registration, name: string, object: ApiObject, removal: Removal): void {
  const { uid, resourceVersion } = object.metadata;
  if (removal.uid !== undefined && removal.uid !== uid) {
    const text = `the UID in the precondition (${removal.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(registration.row, name, text);
  }
  if (removal.resourceVersion !== undefined && removal.resourceVersion !== resourceVersion) {
    const text = `the ResourceVersion in the precondition (${removal.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw conflict(registration.row, name, text);
  }
}

/** Runs what looks at owners of fields in other versions of the kind. Rejects with 500 for what cannot be converted. */
export async function withOtherVersions<T>({ form }: Registration, work: () => T | Promise<T>): Promise<T> {
  return form?.elsewhere === undefined ? work() : form.elsewhere.withOtherVersions(work);
}

/** A stored object in the form that the path serves. Throws, or rejects with, 500 for one that cannot be converted. */
function toServed({ form }: Registration, object: ApiObject): ApiObject | Promise<ApiObject> {
  if (form === undefined) return object;
  const prepared = form.elsewhere?.prepareServed([object]);
  return prepared === undefined ? form.fromStored(object) : prepared.then(() => form.fromStored(object));
}

/** An object of the path in the form that is stored. Throws, or rejects with, 500 for one that cannot be converted. */
export function toStored({ form }: Registration, object: ApiObject): ApiObject | Promise<ApiObject> {
  if (form === undefined) return object;
  const prepared = form.elsewhere?.prepareStored(object);
  return prepared === undefined ? form.toStored(object) : prepared.then(() => form.toStored(object));
}
