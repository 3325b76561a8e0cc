/** Whether a FlowSchema leads to a priority level that is there: its condition Dangling (upstream: presyncFlowSchemaStatus). Pure. */
import { findCondition, type FlowSchema } from '../../api/index.ts';

type FlowSchemaCondition = NonNullable<NonNullable<FlowSchema['status']>['conditions']>[number];

/** The condition to write; undefined: it says so already. @param now RFC 3339 */
export function danglingCondition(
  schema: FlowSchema,
  hasLevel: (name: string) => boolean,
  now: string,
): FlowSchemaCondition | undefined {
  const level = schema.spec?.priorityLevelConfiguration.name ?? '';
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const [status, reason, message] = hasLevel(level)
    ? (['False', 'Found', `${about} and it exists`] as const)
    : (['True', 'NotFound', `${about} but there is no such object`] as const);
  const old = findCondition(conditionsOf(schema), 'Dangling');
  if (old?.status === status && old.reason === reason && old.message === message) return undefined;
  return { type: 'Dangling', status, lastTransitionTime: now, reason, message };
}

/** Conditions whose type is given: an older server may have stored others. */
function conditionsOf({ status }: FlowSchema) {
  return (status?.conditions ?? []).map((each) => ({ ...each, type: each.type ?? '', status: each.status ?? '' }));
}
