/** Fields that are a whole number or a share of one ("25%"): maxUnavailable, maxSurge, minAvailable. */
import type { IntOrString } from './types.gen.ts';

const PERCENT = /^(\d+)%$/;

/** 25 of "25%"; undefined for what is no percentage. */
export function percentOf(value: IntOrString | undefined): number | undefined {
  const match = typeof value === 'string' ? PERCENT.exec(value) : null;
  return match === null ? undefined : Number(match[1]);
}

/**
 * The number that the field means: itself, or that share of `total`. Any other value counts as 0; validation refuses it
 * before. Upstream: GetScaledValueFromIntOrPercent.
 * @param round how to round half a pod
 */
export function scaleIntOrPercent(value: IntOrString, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const share = ((percentOf(value) ?? 0) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
