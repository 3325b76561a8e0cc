/** One kind whose objects are stored: everything that the generic verbs need to know of it. */
import type { FieldError, OtherVersion, Quantity, ResourceRow, RuleEngine } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { TableKind } from '../tables/table.ts';
import type { ApiObject } from './object.ts';

/** The differences of a kind from the generic path. Every hook is pure and returns a new object. */
export interface Strategy {
  /** Drops what a creator may not set, and sets what creation sets. `user`: the creator. */
  prepareForCreate?(object: ApiObject, user: UserInfo): ApiObject;
  /** The same for a change of the object itself; the generic path has already kept the old status. */
  prepareForUpdate?(object: ApiObject, old: ApiObject): ApiObject;
  /** For a change of its status; the generic path has already kept everything but metadata and status. */
  /** @param now RFC 3339 */
  prepareForStatusUpdate?(object: ApiObject, old: ApiObject, now: string): ApiObject;
  /** metadata.generation counts changes of the spec. */
  readonly hasGeneration?: boolean;
  /** A change of the status counts as well: it is a field like others, and has no subresource. */
  readonly countsStatus?: boolean;
  /** PUT may create what does not exist (events, leases). */
  readonly createOnUpdate?: boolean;
  /** PUT without a resourceVersion is refused (leases). */
  readonly needsResourceVersion?: boolean;
  /** Seconds between the request to delete it and its end; absent: the kind has no graceful deletion. */
  gracePeriodSeconds?(object: ApiObject, asked: number | undefined): number;
  /** Holds the deletion of an object that has no metadata.finalizers (namespaces: spec.finalizers). */
  isHeld?(object: ApiObject): boolean;
  /** Changes the object when its deletion begins. */
  markDeleting?(object: ApiObject): ApiObject;
  /**
   * The default treatment of dependents when a delete does not say it: they are deleted after it (absent), or stay (kinds
   * with an older API); or it never has any (upstream: DefaultGarbageCollectionPolicy).
   */
  readonly dependentsByDefault?: 'background' | 'orphan' | 'unsupported';
  /** Throws 403 for an object that must stay. `name`: as the path says it. */
  refuseDelete?(name: string): void;
  /** A warning for a delete that does not say what becomes of the dependents. */
  readonly deleteWarning?: string;
  /** Deletes answer with the object, not with a Status. */
  readonly returnsDeleted?: boolean;
}

/** A second form of objects that are stored in another one (events.k8s.io of core events). */
export interface ServedForm {
  /** Throws 500 when it takes a conversion elsewhere that `prepareServed` was not asked for. */
  fromStored(object: ApiObject): ApiObject;
  /** The same with `prepareStored`. */
  toStored(object: ApiObject): ApiObject;
  /** How conversions elsewhere are asked for; absent: there are none. */
  readonly elsewhere?: ConversionElsewhere;
  /** Whether an object lies in the store in the form that it would be stored in today; absent: always. */
  isCurrent?(stored: ApiObject): boolean;
  /** Another version of the kind as owners of fields see it; undefined: the kind has no such version. Absent: `storedVersion` knows. */
  otherVersion?(apiVersion: string): OtherVersion | undefined;
  /** Of several forms of the same objects, this one stands for them where each object counts once. */
  readonly isMain?: boolean;
}

/** Conversions that somebody else does, who may fail: what follows from them is asked for before it is used. */
export interface ConversionElsewhere {
  /** Makes `fromStored` of these possible; undefined: it is. Rejects with 500. */
  prepareServed(objects: readonly ApiObject[]): Promise<void> | undefined;
  /** Makes `toStored` of this one possible. Rejects with 500. */
  prepareStored(object: ApiObject): Promise<void> | undefined;
  /** Runs what uses `otherVersion`, again as soon as a conversion is there that it lacks. Rejects with 500. */
  withOtherVersions<T>(run: () => T | Promise<T>): Promise<T>;
  /** The registration of the version in which an object is stored: changes of its metadata alone need no conversion. */
  inStoredVersion(stored: ApiObject): Registration | undefined;
}

/** By what quotas count objects of a kind, beside `count/RESOURCE.GROUP`. Pure. */
export interface QuotaCount {
  /** Whether the name of an amount in a quota counts objects of the kind. */
  counts(name: string): boolean;
  /** The amounts of one object. `wall` (ms): what has ended counts no more. */
  usage(object: ApiObject, wall: number): Readonly<Record<string, Quantity>>;
}

export interface Registration {
  readonly row: ResourceRow;
  /** The key prefix of its objects, with the trailing slash: "/registry/pods/". */
  readonly keyPrefix: string;
  readonly table: TableKind;
  readonly strategy: Strategy;
  readonly form?: ServedForm;
  /** Stored objects end by themselves (events). */
  readonly expires?: boolean;
  /** Absent: quotas count how many there are. False: quotas count none, since there are many and often written. */
  readonly quota?: QuotaCount | false;
  /** What is wrong with a new or changed (`old`) object beyond the rules of its row. `engine`: for rules in CEL. */
  readonly checkMore?: (
    object: ApiObject,
    old: ApiObject | undefined,
    engine: RuleEngine,
  ) => Promise<readonly FieldError[]>;
}

/** Whether it stands for its objects where each of them counts once: they may be served in several forms. */
export function isMainForm({ form }: Registration): boolean {
  return form === undefined || form.isMain === true;
}

/** The key of an object, or (without `name`) the prefix of all of a namespace or of the resource. */
export function keyOf(registration: Registration, namespace: string | undefined, name?: string): string {
  const { row, keyPrefix } = registration;
  const folder = row.namespaced && namespace !== undefined ? `${keyPrefix}${namespace}/` : keyPrefix;
  return name === undefined ? folder : `${folder}${name}`;
}

/** The name at the end of an object's key. */
export function nameInKey(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
