/** ResourceQuota admission: may this write happen? Pure; the caller holds the namespace, so that no two writes share what is left. */
import {
  addQuantities,
  compareQuantities,
  forbidden,
  type Pod,
  type ResourceQuota,
  type ResourceRow,
  subtractQuantities,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Registration } from '../registry/registration.ts';
import { concerns, unspecified, type Usage, usageOf } from './usage.ts';

export interface QuotaCheck {
  readonly registration: Registration;
  /** As it will be. */
  readonly object: ApiObject;
  /** As it was; undefined: it is new. */
  readonly old: ApiObject | undefined;
  readonly quotas: readonly ResourceQuota[];
  /** The present count for a quota, the old object included. */
  readonly usedFor: (quota: ResourceQuota) => Usage;
  /** Wall ms. */
  readonly wall: number;
}

/**
 * Throws 403 when a write asks for more than a quota leaves. Only growth is checked, so that an object above a quota can
 * still shrink.
 */
export function checkQuotas({ registration, object, old, quotas, usedFor, wall }: QuotaCheck): void {
  const { row } = registration;
  const next = usageOf(registration, object, wall);
  const known = old === undefined ? {} : usageOf(registration, old, wall);
  for (const quota of quotas) {
    if (!concerns(quota, row, object)) continue;
    const before = usageBefore(quota, row, old, known);
    const hard = quota.spec?.hard ?? {};
    const name = quota.metadata?.name ?? '';
    // A pod that was there before the quota must be free to end, and to lose its finalizers.
    if (old === undefined) refuseUnspecified(row, object, name, Object.keys(hard));
    const growing = growingNames(quota, next, before);
    if (growing.length === 0) continue;
    const used = usedFor(quota);
    const exceeded = growing.filter((each) => {
      const others = subtractQuantities(used[each] ?? '0', before[each] ?? '0');
      return compareQuantities(addQuantities(others, next[each] ?? '0'), hard[each] ?? '0') > 0;
    });
    if (exceeded.length === 0) continue;
    const list = (of: Usage): string =>
      exceeded
        .toSorted()
        .map((each) => `${each}=${of[each] ?? '0'}`)
        .join(',');
    const requested = Object.fromEntries(
      exceeded.map((each) => [each, subtractQuantities(next[each] ?? '0', before[each] ?? '0')]),
    );
    const text = `exceeded quota: ${name}, requested: ${list(requested)}, used: ${list(used)}, limited: ${list(hard)}`;
    throw forbidden(row, object.metadata.name ?? '', text);
  }
}

/** The resources of a quota of which the write asks more than before. */
function growingNames(quota: ResourceQuota, next: Usage, before: Usage): readonly string[] {
  return Object.keys(quota.spec?.hard ?? {}).filter(
    (each) => next[each] !== undefined && compareQuantities(next[each], before[each] ?? '0') > 0,
  );
}

/** Whether a write asks one of the quotas for more: only then the present usage matters. */
export function asksForMore({ registration, object, old, quotas, wall }: Omit<QuotaCheck, 'usedFor'>): boolean {
  const { row } = registration;
  const next = usageOf(registration, object, wall);
  const known = old === undefined ? {} : usageOf(registration, old, wall);
  return quotas.some(
    (quota) =>
      concerns(quota, row, object) && growingNames(quota, next, usageBefore(quota, row, old, known)).length > 0,
  );
}

/** What the object counted before the write: nothing where the write brings it into the quota's scopes. */
function usageBefore(quota: ResourceQuota, row: ResourceRow, old: ApiObject | undefined, usage: Usage): Usage {
  return old !== undefined && concerns(quota, row, old) ? usage : {};
}

function refuseUnspecified(row: ResourceRow, object: ApiObject, quota: string, names: readonly string[]): void {
  const { spec } = object as Pod;
  if (row.group !== '' || row.resource !== 'pods' || spec === undefined) return;
  const missing = unspecified(spec, names);
  if (missing !== '')
    throw forbidden(row, object.metadata.name ?? '', `failed quota: ${quota}: must specify ${missing}`);
}
