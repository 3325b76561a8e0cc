/** The last day of each row, as the nodes remember it: asked for now and then, and soon after something died. */
import {
  type DayFigures,
  dayOf,
  mergeDays,
  type RecoveryFigures,
  recoveryFigures,
  type WorkloadDay,
  type WorkloadName,
} from '../../api/index.ts';
import type { Clock } from '../../lib/index.ts';
import { DAYS_AGAIN_MS, DAYS_EVERY_MS } from '../limits.ts';

export interface DaysQuestion {
  readonly ask: () => Promise<readonly WorkloadDay[] | undefined>;
  /** Whose day it is. */
  readonly names: () => (day: WorkloadDay) => WorkloadName;
  /** What differs after a death: the days are asked for again. */
  readonly mark: number;
}

export class KnownDays {
  readonly #clock: Clock;
  readonly #onNews: () => void;
  #byRow: ReadonlyMap<string, WorkloadDay> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #mark: number | undefined;
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

  /** Of all rows together; undefined: no node has told. */
  recovery(span: 'day' | 'week', now: number): RecoveryFigures | undefined {
    return this.#byRow === undefined ? undefined : recoveryFigures([...this.#byRow.values()], span, now);
  }

  /** Asks if it is time. */
  look(question: DaysQuestion): void {
    const since = this.#clock.now().mono - this.#askedAt;
    const isDue = since >= DAYS_EVERY_MS || (question.mark !== this.#mark && since >= DAYS_AGAIN_MS);
    if (!isDue || this.#isUnderWay) return;
    this.#isUnderWay = true;
    this.#askedAt = this.#clock.now().mono;
    this.#mark = question.mark;
    void this.#ask(question).finally(() => {
      this.#isUnderWay = false;
      this.#onNews();
    });
  }

  async #ask({ ask, names }: DaysQuestion): Promise<void> {
    const days = await ask();
    // What was told before is older, and still true of its time.
    if (days === undefined) return;
    const merged = mergeDays(days, names());
    this.#byRow = new Map(merged.map((day) => [`${day.kind}/${day.namespace}/${day.name}`, day]));
  }
}
