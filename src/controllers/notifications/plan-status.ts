/** The status of a Notification, from the one before. Pure. */
import {
  type ClusterNotification,
  NOTIFICATION_ACCEPTED,
  NOTIFICATION_DELIVERED,
  type NotificationNotice,
  type NotificationStatus,
  type NotificationTest,
  type PodCondition,
  setCondition,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { MAX_PROBLEM_LENGTH } from './limits.ts';
import type { SendResult } from './notice-sender.ts';

export interface StatusChange {
  /** Absent: as they are. */
  readonly notices?: readonly NotificationNotice[];
  /** Why the spec cannot be used; undefined: it can. */
  readonly problem?: string;
  /** How a try went. */
  readonly result?: SendResult;
  readonly test?: NotificationTest;
  /** Troubles for which there was no room, since the last time. */
  readonly dropped?: number;
}

/** @param now wall ms */
export function nextStatus(object: ClusterNotification, change: StatusChange, now: number): NotificationStatus {
  const before = object.status ?? {};
  const { result, test } = change;
  const notices = change.notices ?? before.notices ?? [];
  const generation = object.metadata?.generation ?? 0;
  const at = formatTime(now);
  const conditions = [accepted(change.problem), ...(result === undefined ? [] : [delivered(result)])];
  return {
    ...before,
    observedGeneration: generation,
    sent: (before.sent ?? 0) + (result?.delivered === true ? 1 : 0),
    failed: (before.failed ?? 0) + (result?.delivered === false ? 1 : 0),
    dropped: (before.dropped ?? 0) + (change.dropped ?? 0),
    open: notices.filter(({ closedTime, endTime }) => closedTime === undefined && endTime === undefined).length,
    ...(result?.delivered === true ? { lastSentTime: at } : {}),
    ...(result?.delivered === false ? { lastProblem: cut(result.problem), lastProblemTime: at } : {}),
    notices: [...notices],
    ...(test === undefined ? {} : { test }),
    conditions: conditions.reduce<PodCondition[]>(
      (all, each) => setCondition(all, { ...each, observedGeneration: generation }, at),
      [...(before.conditions ?? [])],
    ),
  };
}

function accepted(problem: string | undefined): PodCondition {
  const type = NOTIFICATION_ACCEPTED;
  return problem === undefined
    ? { type, status: 'True', reason: 'Valid', message: 'messages are sent by it' }
    : { type, status: 'False', reason: 'Invalid', message: cut(problem) };
}

function delivered(result: SendResult): PodCondition {
  const type = NOTIFICATION_DELIVERED;
  return result.delivered
    ? { type, status: 'True', reason: 'Delivered', message: cut(`the target answered ${result.answer}`) }
    : { type, status: 'False', reason: result.reason, message: cut(result.problem) };
}

function cut(text: string): string {
  return text.length <= MAX_PROBLEM_LENGTH ? text : `${text.slice(0, MAX_PROBLEM_LENGTH - 1)}…`;
}
