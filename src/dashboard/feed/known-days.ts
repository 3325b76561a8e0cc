/** The last day of each row, as the nodes remember it: asked for now and then, and soon after something died. */
import {
  type DayFigures,
  dayOf,
  mergeDays,
  type PodStep,
  type RecoveryFigures,
  recoveryFigures,
  type WorkloadDay,
  type WorkloadName,
} from '../../api/index.ts';
import type { Clock } from '../../lib/index.ts';
import { DAYS_AGAIN_MS, DAYS_EVERY_MS } from '../limits.ts';
import type { ToldDays } from './ask-days.ts';

export interface DaysQuestion {
  readonly ask: () => Promise<ToldDays | undefined>;
  /** Whose day it is. */
  readonly names: () => (day: WorkloadDay) => WorkloadName;
  /** What differs after a death, or when something else waits: the days are asked for again. */
  readonly mark: string;
}

interface Step {
  readonly words: string;
  /** Mono ms. */
  readonly at: number;
}

export class KnownDays {
  readonly #clock: Clock;
  readonly #onNews: () => void;
  #byRow: ReadonlyMap<string, WorkloadDay> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #mark: string | undefined;
  /** By UID of the pod. */
  #next: ReadonlyMap<string, Step> = new Map();
  #disks: ReadonlyMap<string, number> = new Map();
  #isUnderWay = false;

  constructor(clock: Clock, onNews: () => void) {
    this.#clock = clock;
    this.#onNews = onNews;
  }

  /** Undefined: no node has told of it. @param now wall ms of the cluster */
  of(id: string, now: number): DayFigures | undefined {
    const day = this.#byRow?.get(id);
    return day === undefined ? undefined : dayOf(day, now);
  }

  /** What a pod's node says that happens next to it by time alone; undefined: nothing, or it has happened. */
  next(uid: string): { readonly words: string; readonly inMs: number } | undefined {
    const step = this.#next.get(uid);
    const inMs = step === undefined ? 0 : step.at - this.#clock.now().mono;
    return step === undefined || inMs <= 0 ? undefined : { words: step.words, inMs };
  }

  diskUsedPercent(node: string): number | undefined {
    return this.#disks.get(node);
  }

  /** Of all rows together; undefined: no node has told. */
  recovery(span: 'day' | 'week', now: number): RecoveryFigures | undefined {
    return this.#byRow === undefined ? undefined : recoveryFigures([...this.#byRow.values()], span, now);
  }

  /** Asks if it is time. */
  look(question: DaysQuestion): void {
    const since = this.#clock.now().mono - this.#askedAt;
    const isOther = question.mark !== this.#mark || this.#isOver();
    const isDue = since >= DAYS_EVERY_MS || (isOther && since >= DAYS_AGAIN_MS);
    if (!isDue || this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#askedAt = this.#clock.now().mono;
    this.#mark = question.mark;
    void this.#ask(question).finally(() => {
      this.#isUnderWay = false;
      this.#onNews();
    });
  }

  /** A step has come since it was told: another one may follow. */
  #isOver(): boolean {
    const { mono } = this.#clock.now();
    return this.#next.values().some(({ at }) => at <= mono && at > this.#askedAt);
  }

  async #ask({ ask, names }: DaysQuestion): Promise<void> {
    const told = await ask();
    // What was told before is older, and still true of its time.
    if (told === undefined) return;
    this.#next = stepsAt(told.next, this.#clock.now().mono);
    this.#disks = new Map(told.nodes.map(({ name, diskUsedPercent }) => [name, diskUsedPercent]));
    const merged = mergeDays(told.items, names());
    this.#byRow = new Map(merged.map((day) => [`${day.kind}/${day.namespace}/${day.name}`, day]));
  }
}

function stepsAt(steps: readonly PodStep[], mono: number): ReadonlyMap<string, Step> {
  return new Map(steps.map(({ uid, words, inMs }) => [uid, { words, at: mono + inMs }]));
}
