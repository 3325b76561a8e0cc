/** A deployment's conditions: their types, reasons and texts, and how one takes another's place. Pure. */
import { type DeploymentCondition, findCondition } from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';

export type Conditions = readonly DeploymentCondition[];

export interface ConditionWords {
  readonly type: 'Progressing' | 'Available' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The result of the last rollout. */
export const NEW_SET_AVAILABLE = 'NewReplicaSetAvailable';
export const DEADLINE_EXCEEDED = 'ProgressDeadlineExceeded';
export const PAUSED = 'DeploymentPaused';

export function progressing(
  status: ConditionWords['status'],
  reason: string,
  message: string,
): ConditionWords & { readonly type: 'Progressing' } {
  return { type: 'Progressing', status, reason, message };
}

export function availability(enough: boolean): ConditionWords {
  return enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/**
 * Puts a condition in the place of the one of its type. One of the same status and reason stays as it is, unless `always`;
 * one of the same status keeps its `lastTransitionTime`. Upstream: SetDeploymentCondition.
 * @param now wall ms
 */
export function withCondition(
  conditions: Conditions,
  next: ConditionWords,
  now: number,
  always: 'always' | 'on change' = 'on change',
): Conditions {
  const current = findCondition(conditions, next.type);
  const same = current?.status === next.status;
  if (same && current.reason === next.reason && always === 'on change') return conditions;
  const time = formatTime(now);
  const since = same ? (current.lastTransitionTime ?? time) : time;
  const kept = conditions.filter((condition) => condition !== current);
  const { type, status, reason, message } = next;
  return [...kept, { type, status, lastUpdateTime: time, lastTransitionTime: since, reason, message }];
}

export function withoutCondition(conditions: Conditions, type: ConditionWords['type']): Conditions {
  return conditions.filter((condition) => condition.type !== type);
}
