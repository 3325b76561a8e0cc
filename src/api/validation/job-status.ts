/**
 * Validation of a job's status: its counts and its end never change back, whatever manages it (KEP-4368; upstream:
 * getStatusValidationOptions, validateJobStatus). Most rules look only at the changes of a write.
 */
import { isConditionTrue } from '../conditions.ts';
import { child, duplicate, type FieldError, index, invalidValue, required } from '../field-error.ts';
import { checkJobIndexes, countCommonJobIndexes, parseJobIndexes } from '../job-indexes.ts';
import { isIndexedJob, isJobComplete, isJobFinished } from '../job-words.ts';
import type { Job, JobSpec, JobStatus } from '../types.gen.ts';
import { equalJson, notNegative } from './messages.ts';
import { validateObjectMetaUpdate } from './object-meta.ts';

const PATH = 'status';
const CONDITIONS = 'status.conditions';

export function validateJobStatusUpdate(job: Job, old: Job): FieldError[] {
  const { status = {}, spec = { template: {} } } = job;
  const { status: oldStatus = {} } = old;
  return [
    ...validateObjectMetaUpdate(job.metadata, old.metadata),
    ...(['active', 'succeeded', 'failed', 'ready', 'terminating'] as const).flatMap((name) =>
      notNegative(child(PATH, name), status[name]),
    ),
    ...validateUncounted(status),
    ...validateConditions(job, old),
    ...validateTimes(job, old),
    ...validateFinished(job, old),
    ...validateIndexes(spec, status, oldStatus),
    ...validateCounters(spec, status, oldStatus),
  ];
}

