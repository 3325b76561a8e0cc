/**
 * Whether the store answers, within a time (upstream: --etcd-healthcheck-timeout). A worker that is busy for long, or waits for a
 * disk that hangs, gives no error: who asks for the server's health is told then that the store does not answer, and does not wait
 * for it. One question at a time, however many ask: strangers may ask for health, and the store's queue is not theirs to fill.
 */
import { type Clock, type DeadlineResult, type Logger, withDeadline } from '../../lib/index.ts';
import { type Store, StoreError } from '../../store/index.ts';
import { STORE_HEALTH_TIMEOUT_MS } from '../limits.ts';
import type { HealthCheck } from './health.ts';

/** No object lies here. */
const KEY = '/registry/health';

interface Question {
  /** On the monotonic clock, ms. */
  readonly since: number;
  /** Why the store is not well; undefined when it is. */
  readonly answer: Promise<string | undefined>;
  /** The log says that it takes too long. */
  isTold: boolean;
}

export function storeHealth(store: Pick<Store, 'get'>, clock: Clock, logger: Logger): HealthCheck {
  let open: Question | undefined;
  const ask = (): Question => {
    if (open !== undefined) return open;
    const question: Question = { since: clock.now().mono, answer: askStore(store), isTold: false };
    open = question;
    const close = (): void => {
      open = undefined;
    };
    question.answer.then(close, close);
    return question;
  };
  const check = async (): Promise<string | undefined> => {
    const question = ask();
    const { answer } = question;
    const within = (timeoutMs: number): Promise<DeadlineResult<string | undefined>> =>
      withDeadline({ clock, timeoutMs }, () => answer);
    // What others have waited for counts: the store is as silent for who comes later.
    const first = await within(Math.max(0, STORE_HEALTH_TIMEOUT_MS - (clock.now().mono - question.since)));
    // Our own loop was away, and the answer may lie behind this very moment: it gets its time once more.
    const told = first.kind === 'late' ? await within(STORE_HEALTH_TIMEOUT_MS) : first;
    if (told.kind === 'done') return told.value;
    if (!question.isTold)
      logger.warn('the store is busy: it does not answer in time', { timeoutMs: STORE_HEALTH_TIMEOUT_MS });
    question.isTold = true;
    return `no answer within ${STORE_HEALTH_TIMEOUT_MS} ms`;
  };
  return { name: 'etcd', check };
}

async function askStore(store: Pick<Store, 'get'>): Promise<string | undefined> {
  try {
    await store.get(KEY);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) return error.message;
    throw error;
  }
}
