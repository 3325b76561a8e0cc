/** Diagnoses a CronJob: why it does not start jobs, and how its last job ended. Pure. */
import { type CronSchedule, CronScheduleError, parseCronSchedule } from '../api/index.ts';
import { parseTime } from '../lib/index.ts';
import { workloadFindings } from './diagnose-workload.ts';
import type { CronJobEvidence } from './evidence/object-evidence.ts';
import { eventCount, eventsWith, lastSeenMs, quoteEvent } from './facts/pod/events.ts';
import { objectCommands } from './facts/words/object-commands.ts';
import { formatAge, listed, plural } from './facts/words/text.ts';
import type { Diagnosis, Quote, RankedFinding } from './finding.ts';
import { NORMAL_START_MS } from './limits.ts';
import { ordered, told } from './order-findings.ts';
import { causeText } from './workload/group-findings.ts';
import { standingOf } from './workload/stands-at.ts';
import { workloadFacts } from './workload/workload-facts.ts';

/** A missed start counts as recent within this time. */
const RECENT_MISS_MS = 24 * 60 * 60_000;

export function cronJobFindings(evidence: CronJobEvidence): readonly RankedFinding[] {
  const found = [
    ...suspended(evidence),
    ...schedule(evidence),
    ...missed(evidence),
    ...blocked(evidence),
    ...replaced(evidence),
    ...ofJobs(evidence),
  ];
  const isTold = found.some(({ severity }) => severity !== 'info');
  return ordered(isTold ? found : [...found, ...withoutSuccess(evidence)]);
}

export function diagnoseCronJob(evidence: CronJobEvidence): Diagnosis {
  const { name = '', namespace, uid } = evidence.cronJob.metadata ?? {};
  const findings = cronJobFindings(evidence);
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'cronjob', namespace, name, uid },
    state: cronJobState(evidence),
    asWanted: findings.every(({ severity }) => severity === 'info'),
    findings: told(findings),
    notLookedAt: evidence.notLookedAt,
  };
}

/** "*\/5 * * * *, next start in 2m10s, last success 3m ago, 1 job active" */
function cronJobState({ cronJob, now, jobs }: CronJobEvidence): string {
  const { spec, status } = cronJob;
  const success = parseTime(status?.lastSuccessfulTime ?? undefined);
  const active = jobs.filter((job) => workloadFacts(job).ended === undefined).length;
  const next = nextMs(cronJob, now);
  return [
    spec?.schedule ?? '',
    spec?.suspend === true
      ? 'suspended'
      : next === undefined
        ? 'no next start'
        : `next start in ${formatAge(next - now)}`,
    success === undefined ? 'never succeeded' : `last success ${formatAge(now - success)} ago`,
    ...(active === 0 ? [] : [`${plural(active, 'job')} active`]),
  ].join(', ');
}

function nextMs(cronJob: CronJobEvidence['cronJob'], now: number): number | undefined {
  const found = scheduleOf(cronJob);
  const { status, metadata } = cronJob;
  const last = parseTime(status?.lastScheduleTime ?? metadata?.creationTimestamp ?? undefined) ?? now;
  return found?.everyMs === undefined ? found?.next(now) : last + found.everyMs;
}

/** Undefined: nobody can read it. */
function scheduleOf({ spec }: CronJobEvidence['cronJob']): CronSchedule | undefined {
  try {
    return parseCronSchedule(spec?.schedule ?? '', spec?.timeZone);
  } catch (error) {
    if (error instanceof CronScheduleError) return undefined;
    throw error;
  }
}

/** From one start to the next, as far as the next two are typical. */
function intervalMs({ cronJob, now }: CronJobEvidence): number | undefined {
  const found = scheduleOf(cronJob);
  const first = found?.next(now);
  const second = first === undefined ? undefined : found?.next(first);
  if (found?.everyMs !== undefined) return found.everyMs;
  return first === undefined || second === undefined ? undefined : second - first;
}

