/** The status of a definition as it should be now: what its controllers decide, each in its turn. Pure. */
import { findCondition, isConditionTrue, removeCondition, setCondition } from '../conditions.ts';
import { equalJson } from '../validation/messages.ts';
import type { CustomResourceDefinition, DefinitionCondition, DefinitionStatus } from './definition.ts';
import { establishedCondition, judgeNames, type TakenNames } from './names.ts';
import { approvalOf, isProtectedGroup } from './validate-definition.ts';

const APPROVED = 'KubernetesAPIApprovalPolicyConformant';
const APPROVAL_REASONS = {
  approved: ['True', 'ApprovedAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
  missing: ['False', 'MissingAnnotation'],
  invalid: ['False', 'InvalidAnnotation'],
} as const;

/** The new status; undefined: the present one is right. `now`: RFC 3339. */
export function nextDefinitionStatus(
  definition: CustomResourceDefinition,
  taken: TakenNames,
  now: string,
): DefinitionStatus | undefined {
  const before = definition.status;
  const { accepted, condition } = judgeNames(definition, taken);
  let conditions: readonly DefinitionCondition[] = before?.conditions ?? [];
  const set = (next: DefinitionCondition): void => {
    if (!isSame(findCondition(conditions, next.type), next)) conditions = setCondition(conditions, next, now);
  };
  set(condition);
  set(establishedCondition(definition, condition));
  // A schema that is not structural is refused when it is sent: there is nothing to say of one.
  if (findCondition(conditions, 'NonStructuralSchema') !== undefined)
    conditions = removeCondition(conditions, 'NonStructuralSchema');
  if (isProtectedGroup(definition.spec.group)) {
    const approval = approvalOf(definition);
    const [status, reason] = APPROVAL_REASONS[approval.status];
    set({ type: APPROVED, status, reason, message: approval.message });
  }
  const next = { ...before, acceptedNames: accepted, conditions };
  return equalJson(next, before) ? undefined : next;
}

function isSame(a: DefinitionCondition | undefined, b: DefinitionCondition): boolean {
  return a !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** Whether the kind of a definition is served now. */
export function isServed({ status }: CustomResourceDefinition): boolean {
  return isConditionTrue(status?.conditions, 'Established') && (status?.acceptedNames?.plural ?? '') !== '';
}
