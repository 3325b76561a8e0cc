/** Defaults of LimitRanges (upstream `SetDefaults_LimitRangeItem`). They fill a draft in place. */
import type { LimitRange } from '../types.gen.ts';

/** A container's default follows from its maximum, and its default request from its minimum. */
export function defaultLimitRange(range: LimitRange): void {
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
}
