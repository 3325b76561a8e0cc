/** Applies a configuration to a live object (upstream: structured-merge-diff, merge/update.go). Pure. */
import { allSteps, type Steps } from '../patch/steps.ts';
import { compareObjects, withoutFields } from './compare.ts';
import { difference, emptySet, type FieldSet, intersection, isEmptySet, union, withStructFields } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { type Manager, managerId, type Managers, type Owned } from './managers.ts';
import { mergeObjects } from './merge.ts';
import {
  type Conflict,
  type Ground,
  reconciled,
  versionOf,
  withoutChanged,
  withoutNobodys,
  withoutReset,
} from './owners.ts';
import type { Place } from './place.ts';
import { removeFields } from './remove.ts';
import { isFields, sameJson } from './value.ts';

export interface Application {
  readonly live: object;
  /** It fits its schema (see `problemsOfConfig`). */
  readonly config: object;
  readonly manager: Pick<Manager, 'name' | 'subresource'>;
  /** Fields of others are taken from them. */
  readonly force: boolean;
  /** RFC 3339 */
  readonly now: string;
}

export type Applied =
  | {
      readonly kind: 'applied';
      /** The very `live` when the configuration changes nothing. */
      readonly object: object;
      readonly managers: Map<string, Owned>;
    }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };

/**
 * The live object with the configuration merged into it, without what its manager applied before and does not any more. Who applied
 * the same value owns it, too; a different one of another manager is a conflict unless `force` says otherwise.
 */
export function applyConfig(managers: Managers, application: Application, ground: Ground): Applied {
  return allSteps(applyConfigSteps(managers, application, ground));
}

/** The same in steps: each walk over a large object takes a while. */
export function* applyConfigSteps(managers: Managers, application: Application, ground: Ground): Steps<Applied> {
  const { live, config, manager, force, now } = application;
  const { place, apiVersion } = ground;
  const known = reconciled(managers, live, ground);
  const self: Manager = { ...manager, operation: 'Apply', apiVersion };
  const id = managerId(self);
  const last = known.get(id);
  yield;
  const set = withoutReset(fieldsOf(config, place), ground);
  known.set(id, { ...self, set, time: last?.time });
  yield;
  const merged = mergeObjects(live, config, place);
  yield;
  // Nearly always all is applied again: then nothing goes.
  const isAllThere = last?.apiVersion === apiVersion && isEmptySet(difference(last.set, set));
  const object = isAllThere ? asObject(merged) : yield* prune(merged, known, last, ground);
  yield;
  const all = compareObjects(live, object, place);
  const compared = ground.reset === undefined ? all : withoutFields(all, ground.reset);
  yield;
  const { left, conflicts } = withoutChanged(known, compared, { before: live, after: object, ground }, id);
  if (!force && conflicts.length > 0) return { kind: 'conflict', conflicts };
  yield;
  const isNew = !sameJson(live, object);
  const owned = withoutNobodys(set);
  if (isEmptySet(owned)) left.delete(id);
  else left.set(id, { ...self, set: owned, time: isNew ? now : last?.time });
  return { kind: 'applied', object: isNew ? object : live, managers: left };
}

/** `merged` without what its manager applied last and does not any more, unless another owns it or nobody did. */
function* prune(merged: unknown, managers: Managers, last: Owned | undefined, ground: Ground): Steps<object> {
  const whole = asObject(merged);
  if (last === undefined || isEmptySet(last.set)) return whole;
  const version = versionOf(ground, last.apiVersion);
  if (version === undefined) return whole;
  const { place } = version;
  const from = version.to(whole);
  const without = asObject(removeFields(from, withStructFields(last.set, place), place));
  yield;
  const kept = version.to(yield* addBackOwned(whole, version.back(without), managers, ground));
  yield;
  return version.back(yield* addBackDangling(from, kept, last.set, place));
}

/** Puts back what any manager owns, that of the new configuration among them. */
function* addBackOwned(merged: object, pruned: object, managers: Managers, ground: Ground): Steps<object> {
  const byVersion = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values()) {
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? emptySet(), set));
  }
  let result = pruned;
  for (const [apiVersion, owned] of byVersion) {
    const version = versionOf(ground, apiVersion);
    if (version === undefined) continue;
    const { place } = version;
    const whole = version.to(merged);
    const all = withStructFields(fieldsOf(whole, place), place);
    yield;
    const stays = union(withStructFields(fieldsOf(version.to(result), place), place), withStructFields(owned, place));
    yield;
    result = version.back(asObject(removeFields(whole, difference(all, stays), place)));
  }
  return result;
}

/** Puts back all but what the manager itself owned. */
function* addBackDangling(merged: object, pruned: object, last: FieldSet, place: Place): Steps<object> {
  const all = withStructFields(fieldsOf(merged, place), place);
  yield;
  const stays = withStructFields(fieldsOf(pruned, place), place);
  yield;
  const gone = intersection(difference(all, stays), withStructFields(last, place));
  return asObject(removeFields(merged, gone, place));
}

function asObject(value: unknown): object {
  return isFields(value) ? value : {};
}
