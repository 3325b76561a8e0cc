/** Decides whether a job has come to its end, and why. Pure. Upstream: the first half of syncJob. */
import {
  countJobIndexes,
  findCondition,
  HEALING_STATE,
  type Job,
  type JobCondition,
  parseHealingState,
  type Pod,
} from '../../api/index.ts';
import type { JobMemory } from './job-memory.ts';
import { hasFailed } from './job-pods.ts';
import type { JobTally } from './job-tally.ts';
import { judgeFailure } from './pod-failure-policy.ts';
import { meetsSuccessPolicy } from './success-policy.ts';

export interface JobVerdict {
  /** The condition that announces the end: SuccessCriteriaMet or FailureTarget. */
  readonly announcedBy: 'SuccessCriteriaMet' | 'FailureTarget';
  readonly reason: string;
  readonly message: string;
  /** The status has the condition already. */
  readonly announced: boolean;
}

const BACKOFF_LIMIT = fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
const DEADLINE = fails('DeadlineExceeded', 'Job was active longer than specified deadline');
const TOO_MANY_INDEXES = fails(
  'MaxFailedIndexesExceeded',
  'Job has exceeded the specified maximal number of failed indexes',
);
const FAILED_INDEXES = fails('FailedIndexes', 'Job has failed indexes');
/** Enough pods succeeded. */
export const COMPLETED: JobVerdict = {
  announcedBy: 'SuccessCriteriaMet',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  announced: false,
};

function fails(reason: string, message: string): JobVerdict {
  return { announcedBy: 'FailureTarget', reason, message, announced: false };
}

/** Undefined while it goes on; the pods' manager decides whether all of them have succeeded. */
export function judgeJob(tally: JobTally, memory: JobMemory, mono: number): JobVerdict | undefined {
  const { spec, status, pods, indexed, failed, succeededIndexes, failedIndexes } = tally;
  const announced =
    announcedBy('SuccessCriteriaMet', status.conditions) ?? announcedBy('FailureTarget', status.conditions);
  if (announced !== undefined) return announced;
  const fatal = failJobMessage(tally);
  if (fatal !== undefined) return fails('PodFailurePolicy', fatal);
  if (failed > (spec.backoffLimit ?? 0) || restartsExceedLimit(tally.job, pods)) return BACKOFF_LIMIT;
  if ((remainingDeadlineMs(tally, memory, mono) ?? 1) <= 0) return DEADLINE;
  if (!indexed) return undefined;
  const { completions = 0, maxFailedIndexes } = spec;
  const failedCount = countJobIndexes(failedIndexes ?? []);
  if (maxFailedIndexes !== undefined && failedCount > maxFailedIndexes) return TOO_MANY_INDEXES;
  if (failedCount > 0 && failedCount + countJobIndexes(succeededIndexes) >= completions) return FAILED_INDEXES;
  const met = meetsSuccessPolicy(spec.successPolicy, succeededIndexes, completions);
  return met === undefined
    ? undefined
    : { announcedBy: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: met, announced: false };
}

function announcedBy(
  type: JobVerdict['announcedBy'],
  conditions: readonly JobCondition[] | undefined,
): JobVerdict | undefined {
  const condition = findCondition(conditions, type);
  if (condition?.status !== 'True') return undefined;
  const { reason = '', message = '' } = condition;
  return { announcedBy: type, reason, message, announced: true };
}

function failJobMessage({ spec, pods }: JobTally): string | undefined {
  if (spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    if (!hasFailed(pod, spec)) continue;
    const { action, message } = judgeFailure(spec.podFailurePolicy, pod);
    if (action === 'FailJob') return message;
  }
  return undefined;
}

/** If the node restarts containers, the restarts count as failures. */
function restartsExceedLimit({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
  const limit = spec.backoffLimit ?? 0;
  let restarts = 0;
  for (const { metadata, status = {} } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    const own = all.reduce((sum, { restartCount }) => sum + restartCount, 0);
    // No failures: somebody asked for them, or for the restart of all.
    const clean = parseHealingState(metadata?.annotations?.[HEALING_STATE])?.cleanRestarts ?? 0;
    restarts += Math.max(0, own - clean);
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Until its deadline, ms; undefined: it has none, or its clock stands still. */
export function remainingDeadlineMs({ spec }: JobTally, { start }: JobMemory, mono: number): number | undefined {
  const { activeDeadlineSeconds, suspend } = spec;
  if (activeDeadlineSeconds === undefined || suspend === true) return undefined;
  return (start?.mono ?? mono) + activeDeadlineSeconds * 1000 - mono;
}
