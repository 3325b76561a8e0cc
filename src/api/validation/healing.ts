/** What neither schema nor rules of a definition can say of our own kinds (`own-definitions/` has all else). */
import { type FieldError, tooLong } from '../field-error.ts';
import { MAX_POLICY_BYTES } from '../healing/limits.ts';
import { formatHealingPolicy } from '../healing/healing-policy.ts';
import type { HealingPolicy } from '../healing/types.ts';
import { validateLabelSelector } from './affinity.ts';
import { byteLength } from './messages.ts';

/** The field errors of a policy that fits its schema: agents get it as an annotation, and labels have a syntax of their own. */
export function validateHealingPolicy({ spec = {} }: HealingPolicy): FieldError[] {
  if (byteLength(formatHealingPolicy(spec)) > MAX_POLICY_BYTES) return [tooLong('spec', MAX_POLICY_BYTES)];
  return validateLabelSelector(spec.selector, 'spec.selector');
}
