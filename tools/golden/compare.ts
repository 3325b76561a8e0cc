/** Compares a row of our server with the golden one. */
import { isDeepStrictEqual } from 'node:util';
import type { DefaultsRow } from './ask-defaults.ts';
import type { EmptyValueRow } from './ask-empty-values.ts';
import type { QuantityRow } from './ask-quantities.ts';

/**
 * - acceptance: one server accepts the object, the other refuses it
 * - value: the stored values differ
 * - change: the servers disagree whether the form equals no form, or whether a PUT without it changes the generation
 */
export type Difference = 'acceptance' | 'value' | 'change';

export function differenceOf(ours: EmptyValueRow, golden: EmptyValueRow): Difference | undefined {
  if ((ours.status === 201) !== (golden.status === 201)) return 'acceptance';
  if (ours.status !== 201) return undefined;
  if (!isDeepStrictEqual(ours.got, golden.got)) return 'value';
  if (ours.same !== golden.same) return 'change';
  return ours.put !== undefined && ours.put !== golden.put ? 'change' : undefined;
}

export function quantityDifference(ours: QuantityRow, golden: QuantityRow): Difference | undefined {
  if ((ours.status === 201) !== (golden.status === 201)) return 'acceptance';
  return ours.got === golden.got ? undefined : 'value';
}

export function defaultsDifference(ours: DefaultsRow, golden: DefaultsRow): Difference | undefined {
  if ((ours.status === 201) !== (golden.status === 201)) return 'acceptance';
  return isDeepStrictEqual(ours.stored, golden.stored) ? undefined : 'value';
}

/** Whether both refuse with the same message, too. */
export function sameRefusal(ours: EmptyValueRow | QuantityRow, golden: EmptyValueRow | QuantityRow): boolean {
  return ours.status === golden.status && isDeepStrictEqual(ours.errors, golden.errors);
}

/** The question of a row: equal for the same question to two servers. */
export function questionOf(row: EmptyValueRow | QuantityRow): string {
  const sent = 'sent' in row ? JSON.stringify(row.sent) : 'nothing';
  return `${row.kind} ${row.path} = ${sent}`;
}
