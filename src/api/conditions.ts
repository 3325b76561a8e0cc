/** Conditions in a status: read and set by type. */
export interface ConditionLike {
  type: string;
  /** "True", "False" or "Unknown". */
  status: string;
  lastTransitionTime?: string | null;
}

export function findCondition<T extends ConditionLike>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * The conditions with `next` in place of the one of its type (at the end if there was none). While the status stays the same
 * the old `lastTransitionTime` is kept; otherwise it is `next`'s own, or `now` (RFC 3339).
 */
export function setCondition<T extends ConditionLike>(conditions: readonly T[] | undefined, next: T, now: string): T[] {
  const old = findCondition(conditions, next.type);
  const same = old !== undefined && old.status === next.status;
  const time = (same ? old.lastTransitionTime : next.lastTransitionTime) ?? now;
  const updated = { ...next, lastTransitionTime: time };
  if (old === undefined) return [...(conditions ?? []), updated];
  return (conditions ?? []).map((condition) => (condition === old ? updated : condition));
}

export function removeCondition<T extends ConditionLike>(conditions: readonly T[] | undefined, type: string): T[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
