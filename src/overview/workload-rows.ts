/** Pods under the objects that users made, one row each. Pure. */
import {
  controllerOf,
  type CronJob,
  type DaemonSet,
  type Deployment,
  type Job,
  type KubeObject,
  type Pod,
  type ReplicaSet,
  type ReplicationController,
  type StatefulSet,
} from '../api/index.ts';
import { type JobCourse, jobCourse, jobsThatCount, lastCourse } from './job-course.ts';
import { type Mood, MOODS, type PodView, type WorkloadRow } from './types.ts';

/** The objects that make pods, as far as they could be read. */
export interface Makers {
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly replicationControllers: readonly ReplicationController[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly jobs: readonly Job[];
  readonly cronJobs: readonly CronJob[];
}

interface Subject {
  readonly kind: string;
  readonly object: KubeObject;
  /** undefined: as many as there are */
  readonly wanted: number | undefined;
  /** Of a job, and of the last one of a cron job. */
  readonly course?: JobCourse;
}

/** How bad a mood is: its place in the list. */
export function badness(mood: Mood): number {
  return MOODS.indexOf(mood);
}

/** @param views of the pods, in the same order */
export function workloadRows(pods: readonly Pod[], views: readonly PodView[], makers: Makers): readonly WorkloadRow[] {
  const counting = jobsThatCount(makers.jobs);
  const courses = new Map(makers.jobs.map((job) => [job.metadata?.uid ?? '', jobCourse(job)]));
  const history = new Set<string>();
  const subjects = new Map(subjectsOf(makers).map((subject) => [subject.object.metadata?.uid ?? '', subject]));
  const parents = new Map(
    [...makers.replicaSets, ...makers.jobs].map((object) => [object.metadata?.uid ?? '', controllerOf(object)?.uid]),
  );
  const members = new Map<string, PodView[]>();
  const alone: WorkloadRow[] = [];
  for (const [place, pod] of pods.entries()) {
    const view = views[place];
    if (view === undefined) continue;
    const maker = controllerOf(pod)?.uid;
    const course = courses.get(maker ?? '');
    // A job tries again with another pod: one that failed before is history, unless the job has failed.
    const isOld = view.mood === 'stopped' && course?.kind !== 'failed';
    if (course !== undefined && (isOld || !counting.has(maker ?? ''))) history.add(view.uid);
    const top = [maker === undefined ? undefined : parents.get(maker), maker].find(
      (uid) => uid !== undefined && subjects.has(uid),
    );
    if (top === undefined) alone.push(loneRow(view));
    else members.set(top, [...(members.get(top) ?? []), view]);
  }
  const rows = [...subjects].map(([uid, subject]) => rowOf(subject, members.get(uid) ?? [], history));
  return [...rows, ...alone].toSorted(
    (a, b) =>
      badness(b.mood) - badness(a.mood) ||
      compare(a.namespace, b.namespace) ||
      compare(a.name, b.name) ||
      compare(a.kind, b.kind),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Those that nobody made for another one. */
function subjectsOf(makers: Makers): readonly Subject[] {
  const tops = <T extends KubeObject>(
    kind: string,
    objects: readonly T[],
    wanted: (object: T) => number | undefined,
    course: (object: T) => JobCourse | undefined = () => undefined,
  ): readonly Subject[] =>
    objects
      .filter((object) => controllerOf(object) === undefined)
      .map((object) => {
        const found = course(object);
        return { kind, object, wanted: wanted(object), ...(found === undefined ? {} : { course: found }) };
      });
  return [
    ...tops('deploy', makers.deployments, ({ spec }) => spec?.replicas ?? 1),
    ...tops('sts', makers.statefulSets, ({ spec }) => spec?.replicas ?? 1),
    ...tops('ds', makers.daemonSets, ({ status }) => status?.desiredNumberScheduled ?? 0),
    ...tops('rs', makers.replicaSets, ({ spec }) => spec?.replicas ?? 1),
    ...tops('rc', makers.replicationControllers, ({ spec }) => spec?.replicas ?? 1),
    ...tops('job', makers.jobs, () => undefined, jobCourse),
    ...tops(
      'cronjob',
      makers.cronJobs,
      () => undefined,
      ({ metadata }) => lastCourse(makers.jobs.filter((job) => controllerOf(job)?.uid === metadata?.uid)),
    ),
  ];
}

function rowOf(
  { kind, object, wanted, course }: Subject,
  pods: readonly PodView[],
  history: ReadonlySet<string>,
): WorkloadRow {
  const alive = pods.filter(({ mood, uid }) => mood !== 'done' && mood !== 'ending' && !history.has(uid));
  // A controller replaces a pod that failed: the new one counts.
  const current =
    wanted !== undefined && alive.length > wanted ? alive.filter(({ mood }) => mood !== 'stopped') : alive;
  const count = wanted ?? current.length;
  const ready = current.filter(({ ready: is }) => is).length;
  const worst = worstOf(current);
  const lacks = wanted !== undefined && current.length < wanted;
  const itself = worst?.mood ?? (wanted === undefined ? moodOfJob(course, pods) : 'ok');
  const mood = lacks ? worseOf(itself, pods.length === 0 ? 'waiting' : 'starting') : itself;
  const why = worst?.why ?? (lacks ? `${current.length} of ${wanted} pods` : course?.why);
  return {
    ...summed(pods, worst),
    kind,
    namespace: object.metadata?.namespace ?? '',
    name: object.metadata?.name ?? '',
    mood,
    ...(why === undefined || mood === 'ok' || mood === 'done' ? {} : { why }),
    ready,
    wanted: count,
  };
}

/** Of a job that has no pod that counts. */
function moodOfJob(course: JobCourse | undefined, pods: readonly PodView[]): Mood {
  if (course?.kind === 'failed') return 'stopped';
  return course?.kind === 'going' && pods.some(({ mood }) => mood === 'stopped') ? 'healing' : 'done';
}

function worseOf(a: Mood, b: Mood): Mood {
  return badness(a) >= badness(b) ? a : b;
}

function loneRow(view: PodView): WorkloadRow {
  const { namespace, name, mood, why, ready } = view;
  return {
    ...summed([view], view),
    kind: 'pod',
    namespace,
    name,
    mood,
    ...(why === undefined ? {} : { why }),
    ready: ready ? 1 : 0,
    wanted: mood === 'done' ? 0 : 1,
  };
}

function worstOf(pods: readonly PodView[]): PodView | undefined {
  return pods.toSorted(
    (a, b) => badness(b.mood) - badness(a.mood) || (b.lastDeath?.at ?? 0) - (a.lastDeath?.at ?? 0),
  )[0];
}

function summed(
  pods: readonly PodView[],
  worst: PodView | undefined,
): Pick<WorkloadRow, 'restarts' | 'lastDeath' | 'next' | 'paused' | 'pods'> {
  const [death] = pods.flatMap(({ lastDeath }) => lastDeath ?? []).toSorted((a, b) => b.at - a.at);
  return {
    restarts: pods.reduce((sum, { restarts }) => sum + restarts, 0),
    ...(death === undefined ? {} : { lastDeath: death }),
    ...(worst?.next === undefined ? {} : { next: worst.next }),
    ...(pods.some(({ paused }) => paused) ? { paused: true as const } : {}),
    pods: pods.toSorted((a, b) => badness(b.mood) - badness(a.mood) || compare(a.name, b.name)),
  };
}
