/**
 * The node's memory of the last day of its workloads, in buckets of five minutes. Passes over pods tell it what they see; between
 * passes a pod stays as it was. It reads and writes nothing itself.
 */
import { BUCKET_MS, bucketOf, controllerOf, DAY_BUCKETS, type Pod, type WorkloadDay } from '../../api/index.ts';
import { type Clock, type Now, parseTime } from '../../lib/index.ts';
import type { PodUID } from '../types.ts';
import { CLOCK_HOLD_MS, MAX_LEFT_OUT, MAX_WORKLOADS } from './limits.ts';
import { type DayPass, passFacts } from './pass-facts.ts';
import {
  healthOf,
  type KeptTrack,
  keptTrack,
  newTrack,
  type PodNews,
  type PodTrack,
  trackFrom,
  trackPod,
} from './pod-track.ts';
import { type StoredRing, WorkloadRing } from './workload-ring.ts';
import { workloadOf } from './workload-name.ts';

/** All that outlives the agent. */
export interface StoredDay {
  /** Wall ms: what happened after it was not seen. */
  readonly savedAt: number;
  /** The present bucket of then. */
  readonly bucket: number;
  readonly workloads: readonly StoredWorkload[];
}

export type StoredWorkload = StoredRing & { readonly tracks: readonly KeptTrack[] };

export interface DayQuery {
  readonly namespace?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  /** With CPU and memory. */
  readonly series: boolean;
}

interface Workload {
  readonly ring: WorkloadRing;
  /** Pods of this node. */
  readonly tracks: Map<PodUID, PodTrack>;
  /** Pods of the agent before, until they are seen again. `seenUntil`: wall ms. */
  readonly kept: Map<PodUID, { readonly track: KeptTrack; readonly seenUntil: number }>;
}

const SECOND_MS = 1000;