/** Somebody has told it to start nothing, which is perhaps forgotten. */
function suspended({ cronJob, namespaceFlag }: CronJobEvidence): readonly RankedFinding[] {
  if (cronJob.spec?.suspend !== true) return [];
  const { name = '' } = cronJob.metadata ?? {};
  const patch = JSON.stringify({ spec: { suspend: false } });
  return [
    {
      id: 'cron-suspended',
      severity: 'info',
      rank: 90,
      topic: 'suspended',
      says: `cronjob/${name} is suspended (spec.suspend: true), and starts no job until that is false`,
      evidence: [{ source: 'field', path: 'spec.suspend', value: 'true' }],
      try: [objectCommands(namespaceFlag).kubectl('patch', `cronjob/${name}`, '-p', patch)],
    },
  ];
}

/** A schedule or time zone that nobody can read, and one that never comes. */
function schedule({ cronJob, events, namespaceFlag, now }: CronJobEvidence): readonly RankedFinding[] {
  const { name = '' } = cronJob.metadata ?? {};
  const { schedule: text = '', timeZone } = cronJob.spec ?? {};
  let problem: string | undefined;
  try {
    const found = parseCronSchedule(text, timeZone);
    if (found.everyMs === undefined && found.next(now) === undefined) problem = 'names no time that ever comes';
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    problem = `means nothing: ${error.message}`;
  }
  if (problem === undefined) return [];
  const [event] = eventsWith(events, 'UnparseableSchedule', 'UnknownTimeZone', 'InvalidSchedule');
  const zone: readonly Quote[] =
    timeZone === undefined ? [] : [{ source: 'field', path: 'spec.timeZone', value: timeZone }];
  return [
    {
      id: 'cron-schedule',
      severity: 'critical',
      rank: 95,
      topic: 'schedule',
      says: `cronjob/${name} starts nothing: its schedule "${text}"${timeZone === undefined ? '' : ` in ${timeZone}`} ${problem}`,
      evidence: [
        { source: 'field', path: 'spec.schedule', value: text },
        ...zone,
        ...(event === undefined ? [] : [quoteEvent(event)]),
      ],
      try: [objectCommands(namespaceFlag).kubectl('edit', `cronjob/${name}`)],
    },
  ];
}

function missed({ cronJob, events, now, namespaceFlag }: CronJobEvidence): readonly RankedFinding[] {
  const [event] = eventsWith(events, 'MissSchedule', 'TooManyMissedTimes', 'FailedCreate');
  const { name = '' } = cronJob.metadata ?? {};
  const last = parseTime(cronJob.status?.lastScheduleTime ?? undefined) ?? 0;
  if (event === undefined || now - lastSeenMs(event) > RECENT_MISS_MS || lastSeenMs(event) < last) return [];
  const isRefused = event.reason === 'FailedCreate';
  const deadline = cronJob.spec?.startingDeadlineSeconds;
  return [
    {
      id: isRefused ? 'create-failed' : 'missed-start',
      severity: isRefused ? 'critical' : 'warning',
      rank: isRefused ? 90 : 60,
      topic: 'start',
      says: isRefused
        ? `cronjob/${name} cannot make its job: the server refuses it`
        : `cronjob/${name} has missed a start${deadline === undefined ? '' : `, which may be at most ${deadline}s late`}`,
      evidence: [
        quoteEvent(event),
        ...(deadline === undefined
          ? []
          : [{ source: 'field' as const, path: 'spec.startingDeadlineSeconds', value: String(deadline) }]),
      ],
      try: [objectCommands(namespaceFlag).kubectl('describe', `cronjob/${name}`)],
    },
  ];
}

