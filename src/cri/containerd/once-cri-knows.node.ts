/**
 * We tell of a container's end as soon as its task has ended; CRI learns of it a moment later, and until then refuses to
 * remove it because it "runs".
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RuntimeError } from '../runtime.ts';

const STILL_RUNNING = 'container is still running, to stop first';
/** containerd's status lags by 125 ms at worst, on a quiet machine. */
const WAIT_MS = 25;
const MAX_TRIES = 80;

/** Repeats `work` while CRI refuses it for that reason; after two seconds the refusal stands. */
export async function onceCriKnows<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isEarly = error instanceof RuntimeError && error.message.includes(STILL_RUNNING);
      if (!isEarly || tries >= MAX_TRIES) throw error;
      await sleep(WAIT_MS);
    }
  }
}
