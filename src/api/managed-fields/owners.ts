/**
 * Who owns what after a write (upstream: structured-merge-diff, merge/update.go, and the wrappers of apimachinery's field
 * manager). All pure: objects and managers are values.
 */
import { compareObjects, type Comparison, isSame, withoutFields } from './compare.ts';
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  recursiveDifference,
  setOf,
  union,
} from './field-set.ts';
import type { ManagedFieldsEntry } from '../types.gen.ts';
import { entryOf, type Manager, managerId, type Managers, type Owned, secondsOf } from './managers.ts';
import { sharedFieldsText } from './new-fields.ts';
import { fieldElement } from './path-element.ts';
import type { Place } from './place.ts';
import { reconcileSet } from './reconcile.ts';

/** What a schema, and a kind, say beyond the objects themselves. */
export interface Ground {
  readonly place: Place;
  /** The version of the objects. */
  readonly apiVersion: string;
  /** Fields that this way of writing cannot change (upstream: GetResetFields). */
  readonly reset?: FieldSet;
  /** Another version of the kind; undefined: it is not served, and who owns fields in it is forgotten. Absent: there is one version. */
  readonly otherVersion?: (apiVersion: string) => OtherVersion | undefined;
}

/** A version of a kind beside that of the objects. */
export interface OtherVersion {
  readonly place: Place;
  /** From the version of the objects to this one. */
  readonly to: (object: object) => object;
  readonly back: (object: object) => object;
}

const AS_IS = (object: object): object => object;

/** A version as seen from that of the objects. */
export function versionOf(ground: Ground, apiVersion: string): OtherVersion | undefined {
  if (apiVersion === ground.apiVersion) return { place: ground.place, to: AS_IS, back: AS_IS };
  return ground.otherVersion?.(apiVersion);
}

/** Updates that have entries of their own; older ones share one. */
export const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

const metadata = (name: string): string[] => [fieldElement('metadata'), fieldElement(name)];

/** Fields that everybody sends or nobody chooses: they have no owner. */
const NOBODYS: FieldSet = setOf(
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  [fieldElement('metadata')],
  metadata('name'),
  metadata('namespace'),
  metadata('creationTimestamp'),
  metadata('selfLink'),
  metadata('uid'),
  metadata('clusterName'),
  metadata('generation'),
  metadata('managedFields'),
  metadata('resourceVersion'),
);

export function withoutNobodys(set: FieldSet): FieldSet {
  return difference(set, NOBODYS);
}

/**
 * The entries of a new object that says nothing of owners itself: its creator owns all that `after` has beyond `before`.
 * The same as `managersAfterUpdate` without managers, for less work.
 * @param before see `newFieldsText`; the same object for all objects of a kind
 */
export function entriesOfNew({ before, after, manager, now }: Update, ground: Ground): ManagedFieldsEntry[] {
  const fields = sharedFieldsText(before, after, ground.place, NOBODYS);
  if (fields === '{}') return [];
  return [entryOf({ ...manager, operation: 'Update', apiVersion: ground.apiVersion, time: now }, fields)];
}

export interface Update {
  readonly before: object;
  readonly after: object;
  /** Who writes; its version is the ground's. */
  readonly manager: Pick<Manager, 'name' | 'subresource'>;
  /** RFC 3339 */
  readonly now: string;
}

/**
 * The managers after any write but an apply: who writes owns all that it changed or added, and what is gone has no owner.
 * @returns undefined when nothing differs
 */
export function managersAfterUpdate(
  managers: () => Managers,
  { before, after, manager, now }: Update,
  ground: Ground,
): Map<string, Owned> | undefined {
  const compared = compareObjects(before, after, ground.place);
  if (isSame(compared)) return undefined;
  const seen = ground.reset === undefined ? compared : withoutFields(compared, ground.reset);
  const known = reconciled(managers(), before, ground);
  const { apiVersion } = ground;
  const self: Manager = { ...manager, operation: 'Update', apiVersion };
  const id = managerId(self);
  const { left } = withoutChanged(known, seen, { before, after, ground }, id);
  const taken = withoutNobodys(union(seen.modified, seen.added));
  const previous = left.get(id);
  if (previous !== undefined) {
    const set = union(difference(previous.set, seen.removed), taken);
    if (isEmptySet(set)) left.delete(id);
    else left.set(id, { ...previous, set, time: isEmptySet(taken) ? previous.time : now });
  } else if (!isEmptySet(taken)) left.set(id, { ...self, set: taken, time: now });
  return capped(left);
}

