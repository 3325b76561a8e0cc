/** One workload's ring: a day of buckets, and a week of recoveries. */
import {
  type BucketCount,
  DAY_BUCKETS,
  type DayState,
  type RecoverySpan,
  type WorkloadDay,
  type WorkloadName,
} from '../../api/index.ts';
import { figureCode, figureOf } from './figure-code.ts';
import { MAX_OWNERS, MAX_PODS } from './limits.ts';
import { agedSpans, type Recovered, withoutRecovery, withRecovery } from './recovery-spans.ts';

/** What was seen in a bucket, one bit each. */
export const SEEN = { ok: 1, degraded: 2, dead: 4, healed: 8, away: 16 } as const;
const ALL_SEEN = 31;
const MAX_COUNT = 65_535;

/** What is stored of a ring: the buckets from `first` on, each list as long as the others. */
export interface StoredRing {
  readonly name: WorkloadName;
  readonly owners: readonly string[];
  readonly pods: readonly string[];
  readonly spans: readonly RecoverySpan[];
  readonly first: number;
  readonly seen: Uint8Array;
  readonly restarts: readonly BucketCount[];
  readonly deaths: readonly BucketCount[];
  /** As `figureCode` gives them. */
  readonly cpu: Uint16Array;
  readonly memory: Uint16Array;
}

export class WorkloadRing {
  readonly name: WorkloadName;
  readonly #seen = new Uint8Array(DAY_BUCKETS);
  readonly #restarts = new Uint16Array(DAY_BUCKETS);
  readonly #deaths = new Uint16Array(DAY_BUCKETS);
  readonly #cpu = new Uint16Array(DAY_BUCKETS);
  readonly #memory = new Uint16Array(DAY_BUCKETS);
  #owners: readonly string[] = [];
  #pods: readonly string[] = [];
  #spans: readonly RecoverySpan[] = [];

  constructor(name: WorkloadName) {
    this.name = name;
  }

  /** @param owner UID of the pod's controller; undefined: it has none */
  meet(pod: string, owner: string | undefined): void {
    this.#pods = withLast(this.#pods, pod, MAX_PODS);
    if (owner !== undefined) this.#owners = withLast(this.#owners, owner, MAX_OWNERS);
  }

  see(bucket: number, what: keyof typeof SEEN): void {
    const slot = slotOf(bucket);
    this.#seen[slot] = (this.#seen[slot] ?? 0) | SEEN[what];
  }

