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
import { podView } from './pod-view.ts';
import { type Mood, MOODS, type PodView, type Said, type WorkloadRow } from './types.ts';

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
  /** Pods that are gone are no loss: a finished job. */
  readonly over: boolean;
}

/** How bad a mood is: its place in the list. */
export function badness(mood: Mood): number {
  return MOODS.indexOf(mood);
}

export function workloadRows(pods: readonly Pod[], makers: Makers, said: Said): readonly WorkloadRow[] {
  const subjects = new Map(subjectsOf(makers).map((subject) => [subject.object.metadata?.uid ?? '', subject]));
  const parents = new Map(
    [...makers.replicaSets, ...makers.jobs].map((object) => [object.metadata?.uid ?? '', controllerOf(object)?.uid]),
  );
  const members = new Map<string, PodView[]>();
  const alone: WorkloadRow[] = [];
  for (const pod of pods) {
    const view = viewOf(pod, said);
    const maker = controllerOf(pod)?.uid;
    const top = [maker === undefined ? undefined : parents.get(maker), maker].find(
      (uid) => uid !== undefined && subjects.has(uid),
    );
    if (top === undefined) alone.push(loneRow(view));
    else members.set(top, [...(members.get(top) ?? []), view]);
  }
  const rows = [...subjects].map(([uid, subject]) => rowOf(subject, members.get(uid) ?? []));
  return [...rows, ...alone].toSorted(
    (a, b) =>
      badness(b.mood) - badness(a.mood) ||
      compare(a.namespace, b.namespace) ||
      compare(a.name, b.name) ||
      compare(a.kind, b.kind),
  );
}

interface Viewed {
  readonly view: PodView;
  /** What was said of its containers then. */
  readonly heard: ReadonlyMap<string, string | undefined>;
}

/** By the pod itself: a watch replaces objects and never changes them. Most pods are as they were at the last look. */
const VIEWS = new WeakMap<Pod, Viewed>();

function viewOf(pod: Pod, said: Said): PodView {
  const before = VIEWS.get(pod);
  if (before !== undefined && [...before.heard].every(([id, words]) => said(id) === words)) return before.view;
  const heard = new Map<string, string | undefined>();
  const listening: Said = (id) => {
    const words = said(id);
    heard.set(id, words);
    return words;
  };
  const view = podView(pod, listening);
  VIEWS.set(pod, { view, heard });
  return view;
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
    over: (object: T) => boolean = () => false,
  ): readonly Subject[] =>
    objects
      .filter((object) => controllerOf(object) === undefined)
      .map((object) => ({ kind, object, wanted: wanted(object), over: over(object) }));
  return [
    ...tops('deploy', makers.deployments, ({ spec }) => spec?.replicas ?? 1),
    ...tops('sts', makers.statefulSets, ({ spec }) => spec?.replicas ?? 1),
    ...tops('ds', makers.daemonSets, ({ status }) => status?.desiredNumberScheduled ?? 0),
    ...tops('rs', makers.replicaSets, ({ spec }) => spec?.replicas ?? 1),
    ...tops('rc', makers.replicationControllers, ({ spec }) => spec?.replicas ?? 1),
    ...tops('job', makers.jobs, () => undefined, isOver),
    ...tops(
      'cronjob',
      makers.cronJobs,
      () => undefined,
      () => true,
    ),
  ];
}

function isOver({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
}

function rowOf({ kind, object, wanted, over }: Subject, pods: readonly PodView[]): WorkloadRow {
  const alive = pods.filter(({ mood }) => mood !== 'done' && mood !== 'ending');
  // A controller replaces a pod that failed: the new one counts.
  const current =
    wanted !== undefined && alive.length > wanted ? alive.filter(({ mood }) => mood !== 'stopped') : alive;
  const count = wanted ?? current.length;
  const ready = current.filter(({ ready: is }) => is).length;
  const worst = worstOf(current);
  const lacks = wanted !== undefined && current.length < wanted;
  const itself = worst?.mood ?? (over || wanted === undefined ? 'done' : 'ok');
  const mood = lacks ? worseOf(itself, pods.length === 0 ? 'waiting' : 'starting') : itself;
  const why = worst?.why ?? (lacks ? `${current.length} of ${wanted} pods` : undefined);
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