export class DayRing {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #workloads = new Map<string, Workload>();
  readonly #byPod = new Map<PodUID, Workload>();
  /** Workloads without a place, and the bucket in which a pod of them was seen last. */
  readonly #leftOut = new Map<string, number>();
  #bucket: number;
  /** Mono ms: since when the clock shows a time before the present bucket. */
  #backSince: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    const { wall } = clock.now();
    // Start times of pods are in whole seconds.
    this.#startedAt = wall - (wall % SECOND_MS);
    this.#bucket = bucketOf(wall);
  }

  get size(): number {
    return this.#workloads.size;
  }

  /** Workloads of the last day that have no place here. */
  get leftOut(): number {
    return this.#leftOut.size;
  }

  /** Takes what a pass shows. */
  passed(pass: DayPass): void {
    const now = this.#advance();
    const { pod, status } = pass;
    const uid = pod.metadata?.uid ?? '';
    const workload = this.#byPod.get(uid) ?? this.#meet(pod, uid);
    if (workload === undefined) return;
    const kept = workload.kept.get(uid);
    const facts = passFacts(pass, now, kept?.seenUntil);
    const before =
      workload.tracks.get(uid) ?? (kept === undefined ? newTrack(now, facts.restarts) : trackFrom(kept.track, now));
    if (kept === undefined && !workload.tracks.has(uid))
      this.#earlier(workload, parseTime(status.startTime ?? undefined));
    workload.kept.delete(uid);
    const { track, news } = trackPod(before, facts);
    workload.tracks.set(uid, track);
    this.#take(workload.ring, news);
    this.#mark(workload.ring, track, now.mono);
  }

  /** Nothing is left of the pod. */
  gone(uid: PodUID): void {
    this.#advance();
    const workload = this.#byPod.get(uid);
    if (workload === undefined) return;
    const outage = workload.tracks.get(uid)?.outage;
    if (outage !== undefined && outage.up === undefined) workload.ring.see(this.#bucket, 'dead');
    workload.tracks.delete(uid);
    workload.kept.delete(uid);
    this.#byPod.delete(uid);
  }

  /** Pods of the agent before that are not here any more. */
  forgetKept(isKnown: (uid: PodUID) => boolean): void {
    for (const [uid, { tracks, kept }] of this.#byPod) {
      if (tracks.has(uid) || isKnown(uid)) continue;
      kept.delete(uid);
      this.#byPod.delete(uid);
    }
  }

  /** The present bucket, after the time that has passed. */
  advance(): number {
    this.#advance();
    return this.#bucket;
  }

  /**
   * What the pods used in a bucket that has ended: sums of each workload's pods.
   * @param figures by pod: thousandths of a core (undefined: not known), and bytes
   */
  measured(
    bucket: number,
    figures: ReadonlyMap<PodUID, { readonly cpu: number | undefined; readonly memory: number | undefined }>,
  ): void {
    if (bucket > this.#bucket || bucket <= this.#bucket - DAY_BUCKETS) return;
    for (const { ring, tracks } of this.#workloads.values()) {
      const found = [...tracks.keys()].flatMap((uid) => figures.get(uid) ?? []);
      if (found.length === 0) continue;
      ring.measure(bucket, {
        cpu: sumOf(found.map(({ cpu }) => cpu)),
        memory: sumOf(found.map(({ memory }) => memory)),
      });
    }
  }

  answer({ namespace, kind, name, series }: DayQuery): readonly WorkloadDay[] {
    const { mono } = this.#advance();
    const found = [...this.#workloads.values()].filter(
      ({ ring }) =>
        (namespace === undefined || ring.name.namespace === namespace) &&
        (kind === undefined || ring.name.kind === kind) &&
        (name === undefined || ring.name.name === name),
    );
    return found.map(({ ring, tracks }) => {
      const dead = [...tracks.values()].some((track) => healthOf(track, mono) === 'dead');
      return ring.day(this.#bucket, { dead, series });
    });
  }

  /** What there is now; each workload is put together when it is taken, those that have pods first. */
  stored(): Omit<StoredDay, 'workloads'> & { readonly workloads: Iterable<StoredWorkload> } {
    const now = this.#advance();
    const bucket = this.#bucket;
    // While the clock is set back, the present bucket has the newest time that is known.
    return { savedAt: Math.max(Math.floor(now.wall), bucket * BUCKET_MS), bucket, workloads: this.#store(bucket, now) };
  }

  *#store(bucket: number, now: Now): Generator<StoredWorkload> {
    const all = [...this.#workloads.values()];
    for (const { ring, tracks, kept } of all.toSorted((a, b) => Number(isGone(a)) - Number(isGone(b)))) {
      const before = [...kept.values()].map(({ track }) => track);
      const present = [...tracks].map(([uid, track]) => keptTrack(uid, track, now));
      yield { ...ring.store(bucket), tracks: [...before, ...present] };
    }
  }

  /** Takes what the agent before had; before the first pass. Since then nothing was seen of its pods. */
  restore({ savedAt, bucket, workloads }: StoredDay): void {
    for (const { tracks, ...stored } of workloads) {
      const key = keyOf(stored.name);
      if (this.#workloads.size >= MAX_WORKLOADS) this.#leaveOut(key);
      if (this.#workloads.size >= MAX_WORKLOADS || this.#workloads.has(key)) continue;
      const ring = WorkloadRing.from(stored, bucket);
      const kept = new Map(tracks.map((track) => [track.uid, { track, seenUntil: savedAt }]));
      const workload: Workload = { ring, tracks: new Map(), kept };
      this.#workloads.set(key, workload);
      for (const uid of kept.keys()) this.#byPod.set(uid, workload);
    }
    this.#bucket = bucket;
    this.#advance();
    for (const { ring, kept } of this.#workloads.values()) {
      if (kept.size > 0) this.#away(ring, Math.min(bucketOf(savedAt), this.#bucket));
    }
  }

  #meet(pod: Pod, uid: PodUID): Workload | undefined {
    const name = workloadOf(pod);
    const key = keyOf(name);
    if (!this.#workloads.has(key) && this.#workloads.size >= MAX_WORKLOADS && !this.#giveWay()) {
      this.#leaveOut(key);
      return undefined;
    }
    const workload = this.#workloads.get(key) ?? { ring: new WorkloadRing(name), tracks: new Map(), kept: new Map() };
    this.#workloads.set(key, workload);
    this.#leftOut.delete(key);
    this.#byPod.set(uid, workload);
    workload.ring.meet(uid, controllerOf(pod)?.uid);
    return workload;
  }

  /** Whether the workload that is gone longest could be forgotten. */
  #giveWay(): boolean {
    const gone = [...this.#workloads].filter(([, each]) => isGone(each));
    const [oldest] = gone
      .map(([key, { ring }]) => ({ key, last: ring.lastSeen(this.#bucket) ?? 0 }))
      .toSorted((a, b) => a.last - b.last);
    return oldest !== undefined && this.#workloads.delete(oldest.key);
  }

  #leaveOut(key: string): void {
    if (this.#leftOut.size < MAX_LEFT_OUT || this.#leftOut.has(key)) this.#leftOut.set(key, this.#bucket);
  }

  /** A pod that nobody told of ran before this agent: then nothing was seen of it. */
  #earlier({ ring }: Workload, startedAt: number | undefined): void {
    if (startedAt !== undefined && startedAt < this.#startedAt) this.#away(ring, bucketOf(startedAt));
  }

  /** From this bucket to the present one. */
  #away(ring: WorkloadRing, from: number): void {
    for (let bucket = Math.max(from, this.#bucket - DAY_BUCKETS + 1); bucket <= this.#bucket; bucket += 1) {
      ring.see(bucket, 'away');
    }
  }

  #take(ring: WorkloadRing, { restarts, deaths, recovered, takenBack, lost, done }: PodNews): void {
    ring.count(this.#bucket, restarts, deaths);
    if (takenBack !== undefined) ring.takeBack(takenBack);
    if (recovered !== undefined) ring.recover(this.#bucket, recovered);
    if (lost) ring.see(this.#bucket, 'dead');
    if (done) ring.see(this.#bucket, 'ok');
  }

  /** What is seen now. A death counts as such only when its bucket ends before the pod is back. */
  #mark(ring: WorkloadRing, track: PodTrack, mono: number, atEnd = false): void {
    const health = healthOf(track, mono);
    if (health === 'ok' || health === 'degraded' || (health === 'dead' && atEnd)) {
      ring.see(this.#bucket, health);
    }
  }

  #markAll(mono: number, atEnd: boolean): void {
    for (const { ring, tracks } of this.#workloads.values()) {
      for (const track of tracks.values()) this.#mark(ring, track, mono, atEnd);
    }
  }

  /** Ends buckets whose time is over, and begins the present one. */
  #advance(): Now {
    const now = this.#clock.now();
    const bucket = bucketOf(now.wall);
    if (bucket < this.#bucket) {
      this.#goBack(bucket, now.mono);
      return now;
    }
    this.#backSince = undefined;
    if (bucket === this.#bucket) return now;
    const ended = this.#bucket;
    this.#markAll(now.mono, true);
    for (let next = Math.max(ended + 1, bucket - DAY_BUCKETS + 1); next <= bucket; next += 1) {
      for (const { ring } of this.#workloads.values()) ring.begin(next);
    }
    this.#bucket = bucket;
    // Nobody looked for a whole bucket: the machine slept, or its clock was set forward.
    if (bucket - ended > 1) {
      for (const { ring, tracks } of this.#workloads.values()) if (tracks.size > 0) this.#away(ring, ended);
    }
    this.#markAll(now.mono, false);
    this.#age();
    return now;
  }

  /** A clock that was set back a little, or for a short time, goes on in the present bucket. */
  #goBack(bucket: number, mono: number): void {
    this.#backSince ??= mono;
    if (this.#bucket - bucket <= 1 || mono - this.#backSince < CLOCK_HOLD_MS) return;
    const from = this.#bucket;
    this.#bucket = bucket;
    this.#backSince = undefined;
    for (const { ring, tracks } of this.#workloads.values()) {
      ring.rewind(bucket, from);
      if (tracks.size > 0) this.#away(ring, bucket);
    }
    this.#markAll(mono, false);
    this.#age();
  }

  #age(): void {
    for (const [key, workload] of this.#workloads) {
      workload.ring.age(this.#bucket);
      if (isGone(workload) && workload.ring.isEmpty()) this.#workloads.delete(key);
    }
    for (const [key, bucket] of this.#leftOut) {
      if (bucket > this.#bucket || bucket <= this.#bucket - DAY_BUCKETS) this.#leftOut.delete(key);
    }
  }
}

function isGone({ tracks, kept }: Workload): boolean {
  return tracks.size === 0 && kept.size === 0;
}

function keyOf({ kind, namespace, name }: StoredRing['name']): string {
  return `${kind}/${namespace}/${name}`;
}

function sumOf(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, figure) => sum + figure, 0);
}