/** Fields of others that a write changes. */
export interface Conflict {
  readonly manager: Owned;
  readonly set: FieldSet;
}

interface Written {
  readonly before: object;
  readonly after: object;
  readonly ground: Ground;
}

/**
 * What stays with each manager when a write changes fields, and whose fields those were.
 * @param except the id of the one that writes, whose set stays as it is
 */
export function withoutChanged(
  managers: Managers,
  compared: Comparison,
  { before, after, ground }: Written,
  except?: string,
): { readonly left: Map<string, Owned>; readonly conflicts: Conflict[] } {
  const versions = new Map<string, Comparison | undefined>([[ground.apiVersion, compared]]);
  const inVersion = (apiVersion: string): Comparison | undefined => {
    if (!versions.has(apiVersion)) versions.set(apiVersion, compareIn(apiVersion, before, after, ground));
    return versions.get(apiVersion);
  };
  const left = new Map<string, Owned>();
  const conflicts: Conflict[] = [];
  for (const [id, owned] of managers) {
    if (id === except) {
      left.set(id, owned);
      continue;
    }
    const differs = inVersion(owned.apiVersion);
    // Its version is not served any more.
    if (differs === undefined) continue;
    const lost = intersection(owned.set, union(differs.modified, differs.added));
    if (!isEmptySet(lost)) conflicts.push({ manager: owned, set: lost });
    const set = difference(difference(owned.set, lost), differs.removed);
    if (!isEmptySet(set)) left.set(id, set === owned.set ? owned : { ...owned, set });
  }
  return { left, conflicts };
}

function compareIn(apiVersion: string, before: object, after: object, ground: Ground): Comparison | undefined {
  const version = versionOf(ground, apiVersion);
  return version === undefined ? undefined : compareObjects(version.to(before), version.to(after), version.place);
}

/** Managers whose sets follow today's schema. */
export function reconciled(managers: Managers, live: object, ground: Ground): Map<string, Owned> {
  const result = new Map<string, Owned>();
  for (const [id, owned] of managers) {
    const version = versionOf(ground, owned.apiVersion);
    if (version === undefined) continue;
    const set = reconcileSet(owned.set, version.place, version.to(live));
    result.set(id, set === owned.set ? owned : { ...owned, set });
  }
  return result;
}

/** At most ten managers that update: the oldest of one version share an entry. */
function capped(managers: Map<string, Owned>): Map<string, Owned> {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  let count = updaters.length;
  if (count <= MAX_UPDATE_MANAGERS) return managers;
  updaters.sort(([a, { time: x }], [b, { time: y }]) => secondsOf(x) - secondsOf(y) || (a < b ? -1 : 1));
  const firsts = new Map<string, string>();
  for (const [id, owned] of updaters) {
    if (count <= MAX_UPDATE_MANAGERS) break;
    const { apiVersion } = owned;
    const bucket: Manager = { name: ANCIENT, operation: 'Update', apiVersion, subresource: '' };
    const key = managerId(bucket);
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, id);
      continue;
    }
    let ancient = managers.get(key);
    if (ancient === undefined) {
      ancient = managers.get(first);
      managers.delete(first);
    }
    managers.delete(id);
    // Its time is that of the youngest change in it.
    managers.set(key, { ...bucket, set: union(owned.set, ancient?.set ?? emptySet()), time: owned.time });
    count -= 1;
  }
  return managers;
}

/** `set` without fields that this way of writing cannot change. */
export function withoutReset(set: FieldSet, { reset }: Ground): FieldSet {
  return reset === undefined ? set : recursiveDifference(set, reset);
}
