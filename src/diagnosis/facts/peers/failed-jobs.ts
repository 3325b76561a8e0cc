/** Tells with data that is not there, or with what an init container waits for, which Job should have made it and has not. Pure. */
import type { FailedJob, PodEvidence } from '../../evidence/pod-evidence.ts';
import type { RankedFinding } from '../../finding.ts';
import { dataLostSince } from '../pod/lost-data.ts';
import { type PodFacts, podFacts } from '../pod/pod-facts.ts';
import { serverOf } from '../servers/server-peers.ts';
import { commandText } from './spec-peers.ts';
import { hasWord } from '../words/text.ts';
import { controllerOf, type CronJob, isConditionTrue, type Job, type PodSpec } from '../../../api/index.ts';

/** Findings about what somebody else should have made. */
const LACKS = new Set(['missing-data']);
const MAX_SAYS = 200;

/** Names of Jobs that prepare data for others. */
const PREPARES = /migrat|schema|seed|init|set-?up|bootstrap|import|create|fixtures?|\bdb\b/i;
/** What a loop asks that waits for data: a query, or a file. */
const ASKS_FOR_DATA = /\bselect\b|\bshow tables\b|\btables?\b|\brelation\b|\bexists\b|(?:\btest|\[\[?)(?: !)? -[a-z] /i;
/** Letters by which "migrate" is the word of "waiting for migrations". */
const STEM = 5;

export interface JobWanted {
  /** The words of an init container that waits, with its name and command; absent: data is missing. */
  readonly waits?: string;
  /** The claim in which a file is missing that another workload may write. */
  readonly claim?: string;
  /** Data is too old: the words that say so. */
  readonly stale?: string;
}

export interface MeantJob {
  readonly job: Job;
  readonly state: NonNullable<FailedJob['state']>;
}

/**
 * The only Job that may have been meant to make what is not there; undefined: there is none, or more than one.
 *
 * Where data is missing, it is the only one that has failed, or has failed so far, else the only one of them whose name says that it prepares data, or
 * that is suspended and has such a name. For what waits, its
 * words have to name the Job or what that prepares; then it may be suspended or unfinished as well.
 */
export function meantJob(jobs: readonly Job[], { waits }: JobWanted = {}): MeantJob | undefined {
  const all = jobs.flatMap((job): readonly MeantJob[] => {
    const state = stateOf(job);
    return state === undefined ? [] : [{ job, state }];
  });
  const failed = all.filter(({ state }) => state === 'failed' || state === 'trying');
  const named = failed.filter(({ job }) => PREPARES.test(nameOf(job)));
  if (waits === undefined) {
    const asleep = all.filter(({ job, state }) => state === 'suspended' && PREPARES.test(nameOf(job)));
    return (
      single(named.length > 0 ? named : failed) ??
      (failed.length > 0 ? undefined : (single(asleep) ?? (asleep.length > 0 ? undefined : doneJob(jobs))))
    );
  }
  const exactly = all.filter(({ job }) => hasWord(waits, nameOf(job)));
  const alike = all.filter(({ job }) => sharesStem(nameOf(job), waits));
  return single(exactly) ?? single(alike) ?? (ASKS_FOR_DATA.test(waits) ? single(named) : undefined);
}

/** The only Job that has prepared data and is done: what it made may be lost since. */
function doneJob(jobs: readonly Job[]): MeantJob | undefined {
  const done = jobs.filter(
    (job) =>
      isConditionTrue(job.status?.conditions, 'Complete') &&
      PREPARES.test(nameOf(job)) &&
      controllerOf(job) === undefined,
  );
  const only = single(done);
  return only && { job: only, state: 'done' };
}

function single<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

function nameOf({ metadata }: Pick<Job, 'metadata'>): string {
  return metadata?.name ?? '';
}

/** undefined: it is done, or somebody made it a moment ago. */
function stateOf({ spec, status = {} }: Job): MeantJob['state'] | undefined {
  const { conditions, failed = 0, succeeded = 0, active = 0, ready = 0 } = status;
  if (isConditionTrue(conditions, 'Failed')) return 'failed';
  if (failed > 0 && succeeded === 0) return active > 0 ? 'trying' : 'failed';
  if (isConditionTrue(conditions, 'Complete') || succeeded > 0) return undefined;
  if (spec?.suspend === true) return 'suspended';
  return (active > 0 && ready === 0) || (active === 0 && status.startTime !== undefined) ? 'unfinished' : undefined;
}

/** "db-migrate" and "waiting for migrations" */
function sharesStem(name: string, words: string): boolean {
  const text = words.toLowerCase();
  const parts = name.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return parts.some((part) => PREPARES.test(part) && text.includes(part.slice(0, STEM)));
}

/** Whether the Jobs of the namespace may tell more: a container lacks data or waits, and its pod is of no Job itself. */
export function jobWanted(evidence: PodEvidence, found: readonly RankedFinding[]): JobWanted | undefined {
  const claim = found.flatMap((each) => claimLacking(each) ?? [])[0];
  if (claim !== undefined) return { claim };
  if (controllerOf(evidence.pod)?.kind === 'Job') return undefined;
  if (found.some(({ id }) => LACKS.has(id))) return {};
  const stale = found.find((each) => isStale(each));
  if (stale !== undefined) return { stale: stale.says };
  const waiting = found.find(isWaiting);
  const container = podFacts(evidence).containers.find(({ name }) => name === waiting?.container);
  if (waiting === undefined || container === undefined) return undefined;
  return { waits: [container.name, commandText(container.spec), waiting.says].join(' ') };
}

/** Data that somebody has not renewed. */
const STALE =
  /\bstale\b|\bStale[A-Z]|\b(?:out ?dated|out of date)\b|\b(?:is|are) (?:too old|\d{1,6} ?(?:s|m|min|h|hours|d|days) old)\b|\bnot (?:been )?(?:updated|refreshed|renewed) (?:since|for)\b|\blast (?:update|refresh|import)(?:ed)? .{1,60}\bago\b|\bage[= ]\d{2,9} ?s?\b.{0,30}\bmax\w{0,10}[= ]\d/;
const OF_PROGRAM = /^(?:fails-again|exit-code|missing-data)$/;

function isStale({ id, says }: RankedFinding): boolean {
  return OF_PROGRAM.test(id) && STALE.test(says);
}

/** The only suspended CronJob that the words about old data name, else the only one there is; else likewise one whose job does not end. */
export function renewerOf(stale: string, cronJobs: readonly CronJob[]): FailedJob | undefined {
  const asleep = meantCron(
    stale,
    cronJobs.filter(({ spec }) => spec?.suspend === true),
  );
  if (asleep !== undefined) return { kind: 'cronjob', name: nameOf(asleep), state: 'suspended' };
  const stuck = meantCron(stale, cronJobs.filter(runsOn));
  const [job] = stuck?.status?.active ?? [];
  return stuck === undefined
    ? undefined
    : { kind: 'cronjob', name: nameOf(stuck), state: 'unfinished', says: `its job ${job?.name ?? ''} has not ended` };
}

function meantCron(stale: string, cronJobs: readonly CronJob[]): CronJob | undefined {
  const words = stale.toLowerCase();
  const named = cronJobs.filter((each) => hasWord(stale, nameOf(each)));
  const alike = cronJobs.filter((each) =>
    (nameOf(each).match(/[a-z]{4,}/g) ?? []).some((part) => words.includes(part.slice(0, STEM))),
  );
  return single(named) ?? single(alike) ?? single(cronJobs);
}

/** Whether its last job has begun, and none has succeeded since. */
function runsOn({ spec, status }: CronJob): boolean {
  const { active = [], lastScheduleTime, lastSuccessfulTime } = status ?? {};
  return spec?.suspend !== true && active.length > 0 && (lastSuccessfulTime ?? '') < (lastScheduleTime ?? '');
}

/** "does not find its file /shared/daily.csv in volume shared (claim shared)" */
const IN_CLAIM =
  /does not find its file \/\S{1,300}(?:, which .{1,200}? names,)? in volume \S{1,63} \(claim ([^)]{1,253})\)/;

/** The claim in which a container lacks a file. */
function claimLacking({ says }: RankedFinding): string | undefined {
  return IN_CLAIM.exec(says)?.[1];
}

/** The only suspended CronJob or Job beside the pod's own that mounts the claim, and so may write what is missing. */
export function asleepWriter(
  claim: string,
  pod: PodEvidence['pod'],
  { jobs, cronJobs }: { readonly jobs: readonly Job[]; readonly cronJobs: readonly CronJob[] },
): FailedJob | undefined {
  const own = controllerOf(pod)?.name ?? '';
  const mounts = (spec: PodSpec | undefined): boolean =>
    (spec?.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claim);
  const crons = cronJobs.filter(
    ({ metadata, spec }) =>
      spec?.suspend === true &&
      mounts(spec.jobTemplate.spec?.template.spec) &&
      !own.startsWith(`${metadata?.name ?? ''}-`),
  );
  const others = jobs.filter(
    (job) =>
      job.spec?.suspend === true &&
      nameOf(job) !== own &&
      mounts(job.spec.template.spec) &&
      controllerOf(job) === undefined,
  );
  const all = [
    ...crons.map(({ metadata }): FailedJob => ({ kind: 'cronjob', name: metadata?.name ?? '', state: 'suspended' })),
    ...others.map((job): FailedJob => ({ name: nameOf(job), state: 'suspended' })),
  ];
  return single(all);
}

/** A service that is blamed explains the wait. */
function isWaiting({ id, blames }: RankedFinding): boolean {
  return id === 'init-waits' && blames === undefined;
}

const STATES: Readonly<Record<MeantJob['state'], string>> = {
  failed: 'has failed',
  trying: 'has failed so far',
  suspended: 'is suspended',
  unfinished: 'is not done',
  done: 'is done',
};

/** The findings; the first that lacks data or waits names the Job. */
export function withFailedJob(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const { evidence, commands } = facts;
  const { failedJob } = evidence;
  if (failedJob === undefined) return found;
  if (failedJob.state === 'done') return withLostData(facts, failedJob, found);
  const first =
    found.find((each) => claimLacking(each) !== undefined) ??
    found.find(({ id }) => LACKS.has(id)) ??
    found.find(isWaiting) ??
    found.find(isStale);
  if (first === undefined || first.says.includes(`${failedJob.kind ?? 'job'}/${failedJob.name}, which`)) return found;
  const { name, kind = 'job', says = '', state = 'failed' } = failedJob;
  const target = `${kind}/${name}`;
  const why = says.length <= MAX_SAYS ? says : `${says.slice(0, MAX_SAYS - 1)}…`;
  const what = isWaiting(first)
    ? 'make what it waits for'
    : LACKS.has(first.id) || !isStale(first)
      ? 'make it'
      : 'renew it';
  return found.map((finding) =>
    finding === first
      ? {
          ...finding,
          // What has failed does not come by waiting.
          ...(isWaiting(first) && state === 'failed' && { severity: 'critical' as const }),
          says: `${finding.says}; ${target}, which may be meant to ${what}, ${STATES[state]}${why === '' ? '' : `: ${why}`}`,
          evidence: [...finding.evidence, { source: 'object', object: target, says: STATES[state] }],
          try:
            state === 'suspended'
              ? [commands.kubectl('patch', target, '-p', '{"spec":{"suspend":false}}'), ...finding.try]
              : [...finding.try, commands.kubectl('logs', target)],
        }
      : finding,
  );
}

/** The findings; the first that lacks data says that the Job made it before the server lost it. */
function withLostData(
  facts: PodFacts,
  { name, doneAt }: FailedJob,
  found: readonly RankedFinding[],
): readonly RankedFinding[] {
  const first = found.find(({ id }) => LACKS.has(id));
  const container = facts.containers.find((each) => each.name === first?.container);
  const service = container && serverOf(facts.evidence, container);
  const lost = service?.server && dataLostSince(service.server, doneAt ?? '');
  if (service === undefined || lost === undefined) return found;
  const { namespace = 'default' } = facts.pod.metadata ?? {};
  return found.map((finding) =>
    finding === first
      ? {
          ...finding,
          says: `${finding.says}; job/${name}, which may have made it, was done before ${lost.says} behind service ${service.name}, ${lost.where}, so that what was there before is lost: the job has to run again`,
          evidence: [
            ...finding.evidence,
            { source: 'object', object: `job/${name}`, says: `was done at ${doneAt ?? ''}` },
            lost.quote,
          ],
          try: [
            `kubectl get job/${name} -n ${namespace} -o yaml | sed /controller-uid/d | kubectl replace --force -f -`,
            ...finding.try,
          ],
        }
      : finding,
  );
}
