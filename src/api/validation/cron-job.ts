/** Validation of cron jobs (upstream: ValidateCronJobCreate, ValidateCronJobUpdate). */
import { CronScheduleError, isTimeZone, parseCronSchedule } from '../cron-schedule.ts';
import { child, type FieldError, invalidValue, notSupported, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../types.gen.ts';
import { validateJobSpec } from './job.ts';
import { notNegative, requireOneOf } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

/** The jobs' names are eleven characters longer. */
const MAX_NAME_LENGTH = 52;
const NO_SPEC: CronJobSpec = { schedule: '', jobTemplate: {} };

export function validateCronJob({ metadata, spec = NO_SPEC }: CronJob): FieldError[] {
  const { name = '' } = metadata ?? {};
  const errors = [
    ...validateObjectMeta(metadata, true, checkDns1123Subdomain),
    ...validateSpec(spec, 'spec'),
    ...validateTimeZone(spec.timeZone, 'spec.timeZone'),
  ];
  if (name.length > MAX_NAME_LENGTH)
    errors.push(invalidValue('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  return errors;
}

export function validateCronJobUpdate({ metadata, spec = NO_SPEC }: CronJob, old: CronJob): FieldError[] {
  const unchanged = spec.timeZone === old.spec?.timeZone;
  return [
    ...validateObjectMetaUpdate(metadata, old.metadata),
    ...validateSpec(spec, 'spec'),
    ...(unchanged ? [] : validateTimeZone(spec.timeZone, 'spec.timeZone')),
  ];
}

export function validateCronJobStatusUpdate(cronJob: CronJob, old: CronJob): FieldError[] {
  return validateObjectMetaUpdate(cronJob.metadata, old.metadata);
}

function validateSpec(spec: CronJobSpec, path: string): FieldError[] {
  const at = (name: string): string => child(path, name);
  return [
    ...validateSchedule(spec.schedule ?? '', at('schedule')),
    ...notNegative(at('startingDeadlineSeconds'), spec.startingDeadlineSeconds),
    ...requireOneOf(at('concurrencyPolicy'), spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace']),
    ...validateJobTemplate(spec.jobTemplate, at('jobTemplate')),
    ...notNegative(at('successfulJobsHistoryLimit'), spec.successfulJobsHistoryLimit),
    ...notNegative(at('failedJobsHistoryLimit'), spec.failedJobsHistoryLimit),
  ];
}

function validateSchedule(schedule: string, path: string): FieldError[] {
  if (schedule === '') return [required(path)];
  if (schedule.includes('TZ'))
    return [invalidValue(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  try {
    parseCronSchedule(schedule);
    return [];
  } catch (error) {
    if (error instanceof CronScheduleError) return [invalidValue(path, schedule, error.message)];
    throw error;
  }
}

function validateTimeZone(timeZone: string | undefined, path: string): FieldError[] {
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalidValue(path, timeZone, 'timeZone must be nil or non-empty string')];
  if (timeZone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalidValue(path, timeZone, text)];
  }
  const wellFormed = timeZone
    .split('/')
    .every((part) => part !== '.' && part !== '..' && /^(?![-+])[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  return wellFormed && isTimeZone(timeZone) ? [] : [invalidValue(path, timeZone, `unknown time zone ${timeZone}`)];
}

function validateJobTemplate({ spec = { template: {} } }: JobTemplateSpec, path: string): FieldError[] {
  const errors = validateJobSpec(spec, child(path, 'spec'));
  if (spec.selector !== undefined)
    errors.push(invalidValue(child(path, 'spec.selector'), spec.selector, '`selector` will be auto-generated'));
  if (spec.manualSelector === true)
    errors.push(notSupported(child(path, 'spec.manualSelector'), spec.manualSelector, ['nil', 'false']));
  return errors;
}
