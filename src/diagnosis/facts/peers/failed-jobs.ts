/** Tells with data that is not there, or with what an init container waits for, which Job should have made it and has not. Pure. */
import type { FailedJob, PodEvidence } from '../../evidence/pod-evidence.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { dataLostSince } from '../pod/lost-data.ts';
import { type PodFacts, podFacts } from '../pod/pod-facts.ts';
import { databaseOf } from './peer-name.ts';
import { serverOf } from '../servers/server-peers.ts';
import { commandText } from './spec-peers.ts';
import { hasWord } from '../words/text.ts';
import {
  controllerOf,
  type CronJob,
  type Deployment,
  isConditionTrue,
  type Job,
  type PodSpec,
  type StatefulSet,
} from '../../../api/index.ts';

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
  /** Data is too old, or an entry of it is gone: the words that say so. */
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
/** An entry that somebody has to write again and again. */
const GONE =
  /\bnot (?:found|there|present|set|available) in (?:the )?(?:redis|valkey|memcached|\w{0,20}(?:cache|store))\b|\b(?:redis|cache)\b.{0,30}\b(?:key|entry)\b.{0,80}\b(?:is missing|missing|not found|does not exist|expired)\b|\b(?:key|entry)\b.{0,80}\b(?:is missing|not found|does not exist|expired) in\b|\b(?:cache|snapshot|feed|catalog(?:ue)?) (?:is |was )?empty\b/i;
const OF_PROGRAM = /^(?:fails-again|exit-code|missing-data)$/;

function isStale({ id, says }: RankedFinding): boolean {
  return OF_PROGRAM.test(id) && (STALE.test(says) || GONE.test(says));
}

/** The workloads of a namespace that may write what others read. */
export interface Writers {
  readonly cronJobs: readonly CronJob[];
  readonly deployments?: readonly Deployment[];
  readonly statefulSets?: readonly StatefulSet[];
}

/**
 * The only suspended CronJob that the words about old data name, else the only one there is; else likewise one whose job does not end; else
 * the only workload without replicas that they name. Where an entry is gone, that alone is known: then one has to name it, or be named.
 */
export function renewerOf(stale: string, { cronJobs, ...workloads }: Writers): FailedJob | undefined {
  const isGone = !STALE.test(stale);
  const sleeping = cronJobs.filter(({ spec }) => spec?.suspend === true);
  const stopped = stoppedOf(workloads);
  const writer =
    single(sleeping.filter(({ spec }) => quotesOf(stale, spec?.jobTemplate))) ??
    single(stopped.filter(({ template }) => quotesOf(stale, template)));
  if (writer !== undefined) return 'template' in writer ? writer.told : asleepCron(writer);
  const asleep = meantCron(stale, sleeping, isGone);
  if (asleep !== undefined) return asleepCron(asleep);
  const named = single(stopped.filter(({ told }) => hasWord(stale, told.name)));
  if (named !== undefined) return named.told;
  if (isGone) return undefined;
  const stuck = meantCron(stale, cronJobs.filter(runsOn));
  const [job] = stuck?.status?.active ?? [];
  return stuck === undefined
    ? undefined
    : { kind: 'cronjob', name: nameOf(stuck), state: 'unfinished', says: `its job ${job?.name ?? ''} has not ended` };
}

function asleepCron(cronJob: CronJob): FailedJob {
  return { kind: 'cronjob', name: nameOf(cronJob), state: 'suspended' };
}

interface Stopped {
  readonly told: FailedJob;
  readonly template: unknown;
}

/** Those that shall have no pod. */
function stoppedOf({ deployments = [], statefulSets = [] }: Omit<Writers, 'cronJobs'>): readonly Stopped[] {
  const of = (kind: 'deployment' | 'statefulset', all: readonly (Deployment | StatefulSet)[]): readonly Stopped[] =>
    all
      .filter(({ spec }) => spec?.replicas === 0)
      .map((each) => ({ told: { kind, name: nameOf(each), state: 'stopped' }, template: each.spec?.template }));
  return [...of('deployment', deployments), ...of('statefulset', statefulSets)];
}

/** Names with a mark between their words, as those of keys, tables and files have: "prices:current". */
const NAME_IN_WORDS = /[a-z]\w{0,60}(?:[:._/-]\w{1,60}){1,8}/gi;
/** Hosts with ports, and places in code: many have them that write nothing. */
const OF_PEER_OR_PLACE = /:\d{1,5}$|\.(?:py|js|ts|rb|go|java|php|sh)$/i;
const MAX_TEMPLATE = 64 * 1024;

/** Whether a template has a name that the words quote. */
function quotesOf(words: string, template: unknown): boolean {
  const text = JSON.stringify(template ?? {}).slice(0, MAX_TEMPLATE);
  const names = (words.match(NAME_IN_WORDS) ?? []).filter((name) => !OF_PEER_OR_PLACE.test(name));
  return names.some((name) => hasWord(text, name));
}

/** @param hasToBeNamed the only one there is counts for nothing */
function meantCron(stale: string, cronJobs: readonly CronJob[], hasToBeNamed = false): CronJob | undefined {
  const words = stale.toLowerCase();
  const named = cronJobs.filter((each) => hasWord(stale, nameOf(each)));
  const alike = cronJobs.filter((each) =>
    (nameOf(each).match(/[a-z]{4,}/g) ?? []).some((part) => words.includes(part.slice(0, STEM))),
  );
  return single(named) ?? single(alike) ?? (hasToBeNamed ? undefined : single(cronJobs));
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

const STATES: Readonly<Record<NonNullable<FailedJob['state']>, string>> = {
  failed: 'has failed',
  trying: 'has failed so far',
  suspended: 'is suspended',
  unfinished: 'is not done',
  done: 'is done',
  stopped: 'is scaled to 0',
};

/** The findings; the first that lacks data or waits names the Job. */
export function withFailedJob(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const { evidence, commands } = facts;
  const { failedJob } = evidence;
  if (failedJob === undefined) return found;
  if (failedJob.state === 'done')
    return withOtherDatabase(facts, failedJob, found) ?? withLostData(facts, failedJob, found);
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
              : state === 'stopped'
                ? [commands.kubectl('scale', target, '--replicas=1'), ...finding.try]
                : [...finding.try, commands.kubectl('logs', target)],
        }
      : finding,
  );
}

/** The container that lacks data, by the first finding that says so. */
function lacking(
  { containers }: PodFacts,
  found: readonly RankedFinding[],
): { readonly first: RankedFinding; readonly container: ContainerFacts } | undefined {
  const first = found.find(({ id }) => LACKS.has(id));
  const container = containers.find((each) => each.name === first?.container);
  return first && container && { first, container };
}

/** The findings; the first that lacks data says that the Job made it elsewhere; undefined: nothing is known of that. */
function withOtherDatabase(
  facts: PodFacts,
  { name, database }: FailedJob,
  found: readonly RankedFinding[],
): readonly RankedFinding[] | undefined {
  const { first, container } = lacking(facts, found) ?? {};
  const own = container && databaseOf(facts, container);
  if (first === undefined || own === undefined || database === undefined || own === database) return undefined;
  const target = `job/${name}`;
  if (first.says.includes(`${target}, which`)) return found;
  return found.map((finding) =>
    finding === first
      ? {
          ...finding,
          says: `${finding.says}; ${target}, which may have made it, is done, but in database ${database}, and not in ${own}`,
          evidence: [...finding.evidence, { source: 'object', object: target, says: `names database ${database}` }],
          try: [facts.commands.kubectl('logs', target), ...finding.try],
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
  const { first, container } = lacking(facts, found) ?? {};
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