/** The job before is still active, and the policy forbids a second one. */
function blocked(evidence: CronJobEvidence): readonly RankedFinding[] {
  const { cronJob, events, jobs, now, namespaceFlag } = evidence;
  const active = jobs.find((job) => workloadFacts(job).ended === undefined);
  const [event] = eventsWith(events, 'JobAlreadyActive');
  if (cronJob.spec?.concurrencyPolicy !== 'Forbid' || active === undefined) return [];
  const startedMs = parseTime(active.workload.metadata?.creationTimestamp ?? undefined) ?? now;
  const isTold = event !== undefined && lastSeenMs(event) >= startedMs;
  // The event is forgotten after an hour.
  const dueMs = scheduleOf(cronJob)?.next(startedMs);
  if (!isTold && (cronJob.spec.suspend === true || dueMs === undefined || dueMs + NORMAL_START_MS > now)) return [];
  const job = active.workload.metadata?.name ?? '';
  const { name = '' } = cronJob.metadata ?? {};
  const cause = causeText(workloadFindings(active));
  const stands = cause === undefined ? standingOf(active) : undefined;
  return [
    {
      id: 'job-still-active',
      severity: 'warning',
      rank: 65,
      topic: 'start',
      says: `cronjob/${name} starts no further job while job ${job} runs (concurrencyPolicy Forbid), which has taken ${formatAge(now - startedMs)}${cause === undefined ? (stands?.says ?? '') : `: ${cause}`}`,
      evidence: [
        ...(isTold ? [quoteEvent(event)] : []),
        ...(stands?.quotes ?? []),
        { source: 'field', path: 'spec.concurrencyPolicy', value: 'Forbid' },
        {
          source: 'field',
          of: `job/${job}`,
          path: 'metadata.creationTimestamp',
          value: new Date(startedMs).toISOString(),
        },
      ],
      try: [objectCommands(namespaceFlag).why(`job/${job}`)],
    },
  ];
}

/** So many runs that were ended are no accident. */
const MANY_REPLACED = 2;
const MAX_SILENCE_MS = 15 * 60_000;

/** Each run is ended before it completes, because the next one is due. */
function replaced(evidence: CronJobEvidence): readonly RankedFinding[] {
  const { cronJob, events, jobs, now, namespaceFlag } = evidence;
  const intervals = intervalMs(evidence);
  if (cronJob.spec?.concurrencyPolicy !== 'Replace' || intervals === undefined) return [];
  // Jobs that have ended are removed with the same event.
  if (jobs.some((job) => workloadFacts(job).ended !== undefined)) return [];
  const success = parseTime(cronJob.status?.lastSuccessfulTime ?? undefined) ?? 0;
  const since = Math.max(success, ...eventsWith(events, 'SawCompletedJob').map(lastSeenMs));
  const ended = eventsWith(events, 'SuccessfulDelete').filter((event) => lastSeenMs(event) > since);
  const count = ended.reduce((sum, event) => sum + eventCount(event), 0);
  const [last] = ended;
  // Recorders limit what they say of one object to an event in five minutes.
  const isOld = last === undefined || now - lastSeenMs(last) > 2 * intervals + MAX_SILENCE_MS;
  if (isOld || count < MANY_REPLACED) return [];
  const { name = '' } = cronJob.metadata ?? {};
  const [active] = jobs;
  const cause = active === undefined ? undefined : causeText(workloadFindings(active));
  const stands = active === undefined || cause !== undefined ? undefined : standingOf(active);
  const when = success === 0 ? 'never completes a job' : `has completed no job for ${formatAge(now - success)}`;
  const { kubectl } = objectCommands(namespaceFlag);
  return [
    {
      id: 'job-replaced',
      severity: 'critical',
      rank: 75,
      topic: 'start',
      says: `cronjob/${name} ${when}: concurrencyPolicy Replace ends each run after ${formatAge(intervals)}, when the next one is due (${count} and more ended so)${cause === undefined ? (stands?.says ?? '') : `: ${cause}`}`,
      evidence: [
        quoteEvent(last),
        ...(stands?.quotes ?? []),
        { source: 'field', path: 'spec.concurrencyPolicy', value: 'Replace' },
        { source: 'field', path: 'spec.schedule', value: cronJob.spec.schedule ?? '' },
      ],
      try: [
        ...(active === undefined ? [] : [kubectl('logs', `job/${active.workload.metadata?.name ?? ''}`)]),
        kubectl('edit', `cronjob/${name}`),
      ],
    },
  ];
}

/** So many starts without a success ask for a word. */
const MANY_STARTS = 3;

