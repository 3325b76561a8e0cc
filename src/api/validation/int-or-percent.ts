/** Validation of fields that are a number or a percentage (upstream ValidatePositiveIntOrPercent, IsNotMoreThan100Percent). */
import { type FieldError, invalidValue } from '../field-error.ts';
import { percentOf } from '../int-or-percent.ts';
import type { IntOrString } from '../types.gen.ts';
import { NOT_NEGATIVE } from './messages.ts';

/** A number from 0 on, or "N%". Absent is fine. */
export function validateIntOrPercent(field: string, value: IntOrString | undefined): FieldError[] {
  if (typeof value === 'number') return value < 0 ? [invalidValue(field, value, NOT_NEGATIVE)] : [];
  if (value === undefined || percentOf(value) !== undefined) return [];
  const text =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', or '93%', regex used for validation is '[0-9]+%')";
  return [invalidValue(field, value, text)];
}

/** Whole numbers are never refused. */
export function validateAtMost100Percent(field: string, value: IntOrString | undefined): FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}
