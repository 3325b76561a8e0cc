/** The columns of jobs and cron jobs (upstream: printJob, printCronJob). */
import { type CronJob, isConditionTrue, isDeleting, type Job, type JobSpec } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { humanDuration } from './human-duration.ts';
import { ageColumn, type Cell, column, nameColumn, since, type TableKind } from './table.ts';
import { containerCells, containersColumn, imagesColumn, selectorColumn, selectorText } from './workload-cells.ts';

const wideColumns = [containersColumn, imagesColumn, selectorColumn];

export const jobTable: TableKind = {
  columns: [
    nameColumn,
    column('Status', { description: 'What it is doing, or how it ended.' }),
    column('Completions', { description: 'Successes, of those that are wanted.' }),
    column('Duration', { description: 'Time from its start to its end, or until now.' }),
    ageColumn,
    ...wideColumns,
  ],
  cells: (object, now) => {
    const job = object as Job;
    const { spec = { template: {} } } = job;
    return [
      job.metadata?.name ?? '',
      statusOf(job),
      completionsOf(job),
      durationOf(job, now),
      since(job.metadata?.creationTimestamp, now),
      ...wideCells(spec),
    ];
  },
};

function statusOf(job: Job): string {
  const is = (type: string): boolean => isConditionTrue(job.status?.conditions, type);
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (isDeleting(job)) return 'Terminating';
  if (is('Suspended')) return 'Suspended';
  if (is('FailureTarget')) return 'FailureTarget';
  if (is('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

function completionsOf({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec ?? { template: {} };
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, now: number): string {
  const start = parseTime(status?.startTime);
  if (start === undefined) return '';
  return humanDuration((parseTime(status?.completionTime) ?? now) - start);
}

export const cronJobTable: TableKind = {
  columns: [
    nameColumn,
    column('Schedule', { description: 'When jobs are made.' }),
    column('Timezone', { description: 'Where its schedule is read.' }),
    column('Suspend', { description: 'Whether no more jobs are made.' }),
    column('Active', { type: 'integer', description: 'Jobs that run.' }),
    column('Last Schedule', { description: 'Time since the last job was due.' }),
    ageColumn,
    ...wideColumns,
  ],
  cells: (object, now) => {
    const { metadata, spec, status } = object as CronJob;
    return [
      metadata?.name ?? '',
      spec?.schedule ?? '',
      spec?.timeZone ?? '<none>',
      spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
      status?.active?.length ?? 0,
      status?.lastScheduleTime === undefined ? '<none>' : since(status.lastScheduleTime, now),
      since(metadata?.creationTimestamp, now),
      ...wideCells(spec?.jobTemplate.spec ?? { template: {} }),
    ];
  },
};

function wideCells({ template, selector }: JobSpec): readonly Cell[] {
  return [...containerCells(template), selectorText(selector)];
}
