/** Decides whether the indexes that succeeded suffice for the job. Pure. Upstream: matchSuccessPolicy. */
import {
  countCommonJobIndexes,
  countJobIndexes,
  type JobIndexes,
  parseJobIndexes,
  type SuccessPolicy,
} from '../../api/index.ts';

/** The message of the condition, once a rule is met. */
export function meetsSuccessPolicy(
  policy: SuccessPolicy | undefined,
  succeeded: JobIndexes,
  completions: number,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && countJobIndexes(succeeded) >= succeededCount;
    const wanted = parseJobIndexes(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const common = countCommonJobIndexes(wanted, succeeded);
    return common >= Math.min(countJobIndexes(wanted), succeededCount ?? Number.POSITIVE_INFINITY);
  });
  return met === -1 ? undefined : `Matched rules at index ${met}`;
}