  count(bucket: number, restarts: number, deaths: number): void {
    add(this.#restarts, slotOf(bucket), restarts);
    add(this.#deaths, slotOf(bucket), deaths);
  }

  recover(bucket: number, recovered: Recovered): void {
    this.see(bucket, 'healed');
    this.#spans = withRecovery(this.#spans, bucket, recovered);
  }

  /** It was none. What was seen stays seen. */
  takeBack(recovered: Recovered): void {
    this.#spans = withoutRecovery(this.#spans, recovered);
  }

  /** @param figures thousandths of a core, and bytes */
  measure(bucket: number, figures: { readonly cpu: number | undefined; readonly memory: number | undefined }): void {
    this.#cpu[slotOf(bucket)] = figureCode(figures.cpu);
    this.#memory[slotOf(bucket)] = figureCode(figures.memory);
  }

  /** A bucket begins: its slot held what was a day before. */
  begin(bucket: number): void {
    const slot = slotOf(bucket);
    for (const list of [this.#seen, this.#restarts, this.#deaths, this.#cpu, this.#memory]) list[slot] = 0;
  }

  /** The buckets after `bucket` never were: the clock that named them was wrong. Their counts are those of `bucket`. */
  rewind(bucket: number, from: number): void {
    let restarts = 0;
    let deaths = 0;
    for (let wrong = Math.max(bucket + 1, from - DAY_BUCKETS + 1); wrong <= from; wrong += 1) {
      const slot = slotOf(wrong);
      restarts += this.#restarts[slot] ?? 0;
      deaths += this.#deaths[slot] ?? 0;
      const known = (this.#seen[slot] ?? 0) !== 0;
      this.begin(wrong);
      // The slot is that of a bucket a day before again, of which nothing is known any more.
      if (known) this.see(wrong, 'away');
    }
    this.count(bucket, restarts, deaths);
  }

  age(bucket: number): void {
    this.#spans = agedSpans(this.#spans, bucket);
  }

  isEmpty(): boolean {
    return [this.#seen, this.#restarts, this.#deaths].every((list) => list.every((each) => each === 0));
  }

  /** The last bucket up to `last` of which anything is known; undefined: none of that day. */
  lastSeen(last: number): number | undefined {
    for (let bucket = last; bucket > last - DAY_BUCKETS; bucket -= 1) {
      if ((this.#seen[slotOf(bucket)] ?? 0) !== 0) return bucket;
    }
    return undefined;
  }

  /**
   * @param last the present bucket
   * @param now whether a pod is dead at this moment
   */
  day(last: number, now: { readonly dead: boolean; readonly series: boolean }): WorkloadDay {
    const { first, seen, restarts, deaths, cpu, memory } = this.store(last);
    const states = [...seen].map((each, at) => stateOf(now.dead && first + at === last ? each | SEEN.dead : each));
    return {
      ...this.name,
      owners: this.#owners,
      pods: this.#pods,
      first,
      states: states.join(''),
      restarts,
      deaths,
      ...(now.series ? { cpu: [...cpu].map(figureOf), memory: [...memory].map(figureOf) } : {}),
      recoveries: this.#spans,
    };
  }

  /** From the first bucket of the day of which anything is known. */
  store(last: number): StoredRing {
    let first = last - DAY_BUCKETS + 1;
    while (first < last && this.#isBlank(slotOf(first))) first += 1;
    const length = last - first + 1;
    return {
      name: this.name,
      owners: this.#owners,
      pods: this.#pods,
      spans: this.#spans,
      first,
      seen: unrolled(this.#seen, new Uint8Array(length), first),
      restarts: countsIn(unrolled(this.#restarts, new Uint16Array(length), first)),
      deaths: countsIn(unrolled(this.#deaths, new Uint16Array(length), first)),
      cpu: unrolled(this.#cpu, new Uint16Array(length), first),
      memory: unrolled(this.#memory, new Uint16Array(length), first),
    };
  }

  /** The ring as it was stored when `last` was the present bucket. */
  static from(stored: StoredRing, last: number): WorkloadRing {
    const ring = new WorkloadRing(stored.name);
    ring.#owners = stored.owners.slice(-MAX_OWNERS);
    ring.#pods = stored.pods.slice(-MAX_PODS);
    ring.#spans = stored.spans;
    const isOfDay = (at: number): boolean => stored.first + at <= last && stored.first + at > last - DAY_BUCKETS;
    for (const [at, seen] of stored.seen.entries()) {
      if (!isOfDay(at)) continue;
      const slot = slotOf(stored.first + at);
      ring.#seen[slot] = seen & ALL_SEEN;
      ring.#cpu[slot] = stored.cpu[at] ?? 0;
      ring.#memory[slot] = stored.memory[at] ?? 0;
    }
    for (const [at, count] of stored.restarts) if (isOfDay(at)) ring.count(stored.first + at, count, 0);
    for (const [at, count] of stored.deaths) if (isOfDay(at)) ring.count(stored.first + at, 0, count);
    return ring;
  }

  #isBlank(slot: number): boolean {
    return this.#seen[slot] === 0 && this.#restarts[slot] === 0 && this.#deaths[slot] === 0;
  }
}

/** The worst that was seen; being well counts only when it was seen all the time. */
export function stateOf(seen: number): DayState {
  if ((seen & SEEN.dead) !== 0) return 'x';
  if ((seen & SEEN.degraded) !== 0) return 'd';
  if ((seen & SEEN.healed) !== 0) return 'h';
  if ((seen & SEEN.away) !== 0) return '?';
  return (seen & SEEN.ok) !== 0 ? 'o' : '.';
}

function slotOf(bucket: number): number {
  return ((bucket % DAY_BUCKETS) + DAY_BUCKETS) % DAY_BUCKETS;
}

/** The ring's slots from that of bucket `first` on, in order of time, as many as `into` holds. */
function unrolled<T extends Uint8Array | Uint16Array>(ring: T, into: T, first: number): T {
  const slot = slotOf(first);
  const tail = ring.subarray(slot, slot + into.length);
  into.set(tail);
  into.set(ring.subarray(0, into.length - tail.length), tail.length);
  return into;
}

function countsIn(list: Uint16Array): readonly BucketCount[] {
  const counts: BucketCount[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const count = list[at] ?? 0;
    if (count > 0) counts.push([at, count]);
  }
  return counts;
}

function add(list: Uint16Array, slot: number, count: number): void {
  list[slot] = Math.min(MAX_COUNT, (list[slot] ?? 0) + count);
}

function withLast(list: readonly string[], text: string, max: number): readonly string[] {
  return list.at(-1) === text || list.includes(text) ? list : [...list, text].slice(-max);
}
