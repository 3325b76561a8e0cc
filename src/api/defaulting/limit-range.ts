/** Defaults of LimitRanges (upstream `SetDefaults_LimitRangeItem`). They fill a draft in place. */
import type { LimitRange } from '../types.gen.ts';

/** What a container gets when it says nothing follows from what it may have at most, and what it must have at least. */
export function defaultLimitRange(range: LimitRange): void {
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
}
