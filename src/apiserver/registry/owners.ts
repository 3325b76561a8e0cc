/** Who owns which fields of an object after a write of this server (upstream: apimachinery's field managers, in the verbs). */
import {
  apiVersionOf,
  entriesOfNew,
  type FieldSet,
  fieldElement,
  type Ground,
  type ManagedFieldsEntry,
  type Managers,
  managersAfterUpdate,
  type Owned,
  placeOfKind,
  readManagers,
  type ResourceRow,
  schemaOf,
  setOf,
  writeManagers,
} from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { type ApiObject, isRecord, withMeta } from './object.ts';
import { sameValue } from './object-meta.ts';
import type { Registration, ServedForm } from './registration.ts';

/** Who writes, and through which subresource ("" : none). */
export interface Writer {
  readonly name: string;
  readonly subresource: string;
}

const FIELD_MANAGER_BYTES = 128;

/**
 * The manager of a request: the one that it names, else the first part of its User-Agent, cut to what a name may have (upstream:
 * managerOrUserAgent).
 */
export function managerName(fieldManager: string | null, userAgent = ''): string {
  if (fieldManager) return fieldManager;
  const known = namesOfAgents.get(userAgent);
  if (known !== undefined) return known;
  const name = nameOfAgent(userAgent);
  if (userAgent.length > MAX_REMEMBERED_AGENT_CHARACTERS) return name;
  if (namesOfAgents.size >= MAX_REMEMBERED_AGENTS) namesOfAgents.clear();
  namesOfAgents.set(userAgent, name);
  return name;
}

/** Nearly all requests come from a few programs. */
const namesOfAgents = new Map<string, string>();
const MAX_REMEMBERED_AGENTS = 200;
const MAX_REMEMBERED_AGENT_CHARACTERS = 512;

function nameOfAgent(userAgent: string): string {
  const [product = ''] = userAgent.split('/');
  let name = '';
  let bytes = 0;
  for (const character of product) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    bytes += encodeText(character).length;
    if (bytes > FIELD_MANAGER_BYTES) break;
    name += character;
  }
  return name === '' ? 'unknown' : name;
}

/** What kinds and subresources say about ownership. */
export function groundOf({ row, form }: Registration, subresource: string): Ground {
  const apiVersion = apiVersionOf(row);
  const reset = resetFields(
    row.resource,
    row.subresources.some(({ name }) => name === 'status'),
    subresource,
  );
  return {
    place: schemaOf(row).place,
    apiVersion,
    ...(reset === undefined ? {} : { reset }),
    ...(form === undefined ? {} : { otherVersion: storedVersion(row, form) }),
  };
}

/** The version that the kind's objects are stored in, for a kind that is served in another one. */
function storedVersion({ kind }: ResourceRow, form: ServedForm): NonNullable<Ground['otherVersion']> {
  if (form.otherVersion !== undefined) return (apiVersion) => form.otherVersion?.(apiVersion);
  return (apiVersion) => {
    const place = placeOfKind(apiVersion, kind);
    if (place === undefined || apiVersion !== 'v1') return undefined;
    return {
      place,
      to: (object) => form.toStored(object as ApiObject),
      back: (object) => form.fromStored(object as ApiObject),
    };
  };
}

const field = (...names: readonly string[]): string[] => names.map(fieldElement);
const STATUS = setOf(field('status'));
const SPEC = setOf(field('spec'));
/** Beside the spec, by resource. */
const STATUS_RESETS: Readonly<Record<string, FieldSet>> = {
  deployments: setOf(field('spec'), field('metadata', 'labels')),
  pods: setOf(field('spec'), field('metadata', 'deletionTimestamp'), field('metadata', 'ownerReferences')),
};

/** Fields that a way of writing cannot change: who writes does not own them. */
function resetFields(resource: string, hasStatus: boolean, subresource: string): FieldSet | undefined {
  switch (subresource) {
    case '':
    case 'finalize':
      return hasStatus ? STATUS : undefined;
    case 'status':
    case 'approval':
      return (Object.hasOwn(STATUS_RESETS, resource) ? STATUS_RESETS[resource] : undefined) ?? SPEC;
    default:
      return undefined;
  }
}

/** The state before an object is created: what upstream's types are before anything is set. */
export function emptyObject({ row }: Registration): ApiObject {
  const apiVersion = apiVersionOf(row);
  const known = empties.get(row);
  if (known !== undefined) return known;
  const empty = schemaOf(row).canonical<ApiObject>({ apiVersion, kind: row.kind, metadata: {} });
  empties.set(row, empty);
  return empty;
}

const empties = new WeakMap<object, ApiObject>();

