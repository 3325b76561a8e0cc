/** The metadata that the server itself keeps, for every kind (upstream: rest.BeforeCreate, rest.BeforeUpdate). Pure. */
import type { ObjectMeta, ObjectSchema } from '../../api/index.ts';
import { type ApiObject, isRecord, omit } from './object.ts';

/** Fields that no client may set, at creation or later. Managed fields are worked out before (see `owners.ts`). */
const SERVER_OWNED = ['selfLink', 'generation'] as const;

export interface NewMeta {
  readonly uid: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
  readonly hasGeneration: boolean;
}

/** Metadata of a new object: fields of the server are set or dropped. */
export function metaForCreate(object: ApiObject, { uid, now, hasGeneration }: NewMeta): ApiObject {
  const kept = omit(
    object.metadata,
    ...SERVER_OWNED,
    'resourceVersion',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  );
  const metadata: ObjectMeta = { ...kept, uid, creationTimestamp: now, ...(hasGeneration ? { generation: 1 } : {}) };
  return { ...object, metadata: withoutEmptyLists(metadata) };
}

/**
 * Metadata of a changed object. A client may leave out what it can not change: identity and deletion are the old ones. An
 * own wish for them stays visible, so that validation can refuse it.
 */
export function metaForUpdate(object: ApiObject, old: ApiObject): ApiObject {
  const given = omit(object.metadata, ...SERVER_OWNED);
  const before = old.metadata;
  const metadata: ObjectMeta = { ...given };
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (!metadata[field] && before[field] !== undefined) Object.assign(metadata, { [field]: before[field] });
  }
  if (before.generation !== undefined) metadata.generation = before.generation;
  return { ...object, metadata: withoutEmptyLists(metadata) };
}

/** For a change of a status alone: all of the metadata stays but the version that is replaced. */
export function withFormerMetadata(object: ApiObject, old: ApiObject): ApiObject {
  const { resourceVersion } = object.metadata;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...object, metadata: { ...old.metadata, ...version } };
}

/** A patch that takes the last owner or finalizer away leaves an empty list; stored is none (upstream: omitempty). */
function withoutEmptyLists(metadata: ObjectMeta): ObjectMeta {
  if (metadata.finalizers?.length === 0) delete metadata.finalizers;
  if (metadata.ownerReferences?.length === 0) delete metadata.ownerReferences;
  return metadata;
}

/** Fields that do not count as a change of the wanted state. */
const NOT_WANTED: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
/** The same of kinds whose status is a field like others. */
const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Counts the generation up when what is wanted changed. Both are canonical: another spelling of the same is no change. */
export function countGeneration(
  schema: ObjectSchema,
  object: ApiObject,
  old: ApiObject,
  countsStatus = false,
): ApiObject {
  if (schema.equal([object, old], countsStatus ? IDENTITY : NOT_WANTED)) return object;
  return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

/** Whether two JSON values are equal, whatever the order of their fields; absent and undefined are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameValue(a[name], b[name]));
}
