/** Back-off of failed pulls, by pod and image (upstream: flowcontrol.Backoff with key podUID_image). Mono ms. */
import { exponentialDelay } from '../../lib/index.ts';
import { MAX_BACK_OFF_RECORDS, PULL_BACK_OFF, PULL_BACK_OFF_EXPIRY_MS } from './limits.ts';

interface BackOffRecord {
  readonly failures: number;
  readonly failedAt: number;
  readonly message: string;
  /** The next pull need not wait. */
  readonly letThrough?: true;
}

export class PullBackOff {
  readonly #records = new Map<string, BackOffRecord>();

  /** A pull failed now; returns when the next one may begin. */
  failed(key: string, now: number, message: string): number {
    const failures = (this.#recent(key, now)?.failures ?? 0) + 1;
    this.#records.delete(key);
    this.#records.set(key, { failures, failedAt: now, message });
    if (this.#records.size > MAX_BACK_OFF_RECORDS) {
      const [oldest] = this.#records.keys();
      if (oldest !== undefined) this.#records.delete(oldest);
    }
    return now + exponentialDelay(PULL_BACK_OFF, failures);
  }

  /** Until when to wait, and for which error; `undefined`: go ahead. */
  waiting(key: string, now: number): { readonly until: number; readonly message: string } | undefined {
    const record = this.#recent(key, now);
    if (record === undefined || record.letThrough === true) return undefined;
    const until = record.failedAt + exponentialDelay(PULL_BACK_OFF, record.failures);
    return until > now ? { until, message: record.message } : undefined;
  }

  /** The pod's next pulls need not wait; when they fail, those after them wait as long as they would have. */
  letThrough(uid: string): void {
    for (const [key, record] of this.#records) {
      if (key.startsWith(`${uid}_`)) this.#records.set(key, { ...record, letThrough: true });
    }
  }

  forgetPod(uid: string): void {
    for (const key of this.#records.keys()) if (key.startsWith(`${uid}_`)) this.#records.delete(key);
  }

  #recent(key: string, now: number): BackOffRecord | undefined {
    const record = this.#records.get(key);
    return record !== undefined && now - record.failedAt <= PULL_BACK_OFF_EXPIRY_MS ? record : undefined;
  }
}
