/** The overview's rows with what the page adds to them. Texts are masked and bounded. Pure. */
import { type DayFigures, type KubeObject, pauseOf, type Pod } from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { Overview, OverviewFacts, PodView, WorkloadRow } from '../../overview/index.ts';
import type { PagePod, PageRow } from '../../page/index.ts';
import { MAX_ROW_PODS } from '../limits.ts';
import { barWithNow, dayBar } from './day-bar.ts';
import type { KnownDeath, PodDeaths } from './deaths.ts';
import { DAY_MS } from './recovery.ts';

export interface RowFacts {
  readonly facts: OverviewFacts;
  readonly deathsOf: (uid: string) => PodDeaths | undefined;
  /** By "namespace/pod". */
  readonly serving: ReadonlyMap<string, boolean>;
  /** Masks and bounds texts of statuses: programs said them. */
  readonly shown: (text: string) => string;
  /** What nodes remember of a row's last day. */
  readonly dayOf: (id: string) => DayFigures | undefined;
  /** What a pod's node says that comes next, by the pod's UID. */
  readonly stepOf: (uid: string) => { readonly words: string; readonly inMs: number } | undefined;
}

export function pageRows(overview: Overview, known: RowFacts): readonly PageRow[] {
  const created = creationTimes(known.facts);
  const pods = new Map(known.facts.pods.map((pod) => [pod.metadata?.uid ?? '', pod]));
  return overview.rows.map((row) => pageRow(row, { known, created, pods, now: overview.at }));
}

interface RowContext {
  readonly known: RowFacts;
  readonly created: ReadonlyMap<string, string>;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly now: number;
}

function pageRow(row: WorkloadRow, { known, created, pods, now }: RowContext): PageRow {
  const { kind, namespace, name, mood, ready, wanted, restarts, lastDeath, why } = row;
  const { shown } = known;
  const id = `${kind}/${namespace}/${name}`;
  const lives = row.pods.flatMap(({ uid }) => known.deathsOf(uid) ?? []);
  const deaths = lives.flatMap((life) => life.deaths);
  const since = parseTime(created.get(id));
  const day = known.dayOf(id);
  const counted = deathsOfDay(row, lives, deaths, now);
  // The nodes' memory of the day is asked for now and then; a death that the feed has just heard of counts at once.
  const restartsDay = day === undefined ? counted : Math.max(day.restarts, counted ?? 0);
  const ofDeaths = dayBar({ ...(since === undefined ? {} : { since }), deaths, mood }, now);
  const isPaused = row.pods.some(({ uid }) => pauseOf(pods.get(uid) ?? {}) !== undefined);
  const next = nextOf(row, known, now);
  const endpoints = endpointsOf(row, known.serving);
  return {
    id,
    kind,
    namespace,
    name,
    mood,
    ...(why === undefined ? {} : { why: shown(why) }),
    ready,
    wanted,
    restarts,
    ...(restartsDay === undefined ? {} : { restartsDay }),
    ...(lastDeath === undefined ? {} : { lastDeath: { ...lastDeath, words: shown(lastDeath.words) } }),
    ...(next === undefined ? {} : { next: { ...next, words: shown(next.words) } }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(isPaused ? { paused: true } : {}),
    bar: day === undefined ? ofDeaths : barWithNow(day.bar, ofDeaths),
    pods: row.pods.slice(0, MAX_ROW_PODS).map((pod) => pagePod(pod, pods.get(pod.uid), shown)),
    ...(row.pods.length > MAX_ROW_PODS ? { podsLeftOut: row.pods.length - MAX_ROW_PODS } : {}),
  };
}

/** As the statuses tell it; what they have no time for, the nodes may know. */
function nextOf({ next, mood, pods }: WorkloadRow, { stepOf }: RowFacts, now: number): WorkloadRow['next'] {
  if (next?.at !== undefined || mood === 'ok' || mood === 'done') return next;
  const step = pods.flatMap((pod) => (pod.mood === 'ok' ? [] : (stepOf(pod.uid) ?? [])))[0];
  // Whole seconds: the same step is not another one with each answer.
  return step === undefined ? next : { words: step.words, at: Math.round((now + step.inMs) / 1000) * 1000 };
}

/** undefined: nobody knows. */
function deathsOfDay(
  row: WorkloadRow,
  lives: readonly PodDeaths[],
  deaths: readonly KnownDeath[],
  now: number,
): number | undefined {
  if (row.restarts === 0) return 0;
  const from = now - DAY_MS;
  const restarted = row.pods.filter(({ restarts }) => restarts > 0).length;
  const isComplete = lives.length >= restarted && lives.every(({ completeFrom }) => (completeFrom ?? 0) <= from);
  return isComplete ? deaths.filter(({ at }) => at >= from).length : undefined;
}

/** undefined: no service chooses these pods. */
function endpointsOf({ namespace, pods }: WorkloadRow, serving: ReadonlyMap<string, boolean>): number | undefined {
  const states = pods.flatMap(({ name }) => serving.get(`${namespace}/${name}`) ?? []);
  return states.length === 0 ? undefined : states.filter((takes) => takes).length;
}

function pagePod(
  { name, node, mood, why, ready, restarts }: PodView,
  pod: Pod | undefined,
  shown: RowFacts['shown'],
): PagePod {
  const { initContainers = [], containers = [] } = pod?.spec ?? {};
  return {
    name,
    ...(node === undefined ? {} : { node }),
    mood,
    ...(why === undefined ? {} : { why: shown(why) }),
    ready,
    restarts,
    containers: [...containers, ...initContainers].map((container) => container.name ?? ''),
  };
}

/** When each object that may have a row was made, by the row's id. */
function creationTimes(facts: OverviewFacts): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  const add = (kind: string, objects: readonly KubeObject[]): void => {
    for (const { metadata } of objects) {
      const at = metadata?.creationTimestamp ?? '';
      if (at !== '') times.set(`${kind}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`, at);
    }
  };
  add('deploy', facts.deployments);
  add('sts', facts.statefulSets);
  add('ds', facts.daemonSets);
  add('rs', facts.replicaSets);
  add('rc', facts.replicationControllers);
  add('job', facts.jobs);
  add('cronjob', facts.cronJobs);
  add('pod', facts.pods);
  return times;
}