function validateUncounted({ uncountedTerminatedPods }: JobStatus): FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (uncountedTerminatedPods?.[list] ?? []).flatMap((uid, position) => {
      const at = index(child(PATH, 'uncountedTerminatedPods', list), position);
      if (uid === '') return [invalidValue(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function validateConditions(job: Job, old: Job): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (detail: string): unknown =>
    errors.push({ type: 'FieldValueInvalid', field: CONDITIONS, body: `Invalid value: ${detail}` });
  const is = (type: string): boolean => isConditionTrue(job.status?.conditions, type);
  const was = (type: string): boolean => isConditionTrue(old.status?.conditions, type);
  const changed = (type: string): boolean => is(type) !== was(type);
  const [complete, failed] = [is('Complete'), is('Failed')];
  if (complete && failed && (changed('Complete') || changed('Failed')))
    refuse('cannot set Complete=True and Failed=true conditions');
  if (complete && is('FailureTarget') && (changed('Complete') || changed('FailureTarget')))
    refuse('cannot set Complete=True and FailureTarget=true conditions');
  if (failed && !is('FailureTarget') && (changed('Failed') || changed('FailureTarget')))
    refuse('cannot set Failed=True condition without the FailureTarget=true condition');
  if (complete && !is('SuccessCriteriaMet') && (changed('Complete') || changed('SuccessCriteriaMet')))
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  if (is('SuccessCriteriaMet') && failed) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (is('SuccessCriteriaMet') && is('FailureTarget'))
    refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (was(type) && !is(type)) refuse(`cannot disable the terminal ${type}=True condition`);
  }
  if (was('SuccessCriteriaMet') && !is('SuccessCriteriaMet'))
    refuse('cannot disable the SuccessCriteriaMet=True condition');
  if (was('Complete') && !was('SuccessCriteriaMet') && is('SuccessCriteriaMet'))
    refuse('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  return errors;
}

function validateTimes(job: Job, old: Job): FieldError[] {
  const { startTime, completionTime } = job.status ?? {};
  const { startTime: oldStart, completionTime: oldCompletion } = old.status ?? {};
  const errors: FieldError[] = [];
  const path = child(PATH, 'completionTime');
  const complete = isJobComplete(job);
  const startChanged = !sameTime(startTime, oldStart);
  const completionChanged = !sameTime(completionTime, oldCompletion);
  if (complete !== isJobComplete(old) || completionChanged) {
    if (completionTime !== undefined && !complete)
      errors.push(
        invalidValue(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'),
      );
    if (completionTime === undefined && complete)
      errors.push(required(path, 'completionTime is required for Complete jobs'));
  }
  if ((startChanged || completionChanged) && isBefore(completionTime, startTime))
    errors.push(invalidValue(path, completionTime, 'completionTime cannot be set before startTime'));
  if (completionTime !== undefined && oldCompletion !== undefined && completionChanged)
    errors.push(invalidValue(path, completionTime, 'completionTime cannot be mutated'));
  // A job that was suspended until now begins again.
  const resumes = isConditionTrue(old.status?.conditions, 'Suspended') && startTime !== undefined;
  if (startChanged && oldStart !== undefined && job.spec?.suspend !== true && !resumes)
    errors.push(required(child(PATH, 'startTime'), 'startTime cannot be removed for unsuspended job'));
  return errors;
}

function sameTime(one: string | undefined, other: string | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && Date.parse(one) === Date.parse(other));
}

function isBefore(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && Date.parse(one) < Date.parse(other);
}

/** Nothing runs, and nothing is left to count, once a job is finished. */
function validateFinished(job: Job, old: Job): FieldError[] {
  if (!isJobFinished(job)) return [];
  const { status = {} } = job;
  const { status: before = {} } = old;
  const justFinished = !isJobFinished(old);
  const concerns = (name: keyof JobStatus): boolean => justFinished || !equalJson(status[name], before[name]);
  const errors: FieldError[] = [];
  for (const name of ['active', 'terminating'] as const) {
    const count = status[name] ?? 0;
    if (count > 0 && concerns(name))
      errors.push(invalidValue(child(PATH, name), count, `${name}>0 is invalid for finished job`));
  }
  if (status.startTime === undefined && concerns('startTime'))
    errors.push(required(child(PATH, 'startTime'), 'startTime is required for finished job'));
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0 && concerns('uncountedTerminatedPods')) {
    const text = 'uncountedTerminatedPods needs to be empty for finished job';
    errors.push(invalidValue(child(PATH, 'uncountedTerminatedPods'), status.uncountedTerminatedPods, text));
  }
  return errors;
}

function validateIndexes(spec: JobSpec, status: JobStatus, old: JobStatus): FieldError[] {
  const { completions, backoffLimitPerIndex } = spec;
  const { completedIndexes = '', failedIndexes } = status;
  const errors: FieldError[] = [];
  const completedChanged = completedIndexes !== (old.completedIndexes ?? '');
  const failedChanged = failedIndexes !== old.failedIndexes;
  const check = (name: 'completedIndexes' | 'failedIndexes', text: string): void => {
    const problem = completions === undefined ? 0 : checkJobIndexes(text, completions);
    if (typeof problem === 'string')
      errors.push(invalidValue(child(PATH, name), text, `error parsing ${name}: ${problem}`));
  };
  if (completedChanged) {
    check('completedIndexes', completedIndexes);
    if (completedIndexes !== '' && !isIndexedJob(spec)) {
      const text = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      errors.push(invalidValue(child(PATH, 'completedIndexes'), completedIndexes, text));
    }
  }
  if (failedIndexes === undefined) return errors;
  const path = child(PATH, 'failedIndexes');
  if (failedChanged && backoffLimitPerIndex !== undefined) check('failedIndexes', failedIndexes);
  if (failedChanged && backoffLimitPerIndex === undefined)
    errors.push(
      invalidValue(path, failedIndexes, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'),
    );
  if (completions === undefined || !(completedChanged || failedChanged)) return errors;
  const overlap = firstCommon(completedIndexes, failedIndexes, completions);
  if (overlap !== undefined) {
    const text = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
    errors.push(invalidValue(path, failedIndexes, text));
  }
  return errors;
}

function firstCommon(one: string, other: string, completions: number): number | undefined {
  const [a, b] = [parseJobIndexes(one, completions), parseJobIndexes(other, completions)];
  if (countCommonJobIndexes(a, b) === 0) return undefined;
  return a.flatMap(({ first, last }) =>
    b.filter((each) => each.first <= last && first <= each.last).map((each) => Math.max(first, each.first)),
  )[0];
}

function validateCounters(spec: JobSpec, status: JobStatus, old: JobStatus): FieldError[] {
  const errors: FieldError[] = [];
  const { active = 0, ready = 0, failed = 0, succeeded = 0 } = status;
  if (ready > active && (ready !== old.ready || active !== old.active))
    errors.push(invalidValue(child(PATH, 'ready'), ready, 'cannot set more ready pods than active'));
  if (failed < (old.failed ?? 0))
    errors.push(invalidValue(child(PATH, 'failed'), failed, 'cannot decrease the failed counter'));
  // An indexed job that shrinks forgets the indexes that it has no more.
  const mayShrink = isIndexedJob(spec) && spec.completions === spec.parallelism;
  if (succeeded < (old.succeeded ?? 0) && !mayShrink)
    errors.push(invalidValue(child(PATH, 'succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  return errors;
}