/** A new object with its creator as the owner of all that was sent. */
export function ownedByCreator(registration: Registration, posted: ApiObject, name: string, now: string): ApiObject {
  const before = emptyObject(registration);
  const written = { before, after: posted, writer: { name, subresource: '' }, now };
  return withManagedFields(posted, ownersAfterWrite(registration, written).entries);
}

export interface WrittenObject {
  readonly before: ApiObject;
  /** As the client wants it, with defaults. */
  readonly after: ApiObject;
  readonly writer: Writer;
  /** RFC 3339 */
  readonly now: string;
}

export interface OwnersAfterWrite {
  readonly entries: readonly ManagedFieldsEntry[] | undefined;
  /** The client sent entries that count: they are to be checked like the rest of the object. */
  readonly areSent: boolean;
}

/**
 * The managers of an object after a write. Who owns what never fails a write: entries that cannot be read count as those of the object
 * before.
 */
export function ownersAfterWrite(
  registration: Registration,
  { before, after, writer, now }: WrittenObject,
): OwnersAfterWrite {
  const given = writer.subresource === '' ? after.metadata.managedFields : undefined;
  const old = before.metadata.managedFields;
  if (isReset(given)) return { entries: undefined, areSent: false };
  const own = given === undefined || given === old ? undefined : readable(given);
  const areSent = own !== undefined;
  const base = own ?? old;
  const isNew = !before.metadata.uid;
  // Who changes an object that nobody ever applied or created under this rule is not followed: its first apply does that.
  if ((base === undefined || base.length === 0) && !isNew) return { entries: undefined, areSent };
  const ground = groundOf(registration, writer.subresource);
  const update = {
    before: bare(before),
    after: comparable(registration, { before, after, ground }),
    manager: writer,
    now,
  };
  if (before === emptyObject(registration) && base === undefined) {
    return { entries: entriesOfNew(update, ground), areSent };
  }
  const managers = managersAfterUpdate(() => managersOf(base), update, ground);
  if (managers !== undefined) return { entries: writeManagers(managers), areSent };
  return { entries: areSent ? writeManagers(managersOf(base)) : base, areSent };
}

/** The wanted object in its canonical form; parts that this write cannot change are those of the object before. */
function comparable(
  { row }: Registration,
  { before, after, ground }: { readonly before: ApiObject; readonly after: ApiObject; readonly ground: Ground },
): ApiObject {
  const object: Record<string, unknown> = { ...bare(after) };
  for (const [element, { owned }] of ground.reset?.children ?? []) {
    const name = element.slice(2);
    if (!owned) continue;
    if (before[name] === undefined) delete object[name];
    else object[name] = before[name];
  }
  return schemaOf(row).canonical(object as ApiObject, before);
}

/** `[{}]`: a client wants the object to have no managers (upstream: isResetManagedFields). */
function isReset(given: readonly ManagedFieldsEntry[] | undefined): boolean {
  return given?.length === 1 && isRecord(given[0]) && Object.keys(given[0]).length === 0;
}

/** The entries that a client sent, unless they say nothing. */
function readable(given: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] | undefined {
  try {
    return readManagers(given).size === 0 ? undefined : given;
  } catch {
    return undefined;
  }
}

/** None when they cannot be read. */
export function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): Managers {
  try {
    return readManagers(entries);
  } catch {
    return new Map<string, Owned>();
  }
}

/** The object without its managers: they are no field of it in this respect. */
export function bare(object: ApiObject): ApiObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function withManagedFields(object: ApiObject, entries: readonly ManagedFieldsEntry[] | undefined): ApiObject {
  if (entries === object.metadata.managedFields) return object;
  if (entries === undefined || entries.length === 0) return bare(object);
  return withMeta(object, { managedFields: entries as ManagedFieldsEntry[] });
}

/** Whether nothing differs but when managers wrote: that is no change (upstream: IgnoreManagedFieldsTimestampsTransformer). */
export function differsInTimesOnly(object: ApiObject, old: ApiObject): boolean {
  const [after = [], before = []] = [object.metadata.managedFields, old.metadata.managedFields];
  if (after.length !== before.length || !after.every((entry) => before.some((other) => isSameButTime(entry, other)))) {
    return false;
  }
  return sameValue(bare(object), bare(old));
}

function isSameButTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean {
  return (
    a.fieldsV1 === b.fieldsV1 &&
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource
  );
}

/** Entries as clients see them: their fields are objects. */
export function withFieldsAsObjects(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.map((entry) =>
    typeof entry.fieldsV1 === 'string' ? { ...entry, fieldsV1: JSON.parse(entry.fieldsV1) as unknown } : entry,
  );
}

/** The object as clients see it, for patches that name parts of its managed fields. */
export function asClientsSeeIt(object: ApiObject): ApiObject {
  const { managedFields } = object.metadata;
  return managedFields === undefined ? object : withMeta(object, { managedFields: withFieldsAsObjects(managedFields) });
}