/** Of last resort: nothing is known to have failed, and nothing has succeeded for some starts. */
function withoutSuccess(evidence: CronJobEvidence): readonly RankedFinding[] {
  const { cronJob, jobs, now, namespaceFlag } = evidence;
  const { spec, status, metadata } = cronJob;
  const started = parseTime(status?.lastScheduleTime ?? undefined);
  const success = parseTime(status?.lastSuccessfulTime ?? undefined);
  const intervals = intervalMs(evidence);
  const begun = success ?? parseTime(metadata?.creationTimestamp ?? undefined);
  if (spec?.suspend === true || started === undefined || intervals === undefined || begun === undefined) return [];
  if (started - begun < MANY_STARTS * intervals) return [];
  const { name = '' } = metadata ?? {};
  const running = jobs.filter((job) => workloadFacts(job).ended === undefined);
  const ages = running.map(
    ({ workload }) => now - (parseTime(workload.metadata?.creationTimestamp ?? undefined) ?? now),
  );
  // Without a job nothing says whether one has succeeded: some are removed as soon as they have.
  if (running.length === 0) return [];
  const runs = `and ${plural(running.length, 'job')} of it ${running.length === 1 ? 'runs' : 'run'}, the oldest for ${formatAge(Math.max(...ages))}`;
  const { kubectl, why } = objectCommands(namespaceFlag);
  return [
    {
      id: 'no-success',
      severity: 'warning',
      rank: 12,
      topic: 'success',
      says: `cronjob/${name} has ${success === undefined ? 'never succeeded' : `not succeeded for ${formatAge(now - success)}`}, although it starts a job each ${formatAge(intervals)}, ${runs}`,
      evidence: [
        { source: 'field', path: 'status.lastSuccessfulTime', value: status?.lastSuccessfulTime ?? 'not set' },
        { source: 'field', path: 'status.lastScheduleTime', value: status?.lastScheduleTime ?? '' },
      ],
      try: [
        ...running.slice(0, 1).map(({ workload }) => why(`job/${workload.metadata?.name ?? ''}`)),
        kubectl('describe', `cronjob/${name}`),
      ],
    },
  ];
}

/** What its newest ended job, and those that are active, say. An older failure was overcome by a newer success. */
function ofJobs({ jobs, namespaceFlag }: CronJobEvidence): readonly RankedFinding[] {
  const ended = jobs.find((job) => workloadFacts(job).ended !== undefined);
  const active = jobs.filter((job) => workloadFacts(job).ended === undefined);
  const groups = new Map<string, JobFinding[]>();
  for (const job of [...active, ...(ended === undefined ? [] : [ended])]) {
    const name = job.workload.metadata?.name ?? '';
    for (const finding of workloadFindings(job)) {
      const key = keyOf(finding, name);
      groups.set(key, [...(groups.get(key) ?? []), { name, finding }]);
    }
  }
  return [...groups.values()].flatMap((all) => together(all, namespaceFlag));
}

interface JobFinding {
  readonly name: string;
  readonly finding: RankedFinding;
}

/** Equal for findings that differ only in names of jobs and pods, in counts of pods and in times. */
function keyOf({ id, container = '', says, pods = [] }: RankedFinding, job: string): string {
  const bare = [...pods, job].reduce((text, name) => text.replaceAll(name, ''), says);
  return `${id}|${container}|${bare.replace(/^\d+ of \d+ pods: /, '').replaceAll(/\b(?:\d+[smhd])+\b/g, '')}`;
}

/** One finding of one job, or of several that share it: "3 jobs (a, b and c): …". */
function together(all: readonly JobFinding[], namespaceFlag: string): readonly RankedFinding[] {
  const [first] = all;
  if (first === undefined) return [];
  const { name, finding } = first;
  const next = [objectCommands(namespaceFlag).why(`job/${name}`), ...finding.try];
  const names = [...new Set(all.map((one) => one.name))];
  if (names.length === 1) {
    const says = finding.says.includes(name) ? finding.says : `job ${name}: ${finding.says}`;
    return [{ ...finding, says, try: next }];
  }
  const each = [`job/${name}`, `job ${name}`].reduce((text, job) => text.replaceAll(job, 'each'), finding.says);
  const pods = all.flatMap((one) => one.finding.pods ?? []);
  return [
    {
      ...finding,
      says: `${plural(names.length, 'job')} (${listed(names)}): ${each}`,
      ...(pods.length > 0 && { pods }),
      try: next,
    },
  ];
}
